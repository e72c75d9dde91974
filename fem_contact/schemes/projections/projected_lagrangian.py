"""A projected step on a Lagrangian system: Newton's method, joints exact in velocities and positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.schemes.lagrangian.lagrangian_stepper import LagrangianThetaStepper, Weights
from fem_contact.schemes.projections.contact_problems import ShiftedStep, least_squares
from fem_contact.schemes.projections.projection import EXTRAS, ProjectionLoop
from fem_contact.solvers.base import Solver
from fem_contact.systems.lagrangian import LagrangianSystem

if TYPE_CHECKING:
    from fem_contact.schemes.projected import ProjectedScheme

FloatArray = NDArray[np.float64]


class LagrangianProjectedStepper(LagrangianThetaStepper):
    """The theta step with a shift s of its positions, see :mod:`fem_contact.schemes.projected`.

    At an iterate, with T = N H_N^T and S = N G^T,

        s = s_0 + P tau,    P = T - S (G S)^{-1} G T,    s_0 = S (G S)^{-1} (G s^n - phi(q^n)),

    keep the joints: G (s - s^n) = -phi(q^n). D = H_N P, and the velocity takes B = H Y with
    [Mhat -G^T; G 0] [Y; L] = [h theta K P; 0].
    """

    extras: tuple[str, ...] = (*LagrangianThetaStepper.extras, *EXTRAS)

    def __init__(self, system: LagrangianSystem, h: float, scheme: ProjectedScheme, solver: Solver):
        own = scheme.restitution == "own"
        weights = Weights(scheme.theta, scheme.theta, scheme.weights(), own)
        super().__init__(system, h, weights, scheme.activation, scheme.newton, "end", solver)
        settings = scheme.resolved(system)
        self.loop = ProjectionLoop(system, settings, solver, self.h, scheme.theta, constant=False)
        self._forecast = getattr(scheme, "forecast", None)
        self._by_mass = scheme.metric == "mass"
        n, c = system.n, system.contacts
        self.W, self.gap, self.joint_error = self._at.W, self._at.gap, 0.0
        # Where the theta stepper keeps them; the last is what p was solved for.
        self.u_start, self.u_free, self.u = self._u_start, self._u_free, self._expected
        self._start_q, self._start_v, self._v_at, self._shift = (np.zeros(n) for _ in range(4))
        # P, s_0 and, for coupled multipliers, Y and Y_0 with the joints' rows below.
        self._P, self._offset = np.zeros((n, c)), np.zeros(n)
        self._Y = np.zeros((n + system.joints, 1 + c))

    def problem(self) -> LocalProblem:
        """The last local problem, over the contacts that took part."""
        return self.loop.problem()

    # --- the step -----------------------------------------------------------------------------------

    def _iterate(self, state: State, report: StepReport) -> None:
        """Run the loops from the iterate that ``advance`` has set; ``_activate`` has made the forecast."""
        loop, theta, h = self.loop, self.weights.theta, self.h
        self._start_q[...], self._start_v[...], self._shift[...] = state.q, state.v, 0.0
        forecast = report.active if self._forecast == "explicit" else None
        if self._forecast == "free-position":
            gap = self._at.gaps(state.q) + h * (1.0 - theta) * self._u[:, 0]
            self.linearise(self._p, loop.tau, 0)
            forecast = gap + h * theta * self.u_free[:, 0] <= loop.settings.gap_tol
        loop.run(self, state.p, forecast, float(np.abs(state.q).max()), state.k)
        self._p[...], report.active[...] = loop.p, loop.active
        self._contact.iterations, self._contact.error = loop.counts.solver, loop.counts.solver_error

    def _activate(self, state: State, report: StepReport) -> None:
        super()._activate(state, report)
        self.loop.tau[...] = 0.0

    def linearise(self, p: FloatArray, tau: FloatArray, iteration: int) -> float:
        """Evaluate everything at (v^n, q^n); returns imbalance and drift with the impulses p."""
        at = self._at
        if iteration == 0:
            self._mixing.begin()
        elif self._mixing.mix(iteration, self._v_at, self._v):
            self._place()
        at.at(self._q, self._v, self._q)
        self._positions()
        self._v_at[...], self._p[...] = self._v, p
        kernels.velocities(at.H, self._v, self._u_now)
        error = self._error()
        if iteration:
            self._mixing.see(error)
        at.respond(self._v)
        kernels.free_velocities(at.H, self._start_v, at.B, self._u_now, self._u_start, self._u_free)
        if self.weights.own:
            self._u_start[...] = self._u
        return error

    def move(self, p: FloatArray) -> None:
        """v = v^n + x + X p and lambda; q with the shift as it is."""
        self._move(p, None)

    def _move(self, p: FloatArray, tau: FloatArray | None) -> None:
        at, n = self._at, self.system.n
        kernels.apply(at.B, p, self.system.joints, self._v_at, self._v, self._lambda)
        if tau is not None:
            pull = self._Y[:, 0] + self._Y[:, 1:] @ tau
            self._v -= pull[:n]
            self._lambda -= pull[n:]
        kernels.velocities(at.H, self._v, self._expected)
        self._place()

    def _place(self) -> None:
        """q = q_k + h v_theta + s, and the gaps there."""
        kernels.place(self.h, self.weights.theta, self._start_q, self._start_v, self._v, self._q)
        self._q += self._shift
        self._positions()

    def _positions(self) -> None:
        """Gaps and joint errors of the position."""
        system, phi = self.system, self._at.phi
        self._at.gaps(self._q)
        if system.joint is not None:
            system.joint(self._q, system.parameters, phi)
            self.joint_error = float(np.abs(phi).max(initial=0.0))

    def projection(self, coupled: bool) -> ShiftedStep:
        """D, g_0, B and u_0 at the iterate, the position being the trial that violates."""
        at, d, h, theta = self._at, self.system.dim, self.h, self.weights.theta
        T, S = at.H[::d].T, at.G.T
        if self._by_mass:
            Mhat = at.M + h * theta * at.C + (h * theta) ** 2 * at.K
            whole = np.asarray(np.linalg.solve(Mhat, np.hstack([T, S])), np.float64)
            T, S = whole[:, : len(self.gap)], whole[:, len(self.gap) :]
        self._P[...], self._offset[...] = T, 0.0
        if len(at.G):
            right = np.column_stack([at.G @ self._shift - at.phi, -(at.G @ T)])
            lift = S @ least_squares(at.G @ S, right)
            self._offset[...] = lift[:, 0]
            self._P += lift[:, 1:]
        H_N = at.H[::d]
        gap = self.gap + H_N @ (self._offset - self._shift) - h * theta * self.u[:, 0]
        B, u = np.zeros((len(at.H), 0)), self.u_free
        if coupled:
            B, u = self._pulls()
        return ShiftedStep(H_N @ self._P, gap, B, u)

    def _pulls(self) -> tuple[FloatArray, FloatArray]:
        """B = H Y, and the velocities without impulse at the shift s_0."""
        at, m, n = self._at, self.system.joints, self.system.n
        h, theta = self.h, self.weights.theta
        Mhat = at.M + h * theta * at.C + (h * theta) ** 2 * at.K
        whole = np.block([[Mhat, -at.G.T], [at.G, np.zeros((m, m))]])
        pull = h * theta * (at.K @ np.column_stack([self._offset - self._shift, self._P]))
        self._Y[...] = np.linalg.solve(whole, np.vstack([pull, np.zeros((m, pull.shape[1]))]))
        seen = at.H @ self._Y[:n]
        return seen[:, 1:], self.u_free - seen[:, 0].reshape(self.u.shape)

    def shift(self, tau: FloatArray, p: FloatArray | None) -> None:
        """s = s_0 + P tau, at the velocity as it is or at that of p and tau."""
        if p is not None:
            self._move(p, tau)
        self._shift[...] = self._offset + self._P @ tau
        self._place()

    # --- works --------------------------------------------------------------------------------------

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """The works of a theta step, and those of the shift s: loads do theirs on the whole way."""
        super()._account(state, new, report)
        work, theta, shift, system = 0.0, self.weights.theta, self._shift, self.system
        if shift.any():
            q = (1.0 - theta) * state.q + theta * new.q
            v = (1.0 - theta) * state.v + theta * new.v
            arguments = (state.t + theta * self.h, q, v, system.parameters)
            loads, damping = np.zeros(system.n), np.zeros(system.n)
            for function, out in ((system.loads, loads), (system.damping, damping)):
                if function is not None:
                    function(*arguments, out)
            work = -float(shift @ (system.forces(*arguments[:3]) - damping))
            external = float(shift @ loads)
            report.scalars[base.EXTERNAL] += external
            report.scalars[base.NUMERICAL] -= external
        self.loop.report(report.extra, len(LagrangianThetaStepper.extras), report.gap, shift, work)
