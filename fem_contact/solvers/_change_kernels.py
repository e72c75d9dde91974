"""Compiled changes of the rows of a piece since its matrix was factorised."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from fem_contact.solvers import _piece_kernels as piece
from fem_contact.solvers._pivot_kernels import OF_W, kinds_of, row_times


class Changes(NamedTuple):
    """Rows of the piece that are not those of M0, which was factorised.

    M = M0 + sum over the changed rows of e_i delta_i^T. With V = M0^-1 (e_i) by columns, kept once they are
    found, M x = y is solved by x = M0^-1 y + V c, where (I + delta V) c = -delta M0^-1 y: no product of
    updates, whose round-off would grow.

    Attributes
    ----------
    kinds, coefficients : (2c,)
        Of the rows of the piece.
    slot : (2c,) int
        Place among the changed rows, -1 for a row that has not changed.
    rows : (most,) int
        The changed rows.
    count : (1,) int
        How many.
    inverse : (most, 2c) float
        V, transposed.
    table : (most, most) float
        I + delta V.
    right : (most,) float
        -delta M0^-1 y for y = -q in the rows of w, 0 in the others, and the change of that y.
    lu, c : (most, most), (most,) float
        Work space.
    x, z : (2c,) float
        Work space.
    """

    kinds: Any
    coefficients: Any
    slot: Any
    rows: Any
    count: Any
    inverse: Any
    table: Any
    right: Any
    lu: Any
    c: Any
    x: Any
    z: Any


@njit(cache=True)
def delta(i, kinds, coefficients, base_kinds, base_coefficients, A, v):
    """What row i of the piece times v is beyond that of M0."""
    if kinds[i] == base_kinds[i] and coefficients[i] == base_coefficients[i]:
        return 0.0
    now = row_times(kinds[i], coefficients[i], i, A, v)
    return now - row_times(base_kinds[i], base_coefficients[i], i, A, v)


@njit(cache=True)
def change(contact, status, sign, mu, changes, factors, A, q, dr0):
    """The contact has another status; False when too many rows are changed. dr0 = M0^-1 y."""
    kinds, coefficients, base_kinds, base = (
        changes.kinds,
        changes.coefficients,
        factors.kinds,
        factors.coefficients,
    )
    slots, rows, inverse, table = changes.slot, changes.rows, changes.inverse, changes.table
    kinds_of(contact, contact + 1, status, sign, mu, kinds, coefficients)
    for row in range(2 * contact, 2 * contact + 2):
        slot = slots[row]
        new = slot < 0
        if new:
            if kinds[row] == base_kinds[row] and coefficients[row] == base[row]:
                continue
            slot = changes.count[0]
            if slot == len(rows):
                return False
            slots[row], rows[slot] = slot, row
            changes.count[0] = slot + 1
            piece.column(factors, row, inverse[slot], changes.x, changes.z)
        # Row of the table, and its column where it is new.
        for k in range(changes.count[0]):
            table[slot, k] = delta(row, kinds, coefficients, base_kinds, base, A, inverse[k])
            if new and k < slot:
                table[k, slot] = delta(rows[k], kinds, coefficients, base_kinds, base, A, inverse[slot])
        table[slot, slot] += 1.0
        changes.right[slot] = q[row] * ((base_kinds[row] == OF_W) - (kinds[row] == OF_W))
        changes.right[slot] -= delta(row, kinds, coefficients, base_kinds, base, A, dr0)
    return True


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
    m, inverse = changes.count[0], changes.inverse
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
