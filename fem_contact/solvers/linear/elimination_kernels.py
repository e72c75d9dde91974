"""Compiled elimination of the contacts of a plane problem, one after the other, by 2 x 2 blocks.

Rows and columns of blocks are in the order of elimination. A block is four numbers, row by row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit


class Fill(NamedTuple):
    """Where A and the factors L and U have blocks.

    Attributes
    ----------
    order : (c,) uint32
        Contact ``order[i]`` of the problem has row i.
    rows, columns : uint32
        Blocks e of A from ``rows[i]`` to ``rows[i + 1]`` are in row i and the columns ``columns[e]``.
    upper_rows, upper_columns : uint32
        The same of U without its diagonal, and of L^T.
    lower_rows, lower_columns, lower_numbers : uint32
        The same of L, columns increasing; its block e is number ``lower_numbers[e]`` of L^T.
    """

    order: Any
    rows: Any
    columns: Any
    upper_rows: Any
    upper_columns: Any
    lower_rows: Any
    lower_columns: Any
    lower_numbers: Any


class Newton(NamedTuple):
    """The matrix diag(B) + diag(C) (A + shift) restricted to the contacts ``kept``, the identity elsewhere.

    Attributes
    ----------
    A : (b, 4) float
        Blocks in the order of :class:`Fill`.
    B, C : (c, 2, 2) float
        By contacts of the problem, like ``shift`` and ``kept``.
    shift : (c,) float
    kept : (c,) bool
    """

    A: Any
    B: Any
    C: Any
    shift: Any
    kept: Any


class Factors(NamedTuple):
    """L, with the identity on its diagonal, and U.

    Attributes
    ----------
    lower, upper : (k, 4) float
        Blocks below the diagonal by columns, and above it by rows, in the order of :class:`Fill`.
    inverse : (c, 4) float
        Inverse blocks of the diagonal of U.
    """

    lower: Any
    upper: Any
    inverse: Any


@njit(cache=True)
def _load(i, matrix, fill, line):
    """Row i of the matrix into ``line``, with zeros where its factors have more."""
    for e in range(fill.lower_rows[i], fill.lower_rows[i + 1]):
        for p in range(4):
            line[fill.lower_columns[e], p] = 0.0
    for e in range(fill.upper_rows[i], fill.upper_rows[i + 1]):
        for p in range(4):
            line[fill.upper_columns[e], p] = 0.0
    contact = fill.order[i]
    if not matrix.kept[contact]:
        line[i, 0], line[i, 1], line[i, 2], line[i, 3] = 1.0, 0.0, 0.0, 1.0
        return
    A, B, C, shift = matrix.A, matrix.B[contact], matrix.C[contact], matrix.shift[contact]
    line[i, 0], line[i, 1] = 0.0, 0.0
    line[i, 2], line[i, 3] = 0.0, 0.0
    for e in range(fill.rows[i], fill.rows[i + 1]):
        j = fill.columns[e]
        if matrix.kept[fill.order[j]]:
            line[j, 0] = C[0, 0] * A[e, 0] + C[0, 1] * A[e, 2]
            line[j, 1] = C[0, 0] * A[e, 1] + C[0, 1] * A[e, 3]
            line[j, 2] = C[1, 0] * A[e, 0] + C[1, 1] * A[e, 2]
            line[j, 3] = C[1, 0] * A[e, 1] + C[1, 1] * A[e, 3]
    for p in range(2):
        for q in range(2):
            line[i, 2 * p + q] += B[p, q] + shift * C[p, q]


@njit(cache=True, fastmath={"contract"})
def _reduce(i, fill, factors, line):
    """``line``, row i of the matrix, less L_ik times row k of U for all k < i; L_ik is written.

    L_ik is what is left in column k times U_kk^-1.
    """
    lower, upper, inverse = factors
    rows, columns = fill.upper_rows, fill.upper_columns
    for e in range(fill.lower_rows[i], fill.lower_rows[i + 1]):
        k = fill.lower_columns[e]
        p = line[k, 0] * inverse[k, 0] + line[k, 1] * inverse[k, 2]
        q = line[k, 0] * inverse[k, 1] + line[k, 1] * inverse[k, 3]
        r = line[k, 2] * inverse[k, 0] + line[k, 3] * inverse[k, 2]
        s = line[k, 2] * inverse[k, 1] + line[k, 3] * inverse[k, 3]
        at = fill.lower_numbers[e]
        lower[at, 0], lower[at, 1], lower[at, 2], lower[at, 3] = p, q, r, s
        if p == 0.0 and q == 0.0 and r == 0.0 and s == 0.0:
            continue
        for g in range(rows[k], rows[k + 1]):
            j = columns[g]
            line[j, 0] -= p * upper[g, 0] + q * upper[g, 2]
            line[j, 1] -= p * upper[g, 1] + q * upper[g, 3]
            line[j, 2] -= r * upper[g, 0] + s * upper[g, 2]
            line[j, 3] -= r * upper[g, 1] + s * upper[g, 3]


@njit(cache=True)
def _keep(i, fill, factors, line):
    """``line`` as row i of U; False when its diagonal block is singular."""
    inverse = factors.inverse
    determinant = line[i, 0] * line[i, 3] - line[i, 1] * line[i, 2]
    if not abs(determinant) > 0.0:
        return False
    inverse[i, 0], inverse[i, 1] = line[i, 3] / determinant, -line[i, 1] / determinant
    inverse[i, 2], inverse[i, 3] = -line[i, 2] / determinant, line[i, 0] / determinant
    for e in range(fill.upper_rows[i], fill.upper_rows[i + 1]):
        for p in range(4):
            factors.upper[e, p] = line[fill.upper_columns[e], p]
    return True


@njit(cache=True)
def eliminate(matrix, fill, factors, line):
    """Factors L U of a Newton matrix; False when a block of the diagonal is singular. ``line`` (c, 4) is work
    space."""
    for i in range(len(line)):
        _load(i, matrix, fill, line)
        _reduce(i, fill, factors, line)
        if not _keep(i, fill, factors, line):
            return False
    return True


@njit(cache=True, fastmath={"contract"})
def substitute(b, fill, factors, x, out):
    """out (c, 2) = (L U)^-1 b, both by contacts of the problem; x (c, 2) is the solution in order of rows."""
    lower, upper, inverse = factors
    for i in range(len(x)):
        x[i, 0], x[i, 1] = b[fill.order[i], 0], b[fill.order[i], 1]
    for k in range(len(x)):
        s, t = x[k, 0], x[k, 1]
        if s == 0.0 and t == 0.0:
            continue  # most of them, where b belongs to one contact
        for e in range(fill.upper_rows[k], fill.upper_rows[k + 1]):
            i = fill.upper_columns[e]
            x[i, 0] -= lower[e, 0] * s + lower[e, 1] * t
            x[i, 1] -= lower[e, 2] * s + lower[e, 3] * t
    for i in range(len(x) - 1, -1, -1):
        s, t = x[i, 0], x[i, 1]
        for e in range(fill.upper_rows[i], fill.upper_rows[i + 1]):
            k = fill.upper_columns[e]
            s -= upper[e, 0] * x[k, 0] + upper[e, 1] * x[k, 1]
            t -= upper[e, 2] * x[k, 0] + upper[e, 3] * x[k, 1]
        x[i, 0] = inverse[i, 0] * s + inverse[i, 1] * t
        x[i, 1] = inverse[i, 2] * s + inverse[i, 3] * t
        out[fill.order[i], 0], out[fill.order[i], 1] = x[i, 0], x[i, 1]


@njit(cache=True)
def error(b, matrix, fill, x):
    """The largest component of b - (the matrix) x, b (c, 2) by contacts, x (c, 2) in order of rows."""
    largest = 0.0
    for i in range(len(x)):
        contact = fill.order[i]
        if not matrix.kept[contact]:
            continue
        B, C, shift = matrix.B[contact], matrix.C[contact], matrix.shift[contact]
        v, w = shift * x[i, 0], shift * x[i, 1]
        for e in range(fill.rows[i], fill.rows[i + 1]):
            j = fill.columns[e]
            v += matrix.A[e, 0] * x[j, 0] + matrix.A[e, 1] * x[j, 1]
            w += matrix.A[e, 2] * x[j, 0] + matrix.A[e, 3] * x[j, 1]
        for p in range(2):
            left = b[contact, p] - B[p, 0] * x[i, 0] - B[p, 1] * x[i, 1] - C[p, 0] * v - C[p, 1] * w
            # Not max(): it would let NaN pass.
            if not abs(left) <= largest:
                largest = abs(left)
    return largest
