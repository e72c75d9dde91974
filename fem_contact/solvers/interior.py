"""A primal-dual interior point method on the second-order cones of frictional contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings, lost
from fem_contact.solvers.paths.central_path import CentralPath
from fem_contact.solvers.paths.guarded_path import GuardedPath
from fem_contact.solvers.paths.pseudo_time import PseudoTimePath
from fem_contact.solvers.paths.turns import Nearest, Turns
from fem_contact.solvers.semismooth import SemismoothNewton

FloatArray = NDArray[np.float64]


#: Residual from which Newton's method is tried, for so many steps; in vain, from FURTHER of that residual on.
HANDOVER, FINISH_STEPS, FURTHER = 1e-5, 8, 0.1
#: Steps of the plain path after which a stall is looked for.
PATIENCE = 12
#: Steps of each guarded path in space, and their guards.
GUARDED_STEPS, GUARDS = 100, (0.1, 2.0, 0.5)
#: Steps of each path in pseudo-time; their guards and smoothings. A path that a fold of the problem holds up
#: wanders before it gets on: another one may not meet it.
PSEUDO_STEPS, STEPS_PER_CONTACT = 200, 0.1
PSEUDO_TIMES = ((10.0, 0.05), (5.0, 0.5), (2.0, 0.015), (30.0, 0.2), (100.0, 0.1), (1.0, 0.05))
#: Residual from which Newton's method follows such a path that has not arrived, for so many steps.
NEAR, NEAR_STEPS = 1e-4, 10
#: In the plane, steps of such a path between two turns of pivoting.
LEG = 80
#: A guess with at most this residual is first offered to Newton's method.
WARM = 1e-3
#: Newton steps after the plain path stalls: at most so many, and so many times unknowns.
STALL_STEPS, STALL_WORK = 200, 40_000


@dataclass(frozen=True)
class InteriorPoint:
    """Mehrotra's predictor-corrector method on x o y = 0, x = r and y = w + mu |w_T| n, both in their cones.

    In units where all cones are L = {|x_T| <= x_N} the Newton step with Nesterov-Todd scaling W is

        (C A + W^2) dx = -W z - gap,  dy = -W z - W^2 dx,  C = [[1, t^T], [0, I]],  t = y_T/|y_T|,

    z from W dx + W^-1 dy = -z, the linearised complementarity. The term |w_T| of De Saxcé and Feng (1998)
    stays in the matrix: there is no outer fixed point on it, cf. Acary, Armand, Nguyen, Shpakovych (2023),
    "Second-order cone programming for frictional contact mechanics using interior point algorithm". After
    a short step t is left out, which makes the step one of the convex problem with |w_T| held, and the
    iterate is pushed towards the central path. A contact without friction keeps r_N only.

    Large hyperstatic piles have turning points on the path, where the matrix is singular. In space, after a
    stall that Newton's method does not end either, guarded paths are followed from the start: |w_T| is
    smoothed over the mean of x o y, and a proximal shift of A carries the iterate past the turning points. In
    the plane, and in space after those, |w_T| is followed in pseudo-time. See
    :class:`~fem_contact.solvers.paths.guarded_path.GuardedPath` and
    :class:`~fem_contact.solvers.paths.pseudo_time.PseudoTimePath`. In the plane
    :class:`~fem_contact.solvers.pivoting.Pivoting` is tried every so many steps, on the best iterate or on
    one that the path has come by since, see :class:`~fem_contact.solvers.paths.turns.Turns`: a few contacts
    that hold up a path, whose step lengths all share, do not hold up the pivots.

    A path is followed from its start, not from the guess: an interior point needs room. With ``finish``
    a guess of residual ``WARM`` or less is first tried by
    :class:`~fem_contact.solvers.semismooth.SemismoothNewton`, which also takes over from ``HANDOVER`` on,
    where it mostly needs a step or two, and at a stall.

    Parameters
    ----------
    tol : float
        Residual to reach.
    max_iter : int
        Steps at most, one factorisation each, and pivots, those of the finish included.
    finish : bool
        Whether Newton's method and pivots finish.

    Raises
    ------
    ModelError
        On settings that are not allowed.
    """

    tol: float = 1e-10
    max_iter: int = 20_000
    finish: bool = True
    name: ClassVar[str] = "interior"

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Steps along the central path until the watch is content or a stall; then the finish."""
        if not problem.contacts:
            return
        start = watch.iterations
        if self.finish and watch.residual <= WARM:
            SemismoothNewton(max_iter=min(FINISH_STEPS, self.max_iter)).attempt(problem, r, watch)
            if watch.converged or watch.late:
                return
        last = start + self.max_iter
        if problem.d == 3 and self._in_space(problem, watch, last):
            return
        if self._in_pseudo_time(problem, watch, last):
            return
        if self.finish:
            self._finish(problem, watch, last, STALL_STEPS)

    def _in_pseudo_time(self, problem: LocalProblem, watch: Watch, last: int) -> bool:
        """One path in pseudo-time after the other, in legs; True when there is no more to do."""
        steps = PSEUDO_STEPS + int(STEPS_PER_CONTACT * problem.contacts)
        turns = Turns() if self.finish and problem.d < 3 else None
        leg = LEG if turns else steps
        for guard, smooth in PSEUDO_TIMES:
            path = PseudoTimePath(problem, guard, smooth)
            for done in range(0, steps, leg):
                end = min(last, watch.iterations + min(leg, steps - done))
                nearest = Nearest()
                follows = self._follow(path, problem, watch, end, nearest)
                near = self.finish and watch.residual <= NEAR
                if near and self._finish(problem, watch, last, NEAR_STEPS):
                    return True
                if turns:
                    turns.take(problem, watch, last, nearest, over=done + leg >= steps)
                if watch.converged or watch.late or watch.iterations >= last:
                    return True
                if not follows:
                    break
        return False

    def _in_space(self, problem: LocalProblem, watch: Watch, last: int) -> bool:
        """The plain path, and the guarded ones after a stall; True when there is no more to do."""
        if self._follow(CentralPath(problem), problem, watch, last):
            return True
        if not self.finish:
            return False
        steps = max(FINISH_STEPS, min(STALL_STEPS, STALL_WORK // len(problem.b)))
        if self._finish(problem, watch, last, steps):
            return True
        for guard in GUARDS:
            end = min(last, watch.iterations + GUARDED_STEPS)
            self._follow(GuardedPath(problem, guard), problem, watch, end)
            if self._finish(problem, watch, last, FINISH_STEPS):
                return True
        return False

    def _finish(self, problem: LocalProblem, watch: Watch, last: int, steps: int) -> bool:
        """So many steps of Newton's method from the best iterate; True when there is no more to do."""
        left = min(last - watch.iterations, steps)
        if left > 0 and not (watch.converged or watch.late):
            SemismoothNewton(max_iter=left).attempt(problem, watch.best.copy(), watch)
        return watch.converged or watch.late or watch.iterations >= last

    def _follow(
        self,
        path: CentralPath,
        problem: LocalProblem,
        watch: Watch,
        last: int,
        nearest: Nearest | None = None,
    ) -> bool:
        """A path as far as iteration ``last``, with Newton's method where it comes near; True when there is
        no more to do, False when the path ends or the plain one stalls."""
        mark, steps, handover = float("inf"), 0, HANDOVER
        # Only what the path itself reaches counts: a warm guess may be better than its first iterates.
        nearest = nearest or Nearest()
        while watch.iterations < last:
            taken = path.advance()
            r = path.impulses()
            if not np.isfinite(taken) or lost(problem, r, watch.tol):
                return False
            if watch.see(r, 1, self.name):
                return bool(np.isfinite(watch.history[-1][1]))
            nearest.see(watch.history[-1][1], r)
            reached, steps = nearest.residual, steps + 1
            if self.finish and reached <= handover:
                if self._finish(problem, watch, last, FINISH_STEPS):
                    return True
                handover = FURTHER * reached
            if type(path) is CentralPath and steps % PATIENCE == 0:
                if reached > 0.5 * mark:
                    return False
                mark = reached
        return True

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """Work space: none of its own."""
        return PlainPrepared(self, d)
