"""Compiled changes of the rows of a piece since its matrix was factorised."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from fem_contact.solvers.pivots.pivot_kernels import OF_W, kinds_of, row_times

#: Counts of changed rows: all, and those whose columns of the inverse are known and in the table.
COUNT, KNOWN = 0, 1


class Changes(NamedTuple):
    """Rows of the piece that are not those of M0, which was factorised.

    M has two rows for each contact: of w where its impulse is free, of r or of the cone elsewhere. M = M0 +
    sum over the changed rows of e_i delta_i^T. With V = M0^-1 (e_i) by columns, kept once they are found,
    M x = y is solved by x = M0^-1 y + V c, where (I + delta V) c = -delta M0^-1 y: no product of updates,
    whose round-off would grow.

    Attributes
    ----------
    kinds, coefficients, old_kinds, old_coefficients : (2c,)
        Of the rows of M, and of those of M0.
    slot : (2c,) int
        Place among the changed rows, -1 for a row that has not changed.
    rows : (most,) int
        The changed rows.
    counts : (2,) int
        ``COUNT``, ``KNOWN``.
    inverse : (most, 2c) float
        V, transposed.
    table : (most, most) float
        I + delta V.
    right : (most,) float
        -delta M0^-1 y for y = -q in the rows of w, 0 in the others, and the change of that y.
    lu, c : (most, most), (most,) float
        Work space.
    """

    kinds: Any
    coefficients: Any
    old_kinds: Any
    old_coefficients: Any
    slot: Any
    rows: Any
    counts: Any
    inverse: Any
    table: Any
    right: Any
    lu: Any
    c: Any


@njit(cache=True)
def _changed(row, changes):
    """Whether the row is another one than in M0."""
    return (
        changes.kinds[row] != changes.old_kinds[row]
        or changes.coefficients[row] != changes.old_coefficients[row]
    )


@njit(cache=True)
def delta(row, changes, A, v):
    """What the row of M times v is beyond that of M0."""
    if not _changed(row, changes):
        return 0.0
    now = row_times(changes.kinds[row], changes.coefficients[row], row, A, v)
    return now - row_times(changes.old_kinds[row], changes.old_coefficients[row], row, A, v)


@njit(cache=True)
def enter(contact, status, sign, mu, changes):
    """The contact has another status: room for its rows among the changed ones, False when there is none."""
    kinds_of(contact, contact + 1, status, sign, mu, changes.kinds, changes.coefficients)
    for row in range(2 * contact, 2 * contact + 2):
        if changes.slot[row] < 0 and _changed(row, changes):
            slot = changes.counts[COUNT]
            if slot == len(changes.rows):
                return False
            changes.slot[row], changes.rows[slot] = slot, row
            changes.counts[COUNT] = slot + 1
    return True


@njit(cache=True)
def tabulate(contact, changes, A, q, dr0):
    """The rows of a contact that has another status, in the table; dr0 = M0^-1 y.

    For a row that has not been there also its column.
    """
    rows, table = changes.rows, changes.table
    for row in range(2 * contact, 2 * contact + 2):
        slot = changes.slot[row]
        if slot < 0:
            continue
        for k in range(changes.counts[COUNT]):
            table[slot, k] = delta(row, changes, A, changes.inverse[k])
            if k < slot and slot >= changes.counts[KNOWN]:
                table[k, slot] = delta(rows[k], changes, A, changes.inverse[slot])
        table[slot, slot] += 1.0
        lost = (changes.old_kinds[row] == OF_W) - (changes.kinds[row] == OF_W)
        changes.right[slot] = q[row] * lost - delta(row, changes, A, dr0)
    changes.counts[KNOWN] = changes.counts[COUNT]


@njit(cache=True)
def eliminate(lu, c, m):
    """Solve lu c' = c of m unknowns in place, with row exchanges; False when lu is singular."""
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(lu[i, k]) > abs(lu[best, k]):
                best = i
        if lu[best, k] == 0.0:
            return False
        if best != k:
            for j in range(k, m):
                lu[k, j], lu[best, j] = lu[best, j], lu[k, j]
            c[k], c[best] = c[best], c[k]
        for i in range(k + 1, m):
            factor = lu[i, k] / lu[k, k]
            if factor != 0.0:
                for j in range(k + 1, m):
                    lu[i, j] -= factor * lu[k, j]
                c[i] -= factor * c[k]
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            c[k] -= lu[k, j] * c[j]
        c[k] /= lu[k, k]
    return True


@njit(cache=True)
def rates(changes, dr0, dr):
    """dr = M^-1 y; False when M is singular."""
    m, inverse = changes.counts[COUNT], changes.inverse
    lu, c = changes.lu, changes.c
    # Loops: assignments of slices take Numba seconds to compile.
    for j in range(m):
        c[j] = changes.right[j]
        for k in range(m):
            lu[j, k] = changes.table[j, k]
    if not eliminate(lu, c, m):
        return False
    for i in range(len(dr)):
        dr[i] = dr0[i]
    whole = m - m % 4
    for k in range(0, whole, 4):
        # Four at a time: dr is read and written less often.
        for i in range(len(dr)):
            dr[i] += (
                c[k] * inverse[k, i]
                + c[k + 1] * inverse[k + 1, i]
                + c[k + 2] * inverse[k + 2, i]
                + c[k + 3] * inverse[k + 3, i]
            )
    for k in range(whole, m):
        for i in range(len(dr)):
            dr[i] += c[k] * inverse[k, i]
    return True
