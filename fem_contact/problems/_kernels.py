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


@njit(cache=True, fastmath=SUMS)
def multiply_add(A, r, b, w):
    """w = A r + b."""
    for i in range(len(b)):
        total = 0.0
        for j in range(len(b)):
            total += A[i, j] * r[j]
        w[i] = total + b[i]


@njit(cache=True)
def natural_map(r, w, mu, d):
    """|r - P_K(r - (w + mu |w_T| n))|_2 for contacts of d = 1 or 2 components."""
    total = 0.0
    for i in range(len(mu)):
        k = d * i
        if d == 1:
            difference = r[k] - max(r[k] - w[k], 0.0)
            total += difference * difference
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
