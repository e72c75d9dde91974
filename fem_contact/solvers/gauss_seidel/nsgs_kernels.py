"""Compiled nonsmooth Gauss-Seidel: exact one-contact solve and sweeps; see also ``status_kernels``."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from fem_contact.problems._kernels import SUMS, multiply_add, natural_map, project_cone, project_cone3
from fem_contact.solvers.gauss_seidel.cone3_kernels import solve_cone3
from fem_contact.solvers.gauss_seidel.status_kernels import (
    OPEN,
    SLIP_MINUS,
    SLIP_PLUS,
    STICK,
    enumerate_status,
    finish,
)

#: Contacts up to which all statuses are tried (4^FEW) when nothing else helps.
FEW = 5

#: Sweeps without progress after which the relaxation is adapted; twice as many after each shortening.
PATIENCE = 30

#: How often patience is lost before all statuses of a few contacts are tried.
LAST_RESORT = 4

#: Length of the state of a solve.
STATE = 9


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


@njit(cache=True)
def part_of_the_way(r, old, k, mu, d, relaxation):
    """r at k, ..., k + d - 1 goes the share ``relaxation`` of the way from old to r, and stays in K."""
    for a in range(d):
        r[k + a] = old[a] + relaxation * (r[k + a] - old[a])
    if relaxation > 1.0:
        if d == 1:
            r[k] = max(r[k], 0.0)
        elif d == 2:
            r[k], r[k + 1] = project_cone(r[k], r[k + 1], mu)
        else:
            r[k], r[k + 1], r[k + 2] = project_cone3(r[k], r[k + 1], r[k + 2], mu)


@njit(cache=True, fastmath=SUMS)
def _shift(At, row, change, w):
    """w += A[:, row] * change; At is the transpose of A, so that its rows are read."""
    for j in range(len(w)):
        w[j] += At[row, j] * change


@njit(cache=True, fastmath=SUMS)
def _shift2(At, row, change_n, change_t, w):
    """w += A[:, row : row + 2] @ change, in one pass over w."""
    for j in range(len(w)):
        w[j] += At[row, j] * change_n + At[row + 1, j] * change_t


@njit(cache=True, fastmath=SUMS)
def _shift3(At, row, change, w):
    """w += A[:, row : row + 3] @ change, in one pass over w."""
    c_0, c_1, c_2 = change[0], change[1], change[2]
    for j in range(len(w)):
        w[j] += At[row, j] * c_0 + At[row + 1, j] * c_1 + At[row + 2, j] * c_2


@njit(cache=True)
def _solve_contact3(A, At, mu, i, relaxation, r, w, old):
    """One contact in space, solved alone; w = A r + b is kept up to date."""
    k = 3 * i
    for a in range(3):
        old[a] = r[k + a]
    b_n, b_1, b_2 = w[k], w[k + 1], w[k + 2]
    for a in range(3):
        b_n -= A[k, k + a] * old[a]
        b_1 -= A[k + 1, k + a] * old[a]
        b_2 -= A[k + 2, k + a] * old[a]
    r[k], r[k + 1], r[k + 2] = solve_cone3(
        A[k, k],
        A[k, k + 1],
        A[k, k + 2],
        A[k + 1, k],
        A[k + 2, k],
        A[k + 1, k + 1],
        A[k + 1, k + 2],
        A[k + 2, k + 1],
        A[k + 2, k + 2],
        b_n,
        b_1,
        b_2,
        mu[i],
    )
    if relaxation != 1.0:
        part_of_the_way(r, old, k, mu[i], 3, relaxation)
    changed = False
    for a in range(3):
        old[a] = r[k + a] - old[a]
        changed = changed or old[a] != 0.0
    if changed:
        _shift3(At, k, old, w)


@njit(cache=True)
def sweep(A, At, mu, d, relaxation, order, backward, r, w, old):
    """One Gauss-Seidel pass over the contacts in ``order`` (or back); w = A r + b is kept up to date.

    Each contact goes the share ``relaxation`` of the way to its own solution; the way lies in K. One
    whose r stays as it is costs nothing more. ``old`` (3,) is work space.
    """
    last = len(mu) - 1
    for n in range(len(mu)):
        i = order[last - n] if backward else order[n]
        k = d * i
        if d == 3:
            _solve_contact3(A, At, mu, i, relaxation, r, w, old)
            continue
        if d == 1:
            old[0] = r[k]
            b_n = w[k] - A[k, k] * old[0]
            r[k] = max(0.0, -b_n / A[k, k]) if A[k, k] > 0.0 else 0.0
            if relaxation != 1.0:
                part_of_the_way(r, old, k, mu[i], 1, relaxation)
            if r[k] != old[0]:
                _shift(At, k, r[k] - old[0], w)
            continue
        old[0], old[1] = r[k], r[k + 1]
        a_nn, a_nt, a_tn, a_tt = A[k, k], A[k, k + 1], A[k + 1, k], A[k + 1, k + 1]
        b_n = w[k] - a_nn * old[0] - a_nt * old[1]
        b_t = w[k + 1] - a_tn * old[0] - a_tt * old[1]
        r[k], r[k + 1] = solve_one(a_nn, a_nt, a_tn, a_tt, b_n, b_t, mu[i])
        if relaxation != 1.0:
            part_of_the_way(r, old, k, mu[i], 2, relaxation)
        if r[k] != old[0] or r[k + 1] != old[1]:
            _shift2(At, k, r[k] - old[0], r[k + 1] - old[1], w)


@njit(cache=True)
def reorder(order, seed):
    """Fisher-Yates with xorshift64 numbers; ``seed`` (1,) uint64 is their state."""
    for n in range(len(order) - 1, 0, -1):
        x = seed[0]
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        seed[0] = x
        other = np.int64(x % np.uint64(n + 1))
        order[n], order[other] = order[other], order[n]


@njit(cache=True)
def start(relaxation, state, status):
    """State (STATE,) of a solve: 0 relaxation, 1 best error, 2 sweeps since, 3 whether this status was tried,
    4 last error, 5 sweeps since the best that were worse than the one before, 6 patience in sweeps,
    7 how often it was lost, 8 the relaxation asked for."""
    state[:] = 0.0
    state[0] = state[8] = relaxation
    state[1] = state[4] = math.inf
    state[6] = PATIENCE
    status[:] = -1


@njit(cache=True)
def adapt(error, state):
    """Adapt the relaxation when the error does not go down; True when patience was lost.

    Full steps can run in circles where friction couples contacts, errors going up and down; shorter
    ones get out of them. Errors that go down slowly but steadily, as in piles, do so faster with long steps.
    """
    state[5] += error > state[4]
    state[4] = error
    if error < 0.9 * state[1]:
        state[1], state[2], state[5] = error, 0.0, 0.0
        return False
    state[2] += 1.0
    if state[2] < state[6]:
        return False
    if state[5] > 0.25 * state[6]:
        state[0] = max(0.5 * state[0], 0.05)
        state[6] *= 2.0
    else:
        state[0] = min(2.0 * state[0], state[8])
    state[7] += 1.0
    state[1], state[2], state[5] = error, 0.0, 0.0
    return True


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
    sweeps,
    exact,
    symmetric,
    shuffle,
    r,
    state,
    seed,
    order,
    old,
    memory,
    status,
    w,
    held,
    lu,
    pivots,
    rows,
    columns,
    x,
    trial,
    trial_w,
    revised,
):
    """Sweeps until the natural map is at most tol (1 + |b|), each settled status tried exactly.

    Returns the number of sweeps, at most ``sweeps``; ``state`` (see :func:`start`) goes on from call
    to call. A symmetric sweep, forward and back, counts once.
    """
    multiply_add(A, r, b, w)
    norm = 0.0
    for k in range(len(b)):
        norm += b[k] * b[k]
    goal = tol * (1.0 + math.sqrt(norm))
    for iteration in range(1, sweeps + 1):
        if shuffle:
            reorder(order, seed)
        sweep(A, At, mu, d, state[0], order, False, r, w, old)
        if symmetric:
            sweep(A, At, mu, d, state[0], order, True, r, w, old)
        error = natural_map(r, w, mu, d)
        if error <= goal:
            # Updates of w add up round-off: judge on the product itself.
            multiply_add(A, r, b, w)
            error = natural_map(r, w, mu, d)
        reached = error <= goal
        if exact:
            settled = not classify(r, w, mu, d, state[0] != 1.0, status)
            tried = state[3] > 0.0 and settled
            if not tried and (settled or reached):
                tried = True
                for i in range(len(mu)):
                    revised[i] = status[i]
                if finish(
                    A,
                    b,
                    mu,
                    d,
                    tol,
                    revised,
                    r,
                    w,
                    held,
                    lu,
                    pivots,
                    rows,
                    columns,
                    memory,
                    x,
                    trial,
                    trial_w,
                    5,
                ):
                    return iteration
            state[3] = 1.0 if tried else 0.0
        if reached or not math.isfinite(error):
            return iteration
        last_resort = adapt(error, state) and state[7] == LAST_RESORT and exact and len(mu) <= FEW
        if last_resort and enumerate_status(
            A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, columns, memory, x, trial, trial_w
        ):
            return iteration
    return sweeps
