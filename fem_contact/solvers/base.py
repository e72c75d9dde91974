"""What a cone solver is, and the one loop that judges what it does."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError, ProblemError
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers.clock import solving_seconds

FloatArray = NDArray[np.float64]


class SolverStatus(Enum):
    """How a solve ended."""

    CONVERGED = "converged: the residual is at most the tolerance"
    ITERATION_LIMIT = "iteration limit reached: the problem may be badly conditioned, or max_iter too small"
    TIME_LIMIT = "time limit reached: give it more seconds, or another solver"
    NOT_FINITE = "the iterates are not finite: the problem may have no solution"


@dataclass(frozen=True)
class SolverResult:
    """Answer of a solver: the best iterate that it met.

    Attributes
    ----------
    r, w : (d*c,) float
        Impulses and w = A r + b.
    status : SolverStatus
    iterations : int
    residual : float
        The shared error measure of ``r``, as reached.
    history : tuple of (iterations, residual)
        What the loop saw on the way.
    solver : str
        Name of the solver that found ``r``, where several took turns.
    """

    r: FloatArray
    w: FloatArray
    status: SolverStatus
    iterations: int
    residual: float
    history: tuple[tuple[int, float], ...] = ()
    solver: str = ""

    @property
    def converged(self) -> bool:
        """True when the residual is at most the tolerance that was asked for."""
        return self.status is SolverStatus.CONVERGED


def check_settings(name: str, tol: float, max_iter: int) -> None:
    """Raise ModelError unless ``tol`` is positive and finite and ``max_iter`` at least 1."""
    if not (np.isfinite(tol) and tol > 0.0):
        raise ModelError(f"{name} tol = {tol!r}: it must be a positive number")
    if max_iter < 1:
        raise ModelError(f"{name} max_iter = {max_iter!r}: it must be at least 1")


def blindness(problem: LocalProblem, r: FloatArray) -> float:
    """What the residual of r cannot see, a tenth of eps |r| / (1 + |b|).

    Where |r| dwarfs |w|, as it does when iterates run away for want of a solution, r - w rounds to r and the
    residual to zero.
    """
    eps = float(np.finfo(np.float64).eps)
    return 0.1 * eps * math.sqrt(r @ r) / (1.0 + math.sqrt(problem.b @ problem.b))


def lost(problem: LocalProblem, r: FloatArray, tol: float) -> bool:
    """Whether r is so large that its residual says nothing at the tolerance ``tol`` (1e-12 at the least)."""
    return blindness(problem, r) > max(tol, 1e-12)


@dataclass
class Watch:
    """Judges the iterates of a solver by the shared residual and keeps the best.

    A solver hands it iterates (now and then: each look costs a product with A) and stops when told.

    Attributes
    ----------
    problem : LocalProblem
    tol : float
    seconds : float
        Time limit, by :func:`fem_contact.solvers.clock.solving_seconds`.
    best, residual : the best iterate so far and its residual
    iterations : int
        Of all solvers that took turns.
    history : list of (iterations, residual)
    finder : str
        Name of the solver that found ``best``.
    """

    problem: LocalProblem
    tol: float
    seconds: float = float("inf")
    best: FloatArray = field(init=False)
    residual: float = field(default=float("inf"), init=False)
    iterations: int = field(default=0, init=False)
    history: list[tuple[int, float]] = field(default_factory=list, init=False)
    finder: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.best = np.zeros(len(self.problem.b))
        self._started = solving_seconds()

    def see(self, r: FloatArray, iterations: int = 1, name: str = "") -> bool:
        """Judge an iterate (copied if it is the best); True when the solver is to stop.

        ``iterations`` are those since the last look. An iterate that is not finite stops the solver too.
        """
        self.iterations += iterations
        reached = residual(self.problem, r)
        if lost(self.problem, r, self.tol):
            reached = max(reached, blindness(self.problem, r))
        self.history.append((self.iterations, reached))
        if reached < self.residual:
            self.best[...] = r
            self.residual, self.finder = reached, name
        return self.converged or not np.isfinite(reached) or self.late

    @property
    def converged(self) -> bool:
        """Whether the best iterate meets the tolerance."""
        return self.residual <= self.tol

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.left < 0.0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.seconds - (solving_seconds() - self._started)

    def result(self) -> SolverResult:
        """The best iterate as a result."""
        if self.converged:
            ended = SolverStatus.CONVERGED
        elif not self.history or not np.isfinite(self.history[-1][1]):
            ended = SolverStatus.NOT_FINITE
        elif self.late:
            ended = SolverStatus.TIME_LIMIT
        else:
            ended = SolverStatus.ITERATION_LIMIT
        r, w = self.best.copy(), self.problem.velocity(self.best)
        return SolverResult(r, w, ended, self.iterations, self.residual, tuple(self.history), self.finder)


class Turn:
    """A solver's turn under a watch that several share: its own time limit and patience.

    What it sees goes to the watch. It also stops a solver that has not brought its own residual down to
    ``share`` of what it was for ``patience`` seconds.
    """

    def __init__(self, watch: Watch, seconds: float = float("inf"), patience: float = float("inf")):
        self._watch, self._patience = watch, patience
        self._end = solving_seconds() + seconds
        self._mark, self._since = float("inf"), solving_seconds()
        self.share = 0.5

    def see(self, r: FloatArray, iterations: int = 1, name: str = "") -> bool:
        """Judge an iterate; True when the solver is to stop."""
        stop = self._watch.see(r, iterations, name)
        reached, now = self._watch.history[-1][1], solving_seconds()
        if reached < self.share * self._mark:
            self._mark, self._since = reached, now
        return stop or now > self._end or now - self._since > self._patience

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watch, name)


class PreparedSolver(Protocol):
    """A solver with its work space, for the many problems of a run, of up to a given size."""

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

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Iterate from the guess ``r`` (left as it is), showing iterates to ``watch`` until it says stop or
        ``max_iter`` is reached; every iterate worth keeping is shown, the last one always."""
        ...

    def prepare(self, contacts: int, d: int) -> PreparedSolver:
        """Work space for problems of up to ``contacts`` contacts of ``d`` components."""
        ...


