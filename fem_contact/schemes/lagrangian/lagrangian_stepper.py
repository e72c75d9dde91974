"""The theta family on a Lagrangian system: Newton's method around the contact problem (RR-8029 eq. 18, 41).

    M(q_theta) (v' - v) = h F(t_theta, q_theta, v_theta) + H*^T p + G^T lambda,    G(q') v' = 0
    q' = q + h v_{theta_q}

H* is taken where ``frame`` says: at q' (RR-8029) or at q (HAL 04230941 eq. 83). Contact velocities of the
step and its works, u_theta = H* v_theta, are measured in it. So is the u_k of the law unless ``own``: the
proofs of dissipation then hold word for word. With ``own`` it is H(q_k) v_k, the U_k of RR-8029 eq. 28, and
the normal work of an impact has the sign of the proofs up to O(h).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fem_contact.contact.activation import Activation
from fem_contact.errors import ConvergenceError, ModelError
from fem_contact.problems._kernels import relative_residual
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _step_kernels as shared
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.schemes.lagrangian.lagrangian_energy import account, contact_works, energies
from fem_contact.schemes.lagrangian.linearisation import Linearisation
from fem_contact.schemes.lagrangian.mixing import PatientMixing
from fem_contact.schemes.linear.linear_stepper import ContactWeights
from fem_contact.schemes.newton import Newton
from fem_contact.solvers.base import Solver
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]


class ActiveProblem:
    """The local problem of the active contacts of a step, posed and solved in fixed arrays."""

    def __init__(self, system: LagrangianSystem, solver: Solver):
        rows = system.dim * system.contacts
        self._system, self._solver = system, solver.prepare(system.contacts, system.dim)
        self._A, self._b, self._r, self._w = np.empty(rows * rows), *(np.empty(rows) for _ in range(3))
        self._mu, self._count = np.empty(system.contacts), 0
        self._views = cache(self._make_views)
        self.iterations, self.error = 0, 0.0

    def solve(
        self,
        active: NDArray[np.bool_],
        u: FloatArray,
        u_free: FloatArray,
        W: FloatArray,
        weights: ContactWeights,
        p: FloatArray,
    ) -> None:
        """Impulses p (c, d) in place, the guess on entry; zero where a contact is not active."""
        system, d = self._system, self._system.dim
        arrays = (self._b, self._mu, self._r)
        w = (weights.weight, weights.slope, weights.offset)
        self._count = shared.gather(active, u, u_free, system.e, system.mu, p, d, *w, *arrays)
        shared.gather_matrix(active, W, d, weights.weight, self._count, self._A)
        self.error = 0.0
        if self._count:
            A, b, mu, r, work = self._views(self._count)
            self.iterations += self._solver.solve_into(A, b, mu, r, True)
            self.error = relative_residual(A, b, mu, d, r, work)
        shared.spread(active, self._r, d, p)

    def problem(self) -> LocalProblem:
        """A copy of the last one."""
        A, b, mu, _, _ = self._views(self._count)
        return LocalProblem(A.copy(), b.copy(), mu.copy(), self._system.dim)

    def _make_views(self, count: int) -> tuple[FloatArray, ...]:
        """A, b, mu, r and work space of a problem of ``count`` contacts."""
        m = self._system.dim * count
        return self._A[: m * m].reshape(m, m), self._b[:m], self._mu[:count], self._r[:m], self._w[:m]


@dataclass(frozen=True)
class Weights:
    """theta of the forces, theta_q of the positions and how the contact law is posed.

    With ``own`` the u_k of the law, which then is that of restitution alone, is H(q_k) v_k.
    """

    theta: float
    theta_q: float
    contact: ContactWeights
    own: bool = False


class LagrangianThetaStepper:
    """A theta scheme bound to a Lagrangian system, a step size h and a solver."""

    extras: tuple[str, ...] = ("newton/iterations", "newton/error", "work/joints", "joint_error")

    def __init__(
        self,
        system: LagrangianSystem,
        h: float,
        weights: Weights,
        activation: Activation,
        newton: Newton,
        frame: str,
        solver: Solver,
    ):
        if not (np.isfinite(h) and h > 0.0):
            raise ModelError(f"dt = {h!r}: the step must be a positive number")
        self.system, self.h, self.weights, self.newton, self._frame = system, float(h), weights, newton, frame
        self.activation = activation.resolved(system.length, system.wave_speed)
        self._at = Linearisation(system, self.h, weights.theta, weights.theta_q)
        self._contact = ActiveProblem(system, solver)
        n, c, d = system.n, system.contacts, system.dim
        self._q, self._v, self._p, self._lambda = (
            np.zeros(n),
            np.zeros(n),
            np.zeros((c, d)),
            np.zeros(system.joints),
        )
        self._u, self._u_now, self._u_start, self._u_free, self._expected = (
            np.zeros((c, d)) for _ in range(5)
        )
        self._mean, self._v_before = np.zeros(n), np.zeros(n)
        self._mixing = PatientMixing(n)

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state (q, v) at t = 0 and its report: energies, gaps and contact velocities, no work.

        Raises
        ------
        ModelError
            When q or v are not n finite numbers, or the joints do not hold at q or for v.
        """
        system, state = self.system, check_start(self.system, q, v)
        report = StepReport(system.contacts, system.dim, self.extras)
        self._measure(state, report)
        energies(system, state.q, state.v, report.scalars)
        return state, report

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the state given is left as it was."""
        new, report = state.copy(), StepReport(self.system.contacts, self.system.dim, self.extras)
        self.advance(state, new, report)
        return new, report

    def problem(self) -> LocalProblem:
        """The local problem of the last iteration, over its active contacts."""
        return self._contact.problem()

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``."""
        at = self._at
        at.begin(state.t, state.q, state.v)
        self._activate(state, report)
        self._v[...], self._p[...], self._lambda[...] = state.v, state.p, 0.0
        self._q[...] = state.q + self.h * state.v
        self._contact.iterations = 0
        self._iterate(state, report)
        new.q[...], new.v[...], new.p[...] = self._q, self._v, self._p
        new.k, new.t = state.k + 1, (state.k + 1) * self.h
        report.iterations, report.scalars[base.ERROR] = self._contact.iterations, self._contact.error
        self._account(state, new, report)

    def _activate(self, state: State, report: StepReport) -> None:
        """Which contacts take part, from the gaps and velocities at the start of the step."""
        at = self._at
        at.contact(state.q)
        kernels.velocities(at.H, state.v, self._u)
        report.active[...] = self.activation.active(at.gaps(state.q), self._u[:, 0], self.h)

    def _iterate(self, state: State, report: StepReport) -> None:
        """Newton's method for v, q, p and lambda, RR-8029 eq. 44 (in 45 K (q_k - q^n) has the wrong sign)."""
        system, at, weights = self.system, self._at, self.weights
        fixed = self._frame == "start"
        error = np.inf
        self._mixing.begin()
        for iteration in range(self.newton.max_iter + 1):
            at.at(self._q, self._v, state.q if fixed else self._q)
            kernels.velocities(at.H, self._v, self._u_now)
            if iteration:
                error = self._error()
                if error <= self.newton.tol:
                    break
                self._mixing.see(error)
            at.respond(self._v)
            kernels.free_velocities(at.H, state.v, at.B, self._u_now, self._u_start, self._u_free)
            if weights.own:
                self._u_start[...] = self._u
            self._resolve(report)
            self._v_before[...] = self._v
            kernels.apply(at.B, self._p, system.joints, self._v, self._v, self._lambda)
            self._mixing.mix(iteration, self._v_before, self._v)
            kernels.velocities(at.H, self._v, self._expected)
            kernels.place(self.h, weights.theta_q, state.q, state.v, self._v, self._q)
        else:
            remedy = "take a smaller dt" + ("" if fixed else ', or frame = "start"')
            raise ConvergenceError(
                f"step {state.k + 1} (t = {state.t + self.h:g}): {self.newton.max_iter} Newton iterations "
                f"left an imbalance of {error:.3g}, {self.newton.tol:.3g} was asked for; {remedy}",
                step=state.k + 1,
                error=float(error),
                problem=self.problem(),
            )
        report.extra[0], report.extra[1] = iteration, error

    def _resolve(self, report: StepReport) -> None:
        """The impulses of an iteration, from u_k and u_{k+1} without them in its frame."""
        u_start, u_free, W = self._u_start, self._u_free, self._at.W
        self._contact.solve(report.active, u_start, u_free, W, self.weights.contact, self._p)

    def _error(self) -> float:
        """Imbalance of momentum at the iterate, and how far contact velocities are from those solved for."""
        at = self._at
        return max(
            kernels.imbalance(at.defect, at.H, self._p, at.G, self._lambda, at.M, self._v),
            kernels.drift(self._u_now, self._expected, self._u_free, at.H, self._v),
            kernels.joint_speed(at.G, self._v),
        )

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Contact velocities, gaps, energies and works."""
        at, theta_q, system = self._at, self.weights.theta_q, self.system
        kernels.blend(theta_q, state.v, new.v, self._mean)
        kernels.velocities(at.H, self._mean, self._u_now)
        contact_works(self._u_now, new.p, report)
        joint_work = float(self._lambda @ (at.G @ self._mean)) if system.joints else 0.0
        report.p[...] = new.p
        weights = (self.weights.theta, theta_q)
        account(system, state, new, report, h=self.h, weights=weights, mass=at.M, joint_work=joint_work)
        self._measure(new, report)
        report.extra[2] = joint_work
        report.extra[3] = np.abs(system.joint_errors(new.q)).max() if system.joints else 0.0

    def _measure(self, state: State, report: StepReport) -> None:
        """Gap and contact velocity of a state, in the frame there."""
        at = self._at
        at.contact(state.q)
        kernels.velocities(at.H, state.v, self._u)
        report.u[...], report.gap[...] = self._u, at.gaps(state.q)


def check_start(system: LagrangianSystem, q: FloatArray, v: FloatArray) -> State:
    """The state (q, v) at t = 0.

    Raises
    ------
    ModelError
        When q or v are not n finite numbers, or the joints do not hold at q or for v.
    """
    for name, array in (("q", q), ("v", v)):
        if np.shape(array) != (system.n,) or not np.all(np.isfinite(array)):
            raise ModelError(f"initial {name} must be {system.n} finite numbers")
    p = np.zeros((system.contacts, system.dim))
    state = State(0, 0.0, np.array(q, np.float64), np.array(v, np.float64), p)
    _check_joints(system, state)
    return state


def _check_joints(system: LagrangianSystem, state: State) -> None:
    """The start must be one that the joints allow."""
    error = np.abs(system.joint_errors(state.q)).max(initial=0.0)
    if error > 1e-8 * system.length:
        raise ModelError(f"the initial q leaves the joints open by {error:.3g}")
    speed = np.abs(system.joint_matrix(state.q) @ state.v).max(initial=0.0)
    if speed > 1e-8 * max(system.wave_speed, float(np.abs(state.v).max())):
        raise ModelError(f"the initial v pulls the joints apart at {speed:.3g}")
