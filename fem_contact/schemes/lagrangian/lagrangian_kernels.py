"""Compiled parts of a Newton iteration on a Lagrangian system: small dense matrices, nothing allocated."""

from __future__ import annotations

import math

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
def blend(theta, a, b, out):
    """out = (1 - theta) a + theta b."""
    for i in range(len(a)):
        out[i] = (1.0 - theta) * a[i] + theta * b[i]


@njit(cache=True)
def momentum_defect(h, F, M, v, v_start, defect):
    """defect = h F - M (v - v_k)."""
    n = len(v)
    for i in range(n):
        total = h * F[i]
        for j in range(n):
            total -= M[i, j] * (v[j] - v_start[j])
        defect[i] = total


@njit(cache=True)
def velocities(H, v, u):
    """u = H v, (c, d)."""
    flat = u.ravel()
    for i in range(len(flat)):
        total = 0.0
        for j in range(len(v)):
            total += H[i, j] * v[j]
        flat[i] = total


@njit(cache=True)
def free_velocities(H, v_start, B, u_now, u_start, u_free):
    """u_start = H v_k and u_free = H (v^n + x), x the first column of B."""
    now, start, free = u_now.ravel(), u_start.ravel(), u_free.ravel()
    for i in range(len(now)):
        moved, total = 0.0, 0.0
        for j in range(len(v_start)):
            total += H[i, j] * v_start[j]
            moved += H[i, j] * B[j, 0]
        start[i] = total
        free[i] = now[i] + moved


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
def place(h, theta_q, q_start, v_start, v, q):
    """q = q_k + h v_{theta_q}."""
    for i in range(len(q)):
        q[i] = q_start[i] + h * ((1.0 - theta_q) * v_start[i] + theta_q * v[i])


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
        total = defect[i] + contact + joint
        if not math.isfinite(total):
            return math.inf
        fault = max(fault, abs(total))
        scale = max(scale, abs(contact), abs(joint), abs(momentum), abs(defect[i]))
    return fault / scale if scale > 0.0 else 0.0


@njit(cache=True)
def drift(u, expected, free, H, v):
    """Largest change of a contact velocity since it was solved for, over the largest of what it adds up.

    That is |H_ij v_j| and the free velocities, not u itself: in a contact that sticks u is round-off.
    """
    change, size = 0.0, 0.0
    a, b, c = u.ravel(), expected.ravel(), free.ravel()
    for i in range(len(a)):
        change = max(change, abs(a[i] - b[i]))
        size = max(size, abs(c[i]))
        for j in range(len(v)):
            size = max(size, abs(H[i, j] * v[j]))
    return change / size if size > 0.0 else 0.0


@njit(cache=True)
def joint_speed(G, v):
    """|G v| over |G| |v|, largest components."""
    fault, large, fast = 0.0, 0.0, 0.0
    for i in range(len(v)):
        fast = max(fast, abs(v[i]))
    for a in range(len(G)):
        total = 0.0
        for i in range(len(v)):
            total += G[a, i] * v[i]
            large = max(large, abs(G[a, i]))
        fault = max(fault, abs(total))
    return fault / (large * fast) if large * fast > 0.0 else 0.0


@njit(cache=True)
def contact_works(u_theta, p, work_normal, work_tangential):
    """u_{N,theta} p_N and u_{T,theta} . p_T of each contact."""
    for i in range(len(p)):
        work_normal[i] = u_theta[i, 0] * p[i, 0]
        total = 0.0
        for a in range(1, p.shape[1]):
            total += u_theta[i, a] * p[i, a]
        work_tangential[i] = total


@njit(cache=True)
def half_square(M, v):
    """1/2 v . M v."""
    total = 0.0
    for i in range(len(v)):
        for j in range(len(v)):
            total += v[i] * M[i, j] * v[j]
    return 0.5 * total


@njit(cache=True)
def dot(a, b):
    """a . b."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True)
def numerical_work(theta_q, M_start, M, M_end, v_start, v_end, dv):
    """(1/2 - theta_q) |dv|_M^2 + 1/2 v'.(M' - M)v' - 1/2 v.(M_k - M)v; dv is left as v' - v."""
    for i in range(len(dv)):
        dv[i] = v_end[i] - v_start[i]
    total = (1.0 - 2.0 * theta_q) * half_square(M, dv)
    total += half_square(M_end, v_end) - half_square(M, v_end)
    return total - (half_square(M_start, v_start) - half_square(M, v_start))
