"""Newton matrices of a sparse A of the plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix

from fem_contact.solvers.linear.base import LinearSolve
from fem_contact.solvers.linear.elimination import Elimination
from fem_contact.solvers.linear.sparse_system import SparseSystem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Largest error, relative to the largest component of the right side, of factors without exchanges.
ERROR = 1e-6


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
