"""The trapezoidal rule with a contact law on positions: the bad example of RR-8029 (figure 11).

Moreau-Jean with theta = 1/2, except that 0 <= g(q_{k+1}) _|_ p_N >= 0 takes the place of the impact law in
velocities: the gap is exact, and a closed contact's velocity jumps between two values from step to step, the
force about its true value. The constraint makes the equations an algebraic system of index 3, whose
velocities the trapezoidal rule does not damp. Kept to show just that.

With g_{k+1} = g_k + h/2 (u_k + u_{k+1})_N, the law is -(w + mu |w_T| n) in N_K(p) for
w = (2 g_{k+1}/h, u_{T,k+1}) = W p + b. Friction is ours, the report has none. The identity is that of
Moreau-Jean, HAL 04230941 eq. 56.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _step_kernels as kernels
from fem_contact.schemes import base
from fem_contact.schemes.base import State, Stepper, StepReport
from fem_contact.schemes.linear.linear_stepper import ContactWeights
from fem_contact.schemes.linear.theta_stepper import ThetaStepper
from fem_contact.schemes.newton import Newton
from fem_contact.schemes.projections.contact_problems import PositionLaw
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]

#: Of no account: the law is in positions.
NO_WEIGHTS = ContactWeights(1.0, 1.0, 0.0)


@dataclass(frozen=True)
class TrapezoidalPosition:
    """A warning, not a choice: contact velocities and forces oscillate from step to step.

    Parameters
    ----------
    newton : Newton
        How the iterations of a step end, on systems that are not linear.
    """

    newton: Newton = field(default_factory=Newton)

    name: ClassVar[str] = "trapezoidal-position"
    theta: ClassVar[float] = 0.5

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor Mhat, form W (on a linear system), and return the stepper.

        Warns
        -----
        FemContactWarning
            Always: see the class.

        Raises
        ------
        ModelError
            When h is not positive or Mhat not positive definite.
        """
        warnings.warn(
            f"{self.name}: a law in positions makes contact velocities and forces oscillate from step to "
            "step (RR-8029 figure 11); it is here as the bad example",
            FemContactWarning,
            stacklevel=2,
        )
        if isinstance(system, LinearSystem):
            return LinearTrapezoidalStepper(system, h, solver)
        from fem_contact.schemes.lagrangian.trapezoidal_lagrangian import LagrangianTrapezoidalStepper

        return LagrangianTrapezoidalStepper(system, h, self, solver)


class LinearTrapezoidalStepper(ThetaStepper):
    """The theta step with its contact law on positions."""

    extras: tuple[str, ...] = ("violation",)

    def __init__(self, system: LinearSystem, h: float, solver: Solver):
        super().__init__(system, h, 0.5, 0.5, Activation(), NO_WEIGHTS, solver)
        self._law = PositionLaw(system, solver, constant=True)

    def problem(self) -> LocalProblem:
        """The local problem of the last step, over the contacts that took part."""
        return self._law.problem()

    def _resolve_contact(self, change: FloatArray, state: State, report: StepReport) -> None:
        """Pose the law for 2 g_{k+1}/h and have it solved."""
        system, gap = self.system, np.empty_like(self._gap)
        kernels.contact_state(*self._H, system.g0, change, change, system.dim, gap, self._u_free)
        self._u_free += self._u
        b = self._u_free.copy()
        b[:, 0] += self._u[:, 0] + (2.0 / self.h) * self._gap
        if self._moving is not None:
            # There the mean velocity of the step is not v_{k+1/2}.
            b[:, 0] += 2.0 * (system.H[:: system.dim][:, self._moving.dofs] @ self._moving.lag)
        p = state.p.copy()
        self._law.solve(self.W, b, p)
        report.active[...] = self._law.working
        report.iterations, report.scalars[base.ERROR] = self._law.iterations, self._law.error
        self._count = int(report.active.sum())
        self._r[: self._count * system.dim] = p[report.active].ravel()

    def _account(self, state: State, new: State, report: StepReport) -> None:
        super()._account(state, new, report)
        report.extra[0] = 0.0 - report.gap.min(initial=0.0)
