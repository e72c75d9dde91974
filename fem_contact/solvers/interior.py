"""A primal-dual interior point method on the second-order cones of frictional contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _interior_kernels as kernels
from fem_contact.solvers._newton_systems import newton_system
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings, lost
from fem_contact.solvers.semismooth import SemismoothNewton

FloatArray = NDArray[np.float64]


#: Share of the way to the boundary of the cones that a step takes.
SHARE = 0.9
#: A step shorter than POOR is followed by one that centres more; one shorter than STUCK by a push inwards.
POOR, STUCK, PUSH = 0.1, 1e-2, 0.1
#: Residual from which Newton's method finishes, and steps after which a stall is looked for.
HANDOVER, PATIENCE = 1e-5, 12
#: A guess with at most this residual is first offered to Newton's method, for so many steps.
WARM, WARM_STEPS = 1e-3, 8
#: Newton steps after a stall: at most so many, and so many times unknowns.
FINISH_STEPS, FINISH_WORK = 200, 40_000
#: Steps of each guarded path that follows, their guards, and the residual where Newton's method takes over.
GUARDED_STEPS, GUARDS, GUARDED_HANDOVER = 100, (0.1, 2.0, 0.5), 1e-7
#: Proximal shift of a guarded path: the first one, the greatest, the least, its growth and its fall.
FIRST_SHIFT, MOST_SHIFT, LEAST_SHIFT, GROWTH, FALL = 1e-4, 0.1, 1e-12, 3.0, 0.3
#: Lengths of a step below which a guarded path takes a greater shift, and above which a smaller one.
SHORT, LONG = 0.3, 0.6


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

    Large hyperstatic piles have turning points on the path, where the matrix is singular. After a stall that
    Newton's method does not end either, guarded paths are followed from the start: |w_T| is smoothed over the
    mean of x o y, a proximal shift of A that grows after short steps carries the iterate past the turning
    points, and the mean falls no faster than ``guard`` times the gap that the shift leaves.

    The path is followed from its start, not from the guess: an interior point needs room. With ``finish``
    a guess of residual ``WARM`` or less is first tried by
    :class:`~fem_contact.solvers.semismooth.SemismoothNewton`, which also takes over from ``HANDOVER`` on,
    where it needs a step or two, and at a stall.

    Parameters
    ----------
    tol : float
        Residual to reach.
    max_iter : int
        Steps at most, one factorisation each, those of the finish included.
    finish : bool
        Whether Newton's method finishes.

    Raises
    ------
    ModelError
        On settings that are not allowed.
    """

    tol: float = 1e-10
    max_iter: int = 800
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
            SemismoothNewton(max_iter=min(WARM_STEPS, self.max_iter)).attempt(problem, r, watch)
            if watch.converged or watch.late:
                return
        last = start + self.max_iter
        self._follow(problem, watch, last)
        if not self.finish:
            return
        steps = max(WARM_STEPS, min(FINISH_STEPS, FINISH_WORK // len(r)))
        self._finish(problem, watch, min(last, watch.iterations + steps))
        for guard in GUARDS:
            if watch.converged or watch.late or watch.iterations >= last:
                return
            self._follow(problem, watch, min(last, watch.iterations + GUARDED_STEPS), guard)
            self._finish(problem, watch, min(last, watch.iterations + WARM_STEPS))
        self._finish(problem, watch, last)

    def _finish(self, problem: LocalProblem, watch: Watch, last: int) -> None:
        """Newton's method from the best iterate, as far as iteration ``last``."""
        left = last - watch.iterations
        if left > 0 and not (watch.converged or watch.late):
            SemismoothNewton(max_iter=left).attempt(problem, watch.best.copy(), watch)

    def _follow(self, problem: LocalProblem, watch: Watch, last: int, guard: float = 0.0) -> None:
        """The central path, as far as iteration ``last``; guarded unless ``guard`` is 0."""
        path, mark, steps = _CentralPath(problem, guard), float("inf"), 0
        # Only what the path itself reaches counts: a warm guess may be better than its first iterates.
        reached = float("inf")
        while watch.iterations < last:
            taken = path.advance()
            r = path.impulses()
            if not np.isfinite(taken) or lost(problem, r, watch.tol) or watch.see(r, 1, self.name):
                return
            reached, steps = min(reached, watch.history[-1][1]), steps + 1
            if self.finish and reached <= (GUARDED_HANDOVER if guard else HANDOVER):
                return
            if not guard and steps % PATIENCE == 0:
                if reached > 0.5 * mark:
                    return
                mark = reached

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """Work space: none of its own."""
        return PlainPrepared(self, d)


class _CentralPath:
    """x = r, y = w + mu |w_T| n in units where every cone is L = {|x_T| <= x_N} and A has a unit diagonal."""

    def __init__(self, problem: LocalProblem, guard: float = 0.0):
        d, c = problem.d, problem.contacts
        self.d, self.c = d, c
        self.units = _units(problem)
        b = self.units * problem.b
        self.size = float(np.abs(b).max(initial=0.0)) or 1.0
        self.b = b / self.size
        A = _scaled(problem.A, self.units, d)
        self.system = newton_system(LocalProblem(A, self.b, np.ones(c), d))
        self.x = np.zeros(c * d)
        self.x[::d] = 1.0
        self.y = self.x.copy()
        self.taken, self.guard, self.proximal = 1.0, guard, LEAST_SHIFT
        self.contacts, self.shift = np.arange(c), np.full(c, 1e-14)
        self.point, self.factor = np.empty(c * d), np.empty(c)
        self.B, self.C = np.empty((c, d, d)), np.empty((c, d, d))
        self.scaled, self.gap, self.z, self.sx, self.sy, self.wz = np.empty((6, c * d))

    def impulses(self) -> FloatArray:
        """r in the units of the problem."""
        return np.asarray(self.size * self.units * self.x)

    def advance(self) -> float:
        """One predictor-corrector step (Mehrotra, 1992); returns its length, NaN when there is none."""
        x, y, d = self.x, self.y, self.d
        kernels.nesterov_todd(x, y, d, self.point, self.factor)
        kernels.scale(self.point, self.factor, d, False, x, self.scaled)
        poor, mean = self.taken < POOR, float(x @ y) / self.c
        kappa = 0.0 if poor and not self.guard else 1.0
        smooth = mean if self.guard else 0.0
        kernels.blocks(self.point, self.factor, y, d, kappa, self.B, self.C, smooth)
        kernels.mismatch(self.system.A @ x + self.b, y, d, kappa, self.gap, smooth)
        if self.guard:
            self._adapt_shift()
        solve = self.system.factor(self.B, self.C, self.shift, self.contacts)
        if solve is None:
            return float("nan")
        dx, dy = self._step(solve, self.scaled)
        length = min(1.0, kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        left = max(float((x + length * dx) @ (y + length * dy)) / self.c, 0.0) / mean
        sigma = min(max(min(left, 1.0) ** 3, 0.5 if poor else 1e-6), 1.0)
        sigma = max(sigma, min(self.guard * float(np.linalg.norm(self.gap)) / np.sqrt(self.c) / mean, 1.0))
        kernels.scale(self.point, self.factor, d, False, np.zeros_like(dx) if poor else dx, self.sx)
        kernels.scale(self.point, self.factor, d, True, dy, self.sy)
        kernels.centring(self.scaled, self.sx, self.sy, sigma * mean, d, self.z)
        dx, dy = self._step(solve, self.z)
        longest = min(kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        self.taken = min(1.0, SHARE * longest)
        if not (np.all(np.isfinite(dx)) and np.all(np.isfinite(dy))):
            return float("nan")
        self.x, self.y = x + self.taken * dx, y + self.taken * dy
        if self.taken < STUCK and not self.guard:
            self.x[::d] += PUSH * np.sqrt(mean)
            self.y[::d] += PUSH * np.sqrt(mean)
        return self.taken

    def _adapt_shift(self) -> None:
        """A greater shift of A after a short step, a smaller one after a long step."""
        if self.taken < SHORT:
            self.proximal = min(max(GROWTH * self.proximal, FIRST_SHIFT), MOST_SHIFT)
        elif self.taken > LONG:
            self.proximal = max(FALL * self.proximal, LEAST_SHIFT)
        self.shift[:] = self.proximal

    def _step(self, solve: Any, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """dx, dy with W dx + W^-1 dy = -z and dy = C A dx + gap."""
        kernels.scale(self.point, self.factor, self.d, False, z, self.wz)
        dx = solve(-self.wz - self.gap)
        dy = -self.wz - np.einsum("ijk,ik->ij", self.B, dx.reshape(self.c, self.d)).ravel()
        return dx, dy


def _units(problem: LocalProblem) -> FloatArray:
    """s (d*c,) with r = s x, y = s (w + mu |w_T| n): r_N/sqrt(mu), r_T sqrt(mu), over sqrt(A_ii)."""
    d, mu = problem.d, problem.mu
    units = np.ones((problem.contacts, d))
    if d > 1:
        root = np.sqrt(np.where(mu > 0.0, mu, 1.0))
        units[:, 0] /= root
        units[:, 1:] *= np.where(mu > 0.0, root, 0.0)[:, None]
    diagonal = np.abs(problem.A.diagonal()).reshape(units.shape) * units**2
    stiffness = diagonal.max(axis=1)
    stiffness = np.maximum(stiffness, 1e-8 * stiffness.max(initial=0.0) or 1.0)
    return np.asarray((units / np.sqrt(stiffness)[:, None]).ravel())


def _scaled(A: Any, units: FloatArray, d: int) -> Any:
    """diag(s) A diag(s), and 1 on the diagonal where s = 0 so that r_T = 0 costs nothing."""
    missing = units == 0.0
    if issparse(A):
        rows = np.repeat(np.arange(A.shape[0] // d), np.diff(A.indptr))
        s = units.reshape(-1, d)
        data = s[rows][:, :, None] * A.data * s[A.indices][:, None, :]
        on = np.flatnonzero(rows == A.indices)
        data[on] += missing.reshape(-1, d)[rows[on], :, None] * np.eye(d)
        return bsr_matrix((data, A.indices, A.indptr), shape=A.shape)
    scaled = units[:, None] * A * units
    scaled[missing, missing] = 1.0
    return scaled
