"""The stepper of the theta family: what is constant is factored once, a step allocates nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.contact.activation import Activation
from fem_contact.schemes import _step_kernels as shared
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.linear import theta_kernels as kernels
from fem_contact.schemes.linear.grid import GridTable
from fem_contact.schemes.linear.linear_stepper import ContactWeights, LinearStepper
from fem_contact.schemes.linear.support_motion import SupportMotion
from fem_contact.solvers.base import Solver
from fem_contact.solvers.factor import is_symmetric
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]


class ThetaStepper(LinearStepper):
    """A theta scheme bound to a system, a step size h and a solver; see :mod:`fem_contact.schemes.theta`.

    The products kept of a state are (K q, K v, M v, C v).
    """

    def __init__(
        self,
        system: LinearSystem,
        h: float,
        theta: float,
        theta_q: float,
        activation: Activation,
        weights: ContactWeights,
        solver: Solver,
    ):
        super().__init__(system, h, activation, weights, solver, products=4)
        self.theta, self.theta_q = float(theta), float(theta_q)
        self._moving: SupportMotion | None = None
        if system.motion is not None and not system.motion.constant:
            self._moving = SupportMotion(system, system.motion, self.h, self.theta, self.theta_q)
        self._amplitudes = GridTable(system.force.amplitude_table, self.h, self.theta)
        Mhat = system.M + (h * theta) * system.C + (h * h * theta * theta_q) * system.K
        self.factor = self._factorise(Mhat, "M + h theta C + h^2 theta theta_q K")
        self._set_response(self._to_impulses, system.n)
        if is_symmetric(system.C):  # so is W, in exact arithmetic
            self.W = 0.5 * (self.W + self.W.T)
        self._F, self._rhs, self._x, self._back = (np.zeros(system.n) for _ in range(4))
        self._total = 0.0

    def _to_impulses(self, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mhat^{-1} H^T, which is all there is to know."""
        columns = np.empty_like(right)
        self.factor.solve_into(right, columns)
        return columns, columns

    # --- stepping -----------------------------------------------------------------------------------

    def _free_step(self, state: State) -> FloatArray:
        """x = v_free - v_k."""
        force, theta, k = self.system.force, self.theta, state.k
        fields = self._no_fields
        if force.fields:
            fields = (1.0 - theta) * force.fields_at(k * self.h) + theta * force.fields_at((k + 1) * self.h)
        kernels.right_hand_side(
            self.h,
            theta,
            force.constant,
            force.basis,
            self._amplitudes.row(k),
            fields,
            self._before,
            self._free,
            self._F,
            self._rhs,
        )
        if self._moving is not None:
            self._moving.constrain(k, state.q, state.v, self._rhs, self._free)
        self.factor.solve_into(self._rhs, self._x)
        if self._moving is not None:
            self._moving.impose(self._x)
        return self._x

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """x += Mhat^{-1} H^T p and with it q, v and p at the end of the step."""
        if self._count and not len(self._response):
            shared.spread(report.active, self._r, self.system.dim, new.p)
            shared.transposed_product(*self._H, new.p, self._rhs)
            self._rhs *= self._free
            self.factor.solve_into(self._rhs, self._back)
            self._x += self._back
        kernels.respond(
            self.h,
            self.theta_q,
            report.active,
            self._r,
            self.system.dim,
            self._response,
            self._used,
            self._share,
            state.q,
            state.v,
            new.p,
            self._x,
            new.q,
            new.v,
        )
        if self._moving is not None:
            self._moving.place(state.k, new.q)
        new.k, new.t = state.k + 1, (state.k + 1) * self.h

    # --- energies and works -------------------------------------------------------------------------

    def _derive(self, state: State) -> None:
        super()._derive(state)
        self._products.into(state.q, state.v, self._before)
        Kq, _, Mv, _ = self._before
        self._total = shared.half_dot(state.v, Mv) + shared.half_dot(state.q, Kq)

    def _account_start(self, state: State, report: StepReport) -> None:
        Kq, _, Mv, _ = self._before
        kinetic, elastic = shared.half_dot(state.v, Mv), shared.half_dot(state.q, Kq)
        report.scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, elastic, kinetic + elastic

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residual of their identity (HAL 04230941 eq. 56-59)."""
        self._products.into(new.q, new.v, self._after)
        kernels.finish(
            *self._H,
            self.system.g0,
            self.h,
            self.theta,
            self.theta_q,
            self._F,
            state.q,
            state.v,
            self._x,
            self._before,
            new.q,
            new.v,
            self._after,
            self._products.damped,
            self._u,
            new.p,
            self.system.dim,
            report.gap,
            report.u,
            report.p,
            report.work_normal,
            report.work_tangential,
            self._total,
            report.scalars,
        )
        if self._moving is not None:
            self._add_support_work(state, new, report.scalars)
        self._total = report.scalars[base.TOTAL]

    def _add_support_work(self, state: State, new: State, scalars: FloatArray) -> None:
        """Supports that move do work; it counts as external."""
        assert self._moving is not None
        theta, (Kq, _, Mv, Cv), (Kq_new, _, Mv_new, Cv_new) = self.theta, self._before, self._after
        shared.transposed_product(*self._H, new.p, self._back)
        support, loads, damping = self._moving.works(
            self._F,
            self._back,
            state.v + self.theta_q * self._x,
            Mv_new - Mv,
            (1.0 - theta) * Kq + theta * Kq_new,
            (1.0 - theta) * Cv + theta * Cv_new,
        )
        external = loads + support
        scalars[base.RESIDUAL] += scalars[base.EXTERNAL] + scalars[base.DAMPING] - external - damping
        scalars[base.EXTERNAL], scalars[base.DAMPING], scalars[base.SUPPORT] = external, damping, support
