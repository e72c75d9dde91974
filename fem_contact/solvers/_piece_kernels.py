"""Compiled parts of the matrix of a piece: its unknowns, its triangular factors and columns of its inverse.

Only the impulses of the rows of w are unknown: those of an open contact are zero, and r_T of a sliding one
follows from r_N. For r = E x, x the unknown ones, K = P (A + shift) E with the rows P of w is factorised; of
the matrix M of all rows, any right side comes down to K.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fem_contact.solvers._pivot_kernels import CONE, OF_R, OF_W


class Factors(NamedTuple):
    """K = P (A + shift) E of a piece and its factors.

    Attributes
    ----------
    kinds, coefficients : (2c,)
        Of the rows of the piece.
    place : (2c,) int
        Of unknown and row in K, -1 where there is none.
    columns : (indptr, indices, blocks)
        A by columns of 2 x 2 blocks, each block transposed.
    L, U : (indptr, indices, data)
        By columns, with or without their diagonals, that of L being 1.
    diagonal : (n,) float
        Of U.
    rows, unknowns : (n,) int
        Row k of K is row ``rows[k]`` of L U, its column k column ``unknowns[k]``.
    """

    kinds: Any
    coefficients: Any
    place: Any
    columns: Any
    L: Any
    U: Any
    diagonal: Any
    rows: Any
    unknowns: Any


@njit(cache=True)
def places(kinds, place):
    """Where each row of w stands among them (written), and how many there are."""
    count = 0
    for k in range(len(kinds)):
        place[k] = -1
        if kinds[k] == OF_W:
            place[k] = count
            count += 1
    return count


@njit(cache=True)
def _block_column(j, columns, place, weight, shift, out_indices, out_data, start):
    """Entries of column weight[0] (A + shift)_N + weight[1] (A + shift)_T of contact j, rows of w only."""
    indptr, indices, blocks = columns
    end = start
    for e in range(indptr[j], indptr[j + 1]):
        i = indices[e]
        for p in range(2):
            value = weight[0] * blocks[e, 0, p] + weight[1] * blocks[e, 1, p]
            if i == j:
                value += weight[p] * shift
            if place[2 * i + p] >= 0 and (value != 0.0 or i == j):
                out_indices[end], out_data[end] = place[2 * i + p], value
                end += 1
    return end


@njit(cache=True)
def reduced(columns, shift, kinds, coefficients, place, out):
    """K by columns into ``out`` = (indptr, indices, data), sorted; returns its number of entries."""
    out_indptr, out_indices, out_data = out
    end, column, weight = 0, 0, np.empty(2)
    out_indptr[0] = 0
    for k in range(len(kinds)):
        if kinds[k] != OF_W:
            continue
        weight[k % 2], weight[1 - k % 2] = 1.0, 0.0
        if k % 2 == 0 and kinds[k + 1] == CONE:
            weight[1] = coefficients[k + 1]
        end = _block_column(k // 2, columns, place, weight, shift[k // 2], out_indices, out_data, end)
        column += 1
        out_indptr[column] = end
    return end


@njit(cache=True)
def triangular(factors, x, y):
    """x = K^-1 x, y is work space. Columns that meet a zero are skipped."""
    L_indptr, L_indices, L_data = factors.L
    U_indptr, U_indices, U_data = factors.U
    n = len(factors.rows)
    for k in range(n):
        y[factors.rows[k]] = x[k]
    for j in range(n):
        value = y[j]
        if value != 0.0:
            for e in range(L_indptr[j], L_indptr[j + 1]):
                y[L_indices[e]] -= L_data[e] * value
            y[j] = value  # also where the diagonal is among the entries
    for j in range(n - 1, -1, -1):
        value = y[j] / factors.diagonal[j]
        if value != 0.0:
            for e in range(U_indptr[j], U_indptr[j + 1]):
                y[U_indices[e]] -= U_data[e] * value
        y[j] = value
    for k in range(n):
        x[k] = y[factors.unknowns[k]]


@njit(cache=True)
def expand(x, kinds, coefficients, place, r):
    """r = E x."""
    for k in range(len(kinds)):
        if kinds[k] == OF_W:
            r[k] = x[place[k]]
        elif kinds[k] == OF_R:
            r[k] = 0.0
        else:
            r[k] = coefficients[k] * r[k - 1]


@njit(cache=True)
def solve(factors, y, r, x, z):
    """r = M^-1 (y in the rows of w, 0 in the others); x and z are work space."""
    for k in range(len(y)):
        if factors.place[k] >= 0:
            x[factors.place[k]] = y[k]
    triangular(factors, x, z)
    expand(x, factors.kinds, factors.coefficients, factors.place, r)


@njit(cache=True)
def column(factors, row, r, x, z):
    """r = M^-1 e_row; x and z are work space.

    In a row that is not of w the impulse itself is given, r = g + E x with P (A + shift) (g + E x) = 0.
    """
    kinds, coefficients, place = factors.kinds, factors.coefficients, factors.place
    n = len(factors.rows)
    x[:n] = 0.0
    first, second = 0.0, 1.0
    if kinds[row] == OF_W:
        x[place[row]] = 1.0
    else:
        if kinds[row] == OF_R:
            first, second = 1.0, coefficients[row + 1]
        indptr, indices, blocks = factors.columns
        j = row // 2
        for e in range(indptr[j], indptr[j + 1]):
            for p in range(2):
                k = place[2 * indices[e] + p]
                if k >= 0:
                    x[k] = -first * blocks[e, 0, p] - second * blocks[e, 1, p]
    triangular(factors, x, z)
    expand(x, kinds, coefficients, place, r)
    if kinds[row] == OF_R:
        r[row], r[row + 1] = first, second
    elif kinds[row] == CONE:
        r[row] += second
