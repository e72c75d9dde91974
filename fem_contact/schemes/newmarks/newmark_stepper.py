"""The stepper of the Newmark family: what is constant is factored once, a step allocates nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.contact.activation import Activation
from fem_contact.schemes import _step_kernels as shared
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.linear.grid import GridTable
from fem_contact.schemes.linear.linear_stepper import ContactWeights, LinearStepper
from fem_contact.schemes.newmarks import newmark_kernels as kernels
from fem_contact.schemes.newmarks.newmark_parameters import NewmarkParameters
from fem_contact.schemes.newmarks.newmark_supports import NewmarkSupports
from fem_contact.solvers.base import Solver
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]

#: Newton's law and Coulomb's in u_{k+1}, as in Moreau-Jean.
IMPLICIT = ContactWeights(weight=1.0, slope=1.0, offset=0.0)


class NewmarkStepper(LinearStepper):
    """A scheme of the Newmark family bound to a system, a step size h and a solver.

    With S = (1-alpha_m) M + h gamma s C + h^2 beta (1-alpha_f) K, s the weight of damping and loads, the
    equation of motion is solved for a_{k+1} = a_free + a_P, where the impulses give M w = H^T P and
    S a_P = -(s C + h/2 (1-alpha_f) K) w. In velocity that is v_{k+1} = v_free + w + h gamma a_P, so that

        W = H S^{-1} [(1-alpha_m) M + h^2 (beta - gamma/2) (1-alpha_f) K] M^{-1} H^T,

    symmetric when C is zero or a combination of M and K. See :mod:`fem_contact.schemes.newmark`.

    A state carries, in ``extra``, the accelerations ``a`` (n,) and, unless eta = 0, the filters ``zeta``
    (2 or 4, n) of q and K q and, where damping and loads are filtered too, of C v and F.
    """

    extras: tuple[str, ...] = ("energy/algorithmic", "work/algorithmic", "residual_algorithmic")

    def __init__(
        self,
        system: LinearSystem,
        h: float,
        parameters: NewmarkParameters,
        activation: Activation,
        solver: Solver,
    ):
        super().__init__(system, h, activation, IMPLICIT, solver, products=7)
        self.parameters = p = parameters
        n = system.n
        self._moving: NewmarkSupports | None = None
        if system.motion is not None and not system.motion.constant:
            self._moving = NewmarkSupports(system, system.motion, self.h, p)
        self._amplitudes = GridTable(system.force.amplitude_table, self.h, 0.0)
        self._pull = p.load_weight * system.C + (0.5 * h * (1.0 - p.alpha_f)) * system.K
        S = (
            (1.0 - p.alpha_m) * system.M
            + (h * p.gamma * p.load_weight) * system.C
            + (h * h * p.beta * (1.0 - p.alpha_f)) * system.K
        )
        self.mass_factor = self._factorise(system.M, "M")
        self.factor = self._factorise(S, "(1-alpha_m) M + h gamma s C + h^2 beta (1-alpha_f) K")
        self._set_response(self._to_impulses, 2 * n)
        self._rhs, self._change, self._y, self._v_star = (np.zeros(n) for _ in range(4))
        self._x = np.zeros(2 * n)  # a_{k+1} and w
        self._no_filters = np.zeros((0, n))
        self._energy = self._surplus = 0.0

    def _to_impulses(self, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Velocities w + h gamma a_P, and a_P above w."""
        w, a = np.empty_like(right), np.empty_like(right)
        self.mass_factor.solve_into(right, w)
        self.factor.solve_into(np.ascontiguousarray(-self._free[:, None] * (self._pull @ w)), a)
        return w + self.h * self.parameters.gamma * a, np.concatenate([a, w])

    def _begin(self, state: State) -> None:
        """M a = F - C v - K q at t = 0, and filters that have seen nothing yet."""
        system, n = self.system, self.system.n
        rhs = self._free * (system.force.at(0.0) - system.C @ state.v - system.K @ state.q)
        supports = np.zeros(n)
        if self._moving is not None:
            self._moving.begin(supports, rhs, self._free)
        a = np.zeros(n)
        self.mass_factor.solve_into(rhs, a)
        state.extra["a"] = a + supports
        if self.parameters.filters:
            state.extra["zeta"] = np.zeros((self.parameters.filters, n))

    # --- stepping -----------------------------------------------------------------------------------

    def _free_step(self, state: State) -> FloatArray:
        """a_{k+1} without contact, and the change of velocity that it makes."""
        p, k = self.parameters, state.k
        self._load(k + 1, self._after[kernels.FORCE])
        kernels.right_hand_side(
            p.alpha_m,
            p.alpha_f,
            p.load_weight,
            self._before,
            self._after[kernels.FORCE],
            self._free,
            self._rhs,
        )
        n, a = self.system.n, state.extra["a"]
        if self._moving is not None:
            kernels.forecasts(self.h, p.beta, p.gamma, state.v, a, self._y, self._v_star)
            self._moving.constrain(state, self._y, self._v_star, self._rhs, self._free)
        self._x[n:] = 0.0
        a_new = self._x[:n]
        self.factor.solve_into(self._rhs, a_new)
        kernels.free_change(self.h, p.gamma, a, a_new, self._change)
        if self._moving is not None:
            self._moving.impose(state, a_new, self._change)
        return self._change

    def _load(self, k: int, F: FloatArray) -> None:
        """F = F(t_k)."""
        force = self.system.force
        fields = force.fields_at(k * self.h) if force.fields else self._no_fields
        shared.load(force.constant, force.basis, self._amplitudes.row(k), fields, F)

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """a and w answer to the impulses, and with them q, v, a and p at the end of the step."""
        p = self.parameters
        if self._count and not len(self._response):
            self._respond_by_solves(new, report)
        kernels.respond(
            self.h,
            p.beta,
            p.gamma,
            report.active,
            self._r,
            self.system.dim,
            self._response,
            self._used,
            self._share,
            state.q,
            state.v,
            state.extra["a"],
            new.p,
            self._x,
            new.q,
            new.v,
            new.extra["a"],
        )
        if self._moving is not None:
            self._moving.place(new)
        new.k, new.t = state.k + 1, (state.k + 1) * self.h

    def _respond_by_solves(self, new: State, report: StepReport) -> None:
        """The answer to the impulses where the response is too large to keep."""
        n = self.system.n
        shared.spread(report.active, self._r, self.system.dim, new.p)
        shared.transposed_product(*self._H, new.p, self._rhs)
        self._rhs *= self._free
        self.mass_factor.solve_into(self._rhs, self._x[n:])
        self.factor.solve_into(-self._free * (self._pull @ self._x[n:]), self._rhs)
        self._x[:n] += self._rhs

    # --- energies and works -------------------------------------------------------------------------

    def _derive(self, state: State) -> None:
        super()._derive(state)
        p, a = self.parameters, state.extra["a"]
        self._multiply(state, self._before)
        self._load(state.k, self._before[kernels.FORCE])
        Kq, Mv, Ma = (self._before[row] for row in (kernels.KQ, kernels.MV, kernels.MA))
        self._energy = shared.half_dot(state.v, Mv) + shared.half_dot(state.q, Kq)
        self._surplus = kernels.algorithmic_surplus(
            self.h, p.beta, p.gamma, p.nu, p.eta, a, Ma, self._filters(state)
        )

    def _multiply(self, state: State, out: FloatArray) -> None:
        """The products of a state, all but the force."""
        p, products, a = self.parameters, self._products, state.extra["a"]
        kernels.forecasts(self.h, p.beta, p.gamma, state.v, a, self._y, self._v_star)
        products.pairs_into(state.q, self._y, state.v, a, out)
        if products.damped:
            products.damp_into(state.v, out[kernels.CV])
            products.damp_into(self._v_star, out[kernels.CS])

    def _filters(self, state: State) -> FloatArray:
        return state.extra.get("zeta", self._no_filters)

    def _account_start(self, state: State, report: StepReport) -> None:
        kinetic = shared.half_dot(state.v, self._before[kernels.MV])
        elastic = shared.half_dot(state.q, self._before[kernels.KQ])
        report.scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, elastic, self._energy
        report.extra[kernels.H_ENERGY] = self._energy + self._surplus

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residuals of both balances, that of E and that of H (RR-8602 eq. 69)."""
        p, z, z_new = self.parameters, self._filters(state), self._filters(new)
        self._multiply(new, self._after)
        kernels.filter_all(p.nu, state.q, self._before, new.q, self._after, z, z_new)
        self._surplus = kernels.finish(
            *self._H,
            self.system.g0,
            self.system.dim,
            self.h,
            p.beta,
            p.gamma,
            p.nu,
            p.eta,
            self._products.damped,
            state.q,
            state.extra["a"],
            self._before,
            z,
            new.q,
            new.v,
            new.extra["a"],
            self._after,
            z_new,
            self._u,
            new.p,
            report.gap,
            report.u,
            report.p,
            report.work_normal,
            report.work_tangential,
            self._energy,
            self._surplus,
            report.scalars,
            report.extra,
        )
        if self._moving is not None:
            self._add_support_work(self._moving, state, new, report)
        self._energy = report.scalars[base.TOTAL]

    def _add_support_work(
        self, moving: NewmarkSupports, state: State, new: State, report: StepReport
    ) -> None:
        """Supports that move do work; it counts as external."""
        shared.transposed_product(*self._H, new.p, self._rhs)
        z, z_new, w = self._filters(state), self._filters(new), self._x[self.system.n :]
        work = moving.work(state, new, self._before, self._after, z, z_new, w, self._rhs)
        report.scalars[base.EXTERNAL] += work
        report.scalars[base.SUPPORT] = work
        report.scalars[base.RESIDUAL] -= work
        report.extra[kernels.H_RESIDUAL] -= work
