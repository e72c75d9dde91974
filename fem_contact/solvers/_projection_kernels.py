"""Compiled step of the projection methods: one pass over the contacts between two products with A."""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def step(r, w, mu, d, rho, out):
    """out = P_K(r - rho_i (w + mu |w_T| n)) for every contact i; ``rho`` holds one number a contact."""
    for i in range(len(mu)):
        k = d * i
        m = mu[i]
        sliding = 0.0
        for j in range(k + 1, k + d):
            sliding += w[j] * w[j]
        normal = r[k] - rho[i] * (w[k] + m * math.sqrt(sliding))
        length = 0.0
        for j in range(k + 1, k + d):
            out[j] = r[j] - rho[i] * w[j]
            length += out[j] * out[j]
        length = math.sqrt(length)
        if d == 1:
            out[k] = max(normal, 0.0)
        elif normal >= 0.0 and length <= m * normal:
            out[k] = normal
        elif m * length <= -normal:
            for j in range(k, k + d):
                out[j] = 0.0
        else:
            out[k] = (normal + m * length) / (1.0 + m * m)
            share = m * out[k] / length
            for j in range(k + 1, k + d):
                out[j] *= share


@njit(cache=True)
def stretch(r, w, other, other_w, mu, d, scale):
    """Squared lengths of r - r' and of F(r) - F(r'), F = w + mu |w_T| n, each in its scaled norm.

    The first is weighted by ``scale`` (one number a contact), the second by its inverse, so that their
    quotient is a Lipschitz constant of F after scaling.
    """
    way = 0.0
    change = 0.0
    for i in range(len(mu)):
        k = d * i
        a = 0.0
        c = 0.0
        moved = 0.0
        turned = 0.0
        for j in range(k, k + d):
            moved += (r[j] - other[j]) ** 2
            if j > k:
                a += w[j] * w[j]
                c += other_w[j] * other_w[j]
                turned += (w[j] - other_w[j]) ** 2
        turned += (w[k] - other_w[k] + mu[i] * (math.sqrt(a) - math.sqrt(c))) ** 2
        way += scale[i] * moved
        change += turned / scale[i]
    return way, change
