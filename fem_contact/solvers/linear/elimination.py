"""Newton matrices of sparse problems in the plane, eliminated in an order of little fill found once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csc_matrix, diags, tril

from fem_contact.solvers.linear import elimination_kernels as kernels
from fem_contact.solvers.linear.superlu import superlu

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Added to the diagonal of the Laplacian of the contact graph: so much that it has factors, so little that
#: none of their entries underflows.
LIFT = 1e-6


class Elimination:
    """Factors of diag(B) + diag(C) (A + shift) by 2 x 2 blocks, without exchanges between contacts.

    All the matrices of a problem have blocks in the same places, which SuperLU would look for anew in each.
    """

    def __init__(self, A: bsr_matrix):
        c = A.shape[0] // 2
        order, lower = elimination(A)
        place = np.argsort(order)
        rows, columns = place[np.repeat(np.arange(c), np.diff(A.indptr))], place[A.indices]
        sort = np.argsort(rows, kind="stable")
        starts = np.searchsorted(rows[sort], np.arange(c + 1))
        # L by rows: the numbers of its entries in their order by columns, in which they are the rows of U.
        by_rows = csc_matrix((np.arange(lower.nnz), lower.indices, lower.indptr), shape=lower.shape).tocsr()
        by_rows.sort_indices()
        upper = lower.indptr, lower.indices
        places = (order, starts, columns[sort], *upper, by_rows.indptr, by_rows.indices, by_rows.data)
        # Unsigned: Numba then looks for no negative ones, which makes a fifth of the time.
        self._fill = kernels.Fill(*(array.astype(np.uint32) for array in places))
        self._A = A.data[sort].reshape(-1, 4)
        self._factors = kernels.Factors(np.empty((lower.nnz, 4)), np.empty((lower.nnz, 4)), np.empty((c, 4)))
        self._line, self._x = np.empty((c, 4)), np.empty((c, 2))

    def factor(self, B: FloatArray, C: FloatArray, shift: FloatArray, kept: NDArray[np.bool_]) -> bool:
        """Factorise, False when a pivot block is singular. Contacts that are not ``kept`` are left out."""
        self._matrix = kernels.Newton(self._A, B, C, shift, kept)
        return bool(kernels.eliminate(self._matrix, self._fill, self._factors, self._line))

    def solve(self, b: FloatArray) -> FloatArray:
        """x (c, 2) by the last factors, 0 for contacts left out, where b has to be 0."""
        out = np.empty_like(b)
        kernels.substitute(b, self._fill, self._factors, self._x, out)
        return out

    def error(self, b: FloatArray) -> float:
        """The largest component of b less the matrix times the last solution."""
        return float(kernels.error(b, self._matrix, self._fill, self._x))


def elimination(A: bsr_matrix) -> tuple[IntArray, csc_matrix]:
    """Contacts by minimum degree in the graph of A + A^T, the first one to be eliminated first, and the
    pattern of L, without its diagonal, in that order."""
    c = len(A.indptr) - 1
    graph = csc_matrix((np.ones(len(A.indices)), A.indices, A.indptr), shape=(c, c))
    graph = graph + graph.T
    graph.data[:] = -1.0
    lu = superlu(csc_matrix(graph + diags(np.diff(graph.indptr) + LIFT)), "MMD_AT_PLUS_A")
    lower = csc_matrix(tril(lu.L, -1))
    lower.sort_indices()
    return np.argsort(lu.perm_c), lower
