"""Compiled exact solve on a status: which contacts are open, stick or slip to either side.

Status of a contact: OPEN 0, STICK 1, SLIP_PLUS 2 (r_T = +mu r_N), SLIP_MINUS 3 (r_T = -mu r_N).
"""

from __future__ import annotations

import math

from numba import njit

from fem_contact.problems._kernels import SUMS, multiply_add, natural_map

OPEN, STICK, SLIP_PLUS, SLIP_MINUS = 0, 1, 2, 3

#: A pivot smaller than this part of the diagonal is round-off of a singular matrix.
NEGLIGIBLE = 1e-12


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
def factor_status(A, mu, d, status, rows, columns, lu, pivots):
    """LU of A restricted to a status, by columns: with r_T = s mu r_N a slipping contact's column
    is A[:, N] + s mu A[:, T]. Returns the numbers of unknowns and of pivots.

    A column without a pivot (to round-off: reactions that the others balance) goes to the end, so that
    ``columns`` names first the unknowns that are solved for, then those that stay as they are.
    """
    count = _unknowns(A, mu, d, status, rows)
    for a in range(count):
        columns[a] = rows[a]
        for c in range(count):
            k = rows[c]
            lu[a, c] = A[rows[a], k]
            if d == 2 and k % 2 == 0:
                code = status[k // 2]
                if code == SLIP_PLUS:
                    lu[a, c] += mu[k // 2] * A[rows[a], k + 1]
                elif code == SLIP_MINUS:
                    lu[a, c] -= mu[k // 2] * A[rows[a], k + 1]
    rank = count
    a = 0
    while a < rank:
        pivot = a
        for c in range(a + 1, count):
            if abs(lu[c, a]) > abs(lu[pivot, a]):
                pivot = c
        pivots[a] = pivot
        if abs(lu[pivot, a]) <= NEGLIGIBLE * abs(A[columns[a], columns[a]]):
            rank -= 1
            columns[a], columns[rank] = columns[rank], columns[a]
            for c in range(count):
                lu[c, a], lu[c, rank] = lu[c, rank], lu[c, a]
            continue
        if pivot != a:
            for c in range(count):
                lu[a, c], lu[pivot, c] = lu[pivot, c], lu[a, c]
        for c in range(a + 1, count):
            factor = lu[c, a] / lu[a, a]
            lu[c, a] = factor
            if factor != 0.0:
                for j in range(a + 1, count):
                    lu[c, j] -= factor * lu[a, j]
        a += 1
    return count, rank


@njit(cache=True)
def put_on_faces(mu, d, status, r):
    """r on the faces of K that a status names, normal components kept."""
    for i in range(len(mu)):
        k = d * i
        if status[i] == OPEN:
            for a in range(d):
                r[k + a] = 0.0
        elif d == 2 and status[i] == SLIP_PLUS:
            r[k + 1] = mu[i] * r[k]
        elif d == 2 and status[i] == SLIP_MINUS:
            r[k + 1] = -mu[i] * r[k]


@njit(cache=True, fastmath=SUMS)
def solve_status(w, mu, d, status, rows, columns, count, rank, lu, pivots, x, r):
    """Correct r, which lies on the faces that a status names, so that w vanishes on the rows of the status.

    ``w`` is A r + b on entry (b where r is zero); unknowns without a pivot stay as they are.
    """
    for a in range(count):
        x[a] = -w[rows[a]]
    for a in range(rank):
        pivot = pivots[a]
        x[a], x[pivot] = x[pivot], x[a]
    for a in range(rank):
        total = x[a]
        for c in range(a):
            total -= lu[a, c] * x[c]
        x[a] = total
    for a in range(rank - 1, -1, -1):
        total = x[a]
        for c in range(a + 1, rank):
            total -= lu[a, c] * x[c]
        x[a] = total / lu[a, a]
    for a in range(rank):
        r[columns[a]] += x[a]
    put_on_faces(mu, d, status, r)


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
def finish(
    A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, columns, memory, x, trial, trial_w, corrections
):
    """Exact solve on a status, corrected while contacts contradict it; True when r, w hold a solution.

    ``held`` is the status that ``lu`` belongs to, memory[0] its number of unknowns (-2: none) and
    memory[1] that of its pivots, so that a status met again costs two triangular solves. A singular
    status is solved by a correction of r that leaves the unknowns without a pivot alone.
    """
    size = len(b)
    scale = 0.0
    norm = 0.0
    for k in range(size):
        scale = max(scale, abs(b[k]))
        norm += b[k] * b[k]
    for _ in range(corrections):
        if memory[0] == -2 or not same(status, held, len(mu)):
            memory[0], memory[1] = factor_status(A, mu, d, status, rows, columns, lu, pivots)
            for i in range(len(mu)):
                held[i] = status[i]
        if memory[0] == memory[1]:
            for k in range(size):
                trial[k] = 0.0
                trial_w[k] = b[k]
        else:
            for k in range(size):
                trial[k] = r[k]
            put_on_faces(mu, d, status, trial)
            multiply_add(A, trial, b, trial_w)
        solve_status(trial_w, mu, d, status, rows, columns, memory[0], memory[1], lu, pivots, x, trial)
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
def enumerate_status(
    A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, columns, memory, x, trial, trial_w
):
    """Every status in turn, until one holds a solution: for a few contacts whose friction couples
    them so strongly that sweeps run in circles. True when r, w hold it."""
    choices = 4 if d == 2 else 2
    for number in range(choices ** len(mu)):
        code = number
        for i in range(len(mu)):
            status[i] = code % choices
            code //= choices
        if finish(
            A, b, mu, d, tol, status, r, w, held, lu, pivots, rows, columns, memory, x, trial, trial_w, 1
        ):
            return True
    return False
