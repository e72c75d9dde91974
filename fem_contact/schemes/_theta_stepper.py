"""The stepper of the theta family: what is constant is factored once, a step allocates nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.problems._kernels import relative_residual
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _theta_kernels as kernels
from fem_contact.schemes import base
from fem_contact.schemes._grid import GridTable
from fem_contact.schemes._products import Products, unsigned
from fem_contact.schemes._support_motion import SupportMotion
from fem_contact.schemes.base import State, StepReport
from fem_contact.solvers.base import Solver
from fem_contact.solvers.factor import factorise
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]

#: Entries of Mhat^{-1} H^T up to which it is kept dense; beyond, a second solve is cheaper to hold.
DENSE_RESPONSE = 500_000


@dataclass(frozen=True)
class ContactWeights:
    """A = weight W, b = weight u_free + (1 - weight) u_k + ((slope e + offset) u_{N,k}, 0)."""

    weight: float
    slope: float
    offset: float


class ThetaStepper:
    """A theta scheme bound to a system, a step size h and a solver; see :mod:`fem_contact.schemes.theta`."""

    extras: tuple[str, ...] = ()

    def __init__(
        self,
        system: LinearSystem,
        h: float,
        theta: float,
        activation: Activation,
        weights: ContactWeights,
        solver: Solver,
    ):
        if not (np.isfinite(h) and h > 0.0):
            raise ModelError(f"dt = {h!r}: the step must be a positive number")
        self.system, self.h, self.theta, self.weights = system, float(h), float(theta), weights
        self.activation = activation.resolved(system.length, system.wave_speed)
        self._solver = solver.prepare(system.contacts, system.dim)
        self._free = np.ones(system.n)
        self._moving: SupportMotion | None = None
        if system.motion is not None:
            self._free[system.motion.dofs] = 0.0
            if not system.motion.constant:
                self._moving = SupportMotion(system, system.motion, self.h, self.theta)
        self._amplitudes = GridTable(system.force.amplitude_table, self.h, self.theta)
        self._no_fields = np.empty(0)
        self._set_matrices()
        self._set_contact()
        self._set_work_space()

    # --- set-up -------------------------------------------------------------------------------------

    def _set_matrices(self) -> None:
        """M, K and C as the products read them, and the factors of Mhat on the free dofs."""
        system, h, theta = self.system, self.h, self.theta
        self._products = Products(system.M, system.K, system.C)
        free = diags(self._free)
        Mhat = system.M + (h * theta) * system.C + (h * theta) ** 2 * system.K
        self.factor = factorise(
            (free @ Mhat @ free + diags(1.0 - self._free)).tocsr(), "M + h theta C + h^2 theta^2 K"
        )

    def _set_contact(self) -> None:
        """W = H Mhat^{-1} H^T, and Mhat^{-1} H^T itself when it is small enough to keep."""
        system = self.system
        H = system.H
        self._H = (*unsigned(H), H.data)
        rows = H.shape[0]
        self._response = np.empty((0, system.n))
        self.W = np.empty((rows, rows))
        keep = system.n * rows <= DENSE_RESPONSE
        responses = []
        for start in range(0, rows, 64):
            right = np.ascontiguousarray((H[start : start + 64] @ diags(self._free)).toarray().T)
            columns = np.empty_like(right)
            self.factor.solve_into(right, columns)
            self.W[:, start : start + 64] = H @ columns
            if keep:
                responses.append(columns.T)
        self.W = 0.5 * (self.W + self.W.T)  # symmetric in exact arithmetic
        if keep and rows:
            self._response = np.ascontiguousarray(np.concatenate(responses))

    def _set_work_space(self) -> None:
        n, c, d = self.system.n, self.system.contacts, self.system.dim
        self._F, self._rhs, self._x, self._back = (np.zeros(n) for _ in range(4))
        # K q, K v, M v, C v of the state that a step starts from and of the one that it ends in.
        self._before = np.zeros((4, n))
        self._after = np.zeros((4, n))
        self._gap, self._u, self._u_free = np.zeros(c), np.zeros((c, d)), np.zeros((c, d))
        self._was = np.zeros(c, np.bool_)
        self._A = np.empty((d * c) ** 2)
        self._b, self._r, self._w, self._mu = np.empty(d * c), np.empty(d * c), np.empty(d * c), np.empty(c)
        self._views = cache(self._make_views)
        self._count = 0
        self._fresh = True
        self._used, self._share = np.empty(d * c, np.int64), np.empty(d * c)
        self._total = 0.0
        self._at: int | None = None
        self._of: State | None = None

    def _make_views(self, count: int) -> tuple[FloatArray, ...]:
        """A, b, mu, r and work space of a problem of ``count`` contacts, in the arrays that hold any."""
        m = self.system.dim * count
        return self._A[: m * m].reshape(m, m), self._b[:m], self._mu[:count], self._r[:m], self._w[:m]

    # --- stepping -----------------------------------------------------------------------------------

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state (q, v) at t = 0 and its report: energies, gaps and contact velocities, no work."""
        system = self.system
        for name, array in (("q", q), ("v", v)):
            if np.shape(array) != (system.n,) or not np.all(np.isfinite(array)):
                raise ModelError(f"initial {name} must be {system.n} finite numbers")
        p = np.zeros((system.contacts, system.dim))
        state = State(0, 0.0, np.array(q, np.float64), np.array(v, np.float64), p)
        report = StepReport(system.contacts, system.dim)
        self._derive(state)
        report.gap[...], report.u[...] = self._gap, self._u
        kinetic, elastic = (
            kernels.half_dot(state.v, self._before[2]),
            kernels.half_dot(state.q, self._before[0]),
        )
        report.scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, elastic, kinetic + elastic
        return state, report

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the state given is left as it was."""
        new, report = state.copy(), StepReport(self.system.contacts, self.system.dim)
        self._of = None  # whatever was done to the state since, it is read afresh
        self.advance(state, new, report)
        return new, report

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``."""
        if self._of is not state or self._at != state.k:
            self._derive(state)
        self._free_velocity(state)
        self._resolve_contact(state, report)
        self._end_step(state, new, report)
        self._account(state, new, report)
        self._before, self._after = self._after, self._before
        self._gap[...], self._u[...] = report.gap, report.u
        self._of, self._at = new, new.k

    def problem(self) -> LocalProblem:
        """The local problem of the last step, over its active contacts."""
        A, b, mu, _, _ = self._views(self._count)
        return LocalProblem(A.copy(), b.copy(), mu.copy(), self.system.dim)

    def _free_velocity(self, state: State) -> None:
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

    def _resolve_contact(self, state: State, report: StepReport) -> None:
        """Pose the local problem, have it solved, and judge the answer."""
        system, activation, weights = self.system, self.activation, self.weights
        if not len(self._gap):
            return
        d = system.dim
        self._count, same = kernels.pose(
            self._gap,
            self._u,
            *self._H,
            self._x,
            system.e,
            system.mu,
            self.W,
            state.p,
            d,
            weights.weight,
            weights.slope,
            weights.offset,
            activation.gamma * self.h,
            activation.gap_tol,
            activation.velocity_tol,
            self._u_free,
            report.active,
            self._was,
            self._A,
            self._b,
            self._mu,
            self._r,
        )
        report.iterations, report.scalars[base.ERROR] = 0, 0.0
        if self._count:
            A, b, mu, r, w = self._views(self._count)
            report.iterations = self._solver.solve_into(A, b, mu, r, self._fresh or not same)
            report.scalars[base.ERROR] = relative_residual(A, b, mu, d, r, w)
            self._fresh = False
        elif not same:
            self._fresh = True

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """x += Mhat^{-1} H^T p and with it q, v and p at the end of the step."""
        if self._count and not len(self._response):
            kernels.spread(report.active, self._r, self.system.dim, new.p)
            kernels.transposed_product(*self._H, new.p, self._rhs)
            self._rhs *= self._free
            self.factor.solve_into(self._rhs, self._back)
            self._x += self._back
        kernels.respond(
            self.h,
            self.theta,
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
        """What a step needs of a state and the step before would have left."""
        self._products.into(state.q, state.v, self._before)
        kernels.contact_state(*self._H, self.system.g0, state.q, state.v, self.system.dim, self._gap, self._u)
        Kq, _, Mv, _ = self._before
        self._total = kernels.half_dot(state.v, Mv) + kernels.half_dot(state.q, Kq)
        self._of, self._at = state, state.k

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residual of their identity (HAL 04230941 eq. 56-59)."""
        self._products.into(new.q, new.v, self._after)
        kernels.finish(
            *self._H,
            self.system.g0,
            self.h,
            self.theta,
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
        kernels.transposed_product(*self._H, new.p, self._back)
        support, loads, damping = self._moving.works(
            self._F,
            self._back,
            state.v + theta * self._x,
            Mv_new - Mv,
            (1.0 - theta) * Kq + theta * Kq_new,
            (1.0 - theta) * Cv + theta * Cv_new,
        )
        external = loads + support
        scalars[base.RESIDUAL] += scalars[base.EXTERNAL] + scalars[base.DAMPING] - external - damping
        scalars[base.EXTERNAL], scalars[base.DAMPING], scalars[base.SUPPORT] = external, damping, support
