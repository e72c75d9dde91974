"""Compiled Newton matrices diag(B) + diag(C) (A + shift I)."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def newton_matrix(A, B, C, shift, d, contacts, out):
    """out = diag(B) + diag(C) (A + shift) restricted to a list of contacts, shift (c,) on the diagonal."""
    for a in range(len(contacts)):
        i = contacts[a]
        for p in range(d):
            row = out[d * a + p]
            for k in range(d):
                factor = C[i, p, k]
                source = A[d * i + k]
                for b in range(len(contacts)):
                    j = contacts[b]
                    for q in range(d):
                        if k == 0:
                            row[d * b + q] = factor * source[d * j + q]
                        elif factor != 0.0:
                            row[d * b + q] += factor * source[d * j + q]
            for q in range(d):
                row[d * a + q] += B[i, p, q] + C[i, p, q] * shift[i]


@njit(cache=True)
def newton_blocks(indptr, columns, data, B, C, shift, out):
    """out = the blocks of diag(B) + diag(C) (A + shift), A in sparse d x d blocks, shift (c,)."""
    d = data.shape[1]
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            on = columns[e] == i
            for p in range(d):
                for q in range(d):
                    total = 0.0
                    for k in range(d):
                        total += C[i, p, k] * data[e, k, q]
                    if on:
                        total += B[i, p, q] + C[i, p, q] * shift[i]
                    out[e, p, q] = total
