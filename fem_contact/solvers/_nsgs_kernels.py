"""Compiled nonsmooth Gauss-Seidel: exact one-contact solve and sweeps; see also ``_status_kernels``."""

from __future__ import annotations

import math

from numba import njit

from fem_contact.problems._kernels import SUMS, multiply_add, natural_map
from fem_contact.solvers._status_kernels import (
    OPEN,
    SLIP_MINUS,
    SLIP_PLUS,
    STICK,
    enumerate_status,
    finish,
)

#: Contacts up to which all statuses are tried (4^FEW) when nothing else helps.
FEW = 5

#: Sweeps without progress after which the relaxation is halved.
PATIENCE = 30


@njit(cache=True)
def solve_one(a_nn, a_nt, a_tn, a_tt, b_n, b_t, mu):
    """Exact solution (r_N, r_T) of one contact in the plane, by its four cases.

    Take-off: r = 0 when b_N >= 0. Stick: A r = -b with r in K. Slip: r_T = s mu r_N, w_N = 0 and
    s w_T <= 0. With A positive definite one of them holds; of several, or of none to round-off, the
    first or the least violated is taken. A tangential direction that cannot move (a_tt = 0) sticks
    with r_T = 0 or slips.
    """
    if b_n >= 0.0:
        return 0.0, 0.0
    if a_tt > 0.0 and a_nn * a_tt - a_nt * a_tn > 1e-14 * a_nn * a_tt:
        # By elimination: unlike determinants it leaves a small residual on an ill-conditioned block.
        r_n = (a_nt * (b_t / a_tt) - b_n) / (a_nn - a_nt * (a_tn / a_tt))
        r_t = -(b_t + a_tn * r_n) / a_tt
        if r_n >= 0.0 and abs(r_t) <= mu * r_n:
            return r_n, r_t
    elif b_t == 0.0 and a_tn == 0.0 and a_nn > 0.0:
        return -b_n / a_nn, 0.0
    best = math.inf
    best_n = 0.0
    best_t = 0.0
    for s in (1.0, -1.0):
        slope = a_nn + s * mu * a_nt
        if slope <= 0.0:
            continue
        r_n = -b_n / slope
        violation = s * (b_t + (a_tn + s * mu * a_tt) * r_n)
        if violation < best:
            best, best_n, best_t = violation, r_n, s * mu * r_n
    return best_n, best_t


@njit(cache=True, fastmath=SUMS)
def _shift(At, row, change, w):
    """w += A[:, row] * change; At is the transpose of A, so that its rows are read."""
    for j in range(len(w)):
        w[j] += At[row, j] * change


@njit(cache=True)
def sweep(A, At, mu, d, relaxation, r, w):
    """One Gauss-Seidel pass over the contacts; w = A r + b is kept up to date.

    Each contact goes the share ``relaxation`` of the way to its own solution; the way lies in K.
    """
    for i in range(len(mu)):
        k = d * i
        if d == 1:
            old = r[k]
            b_n = w[k] - A[k, k] * old
            alone = max(0.0, -b_n / A[k, k]) if A[k, k] > 0.0 else 0.0
            r[k] = old + relaxation * (alone - old)
            if r[k] != old:
                _shift(At, k, r[k] - old, w)
            continue
        old_n, old_t = r[k], r[k + 1]
        a_nn, a_nt, a_tn, a_tt = A[k, k], A[k, k + 1], A[k + 1, k], A[k + 1, k + 1]
        b_n = w[k] - a_nn * old_n - a_nt * old_t
        b_t = w[k + 1] - a_tn * old_n - a_tt * old_t
        r[k], r[k + 1] = solve_one(a_nn, a_nt, a_tn, a_tt, b_n, b_t, mu[i])
        if relaxation != 1.0:
            r[k] = old_n + relaxation * (r[k] - old_n)
            r[k + 1] = old_t + relaxation * (r[k + 1] - old_t)
        if r[k] != old_n:
            _shift(At, k, r[k] - old_n, w)
        if r[k + 1] != old_t:
            _shift(At, k + 1, r[k + 1] - old_t, w)


@njit(cache=True)
def _status_of_impulse(r_n, r_t, mu, d):
    """Status of a contact that was just solved alone, so that r lies where it belongs, exactly."""
    if r_n <= 0.0:
        return OPEN
    if d == 2 and r_t >= mu * r_n:
        return SLIP_PLUS
    if d == 2 and r_t <= -mu * r_n:
        return SLIP_MINUS
    return STICK


@njit(cache=True)
def _status_of_map(r, w, k, mu, d):
    """Status of a contact by the face of K that r - (w + mu |w_T| n) projects to."""
    if d == 1:
        return OPEN if r[k] - w[k] <= 0.0 else STICK
    z_n, z_t = r[k] - w[k] - mu * abs(w[k + 1]), r[k + 1] - w[k + 1]
    if mu * abs(z_t) <= -z_n:
        return OPEN
    if abs(z_t) <= mu * z_n:
        return STICK
    return SLIP_PLUS if z_t > 0.0 else SLIP_MINUS


@njit(cache=True)
def classify(r, w, mu, d, relaxed, status):
    """Status of each contact after a sweep; returns whether any differs from the one before."""
    changed = False
    for i in range(len(mu)):
        k = d * i
        if relaxed:
            new = _status_of_map(r, w, k, mu[i], d)
        else:
            new = _status_of_impulse(r[k], r[k + d - 1], mu[i], d)
        if new != status[i]:
            status[i] = new
            changed = True
    return changed


@njit(cache=True)
def gauss_seidel(
    A,
    At,
    b,
    mu,
    d,
    tol,
    max_iter,
    exact,
    r,
    memory,
    status,
    w,
    held,
    lu,
    pivots,
    rows,
    x,
    trial,
    trial_w,
    revised,
):
    """Sweeps until the natural map is at most tol (1 + |b|), each settled status tried exactly.

    Returns the number of sweeps; max_iter + 1 sweeps are never made.
    """
    multiply_add(A, r, b, w)
    norm = 0.0
    for k in range(len(b)):
        norm += b[k] * b[k]
    goal = tol * (1.0 + math.sqrt(norm))
    tried = False
    relaxation = 1.0
    best, since = math.inf, 0
    for i in range(len(mu)):
        status[i] = -1
    for iteration in range(1, max_iter + 1):
        sweep(A, At, mu, d, relaxation, r, w)
        settled = not classify(r, w, mu, d, relaxation != 1.0, status)
        tried = tried and settled
        error = natural_map(r, w, mu, d)
        if error <= goal:
            # Updates of w add up round-off: judge on the product itself.
            multiply_add(A, r, b, w)
            error = natural_map(r, w, mu, d)
        reached = error <= goal
        if exact and not tried and (settled or reached):
            tried = True
            for i in range(len(mu)):
                revised[i] = status[i]
            if finish(A, b, mu, d, tol, revised, r, w, held, lu, pivots, rows, memory, x, trial, trial_w, 5):
                return iteration
        if reached or not math.isfinite(error):
            return iteration
        # Full steps can run in circles where friction couples contacts; shorter ones get out of them.
        if error < 0.9 * best:
            best, since = error, 0
        else:
            since += 1
        if since == PATIENCE:
            last_resort = relaxation < 0.1 and exact and len(mu) <= FEW
            if last_resort and enumerate_status(
                A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, memory, x, trial, trial_w
            ):
                return iteration
            relaxation = max(0.5 * relaxation, 0.05)
            best, since = error, 0
    return max_iter
