"""The trapezoidal rule with a contact law on positions, on a Lagrangian system."""

from __future__ import annotations

from fem_contact.contact.activation import Activation
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.lagrangian.lagrangian_stepper import LagrangianThetaStepper, Weights
from fem_contact.schemes.projections.contact_problems import PositionLaw
from fem_contact.schemes.trapezoidal_position import NO_WEIGHTS, TrapezoidalPosition
from fem_contact.solvers.base import Solver
from fem_contact.systems.lagrangian import LagrangianSystem


class LagrangianTrapezoidalStepper(LagrangianThetaStepper):
    """See :mod:`fem_contact.schemes.trapezoidal_position`; joints are kept at the level of velocities."""

    extras: tuple[str, ...] = (*LagrangianThetaStepper.extras, "violation")

    def __init__(self, system: LagrangianSystem, h: float, scheme: TrapezoidalPosition, solver: Solver):
        weights = Weights(0.5, 0.5, NO_WEIGHTS)
        super().__init__(system, h, weights, Activation(), scheme.newton, "end", solver)
        self._law = PositionLaw(system, solver, constant=False)

    def problem(self) -> LocalProblem:
        """The local problem of the last iteration, over the contacts that took part."""
        return self._law.problem()

    def _activate(self, state: State, report: StepReport) -> None:
        super()._activate(state, report)
        report.active[...] = False

    def _resolve(self, report: StepReport) -> None:
        """2 g/h at the next iterate is 2 g(q^n)/h + H_N (v - v^n)."""
        at = self._at
        b = self._u_free.copy()
        b[:, 0] += (2.0 / self.h) * at.gaps(self._q) - self._u_now[:, 0]
        self._law.solve(at.W, b, self._p)
        self._contact.iterations += self._law.iterations
        self._contact.error = self._law.error
        report.active[...] = self._law.working

    def _account(self, state: State, new: State, report: StepReport) -> None:
        super()._account(state, new, report)
        report.extra[-1] = 0.0 - report.gap.min(initial=0.0)
