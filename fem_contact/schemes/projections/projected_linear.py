"""A projected step on a linear system: everything but the start and the end happens at the contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _step_kernels as kernels
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.linear.theta_kernels import update
from fem_contact.schemes.linear.theta_stepper import ThetaStepper
from fem_contact.schemes.projections import projected_kernels as contact_kernels
from fem_contact.schemes.projections.contact_problems import ShiftedStep
from fem_contact.schemes.projections.projection import EXTRAS, NEWTON_EXTRAS, ProjectionLoop
from fem_contact.solvers.base import Solver
from fem_contact.solvers.factor import is_symmetric
from fem_contact.systems.linear import LinearSystem

if TYPE_CHECKING:
    from fem_contact.schemes.projected import ProjectedScheme

FloatArray = NDArray[np.float64]


class LinearProjectedStepper(ThetaStepper):
    """The theta step with a shift s = N H_N^T tau of its positions, see :mod:`fem_contact.schemes.projected`.

    W, D and B are formed once. With Mhat x = h F - h C v - h K q - h^2 theta K v the contacts see

        u' = u_k + H x + W p - B tau,        g' = g_k + h [(1 - theta) u_k + theta u']_N + D tau,

    and v' = v + x + Mhat^{-1} (H^T p - h theta K s) follows at the end.
    """

    extras: tuple[str, ...] = (*NEWTON_EXTRAS, *EXTRAS)

    def __init__(self, system: LinearSystem, h: float, scheme: ProjectedScheme, solver: Solver):
        theta = scheme.theta
        super().__init__(system, h, theta, theta, scheme.activation, scheme.weights(), solver)
        settings = scheme.resolved(system)
        self.loop = ProjectionLoop(system, settings, solver, self.h, self.theta, constant=True)
        self._forecast = getattr(scheme, "forecast", None)
        self._by_mass = scheme.metric == "mass"
        c, d = system.contacts, system.dim
        self._HN = csr_matrix(system.H[::d])
        self._set_projection()
        self._shift = np.zeros(system.n)
        self.u_start, self.u_free, self.u, self._u_zero = (np.zeros((c, d)) for _ in range(4))
        self.gap, self._gap_zero, self.joint_error = np.zeros(c), np.zeros(c), 0.0
        # Whether there is a shift, and whether the velocities do not know the last one yet.
        self._shifted = self._stale = False

    def _set_projection(self) -> None:
        """D = H_N N H_N^T and B = h theta H Mhat^{-1} K N H_N^T."""
        c = self.system.contacts
        free = diags(self._free)
        self._D, self._B = np.zeros((c, c)), np.zeros((self.system.dim * c, c))
        for start in range(0, c, 64):
            columns = np.ascontiguousarray((self._HN[start : start + 64] @ free).toarray().T)
            if self._by_mass:
                columns = self._solved(columns)
            pull = self._solved(np.ascontiguousarray(free @ (self.system.K @ columns)))
            self._D[:, start : start + 64] = self._HN @ columns
            self._B[:, start : start + 64] = self.h * self.theta * (self.system.H @ pull)
        if is_symmetric(self.system.C):  # so is D, in exact arithmetic
            self._D = 0.5 * (self._D + self._D.T)

    def _solved(self, right: FloatArray) -> FloatArray:
        """Mhat^{-1} of some columns."""
        result = np.empty_like(right)
        self.factor.solve_into(right, result)
        return result

    def problem(self) -> LocalProblem:
        """The last local problem, over the contacts that took part."""
        return self.loop.problem()

    # --- the step, as the loops see it --------------------------------------------------------------

    def _resolve_contact(self, change: FloatArray, state: State, report: StepReport) -> None:
        """Run the loops."""
        loop, h, theta = self.loop, self.h, self.theta
        self.u_start[...] = self._u
        kernels.contact_state(
            *self._H, self.system.g0, change, change, self.system.dim, self.gap, self._u_zero
        )
        self._u_zero += self._u
        self.u_free[...] = self._u_zero
        self._shifted = self._stale = False
        self._gap_zero[...] = self._gap + h * (1.0 - theta) * self._u[:, 0]
        if self._moving is not None:
            # There the mean velocity of the step is not v_{k+theta}.
            self._gap_zero += h * (self._HN[:, self._moving.dofs] @ self._moving.lag)
        forecast = None
        if self._forecast == "explicit":
            forecast = self.activation.active(self._gap, self._u[:, 0], h)
        elif self._forecast is not None:
            forecast = self._gap_zero + h * theta * self._u_zero[:, 0] <= loop.settings.gap_tol
        # The gaps of a linear system are told to the round-off of displacements, not of coordinates.
        loop.run(self, state.p, forecast, float(np.abs(state.q).max()), state.k)
        report.active[...] = loop.active
        report.iterations, report.scalars[base.ERROR] = loop.counts.solver, loop.counts.solver_error

    def linearise(self, p: FloatArray, tau: FloatArray, iteration: int) -> float:
        """u_free at the shift by tau; how far u is from where p was solved for."""
        if not self._stale:
            return 0.0
        self._stale = False  # only a shift leaves the velocities behind
        contact_kernels.without_impulses(self._u_zero, self._B, tau, self.u_free)
        expected = self.u.copy()
        contact_kernels.with_impulses(self.u_free, self.W, p, self.u)
        self._measure(tau)
        size = max(np.abs(self.u_free).max(initial=0.0), np.abs(self.u).max(initial=0.0))
        drift = np.abs(self.u - expected).max(initial=0.0)
        return float(drift / size) if size > 0.0 else 0.0

    def _measure(self, tau: FloatArray) -> None:
        """The gaps at the end of the step."""
        reach = self.h * self.theta
        contact_kernels.gaps(self._gap_zero, reach, self.u, self._D, tau, self._shifted, self.gap)

    def move(self, p: FloatArray) -> None:
        """Velocity and gap with the impulses p, the shift as it was."""
        contact_kernels.with_impulses(self.u_free, self.W, p, self.u)
        self._measure(self.loop.tau)

    def projection(self, coupled: bool) -> ShiftedStep:
        """D, B and what does not depend on tau."""
        return ShiftedStep(self._D, self._gap_zero, self._B, self._u_zero)

    def shift(self, tau: FloatArray, p: FloatArray | None) -> None:
        """The gap with the shift by tau and, when p came with it, the velocity."""
        self._shifted = True
        if p is None:
            self._stale = True
        else:
            contact_kernels.without_impulses(self._u_zero, self._B, tau, self.u_free)
            contact_kernels.with_impulses(self.u_free, self.W, p, self.u)
        self._measure(tau)

    # --- back to the dofs ---------------------------------------------------------------------------

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """x += Mhat^{-1} (H^T p - h theta K s), and q, v and p at the end of the step."""
        loop = self.loop
        new.p[...] = loop.p
        shifted = self._shifted
        keep = len(self._response) > 0
        if keep:
            count = kernels.choose_rows(new.p, self._used, self._share)
            kernels.add_rows(self._response, self._used, self._share, count, self._x)
        if shifted or not keep:
            self._rhs[...] = 0.0
        if shifted:
            self._shift[...] = self._free * (self._HN.T @ loop.tau)
            if self._by_mass:
                self._shift[...] = self._solved(self._shift)
            self._rhs -= self.h * self.theta * (self.system.K @ self._shift)
        if not keep and new.p.any():
            kernels.transposed_product(*self._H, new.p, self._back)
            self._rhs += self._back
        if shifted or not keep:
            self._rhs *= self._free
            self.factor.solve_into(self._rhs, self._back)
            self._x += self._back
        update(self.h, self.theta, state.q, state.v, self._x, new.q, new.v)
        if shifted:
            new.q += self._shift
        if self._moving is not None:
            self._moving.place(state.k, new.q)
        new.k, new.t = state.k + 1, (state.k + 1) * self.h

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """The works of a theta step, and those of the shift."""
        super()._account(state, new, report)
        work, shift = 0.0, None
        if self._shifted:
            scalars, shift = report.scalars, self._shift
            elastic = (1.0 - self.theta) * self._before[0] + self.theta * self._after[0]
            loads, pull = float(shift @ self._F), float(shift @ elastic)
            work = pull - loads
            scalars[base.EXTERNAL] += loads
            scalars[base.NUMERICAL] += work
            scalars[base.RESIDUAL] -= pull
        self.loop.report(report.extra, len(NEWTON_EXTRAS), report.gap, shift, work)
