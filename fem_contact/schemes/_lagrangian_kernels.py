"""Compiled parts of a Newton iteration on a Lagrangian system: small dense matrices, nothing allocated."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def solve_in_place(A, B):
    """B <- A^{-1} B by elimination with row pivoting, A destroyed; False when A is singular."""
    n, columns = B.shape
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 0.0:
            return False
        if pivot != k:
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            for j in range(columns):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                for j in range(columns):
                    B[i, j] -= factor * B[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(columns):
            total = B[k, j]
            for i in range(k + 1, n):
                total -= A[k, i] * B[i, j]
            B[k, j] = total / A[k, k]
    return True


@njit(cache=True)
def respond(M, K, C, H, G, defect, v, h, theta, theta_q, A, B, W):
    """What defect and contact impulses do to the velocity, the joints kept exactly.

    With Mhat = M + h theta C + h^2 theta theta_q K, columns of B (n + m, 1 + d c) are

        [Mhat  -G^T] [x      ]   [defect]         [Mhat  -G^T] [X_j]   [H_j^T]
        [G      0  ] [lambda0] = [-G v  ],        [G      0  ] [L_j] = [0    ]

    and W = H X. Returns False when the matrix is singular (a joint said twice, say).
    """
    n, m, rows = len(defect), len(G), len(H)
    for i in range(n):
        for j in range(n):
            A[i, j] = M[i, j] + h * theta * C[i, j] + h * h * theta * theta_q * K[i, j]
        B[i, 0] = defect[i]
        for j in range(rows):
            B[i, 1 + j] = H[j, i]
    for a in range(m):
        total = 0.0
        for i in range(n):
            A[i, n + a] = -G[a, i]
            A[n + a, i] = G[a, i]
            total += G[a, i] * v[i]
        for b in range(m):
            A[n + a, n + b] = 0.0
        B[n + a, 0] = -total
        for j in range(rows):
            B[n + a, 1 + j] = 0.0
    if not solve_in_place(A, B):
        return False
    for i in range(rows):
        for j in range(rows):
            total = 0.0
            for k in range(n):
                total += H[i, k] * B[k, 1 + j]
            W[i, j] = total
    return True


@njit(cache=True)
def pose(active, u, u_free, e, mu, W, p, d, weight, slope, offset, A, b, mu_active, r):
    """The local problem of the active contacts, see ``ContactWeights``; returns how many they are."""
    count = 0
    for i in range(len(active)):
        if active[i]:
            mu_active[count] = mu[i]
            for a in range(d):
                b[d * count + a] = weight * u_free[i, a] + (1.0 - weight) * u[i, a]
                r[d * count + a] = p[i, a]
            b[d * count] += (slope * e[i] + offset) * u[i, 0]
            count += 1
    size = d * count
    row = 0
    for i in range(len(active)):
        if not active[i]:
            continue
        for a in range(d):
            column = 0
            for j in range(len(active)):
                if active[j]:
                    for c in range(d):
                        A[row * size + column] = weight * W[d * i + a, d * j + c]
                        column += 1
            row += 1
    return count


@njit(cache=True)
def apply(B, p, m, v, x_new, impulses):
    """v^{n+1} = v^n + x + X p and the joint impulses lambda."""
    n = len(v)
    flat = p.ravel()
    for i in range(n):
        total = B[i, 0]
        for j in range(len(flat)):
            total += B[i, 1 + j] * flat[j]
        x_new[i] = v[i] + total
    for a in range(m):
        total = B[n + a, 0]
        for j in range(len(flat)):
            total += B[n + a, 1 + j] * flat[j]
        impulses[a] = total


@njit(cache=True)
def imbalance(defect, H, p, G, impulses, M, v):
    """|defect + H^T p + G^T lambda| over the largest of what it adds up, momentum included."""
    n = len(defect)
    flat = p.ravel()
    fault, scale = 0.0, 0.0
    for i in range(n):
        contact, joint, momentum = 0.0, 0.0, 0.0
        for j in range(len(flat)):
            contact += H[j, i] * flat[j]
        for a in range(len(impulses)):
            joint += G[a, i] * impulses[a]
        for j in range(n):
            momentum += M[i, j] * v[j]
        fault = max(fault, abs(defect[i] + contact + joint))
        scale = max(scale, abs(contact), abs(joint), abs(momentum), abs(defect[i]))
    return fault / scale if scale > 0.0 else 0.0
