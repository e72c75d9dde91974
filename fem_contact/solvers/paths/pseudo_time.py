"""The central path of frictional contact in pseudo-time: what gets past its turning points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.paths import interior_kernels as kernels
from fem_contact.solvers.paths.central_path import SHARE, CentralPath

FloatArray = NDArray[np.float64]

#: Length of the first pseudo-time step, the longest and the shortest; what a short step of the path cuts a
#: pseudo-time step of at most CUT to, and what a long one makes of it.
FIRST_TIME, LONGEST_TIME, SHORTEST_TIME, CUT, FALL, GROWTH = 10.0, 1e4, 0.05, 100.0, 0.1, 4.0
#: Lengths of a step of the path that count as short and as long.
SHORT, LONG = 0.2, 0.6
#: Proximal shift of A: the first, the greatest and the least; its growth and fall.
FIRST_SHIFT, MOST_SHIFT, LEAST_SHIFT, SHIFT_GROWTH, SHIFT_FALL = 1e-3, 10.0, 1e-12, 5.0, 0.3


class PseudoTimePath(CentralPath):
    """The central path with s = |w_T| followed as the steady state of ds/dt = |w_T| - s.

    For a given s the problem is convex and its central path has no turning points: the unknowns are x, y and
    s with y = w + s n. A step implicit in t, of length Delta, takes s by kappa = Delta/(1 + Delta) of the
    way to the |w_T| of its end; kappa = 1 is Newton's method on the whole and kappa = 0 the convex problem.
    Delta grows while steps to the boundary of the cones are long and falls where they are short, which is
    where the matrix with kappa = 1 is nearly singular: pseudo-transient continuation (Kelley and Keyes,
    1998, SIAM J. Numer. Anal. 35). A shift of A that acts on the step alone, proximal, follows them likewise.
    The mean of x o y falls no faster than s approaches |w_T|: it stays above ``guard`` times the distance
    that the step leaves. ``smooth`` is the share of the mean that |w_T| is smoothed over.
    """

    def __init__(self, problem: LocalProblem, guard: float = 10.0, smooth: float = 0.05):
        super().__init__(problem)
        self.guard, self.smooth = guard, smooth
        self.s = np.zeros(self.c)
        self.none = np.zeros(self.c)
        self.weights = np.ones((self.c, self.d))
        self.weights[:, 1:] = np.minimum(problem.mu, 1.0)[:, None] ** 2
        self.time, self.proximal, self.started = FIRST_TIME, FIRST_SHIFT, False

    def advance(self) -> float:
        """One predictor-corrector step; returns its length, NaN when there is none."""
        x, y, s, d = self.x, self.y, self.s, self.d
        if self.started:
            self._adapt()
        self.started = True
        kappa = self.time / (1.0 + self.time)
        mean = float(x @ y) / self.c
        w = self.system.A @ x + self.b
        kernels.nesterov_todd(x, y, d, self.point, self.factor)
        kernels.scale(self.point, self.factor, d, False, x, self.scaled)
        kernels.blocks(self.point, self.factor, w, d, kappa, self.B, self.C, self.smooth * mean)
        lag = kernels.lagging(w, y, s, d, kappa, self.smooth * mean, self.gap)
        shift = self.proximal * self.weights
        solve = self.system.factor(self.B + self.C * shift[:, None, :], self.C, self.none, self.contacts)
        if solve is None:
            return float("nan")
        dx, dy = self._step(solve, self.scaled)
        length = min(1.0, kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        left = max(float((x + length * dx) @ (y + length * dy)) / self.c, 0.0) / mean
        sigma = min(max(left**3, 1e-6 if self.taken > 0.1 else 0.9), 1.0)
        sigma = max(sigma, min(1.0, self.guard * lag / np.sqrt(self.c) / mean * min(1.0, 1.0 / self.time)))
        kernels.scale(self.point, self.factor, d, False, dx, self.sx)
        kernels.scale(self.point, self.factor, d, True, dy, self.sy)
        kernels.centring(self.scaled, self.sx, self.sy, sigma * mean, d, self.z)
        dx, dy = self._step(solve, self.z)
        if not (np.all(np.isfinite(dx)) and np.all(np.isfinite(dy))):
            return float("nan")
        longest = min(kernels.longest_step(x, dx, d), kernels.longest_step(y, dy, d))
        self.taken = min(1.0, SHARE * longest)
        # dy = dw + ds n + (w + s n - y), dw with the shift that the step was made with.
        ds = dy[::d] - (self.system.A @ dx)[::d] - shift[:, 0] * dx[::d] - (w[::d] + s - y[::d])
        self.x, self.y, self.s = x + self.taken * dx, y + self.taken * dy, s + self.taken * ds
        return self.taken

    def _adapt(self) -> None:
        """Delta and the shift, from the length of the step before."""
        if self.taken < SHORT:
            self.time = max(FALL * min(self.time, CUT), SHORTEST_TIME)
            self.proximal = min(SHIFT_GROWTH * self.proximal, MOST_SHIFT)
        elif self.taken > LONG:
            self.time = min(GROWTH * self.time, LONGEST_TIME)
            self.proximal = max(SHIFT_FALL * self.proximal, LEAST_SHIFT)