class PlainPrepared:
    """``solve_into`` for solvers without work space of their own."""

    def __init__(self, solver: Solver, d: int):
        self._solver, self._d = solver, d

    def solve_into(
        self, A: FloatArray, b: FloatArray, mu: FloatArray, r: FloatArray, fresh: bool = True
    ) -> int:
        """Pose the problem, solve it, put the best iterate in ``r``."""
        result = solve(LocalProblem(A, b, mu, self._d), self._solver, guess=r)
        r[...] = result.r
        return result.iterations


def solve(
    problem: LocalProblem,
    solver: Solver,
    guess: FloatArray | None = None,
    *,
    tol: float | None = None,
    seconds: float = float("inf"),
) -> SolverResult:
    """Solve one problem and judge the answer by :func:`fem_contact.problems.residual`.

    Parameters
    ----------
    guess : (d*c,) or None
        Where to start; zero when left out.
    tol : float or None
        Residual to reach, the solver's own when left out.
    seconds : float
        Time limit, looked at between iterations; time spent compiling kernels is not counted.

    Returns
    -------
    SolverResult
        The best iterate met, converged only when its residual is at most the tolerance.

    Raises
    ------
    ProblemError
        When the guess has not the shape of b or holds numbers that are not finite.
    """
    r = np.zeros(len(problem.b)) if guess is None else np.array(guess, dtype=np.float64).ravel()
    if r.shape != problem.b.shape or not np.all(np.isfinite(r)):
        raise ProblemError(f"the guess must be {len(problem.b)} finite numbers, got shape {r.shape}")
    watch = Watch(problem, solver.tol if tol is None else tol, seconds)
    if not watch.see(r, 0, "guess"):
        solver.attempt(problem, r, watch)
    return watch.result()
