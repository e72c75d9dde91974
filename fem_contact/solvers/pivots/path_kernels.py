"""The compiled walk along the piecewise linear path, until the matrix of its piece is to be factorised."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from fem_contact.solvers.pivots.change_kernels import COUNT, KNOWN, enter, rates, tabulate
from fem_contact.solvers.pivots.pivot_kernels import OPEN, SLIDE, STICK, first_facet, velocity_rates

#: How a walk ends: at t = 0, where the path closes or goes far, after so many pivots, for want of factors,
#: for want of columns of the inverse.
ARRIVED, ASTRAY, LONG, STALE, WANTING = 0, 1, 2, 3, 4
#: The numbers of a path: t, and 1 or -1 as t grows or falls.
T, WAY = 0, 1
#: Its counts: pivots so far, the contact that changed last, -1 before the first, and its status before.
PIVOTS, CONTACT, BEFORE = 0, 1, 2


class Path(NamedTuple):
    """Where a path is, all written as it goes on.

    Attributes
    ----------
    r, w, dr, dw : (2c,) float
        w is 0 where a contact sticks.
    status, sign : (c,)
    numbers : (2,) float
        ``T``, ``WAY``.
    counts : (3,) int
        ``PIVOTS``, ``CONTACT``, ``BEFORE``.
    mark : (1,) uint64
        Of the statuses, the sum of those of the contacts modulo 2^64.
    seen : (most,) uint64
        Marks of the pieces so far.
    """

    r: Any
    w: Any
    dr: Any
    dw: Any
    status: Any
    sign: Any
    numbers: Any
    counts: Any
    mark: Any
    seen: Any


@njit(cache=True)
def code(status, sign):
    """Status of a contact as a number from 0 to 3."""
    return 3 if status == SLIDE and sign < 0.0 else status


@njit(cache=True)
def mark(path, marks):
    """The mark of the statuses, from those of the contacts."""
    path.mark[0] = 0
    for i in range(len(path.status)):
        path.mark[0] += marks[i, code(path.status[i], path.sign[i])]


@njit(cache=True)
def move(path, length):
    """Along the piece."""
    step = length * path.numbers[WAY]
    for k in range(len(path.r)):
        path.r[k] += step * path.dr[k]
        path.w[k] += step * path.dw[k]
    path.numbers[T] += step


@njit(cache=True)
def cross(path, i, facet, marks):
    """Contact i takes the status on the other side of the facet."""
    status, sign = path.status, path.sign
    before = status[i]
    path.mark[0] -= marks[i, code(before, sign[i])]
    if before == OPEN:
        status[i], sign[i] = SLIDE, (-1.0 if path.w[2 * i + 1] > 0.0 else 1.0)
    elif before == STICK:
        status[i], sign[i] = SLIDE, (1.0 if facet == 0 else -1.0)
    else:
        status[i] = OPEN if facet == 0 else STICK
    path.mark[0] += marks[i, code(status[i], sign[i])]
    path.counts[CONTACT], path.counts[BEFORE] = i, before


@njit(cache=True)
def turn(path, mu):
    """The way into the new piece of the contact that changed last: what was zero there is to grow."""
    i, before = path.counts[CONTACT], path.counts[BEFORE]
    n, t = 2 * i, 2 * i + 1
    if before == OPEN:
        inwards = path.dr[n]
    elif before == STICK:
        inwards = -path.sign[i] * path.dw[t]
    elif path.status[i] == OPEN:
        inwards = path.dw[n]
    else:
        inwards = mu[i] * path.dr[n] - path.sign[i] * path.dr[t]
    path.numbers[WAY] = 1.0 if inwards > 0.0 else -1.0


@njit(cache=True)
def met_before(path):
    """Whether the path has been in a piece with these statuses."""
    met = False
    for k in range(path.counts[PIVOTS]):
        met |= path.seen[k] == path.mark[0]
    return met


@njit(cache=True)
def complete(path, changes, A, q, dr0, mu):
    """Rates and way of the new piece; False when its matrix is singular."""
    tabulate(path.counts[CONTACT], changes, A, q, dr0)
    if not rates(changes, dr0, path.dr):
        return False
    velocity_rates(A, path.status, path.dr, q, path.dw)
    turn(path, mu)
    return True


@njit(cache=True)
def walk(path, changes, A, q, dr0, mu, marks, most, far):
    """Pieces one after the other, ``most`` pivots and t = ``far`` at most; how it ends.

    After ``STALE`` and ``WANTING`` the statuses are those of the new piece, the rates and the way are not: it
    is to be called again with new factors, r and w, or with the columns.
    """
    status, numbers, counts = path.status, path.numbers, path.counts
    while True:
        if counts[CONTACT] >= 0 and not complete(path, changes, A, q, dr0, mu):
            return STALE
        if numbers[T] > far:
            return ASTRAY
        if counts[PIVOTS] >= most:
            return LONG
        i, facet, length = first_facet(status, path.sign, mu, path.r, path.w, path.dr, path.dw, numbers[WAY])
        if numbers[WAY] < 0.0 and numbers[T] <= length:
            move(path, numbers[T])
            return ARRIVED
        if i < 0 or met_before(path):
            return ASTRAY
        path.seen[counts[PIVOTS]] = path.mark[0]
        move(path, length)
        counts[PIVOTS] += 1
        cross(path, i, facet, marks)
        if not enter(i, status, path.sign, mu, changes):
            return STALE
        if changes.counts[KNOWN] < changes.counts[COUNT]:
            return WANTING
