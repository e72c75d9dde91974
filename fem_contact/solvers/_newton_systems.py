"""Newton matrices diag(B) + diag(C) (A + shift I) on a list of contacts, factorised: dense or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import bsr_matrix, issparse
from scipy.sparse.linalg import splu

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _semismooth_kernels as kernels

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LinearSolve = Callable[[FloatArray], FloatArray]

#: A dense A of so many unknowns is treated as sparse when fewer of its blocks are filled.
SPARSE_FROM, SPARSE_BELOW = 200, 0.15


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

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """SuperLU with threshold pivoting, so that the pattern stays nearly symmetric."""
        place = np.full(len(B), -1)
        place[contacts] = np.arange(len(contacts))
        kept = np.flatnonzero((place[self._rows] >= 0) & (place[self._columns] >= 0))
        rows, columns = self._rows[kept], self._columns[kept]
        blocks = C[rows] @ self.A.data[kept]
        on = np.flatnonzero(rows == columns)
        blocks[on] += B[rows[on]] + shift[rows[on], None, None] * C[rows[on]]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(place[rows], minlength=len(contacts)))])
        size = self._d * len(contacts)
        matrix = bsr_matrix((blocks, place[columns], indptr), shape=(size, size)).tocsc()
        matrix.eliminate_zeros()
        try:
            lu = splu(
                matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.01, options={"SymmetricMode": True}
            )
        except RuntimeError:
            return None
        solve: LinearSolve = lu.solve
        return solve


def newton_system(problem: LocalProblem) -> NewtonSystem:
    """Sparse for a sparse A and for a large dense one that is mostly zeros, dense otherwise."""
    A, d, c = problem.A, problem.d, problem.contacts
    if issparse(A):
        if d * c < SPARSE_FROM:
            return DenseSystem(np.ascontiguousarray(A.toarray()), d)
        return SparseSystem(A, d)
    if d * c >= SPARSE_FROM:
        filled = np.abs(A).reshape(c, d, c, d).max(axis=(1, 3)) > 0.0
        if filled.mean() < SPARSE_BELOW:
            return SparseSystem(LocalProblem(bsr_matrix(A, blocksize=(d, d)), problem.b, problem.mu, d).A, d)
    return DenseSystem(A, d)
