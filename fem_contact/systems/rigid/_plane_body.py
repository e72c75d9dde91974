"""A rigid body in the plane under its weight: q = (x, y, angle), p = (m, I, g, ...)."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def mass(q, p, M):
    """M = diag(m, m, I)."""
    M[...] = 0.0
    M[0, 0] = M[1, 1] = p[0]
    M[2, 2] = p[1]


@njit(cache=True)
def force(t, q, v, p, F):
    """F = (0, -m g, 0)."""
    F[...] = 0.0
    F[1] = -p[0] * p[2]


@njit(cache=True)
def tangents(t, q, v, p, K, C):
    """The weight depends on nothing: K = C = 0."""
    K[...] = 0.0
    C[...] = 0.0


@njit(cache=True)
def potential(q, p):
    """V = m g y."""
    return p[0] * p[2] * q[1]
