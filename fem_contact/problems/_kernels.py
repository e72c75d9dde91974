"""Compiled parts of the local problem: projection on the friction cone and the natural map."""

from __future__ import annotations

import math

from numba import njit

#: Sums may be reordered (so that they vectorise); NaN and infinity keep their meaning.
SUMS = {"reassoc", "contract", "nsz"}


@njit(cache=True, inline="always")
def project_cone(z_n, z_t, mu):
    """Projection of (z_N, z_T) on K = {|r_T| <= mu r_N} in the plane."""
    length = abs(z_t)
    if z_n >= 0.0 and length <= mu * z_n:
        return z_n, z_t
    if mu * length <= -z_n:
        return 0.0, 0.0
    r_n = (z_n + mu * length) / (1.0 + mu * mu)
    return r_n, math.copysign(mu * r_n, z_t)


@njit(cache=True, inline="always")
def project_cone3(z_n, z_1, z_2, mu):
    """Projection of (z_N, z_1, z_2) on K = {|r_T| <= mu r_N} in space."""
    length = math.sqrt(z_1 * z_1 + z_2 * z_2)
    if z_n >= 0.0 and length <= mu * z_n:
        return z_n, z_1, z_2
    if mu * length <= -z_n:
        return 0.0, 0.0, 0.0
    r_n = (z_n + mu * length) / (1.0 + mu * mu)
    # Without length (a normal pull of -0.0 at most) there is no direction, and r_N is zero too.
    scale = mu * r_n / length if length > 0.0 else 0.0
    return r_n, scale * z_1, scale * z_2


@njit(cache=True, fastmath=SUMS)
def multiply_add(A, r, b, w):
    """w = A r + b."""
    for i in range(len(b)):
        total = 0.0
        for j in range(len(b)):
            total += A[i, j] * r[j]
        w[i] = total + b[i]


@njit(cache=True)
def block_multiply_add(indptr, indices, data, r, b, w):
    """w = A r + b for A in sparse d x d blocks (the arrays of a ``bsr_matrix``)."""
    d = data.shape[1]
    for i in range(len(indptr) - 1):
        for a in range(d):
            total = b[d * i + a]
            for p in range(indptr[i], indptr[i + 1]):
                k = d * indices[p]
                for c in range(d):
                    total += data[p, a, c] * r[k + c]
            w[d * i + a] = total


@njit(cache=True)
def natural_map(r, w, mu, d):
    """|r - P_K(r - (w + mu |w_T| n))|_2 for contacts of d = 1, 2 or 3 components."""
    total = 0.0
    for i in range(len(mu)):
        k = d * i
        if d == 1:
            difference = r[k] - max(r[k] - w[k], 0.0)
            total += difference * difference
        elif d == 3:
            z_n = r[k] - w[k] - mu[i] * math.sqrt(w[k + 1] * w[k + 1] + w[k + 2] * w[k + 2])
            p_n, p_1, p_2 = project_cone3(z_n, r[k + 1] - w[k + 1], r[k + 2] - w[k + 2], mu[i])
            total += (r[k] - p_n) ** 2 + (r[k + 1] - p_1) ** 2 + (r[k + 2] - p_2) ** 2
        else:
            z_n = r[k] - w[k] - mu[i] * abs(w[k + 1])
            p_n, p_t = project_cone(z_n, r[k + 1] - w[k + 1], mu[i])
            total += (r[k] - p_n) ** 2 + (r[k + 1] - p_t) ** 2
    return math.sqrt(total)


@njit(cache=True)
def relative_residual(A, b, mu, d, r, w):
    """The shared error measure; ``w`` is work space and holds A r + b on return."""
    multiply_add(A, r, b, w)
    norm = 0.0
    for i in range(len(b)):
        norm += b[i] * b[i]
    return natural_map(r, w, mu, d) / (1.0 + math.sqrt(norm))
