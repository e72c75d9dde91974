"""Compiled Jordan algebra of the second-order cones L = {|x_T| <= x_N}, one a contact, and their scalings.

Vectors of d*c numbers, normal first. ``point`` (d*c,) and ``factor`` (c,) hold the Nesterov-Todd scaling
W = factor [[p_N, p_T^T], [p_T, I + p_T p_T^T/(1 + p_N)]] with p in L and p_N^2 - |p_T|^2 = 1.
"""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True, inline="always")
def _tangential(x, y, k, d):
    """x_T . y_T of the contact that starts at k."""
    total = 0.0
    for p in range(1, d):
        total += x[k + p] * y[k + p]
    return total


@njit(cache=True)
def _root_of_determinant(x, k, d):
    """sqrt(x_N^2 - |x_T|^2), without cancellation of squares."""
    length = math.sqrt(_tangential(x, x, k, d))
    return math.sqrt(max((x[k] - length) * (x[k] + length), 1e-300))


@njit(cache=True)
def nesterov_todd(x, y, d, point, factor):
    """The scaling with W x = W^-1 y of every contact; x, y inside L."""
    for i in range(len(factor)):
        k = d * i
        root_x, root_y = _root_of_determinant(x, k, d), _root_of_determinant(y, k, d)
        inner = (x[k] * y[k] + _tangential(x, y, k, d)) / (root_x * root_y)
        half = 1.0 / math.sqrt(2.0 * (1.0 + inner))
        total = 0.0
        for p in range(1, d):
            point[k + p] = half * (y[k + p] / root_y - x[k + p] / root_x)
            total += point[k + p] ** 2
        point[k] = math.sqrt(1.0 + total)
        factor[i] = math.sqrt(root_y / root_x)


@njit(cache=True)
def scale(point, factor, d, inverse, v, out):
    """out = W v, or W^-1 v."""
    sign = -1.0 if inverse else 1.0
    for i in range(len(factor)):
        k = d * i
        size = 1.0 / factor[i] if inverse else factor[i]
        inner = sign * _tangential(point, v, k, d)
        along = v[k] + inner / (1.0 + point[k])
        normal = point[k] * v[k] + inner
        for p in range(1, d):
            out[k + p] = size * (v[k + p] + sign * point[k + p] * along)
        out[k] = size * normal


@njit(cache=True)
def blocks(point, factor, y, d, coupling, B, C, smooth=0.0):
    """B = W^2 and C = [[1, t^T], [0, I]] with t = coupling y_T/|y_T|: the derivative of w + |w_T| n.

    |y_T| stands for sqrt(|y_T|^2 + smooth^2), here as in :func:`mismatch`.
    """
    for i in range(len(factor)):
        k = d * i
        length = math.sqrt(_tangential(y, y, k, d) + smooth * smooth)
        size = factor[i] ** 2
        for p in range(d):
            for q in range(d):
                B[i, p, q] = 2.0 * size * point[k + p] * point[k + q]
                C[i, p, q] = 1.0 if p == q else 0.0
            B[i, p, p] += -size if p == 0 else size
        for q in range(1, d):
            C[i, 0, q] = coupling * y[k + q] / length if length > 0.0 else 0.0


@njit(cache=True)
def mismatch(w, y, d, coupling, out, smooth=0.0):
    """out = C (w - y) + |y_T| n: what y + dy = w + dw + |w_T + dw_T| n asks of dy beyond C dw, to first
    order; with coupling 0, w + |y_T| n - y."""
    for i in range(len(y) // d):
        k = d * i
        length = math.sqrt(_tangential(y, y, k, d) + smooth * smooth)
        out[k] = w[k] - y[k] + length
        for p in range(1, d):
            out[k + p] = w[k + p] - y[k + p]
            if length > 0.0:
                out[k] += coupling * y[k + p] / length * out[k + p]


@njit(cache=True)
def lagging(w, y, s, d, kappa, smooth, out):
    """out = w + (s + kappa (|w_T| - s)) n - y, |w_T| smoothed; returns the norm of |w_T| - s."""
    total = 0.0
    for i in range(len(s)):
        k = d * i
        lag = math.sqrt(_tangential(w, w, k, d) + smooth * smooth) - s[i] if d > 1 else 0.0
        total += lag * lag
        for p in range(d):
            out[k + p] = w[k + p] - y[k + p]
        out[k] += s[i] + kappa * lag
    return math.sqrt(total)


@njit(cache=True)
def centring(scaled, dx, dy, target, d, out):
    """out = z with lambda o z = lambda o lambda + dx o dy - target e, for lambda = W x = W^-1 y."""
    for i in range(len(scaled) // d):
        k = d * i
        top = scaled[k] ** 2 + _tangential(scaled, scaled, k, d) - target
        top += dx[k] * dy[k] + _tangential(dx, dy, k, d)
        inner = 0.0
        for p in range(1, d):
            out[k + p] = 2.0 * scaled[k] * scaled[k + p] + dx[k] * dy[k + p] + dy[k] * dx[k + p]
            inner += scaled[k + p] * out[k + p]
        out[k] = (scaled[k] * top - inner) / _root_of_determinant(scaled, k, d) ** 2
        for p in range(1, d):
            out[k + p] = (out[k + p] - out[k] * scaled[k + p]) / scaled[k]


@njit(cache=True)
def longest_step(x, dx, d):
    """The largest t <= 1e10 with x + t dx in L for every contact; x inside L."""
    longest = 1e10
    for i in range(len(x) // d):
        k = d * i
        root = _root_of_determinant(x, k, d)
        # dx seen from x as from the centre of the cone: its least eigenvalue there bounds the step.
        inner = (x[k] * dx[k] - _tangential(x, dx, k, d)) / root
        along = (inner + dx[k]) / (x[k] / root + 1.0)
        total = 0.0
        for p in range(1, d):
            total += (dx[k + p] - along * x[k + p] / root) ** 2
        least = (inner - math.sqrt(total)) / root
        if least < 0.0:
            longest = min(longest, -1.0 / least)
    return longest
