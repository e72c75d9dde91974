"""The central path of frictional contact on second-order cones, in scaled units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.linear.newton_systems import newton_system
from fem_contact.solvers.paths import interior_kernels as kernels

FloatArray = NDArray[np.float64]

#: Share of the way to the boundary of the cones that a step takes.
SHARE = 0.9
#: A step shorter than POOR is followed by one that centres more; one shorter than STUCK by a push inwards.
POOR, STUCK, PUSH = 0.1, 1e-2, 0.1


class CentralPath:
    """x = r, y = w + mu |w_T| n in units where every cone is L = {|x_T| <= x_N} and A has a unit diagonal."""

    def __init__(self, problem: LocalProblem):
        d, c = problem.d, problem.contacts
        self.d, self.c = d, c
        self.units = _units(problem)
        b = self.units * problem.b
        self.size = float(np.abs(b).max(initial=0.0)) or 1.0
        self.b = b / self.size
        A = _scaled(problem.A, self.units, d)
        self.system = newton_system(LocalProblem(A, self.b, np.ones(c), d))
        self.x = np.zeros(c * d)
        self.x[::d] = 1.0
        self.y = self.x.copy()
        self.taken = 1.0
        self.contacts, self.shift = np.arange(c), np.full(c, 1e-14)
        self.point, self.factor = np.empty(c * d), np.empty(c)
        self.B, self.C = np.empty((c, d, d)), np.empty((c, d, d))
        self.scaled, self.gap, self.z, self.sx, self.sy, self.wz = np.empty((6, c * d))

    def impulses(self) -> FloatArray:
        """r in the units of the problem."""
        return np.asarray(self.size * self.units * self.x)

    def advance(self) -> float:
        """One predictor-corrector step (Mehrotra, 1992); returns its length, NaN when there is none."""
        x, y, d = self.x, self.y, self.d
        kernels.nesterov_todd(x, y, d, self.point, self.factor)
        kernels.scale(self.point, self.factor, d, False, x, self.scaled)
        poor, mean = self.taken < POOR, float(x @ y) / self.c
        kappa, smooth = self._coupling(poor, mean)
        kernels.blocks(self.point, self.factor, y, d, kappa, self.B, self.C, smooth)
        kernels.mismatch(self.system.A @ x + self.b, y, d, kappa, self.gap, smooth)
        solve = self.system.factor(self.B, self.C, self.shift, self.contacts)
        if solve is None:
            return float("nan")
        dx, dy = self._step(solve, self.scaled)
        length = min(1.0, kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        left = max(float((x + length * dx) @ (y + length * dy)) / self.c, 0.0) / mean
        sigma = self._centring(left, poor, mean)
        kernels.scale(self.point, self.factor, d, False, np.zeros_like(dx) if poor else dx, self.sx)
        kernels.scale(self.point, self.factor, d, True, dy, self.sy)
        kernels.centring(self.scaled, self.sx, self.sy, sigma * mean, d, self.z)
        dx, dy = self._step(solve, self.z)
        longest = min(kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        self.taken = min(1.0, SHARE * longest)
        if not (np.all(np.isfinite(dx)) and np.all(np.isfinite(dy))):
            return float("nan")
        self.x, self.y = x + self.taken * dx, y + self.taken * dy
        self._unstick(mean)
        return self.taken

    def _coupling(self, poor: bool, mean: float) -> tuple[float, float]:
        """How much of |w_T| follows the step (all or nothing), and what it is smoothed over."""
        return (0.0 if poor else 1.0), 0.0

    def _centring(self, left: float, poor: bool, mean: float) -> float:
        """Share of the mean of x o y to aim at, where the predictor would leave the share ``left``."""
        return min(max(min(left, 1.0) ** 3, 0.5 if poor else 1e-6), 1.0)

    def _unstick(self, mean: float) -> None:
        """Push an iterate that can hardly move towards the central path."""
        if self.taken < STUCK:
            self.x[:: self.d] += PUSH * np.sqrt(mean)
            self.y[:: self.d] += PUSH * np.sqrt(mean)

    def _step(self, solve: Any, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """dx, dy with W dx + W^-1 dy = -z and dy = C A dx + gap."""
        kernels.scale(self.point, self.factor, self.d, False, z, self.wz)
        dx = solve(-self.wz - self.gap)
        dy = -self.wz - np.einsum("ijk,ik->ij", self.B, dx.reshape(self.c, self.d)).ravel()
        return dx, dy


def _units(problem: LocalProblem) -> FloatArray:
    """s (d*c,) with r = s x, y = s (w + mu |w_T| n): r_N/sqrt(mu), r_T sqrt(mu), over sqrt(A_ii)."""
    d, mu = problem.d, problem.mu
    units = np.ones((problem.contacts, d))
    if d > 1:
        root = np.sqrt(np.where(mu > 0.0, mu, 1.0))
        units[:, 0] /= root
        units[:, 1:] *= np.where(mu > 0.0, root, 0.0)[:, None]
    diagonal = np.abs(problem.A.diagonal()).reshape(units.shape) * units**2
    stiffness = diagonal.max(axis=1)
    stiffness = np.maximum(stiffness, 1e-8 * stiffness.max(initial=0.0) or 1.0)
    return np.asarray((units / np.sqrt(stiffness)[:, None]).ravel())


def _scaled(A: Any, units: FloatArray, d: int) -> Any:
    """diag(s) A diag(s), and 1 on the diagonal where s = 0 so that r_T = 0 costs nothing."""
    missing = units == 0.0
    if issparse(A):
        rows = np.repeat(np.arange(A.shape[0] // d), np.diff(A.indptr))
        s = units.reshape(-1, d)
        data = s[rows][:, :, None] * A.data * s[A.indices][:, None, :]
        on = np.flatnonzero(rows == A.indices)
        data[on] += missing.reshape(-1, d)[rows[on], :, None] * np.eye(d)
        return bsr_matrix((data, A.indices, A.indptr), shape=A.shape)
    scaled = units[:, None] * A * units
    scaled[missing, missing] = 1.0
    return scaled
