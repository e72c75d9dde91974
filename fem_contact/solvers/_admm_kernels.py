"""Compiled parts of ADMM: one pass over the contacts between two linear solves."""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def split(v, b, mu, d, rho, z, rhs):
    """z = P_K(v) and rhs = rho (2 z - v) - b - s n, with s = mu |w_T| of the velocity w = rho (z - v).

    By Moreau's decomposition z - v lies in the dual cone and is orthogonal to z.
    """
    for i in range(len(mu)):
        k = d * i
        m = mu[i]
        normal = v[k]
        length = 0.0
        for j in range(k + 1, k + d):
            length += v[j] * v[j]
        length = math.sqrt(length)
        if d == 1:
            z[k] = max(normal, 0.0)
        elif normal >= 0.0 and length <= m * normal:
            for j in range(k, k + d):
                z[j] = v[j]
        elif m * length <= -normal:
            for j in range(k, k + d):
                z[j] = 0.0
        else:
            z[k] = (normal + m * length) / (1.0 + m * m)
            share = m * z[k] / length
            for j in range(k + 1, k + d):
                z[j] = share * v[j]
        sliding = 0.0
        for j in range(k, k + d):
            rhs[j] = rho * (2.0 * z[j] - v[j]) - b[j]
            if j > k:
                sliding += (z[j] - v[j]) * (z[j] - v[j])
        rhs[k] -= m * rho * math.sqrt(sliding)


@njit(cache=True)
def slopes(v, mu, d, rho, P, R):
    """P = dP_K/dv and R = d(rho (z - v) - s n)/dv of every contact, both (c, d, d); see :func:`split`."""
    for i in range(len(mu)):
        k = d * i
        m = mu[i]
        normal = v[k]
        length = 0.0
        for j in range(1, d):
            length += v[k + j] * v[k + j]
        length = math.sqrt(length)
        inside = normal >= 0.0 and length <= m * normal if d > 1 else normal > 0.0
        polar = not inside and (d == 1 or m * length <= -normal)
        for a in range(d):
            for c in range(d):
                P[i, a, c] = 1.0 if inside and a == c else 0.0
        if not inside and not polar:
            z_n = (normal + m * length) / (1.0 + m * m)
            bend = m * z_n / length
            for a in range(d):
                g_a = 1.0 if a == 0 else m * v[k + a] / length
                for c in range(d):
                    g_c = 1.0 if c == 0 else m * v[k + c] / length
                    P[i, a, c] = g_a * g_c / (1.0 + m * m)
                    if a > 0 and c > 0:
                        unit = 1.0 if a == c else 0.0
                        P[i, a, c] += bend * (unit - v[k + a] * v[k + c] / (length * length))
        for a in range(d):
            for c in range(d):
                R[i, a, c] = rho * (P[i, a, c] - (1.0 if a == c else 0.0))
        if inside or length == 0.0:
            continue
        # s = m rho |(v - z)_T|, whose direction is that of v_T.
        for c in range(d):
            for a in range(1, d):
                R[i, 0, c] += m * v[k + a] / length * R[i, a, c]


@njit(cache=True)
def jacobian(A, P, R, shift, J):
    """J = R - (A + shift I) P for a dense A and d x d blocks P and R on the diagonal."""
    d = P.shape[1]
    for i in range(A.shape[0]):
        for block in range(P.shape[0]):
            k = d * block
            for c in range(d):
                total = 0.0
                for a in range(d):
                    total -= A[i, k + a] * P[block, a, c]
                J[i, k + c] = total
    for block in range(P.shape[0]):
        k = d * block
        for a in range(d):
            for c in range(d):
                J[k + a, k + c] += R[block, a, c] - shift * P[block, a, c]
