"""Compiled exact solve on a status: which contacts are open, stick or slip to either side.

Status of a contact: OPEN 0, STICK 1, SLIP_PLUS 2 (r_T = +mu r_N), SLIP_MINUS 3 (r_T = -mu r_N).
"""

from __future__ import annotations

import math

from numba import njit

from fem_contact.problems._kernels import SUMS, multiply_add, natural_map

OPEN, STICK, SLIP_PLUS, SLIP_MINUS = 0, 1, 2, 3


@njit(cache=True)
def _unknowns(A, mu, d, status, rows):
    """Rows whose velocity must vanish on this status: N of closed contacts, T of sticking ones."""
    count = 0
    for i in range(len(mu)):
        if status[i] == OPEN:
            continue
        rows[count] = d * i
        count += 1
        if d == 2 and status[i] == STICK and A[d * i + 1, d * i + 1] > 0.0:
            rows[count] = d * i + 1
            count += 1
    return count


@njit(cache=True)
def factor_status(A, mu, d, status, rows, lu, pivots):
    """LU of A restricted to a status, by columns: with r_T = s mu r_N a slipping contact's column
    is A[:, N] + s mu A[:, T]. Returns the number of unknowns, or -1 when it is singular."""
    count = _unknowns(A, mu, d, status, rows)
    for a in range(count):
        for c in range(count):
            k = rows[c]
            lu[a, c] = A[rows[a], k]
            if d == 2 and k % 2 == 0:
                code = status[k // 2]
                if code == SLIP_PLUS:
                    lu[a, c] += mu[k // 2] * A[rows[a], k + 1]
                elif code == SLIP_MINUS:
                    lu[a, c] -= mu[k // 2] * A[rows[a], k + 1]
    for a in range(count):
        pivot = a
        for c in range(a + 1, count):
            if abs(lu[c, a]) > abs(lu[pivot, a]):
                pivot = c
        pivots[a] = pivot
        if abs(lu[pivot, a]) <= 1e-13 * abs(A[rows[a], rows[a]]):
            return -1
        if pivot != a:
            for c in range(count):
                lu[a, c], lu[pivot, c] = lu[pivot, c], lu[a, c]
        for c in range(a + 1, count):
            factor = lu[c, a] / lu[a, a]
            lu[c, a] = factor
            if factor != 0.0:
                for j in range(a + 1, count):
                    lu[c, j] -= factor * lu[a, j]
    return count


@njit(cache=True, fastmath=SUMS)
def solve_status(b, mu, d, status, rows, count, lu, pivots, x, r):
    """r with w = A r + b zero on the rows of a status, and r on the faces that it names."""
    for a in range(count):
        x[a] = -b[rows[a]]
    for a in range(count):
        pivot = pivots[a]
        x[a], x[pivot] = x[pivot], x[a]
    for a in range(count):
        total = x[a]
        for c in range(a):
            total -= lu[a, c] * x[c]
        x[a] = total
    for a in range(count - 1, -1, -1):
        total = x[a]
        for c in range(a + 1, count):
            total -= lu[a, c] * x[c]
        x[a] = total / lu[a, a]
    for k in range(len(r)):
        r[k] = 0.0
    for a in range(count):
        k = rows[a]
        r[k] = x[a]
        if d == 2 and k % 2 == 0:
            code = status[k // 2]
            if code == SLIP_PLUS:
                r[k + 1] = mu[k // 2] * x[a]
            elif code == SLIP_MINUS:
                r[k + 1] = -mu[k // 2] * x[a]


@njit(cache=True)
def revise_status(r, w, mu, d, zero_w, status):
    """The status that r and w point to; returns how many contacts change.

    ``zero_w`` is the velocity below which an open contact counts as touching, a slip as undecided.
    """
    changes = 0
    for i in range(len(mu)):
        k = d * i
        old = status[i]
        new = old
        if old == OPEN:
            if w[k] < -zero_w:
                new = STICK if d == 1 or mu[i] > 0.0 else SLIP_PLUS
        elif r[k] < 0.0:
            new = OPEN
        elif d == 2 and old == STICK:
            if r[k + 1] > mu[i] * r[k]:
                new = SLIP_PLUS
            elif r[k + 1] < -mu[i] * r[k]:
                new = SLIP_MINUS
        elif mu[i] > 0.0 and (
            (old == SLIP_PLUS and w[k + 1] > zero_w) or (old == SLIP_MINUS and w[k + 1] < -zero_w)
        ):
            new = STICK
        if new != old:
            status[i] = new
            changes += 1
    return changes


@njit(cache=True)
def same(a, b, count):
    """Whether the first ``count`` entries agree."""
    for i in range(count):  # noqa: SIM110
        if a[i] != b[i]:
            return False
    return True


@njit(cache=True)
def finish(A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, memory, x, trial, trial_w, corrections):
    """Exact solve on a status, corrected while contacts contradict it; True when r, w hold a solution.

    ``held`` is the status that ``lu`` belongs to and memory[0] its number of unknowns (-2: none), so
    that a status met again costs two triangular solves.
    """
    size = len(b)
    scale = 0.0
    norm = 0.0
    for k in range(size):
        scale = max(scale, abs(b[k]))
        norm += b[k] * b[k]
    for _ in range(corrections):
        if memory[0] == -2 or not same(status, held, len(mu)):
            memory[0] = factor_status(A, mu, d, status, rows, lu, pivots)
            for i in range(len(mu)):
                held[i] = status[i]
        if memory[0] < 0:
            return False
        solve_status(b, mu, d, status, rows, memory[0], lu, pivots, x, trial)
        multiply_add(A, trial, b, trial_w)
        if revise_status(trial, trial_w, mu, d, 1e-14 * scale, status) == 0:
            if natural_map(trial, trial_w, mu, d) <= tol * (1.0 + math.sqrt(norm)):
                for k in range(size):
                    r[k] = trial[k]
                    w[k] = trial_w[k]
                return True
            return False
    return False


@njit(cache=True)
def enumerate_status(A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, memory, x, trial, trial_w):
    """Every status in turn, until one holds a solution: for a few contacts whose friction couples
    them so strongly that sweeps run in circles. True when r, w hold it."""
    choices = 4 if d == 2 else 2
    for number in range(choices ** len(mu)):
        code = number
        for i in range(len(mu)):
            status[i] = code % choices
            code //= choices
        if finish(A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, memory, x, trial, trial_w, 1):
            return True
    return False
