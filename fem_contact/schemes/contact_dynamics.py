"""The Contact Dynamics scheme with Moreau's operator S(q, v).

"Asymptotic contact law and tangential indeterminacy", section 2:

    q' = q + h u,     v' = u + h M(q')^{-1} F(t', q', u),     u' = S(q', v'),

S being the projection in the kinetic metric of :mod:`fem_contact.problems.contact_dynamics`. The impulse
r = H(q')^T p satisfies u' . r <= 0 (proposition 1), recorded as ``work/reaction``; the contact is soft.

A step satisfies M(q') (u' - u) = h F + H(q')^T p, and therefore, with u_mean = (u + u')/2,

    dE = W_ext + W_damp + H u_mean . p + W_num,
    W_num = 1/2 u . (M(q') - M(q)) u + dV + h u_mean . (F_pot + F_inertia).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems import contact_dynamics as law
from fem_contact.problems._kernels import relative_residual
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ContactDynamics:
    """Moreau's Contact Dynamics: explicit positions, u' = S(q', v').

    For one contact, without restitution or joints, on a Lagrangian system: the paper has one inequality and
    a soft law. The contact takes part in a step when gap(q') <= 0, whatever its velocity; a tangential
    contact (v'_N = 0 exactly) keeps its velocity.
    """

    name: ClassVar[str] = "contact-dynamics"
    source: ClassVar[str] = "Asymptotic contact law, section 2"

    def prepare(self, system: System, h: float, solver: Solver) -> ContactDynamicsStepper:
        """The stepper; S has a closed form, so that ``solver`` is not asked.

        Raises
        ------
        ModelError
            When h is not positive, or the system is not one that the scheme is defined for.
        """
        if not isinstance(system, LagrangianSystem):
            raise ModelError(f"{self.name} steps rigid models, not a mesh")
        if system.contacts != 1:
            raise ModelError(f"{self.name} is defined for one contact, this system has {system.contacts}")
        if system.joints:
            raise ModelError(f"{self.name} has no joints, this system has {system.joints}")
        if system.e[0] != 0.0:
            raise ModelError(f"{self.name} has a soft contact: e must be 0, it is {system.e[0]:g}")
        return ContactDynamicsStepper(system, h)


class ContactDynamicsStepper:
    """The scheme bound to a Lagrangian system and a step size h."""

    extras: tuple[str, ...] = ("work/reaction",)

    def __init__(self, system: LagrangianSystem, h: float):
        if not (np.isfinite(h) and h > 0.0):
            raise ModelError(f"dt = {h!r}: the step must be a positive number")
        self.system, self.h = system, float(h)
        self._problem = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), system.dim)

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state (q, v) at t = 0 and its report.

        Raises
        ------
        ModelError
            When q or v are not n finite numbers.
        """
        system = self.system
        for name, array in (("q", q), ("v", v)):
            if np.shape(array) != (system.n,) or not np.all(np.isfinite(array)):
                raise ModelError(f"initial {name} must be {system.n} finite numbers")
        state = State(0, 0.0, np.array(q, np.float64), np.array(v, np.float64), np.zeros((1, system.dim)))
        report = StepReport(1, system.dim, self.extras)
        self._measure(state, system.contact_jacobian(state.q), report)
        return state, report

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the state given is left as it was."""
        new, report = state.copy(), StepReport(1, self.system.dim, self.extras)
        self.advance(state, new, report)
        return new, report

    def problem(self) -> LocalProblem:
        """The contact problem of the last step: (W, H v', mu), without contacts where S left v' as it was."""
        return self._problem

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``."""
        system, h = self.system, self.h
        t = (state.k + 1) * h
        q = state.q + h * state.v
        M, H, F = system.mass_matrix(q), system.contact_jacobian(q), system.forces(t, q, state.v)
        free = state.v + h * np.linalg.solve(M, F)
        report.active[0] = system.gaps(q)[0] <= 0.0
        contact = law.contact_law(M, H, system.mu[0])
        v, p = law.operator(contact, free, bool(report.active[0]))
        self._judge(contact, H @ free, p, report)
        before = sum(system.energy(state.q, state.v))
        self._works(state, q, v, p, contact, F, t, report)
        new.k, new.t = state.k + 1, t
        new.q[...], new.v[...], new.p[0] = q, v, p
        self._measure(new, H, report)
        scalars = report.scalars
        works = scalars[[base.EXTERNAL, base.DAMPING, base.NORMAL, base.TANGENTIAL, base.NUMERICAL]].sum()
        scalars[base.RESIDUAL] = scalars[base.TOTAL] - before - works

    def _judge(self, contact: law.ContactLaw, u: FloatArray, p: FloatArray, report: StepReport) -> None:
        """How well (u, p) solves the problem of Coulomb friction, which S does too."""
        report.iterations = 0
        if not p.any():
            self._problem = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), self.system.dim)
            report.scalars[base.ERROR] = 0.0
            return
        self._problem = LocalProblem(contact.W, u, self.system.mu, self.system.dim)
        A, b, mu = self._problem.A, self._problem.b, self._problem.mu
        report.scalars[base.ERROR] = relative_residual(A, b, mu, self.system.dim, p, np.empty(len(b)))

    def _works(
        self,
        state: State,
        q: FloatArray,
        v: FloatArray,
        p: FloatArray,
        contact: law.ContactLaw,
        F: FloatArray,
        t: float,
        report: StepReport,
    ) -> None:
        """The works of the step to (q, v)."""
        system, scalars = self.system, report.scalars
        mean = 0.5 * (state.v + v)
        u_mean = contact.H @ mean
        report.work_normal[0], report.work_tangential[0] = u_mean[0] * p[0], u_mean[1:] @ p[1:]
        scalars[base.NORMAL], scalars[base.TANGENTIAL] = report.work_normal[0], report.work_tangential[0]
        parts = [np.zeros(system.n), np.zeros(system.n)]
        for function, part in zip((system.loads, system.damping), parts, strict=True):
            if function is not None:
                function(t, q, state.v, system.parameters, part)
        scalars[base.EXTERNAL], scalars[base.DAMPING] = (self.h * float(mean @ part) for part in parts)
        change = system.energy(q, state.v)  # dV and what M(q') - M(q) does to the old velocity
        start = system.energy(state.q, state.v)
        others = self.h * float(mean @ (F - parts[0] - parts[1]))
        scalars[base.NUMERICAL] = (change[0] - start[0]) + (change[1] - start[1]) + others
        scalars[base.SUPPORT] = 0.0
        report.p[0] = p
        report.extra[0] = float((contact.H @ v) @ p)

    def _measure(self, state: State, H: FloatArray, report: StepReport) -> None:
        """Energies, gap and contact velocity of a state."""
        kinetic, potential = self.system.energy(state.q, state.v)
        report.scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, potential, kinetic + potential
        report.u[0], report.gap[...] = H @ state.v, self.system.gaps(state.q)
