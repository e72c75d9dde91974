"""The default solver: several in turn, each from the best iterate so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers.base import Solver, Turn, Watch, check_settings
from fem_contact.solvers.nsgs import NSGS

FloatArray = NDArray[np.float64]

#: Seconds of the first sweeps, which solve what is easy, and more of them for each contact: less than a path
#: takes that is followed in vain or need not be.
QUICK, QUICK_CONTACT = 1e-3, 2e-5
#: Seconds of the turns of the first round, and how they grow from round to round.
TURN, GROWTH = 0.5, 2.0
#: Steps of the first path, in space and in the plane, where nothing else solves what it leaves unsolved and
#: pivots count.
FIRST_STEPS, FIRST_STEPS_PLANE = 250, 100_000
#: Rounds at most: with them the turns add up to minutes.
ROUNDS = 8
#: Residual from which Newton's method is tried first.
NEAR = 1e-4
#: Sweeps that a step of a run is given before the other solvers are asked.
STEP_SWEEPS = 200


@dataclass(frozen=True)
class Auto:
    """NSGS, semismooth Newton, ADMM and interior point in turn, until the tolerance is met.

    A few sweeps of NSGS come first: they solve what is easy, and most problems of a run, warm-started. The
    interior point method follows, which solves nearly all others in a few dozen factorisations, large flows
    and piles in the plane in up to some hundreds, with turns of pivoting. What stalls there goes round: ADMM
    and NSGS bring an iterate near, Newton's method finishes it. A solver that makes no progress for a while
    is stopped; turns get longer from round to round.

    Parameters
    ----------
    tol : float
        Residual to reach.
    max_iter : int
        Iterations at most of each solver in a turn; ten times as many sweeps and pivots.
    """

    tol: float = 1e-10
    max_iter: int = 10_000

    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Take turns from ``r`` until the watch is content, the time is up or ``ROUNDS`` are over."""
        if not problem.contacts:
            return
        start = r
        for solver, turn in self._turns(problem, watch):
            solver.attempt(problem, start, turn)  # type: ignore[arg-type]
            if watch.converged or watch.late:
                return
            start = watch.best.copy()

    def _turns(self, problem: LocalProblem, watch: Watch) -> Iterator[tuple[Solver, Turn]]:
        """Who is next, and for how long."""
        # Imported here: most steps of a run never get this far.
        from fem_contact.solvers.admm import ADMM
        from fem_contact.solvers.interior import InteriorPoint
        from fem_contact.solvers.semismooth import SemismoothNewton

        tol, most = min(self.tol, watch.tol), self.max_iter
        newton = SemismoothNewton(tol=tol, max_iter=most)
        sweeps = NSGS(tol=tol, max_iter=10 * most)
        seconds = QUICK + QUICK_CONTACT * problem.contacts
        yield sweeps, Turn(watch, seconds)
        if watch.residual < NEAR:
            yield newton, Turn(watch, seconds)
        steps = FIRST_STEPS if problem.d == 3 else FIRST_STEPS_PLANE
        yield InteriorPoint(tol=tol, max_iter=min(10 * most, steps)), Turn(watch)
        seconds = TURN
        for _ in range(ROUNDS):
            for solver in (ADMM(tol=tol, max_iter=most), newton, sweeps, newton):
                yield solver, Turn(watch, seconds, patience=0.5 * seconds)
            # Its residual falls late and at once: patience would cut it off.
            yield InteriorPoint(tol=tol, max_iter=10 * most), Turn(watch, 4.0 * seconds)
            seconds *= GROWTH

    def prepare(self, contacts: int, d: int) -> PreparedAuto:
        """NSGS with its work space, and the rest for the steps that it does not solve."""
        return PreparedAuto(self, contacts, d)


class PreparedAuto:
    """``solve_into`` by NSGS; a problem that it does not solve soon goes to all solvers in turn."""

    def __init__(self, settings: Auto, contacts: int, d: int):
        self._settings, self._d = settings, d
        self._sweeps = NSGS(tol=settings.tol, max_iter=STEP_SWEEPS).prepare(contacts, d)

    def solve_into(
        self, A: FloatArray, b: FloatArray, mu: FloatArray, r: FloatArray, fresh: bool = True
    ) -> int:
        """Solve in place; returns the iterations of all solvers together."""
        iterations = self._sweeps.solve_into(A, b, mu, r, fresh)
        if iterations < STEP_SWEEPS:
            return iterations
        problem = LocalProblem(A, b, mu, self._d)
        if residual(problem, r) <= self._settings.tol:
            return iterations
        watch = Watch(problem, self._settings.tol)
        watch.see(r, 0, "nsgs")
        self._settings.attempt(problem, r, watch)
        r[...] = watch.best
        return iterations + watch.iterations
