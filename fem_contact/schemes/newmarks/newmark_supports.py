"""Dofs that a support moves: their part of a step of the Newmark family, and the work it takes.

A support gives displacement and velocity exactly, q_d = s(t) and v_d = s'(t). Its acceleration is the mean
slope of s' over one step about t_k (over the half step after t = 0 at the start), filtered as
RR-8602 eq. 27e filters that of the other dofs. Newmark's relations (27f, 27g) then miss by eps_q and eps_v:

    q_{k+1} - q_k = h/2 (v_k + v_{k+1}) + h^2/2 (2 beta - gamma) (a_{k+1} - a_k) + eps_q,
    v_{k+1} - v_k = h a_{k,gamma} + eps_v        (w_d = 0)

With the reaction R_d = [M a - f]_d at t_k, f all the forces of the equation of motion including those of the
filters (eq. 59), and the impulsive reaction rho_d = [M w - H^T p]_d, the balances of RR-8602 hold when

    dq_d . R_{k,gamma} - eps_q . (M a_{k,gamma})_d + v_{d,k+1/2} . rho_d + eps_v . (M v_{k+1/2})_d

is added to the work of the external forces: the support's work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from fem_contact.fem.supports import PrescribedMotion
from fem_contact.schemes.base import State
from fem_contact.schemes.linear.grid import GridTable
from fem_contact.schemes.newmarks import newmark_kernels as rows
from fem_contact.schemes.newmarks.newmark_parameters import NewmarkParameters
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]


class NewmarkSupports:
    """Prescribed dofs that move; made only when the motion is not constant."""

    def __init__(
        self, system: LinearSystem, motion: PrescribedMotion, h: float, parameters: NewmarkParameters
    ):
        self.dofs, self._h, self._parameters = motion.dofs, h, parameters
        self._K, self._C, self._M = (csc_matrix(A)[:, motion.dofs] for A in (system.K, system.C, system.M))
        # Last argument 1: the row of step k is the value at its end, t_{k+1}; 0: that at t_k.
        self._displacement = GridTable(motion.values, h, 1.0)
        self._rate = GridTable(motion.rates, h, 1.0)
        self._slope = GridTable(lambda times: self._mean_slope(motion, times), h, 0.0)
        count = len(motion.dofs)
        self._q, self._v, self._a = np.zeros(count), np.zeros(count), np.zeros(count)

    def _mean_slope(self, motion: PrescribedMotion, times: FloatArray) -> FloatArray:
        before, after = np.maximum(times - 0.5 * self._h, 0.0), times + 0.5 * self._h
        return (motion.rates(after) - motion.rates(before)) / (after - before)[:, None]

    def begin(self, a: FloatArray, rhs: FloatArray, free: FloatArray) -> None:
        """The support's accelerations at t = 0 into ``a``; what they do to the other dofs into ``rhs``."""
        a[self.dofs] = self._slope.row(0)
        rhs -= free * (self._M @ a[self.dofs])

    def constrain(
        self,
        state: State,
        y: FloatArray,
        v_star: FloatArray,
        rhs: FloatArray,
        free: FloatArray,
    ) -> None:
        """Take what the given motion of the step does to the free dofs to the right-hand side."""
        p, d, k = self._parameters, self.dofs, state.k
        self._q, self._v = self._displacement.row(k), self._rate.row(k)
        slope, a = self._slope.row(k), state.extra["a"][d]
        filtered = (1.0 - p.alpha_f) * self._slope.row(k + 1) + p.alpha_f * slope - p.alpha_m * a
        self._a = filtered / (1.0 - p.alpha_m)
        rhs -= free * (
            (1.0 - p.alpha_f) * (self._K @ (self._q - state.q[d] - y[d]))
            + p.load_weight * (self._C @ (self._v - v_star[d]))
            + (1.0 - p.alpha_m) * (self._M @ self._a)
        )

    def impose(self, state: State, a_new: FloatArray, change: FloatArray) -> None:
        """The acceleration at the end of the step and the change of velocity of the prescribed dofs."""
        a_new[self.dofs] = self._a
        change[self.dofs] = self._v - state.v[self.dofs]

    def place(self, new: State) -> None:
        """Displacement and velocity of the prescribed dofs at the end of the step."""
        new.q[self.dofs], new.v[self.dofs] = self._q, self._v

    def work(
        self,
        state: State,
        new: State,
        now: FloatArray,
        then: FloatArray,
        z: FloatArray,
        z_new: FloatArray,
        w: FloatArray,
        impulse: FloatArray,
    ) -> float:
        """Work of the support in the step.

        Parameters
        ----------
        now, then, z, z_new : products and filters before and after, rows as in ``newmark_kernels``
        w, impulse : (n,) M^{-1} H^T p and H^T p
        """
        p, h, d = self._parameters, self._h, self.dofs
        dq, dv, mean = new.q[d] - state.q[d], new.v[d] - state.v[d], 0.5 * (state.v[d] + new.v[d])
        a, a_new = state.extra["a"][d], new.extra["a"][d]
        lag_q = dq - h * mean - 0.5 * h * h * (2.0 * p.beta - p.gamma) * (a_new - a)
        lag_v = dv - h * ((1.0 - p.gamma) * a + p.gamma * a_new)
        before, after = self._reaction(now, z), self._reaction(then, z_new)
        reaction = (1.0 - p.gamma) * before + p.gamma * after
        inertia = (1.0 - p.gamma) * now[rows.MA, d] + p.gamma * then[rows.MA, d]
        momentum = 0.5 * (now[rows.MV, d] + then[rows.MV, d])
        kick = self._M.T @ w - impulse[d]
        return float(dq @ reaction - lag_q @ inertia + mean @ kick + lag_v @ momentum)

    def _reaction(self, now: FloatArray, z: FloatArray) -> FloatArray:
        d, eta = self.dofs, self._parameters.eta
        R = now[rows.MA, d] + now[rows.CV, d] + now[rows.KQ, d] - now[rows.FORCE, d]
        if len(z) > 0:
            R = R - eta * z[rows.Z_KQ, d]
        if len(z) > 2:
            R = R - eta * (z[rows.Z_CV, d] - z[rows.Z_F, d])
        return R
