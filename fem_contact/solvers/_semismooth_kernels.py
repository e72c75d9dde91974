"""Compiled complementarity functions of frictional contact, with their generalised derivatives.

Each writes, for every contact i, phi_i(r_i, w_i) and the d x d blocks B_i = d phi_i / d r_i and
C_i = d phi_i / d w_i, so that the Newton matrix is diag(B) + diag(C) A. ``closed[i]`` is False where
the blocks are B_i = I, C_i = 0 (phi_i = r_i). ``rho`` (c, 2) holds the normal and tangential scaling.
"""

from __future__ import annotations

import math

from numba import njit


@njit(cache=True)
def _clear(i, d, B, C):
    """B_i = C_i = 0."""
    for p in range(d):
        for q in range(d):
            B[i, p, q] = 0.0
            C[i, p, q] = 0.0


@njit(cache=True)
def _disk(r, w, mu, rho, d, i, radius, normal_rate, phi, B, C):
    """Tangential rows r_T - P_D(r_T - rho_T w_T), D of the given radius (None: the point 0).

    The radius follows mu (r_N - normal_rate w_N).
    """
    k = d * i
    length = 0.0
    for p in range(1, d):
        z = r[k + p] - rho[i, 1] * w[k + p]
        length += z * z
    length = math.sqrt(length)
    for p in range(1, d):
        if radius <= 0.0:
            phi[k + p] = r[k + p]
            B[i, p, p] = 1.0
        elif length <= radius:
            phi[k + p] = rho[i, 1] * w[k + p]
            C[i, p, p] = rho[i, 1]
        else:
            u = (r[k + p] - rho[i, 1] * w[k + p]) / length
            phi[k + p] = r[k + p] - radius * u
            B[i, p, 0] = -mu[i] * u
            C[i, p, 0] = mu[i] * normal_rate * u
            for q in range(1, d):
                v = (r[k + q] - rho[i, 1] * w[k + q]) / length
                turn = ((1.0 if p == q else 0.0) - u * v) * radius / length
                B[i, p, q] = (1.0 if p == q else 0.0) - turn
                C[i, p, q] = rho[i, 1] * turn


@njit(cache=True)
def alart_curnier(r, w, mu, rho, d, phi, B, C, closed):
    """r_N - [r_N - rho_N w_N]_+ and r_T - P_D(r_T - rho_T w_T), D of radius mu [r_N - rho_N w_N]_+."""
    for i in range(len(mu)):
        _clear(i, d, B, C)
        z = r[d * i] - rho[i, 0] * w[d * i]
        closed[i] = z > 0.0
        if z > 0.0:
            phi[d * i] = rho[i, 0] * w[d * i]
            C[i, 0, 0] = rho[i, 0]
        else:
            phi[d * i] = r[d * i]
            B[i, 0, 0] = 1.0
        _disk(r, w, mu, rho, d, i, mu[i] * max(z, 0.0), rho[i, 0], phi, B, C)
    return _half_square(phi)


@njit(cache=True)
def jean_moreau(r, w, mu, rho, d, phi, B, C, closed):
    """As Alart-Curnier with a disk of radius mu [r_N]_+."""
    for i in range(len(mu)):
        _clear(i, d, B, C)
        z = r[d * i] - rho[i, 0] * w[d * i]
        radius = mu[i] * max(r[d * i], 0.0)
        closed[i] = z > 0.0 or radius > 0.0
        if z > 0.0:
            phi[d * i] = rho[i, 0] * w[d * i]
            C[i, 0, 0] = rho[i, 0]
        else:
            phi[d * i] = r[d * i]
            B[i, 0, 0] = 1.0
        _disk(r, w, mu, rho, d, i, radius, 0.0, phi, B, C)
    return _half_square(phi)


@njit(cache=True)
def natural_map(r, w, mu, rho, d, phi, B, C, closed):
    """r - P_K(r - rho_N (w + mu |w_T| n)): the map of the shared residual where rho_N = 1."""
    for i in range(len(mu)):
        _clear(i, d, B, C)
        k = d * i
        scale, f = rho[i, 0], mu[i]
        slide, length = 0.0, 0.0
        for p in range(1, d):
            slide += w[k + p] * w[k + p]
            z = r[k + p] - scale * w[k + p]
            length += z * z
        slide, length = math.sqrt(slide), math.sqrt(length)
        z = r[k] - scale * (w[k] + f * slide)
        inside, polar = z >= 0.0 and length <= f * z, f * length <= -z
        if d == 1:
            inside, polar = z > 0.0, z <= 0.0
        closed[i] = not polar
        if polar:
            for p in range(d):
                phi[k + p] = r[k + p]
                B[i, p, p] = 1.0
        elif inside:
            phi[k] = scale * (w[k] + f * slide)
            C[i, 0, 0] = scale
            for p in range(1, d):
                phi[k + p] = scale * w[k + p]
                C[i, p, p] = scale
                C[i, 0, p] = scale * f * w[k + p] / slide if slide > 0.0 else 0.0
        else:
            _boundary(r, w, f, scale, d, i, z, length, slide, phi, B, C)
    return _half_square(phi)


@njit(cache=True)
def _boundary(r, w, f, scale, d, i, z, length, slide, phi, B, C):
    """Blocks of the natural map where the projection is on the boundary of the cone."""
    k = d * i
    share = 1.0 / (1.0 + f * f)
    normal = (z + f * length) * share
    phi[k] = r[k] - normal
    for p in range(d):
        u = (r[k + p] - scale * w[k + p]) / length if p and length > 0.0 else 0.0
        if p:
            phi[k + p] = r[k + p] - f * normal * u
        toward = f * u if p else 1.0  # the row of DP is share * toward * (1, f u)
        for q in range(d):
            v = (r[k + q] - scale * w[k + q]) / length if q and length > 0.0 else 0.0
            unit = 1.0 if p == q else 0.0
            rate = share * toward * (f * v if q else 1.0)
            if p and q and length > 0.0:
                rate += f * normal / length * (unit - u * v)
            B[i, p, q] = unit - rate
            C[i, p, q] = scale * rate
        if slide > 0.0:  # w + mu |w_T| n turns with w_T
            for q in range(1, d):
                C[i, p, q] += C[i, p, 0] * f * w[k + q] / slide


@njit(cache=True)
def _half_square(x):
    """|x|^2/2, in one thread: threads cost more than so short a sum."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * x[k]
    return 0.5 * total
