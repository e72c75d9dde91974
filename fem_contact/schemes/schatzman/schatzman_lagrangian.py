"""Schatzman-Paoli on a Lagrangian system: Newton's method for w_{k+1} = (q_{k+1} - q_k)/h."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ConvergenceError, ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.schemes.lagrangian.lagrangian_energy import contact_works, energies
from fem_contact.schemes.lagrangian.lagrangian_stepper import check_start
from fem_contact.schemes.lagrangian.linearisation import tangents
from fem_contact.schemes.lagrangian.mixing import PatientMixing
from fem_contact.schemes.projections.contact_problems import PositionLaw
from fem_contact.schemes.schatzman.schatzman_linear import DISCRETE
from fem_contact.solvers.base import Solver
from fem_contact.systems.lagrangian import LagrangianSystem

if TYPE_CHECKING:
    from fem_contact.schemes.schatzman_paoli import SchatzmanPaoli

FloatArray = NDArray[np.float64]


class LagrangianSchatzmanStepper:
    """The scheme bound to a Lagrangian system, see :mod:`fem_contact.schemes.schatzman_paoli`.

    An iteration solves [Mhat  -G^T; h G  0] [dw; lambda] = [defect + H^T p; -phi] with
    Mhat = M + h theta C/2 + h^2 theta K and p from z + H Mhat^{-1} (...)/2; derivatives of M, H and G are
    left out, as in RR-8029 eq. 43.
    """

    extras: tuple[str, ...] = ("violation", "newton/iterations", "newton/error", "work/joints", "joint_error")

    def __init__(self, system: LagrangianSystem, h: float, scheme: SchatzmanPaoli, solver: Solver):
        self.system, self.h, self.theta, self.newton = system, float(h), float(scheme.theta), scheme.newton
        self._law = PositionLaw(system, solver, constant=False)
        n, c, d, m = system.n, system.contacts, system.dim, system.joints
        self._M, self._K, self._C = (np.zeros((n, n)) for _ in range(3))
        self._H, self._G, self._row = np.zeros((d * c, n)), np.zeros((m, n)), np.zeros((d * c, n))
        self._defect, self._w, self._lambda, self._phi = np.zeros(n), np.zeros(n), np.zeros(m), np.zeros(m)
        self._p, self._gap_e, self._z = np.zeros((c, d)), np.zeros(c), np.zeros((c, d))
        self._mixing = PatientMixing(n)

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state (q, v) at t = 0, with w_0 = v, and its report: energies, gaps and contact velocities."""
        state = check_start(self.system, q, v)
        state.extra[DISCRETE] = state.v.copy()
        report = StepReport(self.system.contacts, self.system.dim, self.extras)
        self._measure(state, report)
        energies(self.system, state.q, state.v, report.scalars)
        return state, report

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the state given is left as it was."""
        new, report = state.copy(), StepReport(self.system.contacts, self.system.dim, self.extras)
        self.advance(state, new, report)
        return new, report

    def problem(self) -> LocalProblem:
        """The local problem of the last iteration, over the contacts that took part."""
        return self._law.problem()

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``."""
        h, w = self.h, state.extra[DISCRETE]
        tangents(self.system, (state.t, state.q, state.v), self._K, self._C)
        self._w[...], self._p[...], self._lambda[...] = w, state.p, 0.0
        iterations, error = self._iterate(state)
        new.q[...], new.v[...], new.p[...] = state.q + h * self._w, 0.5 * (w + self._w), self._p
        new.extra[DISCRETE][...] = self._w
        new.k, new.t = state.k + 1, (state.k + 1) * h
        report.active[...] = self._law.working
        report.iterations, report.scalars[base.ERROR] = self._law.iterations, self._law.error
        report.extra[1:3] = iterations, error
        self._account(state, new, report)

    def _iterate(self, state: State) -> tuple[int, float]:
        """Newton's method; returns the iterations made and the imbalance left."""
        n, m = self.system.n, self.system.joints
        h, theta = self.h, self.theta
        size = max(_largest(state.q), self.system.length)
        error, expected, free = np.inf, np.zeros_like(self._z), np.zeros_like(self._z)
        self._mixing.begin()
        for iteration in range(self.newton.max_iter + 1):
            self._evaluate(state)
            if iteration:
                error = self._error(self._z - expected, free, size)
                if error <= self.newton.tol:
                    return iteration, error
                self._mixing.see(error)
            Mhat = self._M + (0.5 * h * theta) * self._C + (h * h * theta) * self._K
            whole = np.block([[Mhat, -self._G.T], [h * self._G, np.zeros((m, m))]])
            right = np.zeros((n + m, 1 + len(self._H)))
            right[:n, 0], right[n:, 0], right[:n, 1:] = self._defect, -self._phi, self._H.T
            try:
                B = np.linalg.solve(whole, right)
            except np.linalg.LinAlgError:
                raise ModelError(
                    "the matrix of the step is singular: two joints say the same, "
                    "or the mass matrix is not positive definite here"
                ) from None
            response = 0.5 * (self._H @ B[:n])
            free = self._z + response[:, 0].reshape(self._z.shape)
            self._law.solve(response[:, 1:], free, self._p)
            change = B @ np.concatenate([[1.0], self._p.ravel()])
            image = self._w + change[:n]
            self._mixing.mix(iteration, self._w, image)
            self._w[...] = image
            self._lambda[...] = change[n:]
            expected = free + (response[:, 1:] @ self._p.ravel()).reshape(free.shape)
        raise ConvergenceError(
            f"step {state.k + 1} (t = {state.t + h:g}): {self.newton.max_iter} Newton iterations "
            f"left an imbalance of {error:.3g}, {self.newton.tol:.3g} was asked for; take a smaller dt",
            step=state.k + 1,
            error=float(error),
            problem=self.problem(),
        )

    def _evaluate(self, state: State) -> None:
        """M, defect, G, phi, and H and z of each contact at its weighted position, at the iterate w."""
        system, h, theta, p = self.system, self.h, self.theta, self.system.parameters
        w = state.extra[DISCRETE]
        q, v = state.q + h * self._w, 0.5 * (w + self._w)
        system.mass(q, p, self._M)
        F = system.forces(
            state.t + theta * h, (1.0 - theta) * state.q + theta * q, (1.0 - theta) * state.v + theta * v
        )
        self._defect[...] = h * F - self._M @ (self._w - w)
        if system.joints:
            self._G[...], self._phi[...] = system.joint_matrix(q), system.joint_errors(q)
        if system.gap is None or system.jacobian is None:
            return
        before, rows = state.q - h * w, np.repeat(system.e, system.dim)
        for e in np.unique(system.e):
            weighted = (q + e * before) / (1.0 + e)
            system.jacobian(weighted, p, self._row)
            self._H[rows == e] = self._row[rows == e]
            self._gap_e[system.e == e] = system.gaps(weighted)[system.e == e]
        self._z[...] = (self._H @ v).reshape(self._z.shape)
        self._z[:, 0] = (1.0 + system.e) * self._gap_e / (2.0 * h)

    def _error(self, change: FloatArray, free: FloatArray, size: float) -> float:
        """Imbalance of momentum, drift of what p was solved for, and joints, each over its size.

        Gaps and joints are positions, told to the round-off of coordinates as large as ``size``.
        """
        working, step = self._law.working, self.h
        round_off = 16.0 * np.finfo(np.float64).eps * size
        balance = kernels.imbalance(self._defect, self._H, self._p, self._G, self._lambda, self._M, self._w)
        # What impulses have to stop counts too: a contact at rest has no velocity to compare with.
        fast = max(_largest(self._H @ self._w), _largest(free[working]))
        drift = _largest(change[working]) - round_off * _largest(self._H) / step
        large = _largest(self._G)
        reach = step * large * _largest(self._w)
        open_by = _largest(self._phi) - round_off * large
        return max(balance, _share(drift, fast), _share(open_by, reach))

    # --- energies and works -------------------------------------------------------------------------

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residual of their identity."""
        system, h, theta, p = self.system, self.h, self.theta, self.system.parameters
        w, w_new, v, scalars = state.extra[DISCRETE], new.extra[DISCRETE], new.v, report.scalars
        contact_works((self._H @ v).reshape(self._z.shape), new.p, report)
        report.p[...] = new.p
        at = (
            state.t + theta * h,
            (1.0 - theta) * state.q + theta * new.q,
            (1.0 - theta) * state.v + theta * v,
        )
        parts = {}
        for name in ("loads", "damping"):
            function, part = getattr(system, name), np.zeros(system.n)
            if function is not None:
                function(*at, p, part)
            parts[name] = h * float(v @ part)
        energies(system, new.q, w_new, scalars)
        joint_work = float(self._lambda @ (self._G @ v))
        numerical = 0.5 * float(w @ (self._M - system.mass_matrix(state.q)) @ w)
        if system.potential is not None:
            numerical += float(system.potential(new.q, p)) - float(system.potential(state.q, p))
        numerical += h * float(v @ system.forces(*at)) - sum(parts.values()) + joint_work
        normal, tangential = float(report.work_normal.sum()), float(report.work_tangential.sum())
        scalars[base.EXTERNAL], scalars[base.DAMPING] = parts["loads"], parts["damping"]
        scalars[base.NUMERICAL], scalars[base.SUPPORT] = numerical, 0.0
        scalars[base.NORMAL], scalars[base.TANGENTIAL] = normal, tangential
        works = sum(parts.values()) + normal + tangential + numerical
        scalars[base.RESIDUAL] = scalars[base.TOTAL] - sum(system.energy(state.q, w)) - works
        self._measure(new, report)
        report.extra[3], report.extra[4] = joint_work, np.abs(system.joint_errors(new.q)).max(initial=0.0)

    def _measure(self, state: State, report: StepReport) -> None:
        """Gap and contact velocity of a state, in the frame there."""
        system = self.system
        report.u[...] = (system.contact_jacobian(state.q) @ state.v).reshape(report.u.shape)
        report.gap[...] = system.gaps(state.q)
        report.extra[0] = 0.0 - report.gap.min(initial=0.0)


def _largest(array: FloatArray) -> float:
    return float(np.abs(array).max(initial=0.0))


def _share(part: float, whole: float) -> float:
    """part/whole of what is above round-off."""
    if part <= 0.0:
        return 0.0
    return part / whole if whole > 0.0 else np.inf
