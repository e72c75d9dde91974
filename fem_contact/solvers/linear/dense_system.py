"""Newton matrices of a dense A."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from fem_contact.solvers.linear import newton_kernels as kernels
from fem_contact.solvers.linear.base import LinearSolve

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


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
