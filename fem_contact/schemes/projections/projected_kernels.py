"""Compiled parts of a projected step in the space of the contacts."""

from __future__ import annotations

import math

from numba import njit

from fem_contact.problems._kernels import SUMS
from fem_contact.schemes._step_kernels import gather, gather_matrix


@njit(cache=True)
def pose(active, was, keep, u_start, u_free, e, mu, W, p, d, A, b, mu_active, r):
    """The problem A = W, b = u_free + (e u_N,k, 0) of the active contacts, r being the guess.

    A is left as it is when ``keep`` says so and the active contacts are those of the call before. Returns
    how many they are and whether A was left.
    """
    same = keep
    for i in range(len(active)):
        same = same and active[i] == was[i]
        was[i] = active[i]
    count = gather(active, u_start, u_free, e, mu, p, d, 1.0, 1.0, 0.0, b, mu_active, r)
    if not same:
        gather_matrix(active, W, d, 1.0, count, A)
    return count, same


@njit(cache=True, fastmath=SUMS)
def multiply(A, x, out):
    """out = A x."""
    for i in range(len(out)):
        total = 0.0
        for j in range(len(x)):
            total += A[i, j] * x[j]
        out[i] = total


@njit(cache=True)
def without_impulses(u_zero, B, tau, u_free):
    """u_free = u_0 - B tau."""
    flat, start = u_free.ravel(), u_zero.ravel()
    multiply(B, tau, flat)
    for i in range(len(flat)):
        flat[i] = start[i] - flat[i]


@njit(cache=True)
def with_impulses(u_free, W, p, u):
    """u = u_free + W p."""
    flat, free, impulses = u.ravel(), u_free.ravel(), p.ravel()
    multiply(W, impulses, flat)
    for i in range(len(flat)):
        flat[i] += free[i]


@njit(cache=True)
def gaps(gap_zero, reach, u, D, tau, shifted, gap):
    """g = g_0 + h theta u_N + D tau; ``reach`` is h theta, ``shifted`` whether tau is not zero."""
    if shifted:
        multiply(D, tau, gap)
        for i in range(len(gap)):
            gap[i] += gap_zero[i] + reach * u[i, 0]
        return
    for i in range(len(gap)):
        gap[i] = gap_zero[i] + reach * u[i, 0]


@njit(cache=True)
def press(active, p, limit, equal, returns):
    """``equal`` where p_N > 0, unless the contact has come back to that more than ``limit`` times."""
    for i in range(len(active)):
        pressed = active[i] and p[i, 0] > 0.0
        if pressed and not equal[i]:
            returns[i] += 1
        equal[i] = pressed and returns[i] <= limit


@njit(cache=True)
def activate(gap, gap_tol, active):
    """Add the contacts with g <= gap_tol to the active ones; whether there was one to add."""
    grown = False
    for i in range(len(gap)):
        if not active[i] and gap[i] <= gap_tol:
            active[i] = True
            grown = True
    return grown


@njit(cache=True)
def violation(gap, tau, equal, active, combined):
    """Largest fault of the gaps: |g| where g = 0 is asked for or tau > 0, else -g.

    Of the active contacts only when ``combined``; infinite where a tau < 0 has no equality to stand for.
    """
    worst = 0.0
    for i in range(len(gap)):
        if not math.isfinite(gap[i]) or (tau[i] < 0.0 and not equal[i]):
            return math.inf
        if equal[i] or tau[i] != 0.0:
            worst = max(worst, abs(gap[i]))
        elif active[i] or not combined:
            worst = max(worst, -gap[i])
    return worst
