"""Sparse factors of the iteration matrix: factor once, solve at every step."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import splu

from fem_contact.errors import ModelError

FloatArray = NDArray[np.float64]


class Factor(Protocol):
    """A factorised matrix."""

    def solve_into(self, b: FloatArray, x: FloatArray) -> None:
        """x = A^{-1} b for b of shape (n,) or (n, k), C-contiguous; ``b`` is left as it was."""
        ...


class CholeskyFactor:
    """Supernodal Cholesky factors of a symmetric positive definite matrix, by cholespy (CHOLMOD)."""

    def __init__(self, matrix: csr_matrix, name: str):
        from cholespy import CholeskySolverD, MatrixType

        indptr, indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        advice = "check mass, stiffness, damping and the step"
        refusal = ModelError(f"{name} is not positive definite: {advice}")
        if matrix.diagonal().min() <= 0.0:
            raise refusal  # the common case, before CHOLMOD prints a warning of its own
        try:
            self._factor = CholeskySolverD(matrix.shape[0], indptr, indices, matrix.data, MatrixType.CSR)
        except ValueError:
            raise refusal from None

    def solve_into(self, b: FloatArray, x: FloatArray) -> None:
        """x = A^{-1} b."""
        self._factor.solve(b, x)


class LUFactor:
    """LU factors of a matrix that is not symmetric, by SuperLU."""

    def __init__(self, matrix: csr_matrix, name: str):
        try:
            self._factor = splu(csc_matrix(matrix))
        except RuntimeError:
            raise ModelError(f"{name} is singular: check mass, stiffness, damping and the step") from None

    def solve_into(self, b: FloatArray, x: FloatArray) -> None:
        """x = A^{-1} b."""
        x[...] = self._factor.solve(b)


def factorise(matrix: csr_matrix, name: str = "the iteration matrix") -> Factor:
    """Cholesky factors when the matrix is symmetric to round-off, LU factors otherwise.

    Raises
    ------
    ModelError
        When the matrix is symmetric and not positive definite, or singular.
    """
    matrix = csr_matrix(matrix, dtype=np.float64)
    matrix.sort_indices()
    if is_symmetric(matrix):
        return CholeskyFactor(matrix, name)
    return LUFactor(matrix, name)


def is_symmetric(matrix: csr_matrix) -> bool:
    """Whether a sparse matrix is symmetric to round-off."""
    skew = abs(matrix - matrix.T)
    return bool(skew.nnz == 0 or skew.max() <= 1e-13 * abs(matrix).max())
