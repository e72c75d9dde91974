"""The step of RR-8029's projected schemes, algorithms 1 and 2, in the space of the contacts.

Whatever the kind of system, a step looks the same from its contacts: :class:`ContactSpace`. There are three
loops in one another, of which a linear system needs one round each where nothing is shifted:

    index sets (algorithm 2 only): I^0 empty, I^{nu+1} = I^nu and {g <= 0}                        (eq. 66)
        Newton: balance of momentum and gaps at the iterate                             (section 4.3.2)
            impulses p of the contacts in the index set, the shift kept                        (eq. 57)
            where the gaps ask for it: multipliers tau, alone ("decoupled", eq. 58 and 60)
            or together with p ("coupled", eq. 53)

A shift that no gap asks for is not sought: where every g >= -violation_tol without one, tau = 0 is the
solution of either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ConvergenceError
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes.newton import Newton
from fem_contact.schemes.projections import projected_kernels as kernels
from fem_contact.schemes.projections.contact_problems import (
    CoupledProblem,
    ShiftedStep,
    ShiftProblem,
    VelocityProblem,
)
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: What a projected scheme records of its steps: iterations are summed over the index sets.
NEWTON_EXTRAS = ("newton/iterations", "newton/error")
EXTRAS = (
    "projection/iterations",
    "projection/index_sets",
    "projection/tau",
    "projection/shift",
    "work/projection",
    "violation",
)

#: Times that a contact may come to "p_N > 0, so g = 0" within one index set; after that it is held to g >= 0.
RETURNS = 3


class ContactSpace(Protocol):
    """A step as its contacts see it: linearised at an iterate (v^n, q^n = q_k + h v^n_theta + s^n).

    Attributes
    ----------
    u_start, u_free : (c, d) u_k, and u_{k+1} without impulses at the shift s^n
    W : (d*c, d*c)
    u : (c, d), gap : (c,) velocity and gap at the end of the step as it stands
    joint_error : float, of the positions
    """

    u_start: FloatArray
    u_free: FloatArray
    W: FloatArray
    u: FloatArray
    gap: FloatArray
    joint_error: float

    def linearise(self, p: FloatArray, tau: FloatArray, iteration: int) -> float:
        """Evaluate at the iterate; returns its error with the impulses p (imbalance, drift of velocities)."""
        ...

    def move(self, p: FloatArray) -> None:
        """The velocity that p leads to, the position with the shift as it is."""
        ...

    def projection(self, coupled: bool) -> ShiftedStep:
        """The linearised step as multipliers see it; B and u only when ``coupled``."""
        ...

    def shift(self, tau: FloatArray, p: FloatArray | None) -> None:
        """The shift by tau, at the velocity as it is or, ``p`` given, at that of p and tau."""
        ...


@dataclass(frozen=True)
class ProjectionSettings:
    """What tells the projected schemes apart, see :mod:`fem_contact.schemes.projected`."""

    combined: bool
    coupled: bool
    gap_tol: float
    violation_tol: float
    newton: Newton


@dataclass
class Counts:
    """Iterations of a step."""

    newton: int = 0
    projection: int = 0
    index_sets: int = 0
    error: float = 0.0
    solver: int = 0
    solver_error: float = 0.0


@dataclass
class ProjectionLoop:
    """The loops of a step; ``p``, ``tau`` and ``active`` hold what the last one found."""

    system: System
    settings: ProjectionSettings
    solver: Solver
    h: float
    theta: float
    constant: bool
    p: FloatArray = field(init=False)
    tau: FloatArray = field(init=False)
    active: Mask = field(init=False)
    counts: Counts = field(init=False)

    def __post_init__(self) -> None:
        system, solver, c = self.system, self.solver, self.system.contacts
        self.velocity = VelocityProblem(system, solver, constant=self.constant)
        self._position = ShiftProblem(system, solver)
        self._both = CoupledProblem(system, self.h, self.theta, solver)
        self.p, self.tau, self.active = np.zeros((c, system.dim)), np.zeros(c), np.zeros(c, np.bool_)
        self._equal, self._returns = np.zeros(c, np.bool_), np.zeros(c, np.int64)
        self.counts = Counts()
        self._last: Callable[[], LocalProblem] = self.velocity.problem

    def run(self, space: ContactSpace, p: FloatArray, forecast: Mask | None, size: float, k: int) -> None:
        """Solve step k from the guess p.

        ``forecast`` marks the active contacts of the direct scheme, ``size`` is that of the positions.
        """
        self.p[...], self.tau[...] = p, 0.0
        self.counts, self.velocity.iterations, self._both.iterations = Counts(), 0, 0
        # What a gap can be told to, whatever was asked for.
        tol = max(self.settings.violation_tol, 32.0 * np.finfo(np.float64).eps * size)
        self.active[...] = False if forecast is None else forecast
        while True:
            self.counts.index_sets += 1
            self._newton(space, tol, k)
            if forecast is not None or not kernels.activate(space.gap, self.settings.gap_tol, self.active):
                return

    def _newton(self, space: ContactSpace, tol: float, k: int) -> None:
        """Newton's method with the index set as it is."""
        newton, counts = self.settings.newton, self.counts
        self._equal[...], self._returns[...] = False, 0
        error = violation = np.inf
        for iteration in range(newton.max_iter + 1):
            error = space.linearise(self.p, self.tau, iteration)
            if iteration and error <= newton.tol:
                violation = self._violation(space)
                if violation <= tol:
                    break
            if iteration == newton.max_iter:
                raise self._failure(error, violation, tol, k)
            counts.newton += 1
            self.velocity.solve(self.active, space.u_start, space.u_free, space.W, self.p)
            counts.solver_error, self._last = self.velocity.error, self.velocity.problem
            space.move(self.p)
            self._update_equal()
            if not self._violation(space) <= tol:
                counts.projection += 1
                self._project(space)
        counts.error = max(error, counts.error)
        counts.solver = self.velocity.iterations + self._both.iterations

    def _update_equal(self) -> None:
        """The contacts that the combined scheme holds at g = 0: those with p_N > 0 (eq. 68-70).

        A shift changes p_N, which may change its sign, and so on for ever: see ``RETURNS``.
        """
        if self.settings.combined:
            kernels.press(self.active, self.p, RETURNS, self._equal, self._returns)

    def _violation(self, space: ContactSpace) -> float:
        """How far the gaps and joints are from what is asked of them, a length; infinity for a tau < 0."""
        fault = kernels.violation(space.gap, self.tau, self._equal, self.active, self.settings.combined)
        return max(float(fault), space.joint_error)

    def _project(self, space: ContactSpace) -> None:
        """The multipliers tau at the iterate, and the impulses with them when they are coupled."""
        coupled = self.settings.coupled and len(self.tau) > 0
        step = space.projection(coupled)
        allowed = self.active if self.settings.combined else np.ones_like(self.active)
        if not coupled:
            gap = step.gap + self.h * self.theta * space.u[:, 0]
            self._position.solve(allowed, self._equal, step.D, gap, self.tau)
            space.shift(self.tau, None)
            return
        shifted = (allowed, self._equal)
        self._both.solve(self.active, shifted, space.u_start, space.W, step, self.p, self.tau)
        self.counts.solver_error, self._last = self._both.error, lambda: self._both.last
        space.shift(self.tau, self.p)

    def _failure(self, error: float, violation: float, tol: float, k: int) -> ConvergenceError:
        """What to say of a step that does not converge."""
        newton = self.settings.newton
        if error > newton.tol:
            left = f"an imbalance of {error:.3g}, {newton.tol:.3g} was asked for"
        else:
            left = f"a violation of {violation:.3g}, {tol:.3g} was asked for"
        advice = (
            "take a smaller dt"
            if self.settings.coupled
            else 'take a smaller dt or implementation = "coupled"'
        )
        return ConvergenceError(
            f"step {k + 1} (t = {(k + 1) * self.h:g}): {newton.max_iter} Newton iterations left {left}; "
            f"{advice}",
            step=k + 1,
            error=float(error),
            problem=self.problem(),
        )

    def problem(self) -> LocalProblem:
        """The last local problem: of velocities or, where they are coupled, of shifts as well."""
        return self._last()

    def report(
        self, extra: FloatArray, first: int, gap: FloatArray, shift: FloatArray | None, work: float
    ) -> None:
        """``NEWTON_EXTRAS`` at the front of a report's, ``EXTRAS`` from place ``first`` on."""
        counts = self.counts
        extra[: len(NEWTON_EXTRAS)] = counts.newton, counts.error
        extra[first : first + len(EXTRAS)] = (
            counts.projection,
            counts.index_sets,
            0.0 if shift is None else np.abs(self.tau).max(initial=0.0),
            0.0 if shift is None else np.abs(shift).max(),
            work,
            0.0 - gap.min(initial=0.0),
        )
