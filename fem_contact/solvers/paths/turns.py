"""Turns of pivoting along a path of the interior point method."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.base import Watch
from fem_contact.solvers.pivoting import Pivoting

FloatArray = NDArray[np.float64]

#: The patience of a turn, and that of one that begins with a residual of at most CLOSE.
PATIENT, CLOSE, PATIENT_CLOSE = 1000, 2e-4, 8000
#: What part of the residual that an earlier turn began with the next one begins with at most.
LOWER = 0.7


@dataclass
class Nearest:
    """The best iterate of a path or of a leg of it."""

    residual: float = float("inf")
    r: FloatArray = field(default_factory=lambda: np.empty(0))

    def see(self, residual: float, r: FloatArray) -> None:
        """Another iterate."""
        if residual < self.residual:
            self.residual, self.r = residual, r.copy()


class Turns:
    """Turns of pivoting: from the best iterate of all, or where that one has had its turn, of a leg.

    Pivots that have failed from an iterate mostly do so again: another start is worth more, even a worse one.
    """

    def __init__(self) -> None:
        self._best, self._leg = float("inf"), float("inf")

    def take(self, problem: LocalProblem, watch: Watch, last: int, nearest: Nearest, *, over: bool) -> None:
        """A turn, if there is a start that is better than those before or the path is over."""
        if watch.residual < LOWER * self._best:
            self._best = watch.residual
            self._pivot(problem, watch, last, watch.best, watch.residual)
        elif over or nearest.residual < LOWER * self._leg:
            self._leg = nearest.residual
            self._pivot(problem, watch, last, nearest.r, nearest.residual)

    @staticmethod
    def _pivot(problem: LocalProblem, watch: Watch, last: int, start: FloatArray, residual: float) -> None:
        left = last - watch.iterations
        if left > 0 and len(start) and not (watch.converged or watch.late):
            patience = PATIENT_CLOSE if residual <= CLOSE else PATIENT
            Pivoting(max_iter=left, patience=patience).attempt(problem, start.copy(), watch)
