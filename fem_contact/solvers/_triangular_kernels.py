"""Compiled triangular solves with the factors of SuperLU, for one entry of the right side."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def column(factors, first, x):
    """x = U^-1 L^-1 e_first, x zero on entry; of L by columns, then of U by rows, both sorted, the arrays.

    Columns of L whose entry of x is zero are skipped, nearly all of them.
    """
    L_indptr, L_indices, L_data, U_indptr, U_indices, U_data = factors
    n = len(x)
    x[first] = 1.0
    for j in range(first, n):
        if x[j] != 0.0:
            for e in range(L_indptr[j] + 1, L_indptr[j + 1]):
                x[L_indices[e]] -= L_data[e] * x[j]
    for j in range(n - 1, -1, -1):
        total = x[j]
        for e in range(U_indptr[j] + 1, U_indptr[j + 1]):
            total -= U_data[e] * x[U_indices[e]]
        x[j] = total / U_data[U_indptr[j]]
