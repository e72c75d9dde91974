"""Schatzman-Paoli on a linear system: Mhat is factored once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix, diags

from fem_contact.contact.activation import Activation
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _step_kernels as shared
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.linear.grid import GridTable
from fem_contact.schemes.linear.linear_stepper import ContactWeights, LinearStepper
from fem_contact.schemes.linear.theta_kernels import right_hand_side
from fem_contact.schemes.projections.contact_problems import PositionLaw
from fem_contact.schemes.schatzman import schatzman_kernels as kernels
from fem_contact.solvers.base import Solver
from fem_contact.solvers.factor import is_symmetric
from fem_contact.systems.linear import LinearSystem

if TYPE_CHECKING:
    from fem_contact.schemes.schatzman_paoli import SchatzmanPaoli

FloatArray = NDArray[np.float64]

#: Name of w_k = (q_k - q_{k-1})/h in ``State.extra``.
DISCRETE = "discrete_velocity"

#: Of no account: the law is in positions.
NO_WEIGHTS = ContactWeights(1.0, 1.0, 0.0)


class LinearSchatzmanStepper(LinearStepper):
    """The scheme bound to a linear system, see :mod:`fem_contact.schemes.schatzman_paoli`.

    Mhat (w' - w) = h F - h K q - h^2 theta K w - h C [(1 - theta) v + theta w] + H^T p. The products kept
    of a state are (K q, K w, M w, C w). Prescribed dofs have w' from their motion, and the support does the
    work v' . R with the reaction impulse R.
    """

    extras: tuple[str, ...] = ("violation",)

    def __init__(self, system: LinearSystem, h: float, scheme: SchatzmanPaoli, solver: Solver):
        super().__init__(system, h, Activation(), NO_WEIGHTS, solver, products=4)
        self.theta = theta = float(scheme.theta)
        self._law = PositionLaw(system, solver, constant=True)
        self._amplitudes = GridTable(system.force.amplitude_table, self.h, theta)
        Mhat = system.M + (h * theta / 2.0) * system.C + (h * h * theta) * system.K
        self.factor = self._factorise(Mhat, "M + h theta C/2 + h^2 theta K")
        self._set_response(self._to_impulses, system.n)
        # z is made of mean velocities: half of what impulses do to w.
        self._A = 0.5 * self.W
        if is_symmetric(system.C):  # so is A, in exact arithmetic
            self._A = 0.5 * (self._A + self._A.T)
        self._set_supports(Mhat)
        n, c, d = system.n, system.contacts, system.dim
        self._F, self._rhs, self._x, self._back, self._w = (np.zeros(n) for _ in range(5))
        self._w_u, self._z, self._p = (np.zeros((c, d)) for _ in range(3))

    def _to_impulses(self, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mhat^{-1} H^T, which is all there is to know."""
        columns = np.empty_like(right)
        self.factor.solve_into(right, columns)
        return columns, columns

    def _set_supports(self, Mhat: csr_matrix) -> None:
        """The prescribed dofs, where they go and what they do to the others."""
        motion = self.system.motion
        self._held, self._displacement = np.empty(0, np.int64), None
        if motion is not None:
            self._held = motion.dofs
            # theta = 1: the row of step k is the value at its end, t_{k+1}.
            self._displacement = GridTable(motion.values, self.h, 1.0)
        self._drag = csc_matrix(diags(self._free) @ Mhat)[:, self._held]

    def problem(self) -> LocalProblem:
        """The local problem of the last step, over the contacts that took part."""
        return self._law.problem()

    # --- the step -----------------------------------------------------------------------------------

    def _begin(self, state: State) -> None:
        """w_0 = v_0: q_{-1} = q_0 - h v_0."""
        state.extra[DISCRETE] = state.v.copy()

    def _derive(self, state: State) -> None:
        super()._derive(state)
        self._products.into(state.q, state.extra[DISCRETE], self._before)

    def _free_step(self, state: State) -> FloatArray:
        """x = w_{k+1} - w_k without impulses."""
        force, h, theta, k = self.system.force, self.h, self.theta, state.k
        self._w[...] = state.extra[DISCRETE]
        fields = self._no_fields
        if force.fields:
            fields = (1.0 - theta) * force.fields_at(k * h) + theta * force.fields_at((k + 1) * h)
        # The kernel takes C v; here the damping force is that of (1 - theta) v + theta w.
        if self._products.damped:
            self._before[3] = self.system.C @ ((1.0 - theta) * state.v + theta * self._w)
        table = (force.constant, force.basis, self._amplitudes.row(k), fields)
        right_hand_side(h, theta, *table, self._before, self._free, self._F, self._rhs)
        if self._displacement is not None:
            jump = (self._displacement.row(k) - state.q[self._held]) / h - self._w[self._held]
            self._rhs -= self._drag @ jump
            self._rhs[self._held] = jump
        self.factor.solve_into(self._rhs, self._x)
        return self._x

    def _resolve_contact(self, change: FloatArray, state: State, report: StepReport) -> None:
        """Impulses of the law in z = ((1 + e) g_e/(2 h), u_T)."""
        system, w_u, gap = self.system, self._w_u, self._gap
        shared.contact_state(*self._H, system.g0, state.q, change, system.dim, gap, self._z)
        shared.contact_state(*self._H, system.g0, state.q, self._w, system.dim, gap, w_u)
        self._z *= 0.5
        self._z += w_u  # H v'
        # (1 + e) g_e = (1 + e) g_k + h (H w' - e H w)_N, of which H v' has the half of H (w' + w).
        self._z[:, 0] += (1.0 + system.e) * (gap / (2.0 * self.h) - 0.5 * w_u[:, 0])
        self._p[...] = state.p
        self._law.solve(self._A, self._z, self._p)
        report.active[...] = self._law.working
        report.iterations, report.scalars[base.ERROR] = self._law.iterations, self._law.error

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """x += Mhat^{-1} H^T p, and q, v, w and p at the end of the step."""
        new.p[...] = self._p
        if len(self._response):
            count = shared.choose_rows(new.p, self._used, self._share)
            shared.add_rows(self._response, self._used, self._share, count, self._x)
        elif new.p.any():
            shared.transposed_product(*self._H, new.p, self._rhs)
            self._rhs *= self._free
            self.factor.solve_into(self._rhs, self._back)
            self._x += self._back
        kernels.advance(self.h, state.q, self._w, self._x, new.q, new.extra[DISCRETE], new.v)
        if self._displacement is not None:
            new.q[self._held] = self._displacement.row(state.k)
        new.k, new.t = state.k + 1, (state.k + 1) * self.h

    # --- energies and works -------------------------------------------------------------------------

    def _account_start(self, state: State, report: StepReport) -> None:
        kinetic, elastic = self.system.energy(state.q, state.v)
        report.scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, elastic, kinetic + elastic
        report.extra[0] = 0.0 - self._gap.min(initial=0.0)

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residual of their identity."""
        system, h, theta, v, w = self.system, self.h, self.theta, new.v, new.extra[DISCRETE]
        self._products.into(new.q, w, self._after)
        states = (state.q, self._w, self._before, new.q, w, v, self._after)
        loads, numerical, kinetic, elastic, before = kernels.works(h, theta, self._F, *states)
        damping = support = 0.0
        Cv = self._no_fields
        if self._products.damped:
            Cv = system.C @ ((1.0 - theta) * state.v + theta * v)
            damping = -h * float(v @ Cv)
        if len(self._held):
            support = float(v[self._held] @ self._reaction(Cv, new.p))
        shared.contact_state(*self._H, system.g0, new.q, v, system.dim, report.gap, report.u)
        report.p[...] = new.p
        normal, tangential = kernels.contact_works(
            report.u, new.p, report.work_normal, report.work_tangential
        )
        parts = (loads, support, damping, normal, tangential, numerical)
        kernels.balance(before, kinetic, elastic, parts, report.scalars)
        report.extra[0] = 0.0 - report.gap.min(initial=0.0)

    def _reaction(self, Cv: FloatArray, p: FloatArray) -> FloatArray:
        """Impulses of the supports on the dofs they hold, M dw + h (K q_theta + C v_theta - F) - H^T p."""
        h, theta, held = self.h, self.theta, self._held
        (Kq, _, Mw, _), (Kq_new, _, Mw_new, _) = self._before, self._after
        shared.transposed_product(*self._H, p, self._back)
        force = (1.0 - theta) * Kq[held] + theta * Kq_new[held] - self._F[held]
        if len(Cv):
            force += Cv[held]
        return np.asarray(Mw_new[held] - Mw[held] + h * force - self._back[held])
