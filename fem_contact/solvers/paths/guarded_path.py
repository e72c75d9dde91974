"""The central path of frictional contact with a guard against its turning points in space."""

from __future__ import annotations

import numpy as np

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.paths.central_path import CentralPath

#: Proximal shift of A: the first one, the greatest, the least, its growth and its fall.
FIRST_SHIFT, MOST_SHIFT, LEAST_SHIFT, GROWTH, FALL = 1e-4, 0.1, 1e-12, 3.0, 0.3
#: Lengths of a step below which the path takes a greater shift, and above which a smaller one.
SHORT, LONG = 0.3, 0.6


class GuardedPath(CentralPath):
    """The central path with |w_T| smoothed over the mean of x o y and a proximal shift of A.

    The shift grows after short steps and carries the iterate past turning points; the mean falls no faster
    than ``guard`` times the gap that the shift leaves.
    """

    def __init__(self, problem: LocalProblem, guard: float):
        super().__init__(problem)
        self.guard, self.proximal = guard, LEAST_SHIFT

    def _coupling(self, poor: bool, mean: float) -> tuple[float, float]:
        if self.taken < SHORT:
            self.proximal = min(max(GROWTH * self.proximal, FIRST_SHIFT), MOST_SHIFT)
        elif self.taken > LONG:
            self.proximal = max(FALL * self.proximal, LEAST_SHIFT)
        self.shift[:] = self.proximal
        return 1.0, mean

    def _centring(self, left: float, poor: bool, mean: float) -> float:
        behind = float(np.linalg.norm(self.gap)) / np.sqrt(self.c) / mean
        return max(super()._centring(left, poor, mean), min(self.guard * behind, 1.0))

    def _unstick(self, mean: float) -> None:
        """Not needed: the shift does it."""
