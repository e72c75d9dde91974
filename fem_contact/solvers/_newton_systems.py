"""Newton matrices diag(B) + diag(C) (A + shift I) on a list of contacts, factorised: dense or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import bsr_matrix, csc_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _semismooth_kernels as kernels
from fem_contact.solvers._elimination import Elimination
from fem_contact.solvers._superlu import superlu

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LinearSolve = Callable[[FloatArray], FloatArray]

#: A dense A of so many unknowns is treated as sparse when fewer of its blocks are filled.
SPARSE_FROM, SPARSE_BELOW = 200, 0.15
#: Largest error, relative to the largest component of the right side, of factors without exchanges.
ERROR = 1e-6


class NewtonSystem(Protocol):
    """The matrix A of a problem, from which Newton matrices are made."""

    A: FloatArray | bsr_matrix

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """x -> (diag(B) + diag(C) (A + shift I))^-1 x restricted to ``contacts``, None when singular.

        Parameters
        ----------
        B, C : (c, d, d) float
            Blocks of all contacts.
        shift : (c,) float
            Added to the diagonal of A, by contacts; makes the matrix regular where A is not.
        contacts : (k,) int
            Contacts in increasing order; x has d*k entries.

        The factors are good until the next call.
        """
        ...


class DenseSystem:
    """LU factors by LAPACK."""

    def __init__(self, A: FloatArray, d: int):
        self.A, self._d = A, d

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """Factors of the transpose, which is Fortran-ordered as it stands."""
        size = self._d * len(contacts)
        matrix = np.empty((size, size))
        kernels.newton_matrix(self.A, B, C, shift, self._d, contacts, matrix)
        lu, pivots, info = lapack.dgetrf(matrix.T, overwrite_a=True)
        if info != 0:
            return None

        def solve(x: FloatArray) -> FloatArray:
            return np.asarray(lapack.dgetrs(lu, pivots, x, trans=1)[0])

        return solve


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


class PlaneSystem:
    """LU factors by blocks of the contacts of the plane; by SuperLU where those are not accurate."""

    def __init__(self, A: bsr_matrix):
        self.A = A
        self._blocks, self._scalars = Elimination(A), SparseSystem(A, 2)

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """Blocks first, which seldom fail: where a path comes by a singular matrix."""
        kept = np.zeros(len(B), np.bool_)
        kept[contacts] = True

        def others() -> LinearSolve | None:
            return self._scalars.factor(B, C, shift, contacts)

        if self._blocks.factor(B, C, shift, kept):
            return _Checked(self._blocks, kept, others)
        return others()


class _Checked:
    """Factors by blocks, unless their error at the first right side asks for others."""

    def __init__(
        self, blocks: Elimination, kept: NDArray[np.bool_], others: Callable[[], LinearSolve | None]
    ):
        self._blocks, self._kept, self._others = blocks, kept, others
        self._whole = bool(np.all(kept))
        self._solve: LinearSolve = self._first

    def __call__(self, x: FloatArray) -> FloatArray:
        """Solve; NaN when the matrix is singular."""
        return self._solve(x)

    def _first(self, x: FloatArray) -> FloatArray:
        right = self._spread(x)
        solution = self._blocks.solve(right)
        if self._blocks.error(right) <= ERROR * float(np.abs(x).max(initial=0.0)):
            self._solve = self._by_blocks
            return self._chosen(solution)
        others = self._others()
        self._solve = _no_solution if others is None else others
        return self._solve(x)

    def _by_blocks(self, x: FloatArray) -> FloatArray:
        return self._chosen(self._blocks.solve(self._spread(x)))

    def _spread(self, x: FloatArray) -> FloatArray:
        """(c, 2), 0 for contacts left out."""
        if self._whole:
            return x.reshape(-1, 2)
        right = np.zeros((len(self._kept), 2))
        right[self._kept] = x.reshape(-1, 2)
        return right

    def _chosen(self, solution: FloatArray) -> FloatArray:
        return (solution if self._whole else solution[self._kept]).ravel()


def _no_solution(x: FloatArray) -> FloatArray:
    return np.full_like(x, np.nan)


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
        return None if lu is None else OrderedFactors(lu, self._order, self._place)

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


class OrderedFactors:
    """LU factors of a matrix with unknown ``order[k]`` in place k and unknown k in place ``place[k]``."""

    def __init__(self, lu: Any, order: IntArray, place: IntArray):
        self._lu, self._order, self._place = lu, order, place

    def __call__(self, x: FloatArray) -> FloatArray:
        """Solve."""
        return np.asarray(self._lu.solve(x[self._order])[self._place])


def newton_system(problem: LocalProblem) -> NewtonSystem:
    """Sparse for a sparse A and for a large dense one that is mostly zeros, dense otherwise."""
    A, d, c = problem.A, problem.d, problem.contacts
    if issparse(A):
        if d * c < SPARSE_FROM:
            return DenseSystem(np.ascontiguousarray(A.toarray()), d)
        return _of_blocks(A, d)
    if d * c >= SPARSE_FROM:
        filled = np.abs(A).reshape(c, d, c, d).max(axis=(1, 3)) > 0.0
        if filled.mean() < SPARSE_BELOW:
            return _of_blocks(LocalProblem(bsr_matrix(A, blocksize=(d, d)), problem.b, problem.mu, d).A, d)
    return DenseSystem(A, d)


def _of_blocks(A: bsr_matrix, d: int) -> NewtonSystem:
    return PlaneSystem(A) if d == 2 else SparseSystem(A, d)
