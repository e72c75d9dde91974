"""A Lagrangian system at an iterate of a step: what Newton's method needs of it, in fixed arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]

#: Relative step of the differences that stand in for tangents nobody gave.
DIFFERENCE = 1e-7


class Linearisation:
    """M, F, K = -dF/dq, C = -dF/dv, H, G and the defect of momentum at an iterate (q, v) of a theta step.

    defect = -M(q_theta) (v - v_k) + h F(t_theta, q_theta, v_theta), RR-8029 eq. 41 without its impulses. The
    derivatives of M, H and G are left out of the Newton matrix (RR-8029 eq. 43); K and C are taken once a
    step.
    """

    def __init__(self, system: LagrangianSystem, h: float, theta: float, theta_q: float):
        n, m, rows = system.n, system.joints, system.dim * system.contacts
        self.system, self.h, self.theta, self.theta_q = system, h, theta, theta_q
        self.M, self.K, self.C = (np.zeros((n, n)) for _ in range(3))
        self.H, self.G, self.W = np.zeros((rows, n)), np.zeros((m, n)), np.zeros((rows, rows))
        self.F, self.defect = np.zeros(n), np.zeros(n)
        self.gap, self.phi = np.zeros(system.contacts), np.zeros(m)
        #: x, lambda0 and, column by column, X and L of :func:`lagrangian_kernels.respond`.
        self.B = np.zeros((n + m, 1 + rows))
        self._A = np.zeros((n + m, n + m))
        self._q, self._v, self._t = np.zeros(n), np.zeros(n), 0.0
        self._q_theta, self._v_theta = np.zeros(n), np.zeros(n)

    def begin(self, t: float, q: FloatArray, v: FloatArray) -> None:
        """A step starts at (t_k, q_k, v_k)."""
        self._q[...], self._v[...], self._t = q, v, t
        tangents(self.system, (t, q, v), self.K, self.C)

    def at(self, q: FloatArray, v: FloatArray, contact_at: FloatArray) -> None:
        """Evaluate at the iterate (q, v), the contact frames at ``contact_at``."""
        system, theta, p = self.system, self.theta, self.system.parameters
        kernels.blend(theta, self._q, q, self._q_theta)
        kernels.blend(theta, self._v, v, self._v_theta)
        system.mass(self._q_theta, p, self.M)
        system.force(self._t + theta * self.h, self._q_theta, self._v_theta, p, self.F)
        kernels.momentum_defect(self.h, self.F, self.M, v, self._v, self.defect)
        self.contact(contact_at)
        if system.joint_jacobian is not None:
            system.joint_jacobian(q, p, self.G)

    def contact(self, q: FloatArray) -> None:
        """H at ``q``."""
        if self.system.jacobian is not None:
            self.system.jacobian(q, self.system.parameters, self.H)

    def gaps(self, q: FloatArray) -> FloatArray:
        """g(q), in an array that is used again."""
        if self.system.gap is not None:
            self.system.gap(q, self.system.parameters, self.gap)
        return self.gap

    def respond(self, v: FloatArray) -> None:
        """Solve for what the defect and each contact impulse do to the velocity: ``B`` and W."""
        args = (self.M, self.K, self.C, self.H, self.G, self.defect, v, self.h, self.theta, self.theta_q)
        if not kernels.respond(*args, self._A, self.B, self.W):
            raise ModelError(
                "the matrix of the step is singular: two joints say the same, "
                "or the mass matrix is not positive definite here"
            )


def tangents(
    system: LagrangianSystem, at: tuple[float, FloatArray, FloatArray], K: FloatArray, C: FloatArray
) -> None:
    """K = -dF/dq and C = -dF/dv at (t, q, v): those of the system, or by differences."""
    t, q, v = at
    if system.tangents is not None:
        system.tangents(t, q, v, system.parameters, K, C)
        return
    base, probe = system.forces(t, q, v), np.zeros(system.n)
    for x, result in ((q, K), (v, C)):
        for i in range(system.n):
            step = DIFFERENCE * max(1.0, abs(x[i]))
            probe[...] = x
            probe[i] += step
            arguments = (probe, v) if x is q else (q, probe)
            result[:, i] = (base - system.forces(t, *arguments)) / step
