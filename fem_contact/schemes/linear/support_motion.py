"""Dofs that a support moves: their part of a step of the theta family, and the work it takes.

A support gives displacement and velocity exactly, q_d = s(t) and v_d = s'(t), at every step. The mean
velocity that the step sees there is then vbar_d = (q_{d,k+1} - q_{d,k})/h, which differs from
v_{d,k+theta_q} by eps_d, O(h^2) where theta_q = 1/2 and O(h) elsewhere. Damping sees v_{k+theta} + eps, which
is vbar where theta_q = theta. With the reaction impulse
R_d = [M dv + h K q_{k+theta} + h C (v_{k+theta} + eps) - h F_{k+theta} - H^T p]_d the identity of
HAL 04230941 eq. 56 holds with the support's work vbar_d . R_d + eps_d . (H^T p)_d - eps_d . (M dv)_d added
to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from fem_contact.fem.supports import PrescribedMotion
from fem_contact.schemes.linear.grid import GridTable
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]


class SupportMotion:
    """Prescribed dofs that move; made only when the motion is not constant."""

    def __init__(
        self, system: LinearSystem, motion: PrescribedMotion, h: float, theta: float, theta_q: float
    ):
        self.dofs, self._h, self._theta, self._theta_q = motion.dofs, h, theta, theta_q
        self._K, self._C, self._M = (csc_matrix(A)[:, motion.dofs] for A in (system.K, system.C, system.M))
        # theta = 1: the row of step k is the value at its end, t_{k+1}.
        self._displacement = GridTable(motion.values, h, 1.0)
        self._rate = GridTable(motion.rates, h, 1.0)
        self._mean = np.zeros(len(motion.dofs))
        self._jump = np.zeros(len(motion.dofs))
        self._lag = np.zeros(len(motion.dofs))

    @property
    def lag(self) -> FloatArray:
        """How much faster the prescribed dofs move in the step than v_{k+theta}, see the module."""
        return self._lag

    def constrain(self, k: int, q: FloatArray, v: FloatArray, rhs: FloatArray, free: FloatArray) -> None:
        """Take what the given motion of the step does to the free dofs to the right-hand side."""
        h, theta, d = self._h, self._theta, self.dofs
        self._mean = (self._displacement.row(k) - q[d]) / h
        self._jump = self._rate.row(k) - v[d]
        self._lag = self._mean - (v[d] + self._theta_q * self._jump)
        faster, damped = self._mean - v[d], theta * self._jump + self._lag
        rhs -= free * (h * h * theta * (self._K @ faster) + h * (self._C @ damped) + self._M @ self._jump)

    def impose(self, x: FloatArray) -> None:
        """The change of velocity of the prescribed dofs."""
        x[self.dofs] = self._jump

    def place(self, k: int, q_new: FloatArray) -> None:
        """The displacement of the prescribed dofs at the end of the step."""
        q_new[self.dofs] = self._displacement.row(k)

    def works(
        self,
        F: FloatArray,
        impulse: FloatArray,
        mean_free: FloatArray,
        dMv: FloatArray,
        Kq_theta: FloatArray,
        Cv_theta: FloatArray,
    ) -> tuple[float, float, float]:
        """Work of the support, of the loads and of damping in the step.

        Parameters
        ----------
        F : (n,) F_{k+theta};  impulse : (n,) H^T p;  mean_free : (n,) v_{k+theta_q}
        dMv, Kq_theta, Cv_theta : (n,) M (v_{k+1} - v_k), K q_{k+theta}, C v_{k+theta}
        """
        h, d, lag = self._h, self.dofs, self._lag
        mean = mean_free.copy()
        mean[d] = self._mean
        damping_force = Cv_theta + self._C @ lag
        reaction = (dMv + h * Kq_theta + h * damping_force - h * F - impulse)[d]
        support = self._mean @ reaction + lag @ impulse[d] - lag @ dMv[d]
        return float(support), float(h * (mean @ F)), float(-h * (mean @ damping_force))
