"""Newton matrices of a sparse A."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csc_matrix

from fem_contact.solvers.linear import newton_kernels as kernels
from fem_contact.solvers.linear.base import LinearSolve
from fem_contact.solvers.linear.superlu import superlu

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class SparseSystem:
    """LU factors by SuperLU, in an order for the symmetric pattern of A."""

    def __init__(self, A: bsr_matrix, d: int):
        self.A, self._d = A, d
        self._rows = np.repeat(np.arange(A.shape[0] // d), np.diff(A.indptr))
        self._columns = A.indices.astype(np.int64)
        self._whole: _Pattern | None = None

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """SuperLU with threshold pivoting, so that the pattern stays nearly symmetric."""
        blocks = np.empty_like(self.A.data)
        kernels.newton_blocks(self.A.indptr, self._columns, self.A.data, B, C, shift, blocks)
        if len(contacts) == len(B):
            # All contacts, as in every step of a central path: pattern and order are found once.
            if self._whole is None:
                self._whole = _Pattern(self.A, self._d)
            return self._whole.factor(blocks)
        place = np.full(len(B), -1)
        place[contacts] = np.arange(len(contacts))
        kept = np.flatnonzero((place[self._rows] >= 0) & (place[self._columns] >= 0))
        rows, columns = self._rows[kept], self._columns[kept]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(place[rows], minlength=len(contacts)))])
        size = self._d * len(contacts)
        matrix = bsr_matrix((blocks[kept], place[columns], indptr), shape=(size, size)).tocsc()
        matrix.eliminate_zeros()
        lu = superlu(matrix, "MMD_AT_PLUS_A")
        if lu is None:
            return None
        solve: LinearSolve = lu.solve
        return solve


class _Pattern:
    """Where the numbers of the blocks stand in a sparse matrix whose unknowns are put in a good order."""

    def __init__(self, A: bsr_matrix, d: int):
        # diag(C) A fills every row of a block from all rows of it, B the whole diagonal block.
        filled = np.repeat((A.data != 0.0).any(axis=1, keepdims=True), d, axis=1)
        filled[np.repeat(np.arange(A.shape[0] // d), np.diff(A.indptr)) == A.indices] = True
        self._kept = np.flatnonzero(filled.ravel())
        numbers = bsr_matrix((np.zeros(filled.shape), A.indices, A.indptr), shape=A.shape).tocoo()
        self._row, self._column, self._shape = numbers.row[self._kept], numbers.col[self._kept], A.shape
        self._order: IntArray | None = None
        self._place: IntArray = np.arange(A.shape[0])

    def factor(self, blocks: FloatArray) -> LinearSolve | None:
        """LU factors of the matrix with these blocks."""
        if self._order is None:
            self._arrange(np.arange(self._shape[0]))
            lu = superlu(self._matrix(blocks), "MMD_AT_PLUS_A")
            if lu is None:
                return None
            # Column perm_c[k] of the factors is column k of the matrix.
            self._arrange(np.argsort(lu.perm_c))
        lu = superlu(self._matrix(blocks), "NATURAL")
        assert self._order is not None
        return None if lu is None else _OrderedFactors(lu, self._order, self._place)

    def _arrange(self, order: IntArray) -> None:
        """Put unknown ``order[k]`` in the k-th place."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        row, column = place[self._row], place[self._column]
        sort = np.lexsort((row, column))
        counts = np.bincount(column, minlength=len(order))
        self._indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self._indices, self._taken = row[sort].astype(np.int32), self._kept[sort]
        self._order, self._place = order, place

    def _matrix(self, blocks: FloatArray) -> csc_matrix:
        return csc_matrix((blocks.ravel()[self._taken], self._indices, self._indptr), shape=self._shape)


class _OrderedFactors:
    """LU factors of a matrix with unknown ``order[k]`` in place k and unknown k in place ``place[k]``."""

    def __init__(self, lu: Any, order: IntArray, place: IntArray):
        self._lu, self._order, self._place = lu, order, place

    def __call__(self, x: FloatArray) -> FloatArray:
        """Solve."""
        return np.asarray(self._lu.solve(x[self._order])[self._place])
