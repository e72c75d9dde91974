"""What a cone solver must offer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ProblemError
from fem_contact.problems.local import LocalProblem, residual

FloatArray = NDArray[np.float64]


class SolverStatus(Enum):
    """How a solve ended."""

    CONVERGED = "converged: the residual is at most the tolerance"
    ITERATION_LIMIT = "iteration limit reached: the problem may be badly conditioned, or max_iter too small"
    NOT_FINITE = "the iterates are not finite: the problem may have no solution"


@dataclass(frozen=True)
class SolverResult:
    """Answer of a solver.

    Attributes
    ----------
    r, w : (d*c,) float
        Impulses and w = A r + b.
    status : SolverStatus
    iterations : int
    residual : float
        The shared error measure of ``r``, as reached.
    """

    r: FloatArray
    w: FloatArray
    status: SolverStatus
    iterations: int
    residual: float

    @property
    def converged(self) -> bool:
        """True when the residual is at most the tolerance that was asked for."""
        return self.status is SolverStatus.CONVERGED


class PreparedSolver(Protocol):
    """A solver with its work space, for many problems of up to a given size."""

    def solve_into(
        self, A: FloatArray, b: FloatArray, mu: FloatArray, r: FloatArray, fresh: bool = True
    ) -> int:
        """Solve; ``r`` (d*c,) holds the guess on entry and the answer on return. Returns iterations.

        ``fresh`` is False when A and mu are those of the call before, so that work on them can be kept.
        """
        ...


class Solver(Protocol):
    """A solver: settings, frozen."""

    @property
    def tol(self) -> float:
        """Residual to reach."""
        ...

    @property
    def max_iter(self) -> int:
        """Iterations at most."""
        ...

    def prepare(self, contacts: int, d: int) -> PreparedSolver:
        """Work space for problems of up to ``contacts`` contacts of ``d`` components."""
        ...


def solve(problem: LocalProblem, solver: Solver, guess: FloatArray | None = None) -> SolverResult:
    """Solve one problem and judge the answer by :func:`fem_contact.problems.residual`.

    Raises
    ------
    ProblemError
        When the guess has not the shape of b or holds numbers that are not finite.
    """
    r = np.zeros(len(problem.b)) if guess is None else np.array(guess, dtype=np.float64).ravel()
    if r.shape != problem.b.shape or not np.all(np.isfinite(r)):
        raise ProblemError(f"the guess must be {len(problem.b)} finite numbers, got shape {r.shape}")
    iterations = solver.prepare(problem.contacts, problem.d).solve_into(problem.A, problem.b, problem.mu, r)
    reached = residual(problem, r)
    if not np.isfinite(reached):
        ended = SolverStatus.NOT_FINITE
    elif reached <= solver.tol:
        ended = SolverStatus.CONVERGED
    else:
        ended = SolverStatus.ITERATION_LIMIT
    return SolverResult(r, problem.velocity(r), ended, iterations, reached)
