"""Compiled Gauss-Seidel sweeps over A in sparse d x d blocks, the velocity of a contact taken when needed.

Rows of A are read, so that A need not be symmetric and no round-off adds up in w. A contact is skipped
while neither it nor any contact in its row has changed since it was last solved.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

from numba import njit

from fem_contact.solvers.gauss_seidel.cone3_kernels import solve_cone3
from fem_contact.solvers.gauss_seidel.nsgs_kernels import adapt, part_of_the_way, reorder, solve_one


@njit(cache=True)
def diagonal_blocks(indptr, indices, diagonal):
    """Position of each diagonal block; returns whether the pattern of the (sorted) blocks is symmetric."""
    symmetric = True
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j == i:
                diagonal[i] = p
            low, high = indptr[j], indptr[j + 1]
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < i:
                    low = middle + 1
                else:
                    high = middle
            symmetric = symmetric and low < indptr[j + 1] and indices[low] == i
    return symmetric


@njit(cache=True)
def _solve_1(indptr, indices, data, b, diagonal, i, r):
    """One contact without friction."""
    b_n = b[i]
    for p in range(indptr[i], indptr[i + 1]):
        if p != diagonal[i]:
            b_n += data[p, 0, 0] * r[indices[p]]
    a_nn = data[diagonal[i], 0, 0]
    r[i] = max(0.0, -b_n / a_nn) if a_nn > 0.0 else 0.0


@njit(cache=True)
def _solve_2(indptr, indices, data, b, mu, diagonal, i, r):
    """One contact in the plane."""
    k = 2 * i
    b_n, b_t = b[k], b[k + 1]
    for p in range(indptr[i], indptr[i + 1]):
        if p != diagonal[i]:
            j = 2 * indices[p]
            b_n += data[p, 0, 0] * r[j] + data[p, 0, 1] * r[j + 1]
            b_t += data[p, 1, 0] * r[j] + data[p, 1, 1] * r[j + 1]
    p = diagonal[i]
    r[k], r[k + 1] = solve_one(data[p, 0, 0], data[p, 0, 1], data[p, 1, 0], data[p, 1, 1], b_n, b_t, mu[i])


@njit(cache=True)
def _solve_3(indptr, indices, data, b, mu, diagonal, i, r):
    """One contact in space."""
    k = 3 * i
    b_n, b_1, b_2 = b[k], b[k + 1], b[k + 2]
    for p in range(indptr[i], indptr[i + 1]):
        if p != diagonal[i]:
            j = 3 * indices[p]
            r_n, r_1, r_2 = r[j], r[j + 1], r[j + 2]
            b_n += data[p, 0, 0] * r_n + data[p, 0, 1] * r_1 + data[p, 0, 2] * r_2
            b_1 += data[p, 1, 0] * r_n + data[p, 1, 1] * r_1 + data[p, 1, 2] * r_2
            b_2 += data[p, 2, 0] * r_n + data[p, 2, 1] * r_1 + data[p, 2, 2] * r_2
    p = diagonal[i]
    r[k], r[k + 1], r[k + 2] = solve_cone3(
        data[p, 0, 0],
        data[p, 0, 1],
        data[p, 0, 2],
        data[p, 1, 0],
        data[p, 2, 0],
        data[p, 1, 1],
        data[p, 1, 2],
        data[p, 2, 1],
        data[p, 2, 2],
        b_n,
        b_1,
        b_2,
        mu[i],
    )


@njit(cache=True)
def block_sweep(indptr, indices, data, b, mu, diagonal, skipping, relaxation, order, backward, r, stale, old):
    """One pass over the contacts in ``order`` (or back); returns |D dr|_2, D the diagonal traces.

    ``stale`` (c,) tells which contacts are to be solved; used where ``skipping``, for which the
    pattern must be symmetric. ``old`` (3,) is work space.
    """
    d = data.shape[1]
    last = len(mu) - 1
    total = 0.0
    for n in range(len(mu)):
        i = order[last - n] if backward else order[n]
        if skipping and not stale[i]:
            continue
        stale[i] = False
        k = d * i
        for a in range(d):
            old[a] = r[k + a]
        if d == 3:
            _solve_3(indptr, indices, data, b, mu, diagonal, i, r)
        elif d == 2:
            _solve_2(indptr, indices, data, b, mu, diagonal, i, r)
        else:
            _solve_1(indptr, indices, data, b, diagonal, i, r)
        if relaxation != 1.0:
            part_of_the_way(r, old, k, mu[i], d, relaxation)
        change = trace = 0.0
        for a in range(d):
            change += (r[k + a] - old[a]) ** 2
            trace += data[diagonal[i], a, a]
        if change != 0.0:
            total += change * trace * trace
            if skipping:
                for p in range(indptr[i], indptr[i + 1]):
                    stale[indices[p]] = True
    return math.sqrt(total)


@njit(cache=True)
def block_gauss_seidel(
    indptr,
    indices,
    data,
    b,
    mu,
    diagonal,
    skipping,
    small,
    sweeps,
    symmetric,
    shuffle,
    r,
    state,
    seed,
    order,
    stale,
    old,
):
    """Sweeps until the change of a sweep is at most ``small``; returns their number and the last change."""
    change = 0.0
    for iteration in range(1, sweeps + 1):
        if shuffle:
            reorder(order, seed)
        relaxation = state[0]
        change = block_sweep(
            indptr, indices, data, b, mu, diagonal, skipping, relaxation, order, False, r, stale, old
        )
        if symmetric:
            change = block_sweep(
                indptr, indices, data, b, mu, diagonal, skipping, relaxation, order, True, r, stale, old
            )
        # A shorter step changes less without being closer.
        change /= min(relaxation, 1.0)
        if change <= small or not math.isfinite(change):
            return iteration, change
        adapt(change, state)
    return sweeps, change
