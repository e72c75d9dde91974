"""The local problems of a projected step: impulses from velocities, shifts from gaps, or both at once.

With p the impulses, tau >= 0 the multipliers of g >= 0 and all else eliminated, a linearised step is
(RR-8029 eq. 53)

    u = u_0 + W p - B tau,        g = g_0 + h theta u_N + D tau,

with W = H Mhat^{-1} H^T, D = H_N N H_N^T and B = h theta H Mhat^{-1} K N H_N^T. Eq. 54 prints the blocks of
tau with h^2 theta^2 K where one h theta belongs, without their last G, and with the sign of K turned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems._kernels import relative_residual
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.schemes._step_kernels import spread
from fem_contact.schemes.projections import projected_kernels as kernels
from fem_contact.solvers.base import PreparedSolver, Solver, solve
from fem_contact.systems.kinds import System

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


class VelocityProblem:
    """Newton's impact law and Coulomb friction in u_{k+1} of the active contacts, in fixed arrays.

    A = W, b = u_free + (e u_{N,k}, 0); RR-8029 eq. 57. ``constant`` promises the same W at every call.
    """

    def __init__(self, system: System, solver: Solver, *, constant: bool):
        c, d = system.contacts, system.dim
        self._system, self._solver, self._constant = system, solver.prepare(c, d), constant
        self._A, self._b, self._r, self._w = np.empty((d * c) ** 2), *(np.empty(d * c) for _ in range(3))
        self._mu, self._count = np.empty(c), 0
        self._was, self._fresh = np.zeros(c, np.bool_), True
        self._views = cache(self._make_views)
        self.iterations, self.error = 0, 0.0

    def solve(
        self, active: Mask, u_start: FloatArray, u_free: FloatArray, W: FloatArray, p: FloatArray
    ) -> None:
        """Impulses p (c, d) in place, the guess on entry; zero where a contact is not active."""
        system, d = self._system, self._system.dim
        self.error = 0.0
        if not active.any():
            # What is kept of the last set of contacts stays good.
            self._count = 0
            p[...] = 0.0
            return
        keep = self._constant and not self._fresh
        self._count, same = kernels.pose(
            active,
            self._was,
            keep,
            u_start,
            u_free,
            system.e,
            system.mu,
            W,
            p,
            d,
            self._A,
            self._b,
            self._mu,
            self._r,
        )
        self._fresh = False
        A, b, mu, r, work = self._views(self._count)
        self.iterations += self._solver.solve_into(A, b, mu, r, not same)
        self.error = relative_residual(A, b, mu, d, r, work)
        spread(active, self._r, d, p)

    def problem(self) -> LocalProblem:
        """A copy of the last one."""
        A, b, mu, _, _ = self._views(self._count)
        return LocalProblem(A.copy(), b.copy(), mu.copy(), self._system.dim)

    def _make_views(self, count: int) -> tuple[FloatArray, ...]:
        """A, b, mu, r and work space of a problem of ``count`` contacts."""
        m = self._system.dim * count
        return self._A[: m * m].reshape(m, m), self._b[:m], self._mu[:count], self._r[:m], self._w[:m]


class PositionLaw:
    """-(w + mu |w_T| n) in N_K(p), w = A p + b, with w_N a gap over a time: for schemes without index set.

    Solved for the contacts only that the impulses of others, and their own, do not leave open.
    """

    def __init__(self, system: System, solver: Solver, *, constant: bool):
        c, d = system.contacts, system.dim
        self._problem = VelocityProblem(system, solver, constant=constant)
        self.working, self._w, self._still = np.zeros(c, np.bool_), np.zeros((c, d)), np.zeros((c, d))
        self._guess = np.zeros((c, d))
        self.iterations, self.error = 0, 0.0

    def solve(self, A: FloatArray, b: FloatArray, p: FloatArray) -> None:
        """Impulses p (c, d) in place, the guess on entry; b is (c, d)."""
        self._problem.iterations, self.error = 0, 0.0
        self._guess[...] = p
        self.working[...] = (b[:, 0] < 0.0) | (p[:, 0] > 0.0)
        while True:
            p[...] = self._guess
            # Without restitution: what there is of it is in b.
            self._problem.solve(self.working, self._still, b, A, p)
            kernels.with_impulses(b, A, p, self._w)
            more = (self._w[:, 0] < 0.0) & ~self.working
            if not more.any():
                break
            self.working |= more
        self.iterations, self.error = self._problem.iterations, self._problem.error

    def problem(self) -> LocalProblem:
        """The last problem, over the contacts that took part."""
        return self._problem.problem()


@dataclass(frozen=True)
class ShiftedStep:
    """A linearised step as its multipliers see it.

    Attributes
    ----------
    D : (c, c) change of the gaps by tau at given velocities
    gap : (c,) g_0, the gaps without the shift and without h theta u_N
    B : (d*c, c) velocity that tau takes away through the stiffness
    u : (c, d) u_0, the velocities without impulse and shift
    """

    D: FloatArray
    gap: FloatArray
    B: FloatArray
    u: FloatArray


class ShiftProblem:
    """tau of g = g_v + D tau, 0 <= g _|_ tau >= 0 where ``active`` and g = 0 where ``equal``.

    RR-8029 eq. 58 and 60, which mean g_v = g(q_k + h v_{k+theta}), and eq. 68. Equalities are eliminated.
    """

    def __init__(self, system: System, solver: Solver):
        self._solver = solver.prepare(system.contacts, 1)

    def solve(self, active: Mask, equal: Mask, D: FloatArray, gap: FloatArray, tau: FloatArray) -> None:
        """Multipliers tau (c,) in place, the guess on entry; zero where a contact is not active."""
        E, J = np.flatnonzero(equal), np.flatnonzero(active & ~equal)
        A, b = D[np.ix_(J, J)], gap[J]
        if len(E):
            lift = least_squares(D[np.ix_(E, E)], np.column_stack([gap[E], D[np.ix_(E, J)]]))
            A, b = A - D[np.ix_(J, E)] @ lift[:, 1:], b - D[np.ix_(J, E)] @ lift[:, 0]
        guess = np.maximum(tau[J], 0.0)
        tau[...] = 0.0
        tau[J] = self._signorini(A, b, guess)
        if len(E):
            tau[E] = -(lift[:, 0] + lift[:, 1:] @ tau[J])

    def _signorini(self, A: FloatArray, b: FloatArray, guess: FloatArray) -> FloatArray:
        """0 <= A r + b _|_ r >= 0, over those contacts only that need it."""
        r = np.zeros(len(b))
        if b.min(initial=0.0) >= 0.0:
            return r
        # Unit diagonal and unit size: the solver's tolerance is then relative to the violation.
        scale = 1.0 / np.sqrt(np.maximum(A.diagonal(), 1e-300))
        size = float(np.abs(scale * b)[b < 0.0].max())
        A, b, r = A * scale * scale[:, None], scale * b / size, guess / (scale * size)
        solve_one = self._solver.solve_into
        r = grow((b < 0.0) | (r > 0.0), r, lambda w: _restricted(solve_one, A, b, r, w), lambda x: A @ x + b)
        return scale * size * r


class CoupledProblem:
    """p and tau of a linearised step at once (RR-8029 eq. 53), as a local problem of twice the contacts.

    Gaps over h are velocities, and tau is scaled so that D has the diagonal of W: one tolerance fits all.
    Sweeps of the solver given come first, Lemke's algorithm finishes what they do not solve.
    """

    def __init__(self, system: System, h: float, theta: float, solver: Solver):
        self._system, self._h, self._theta, self._settings = system, h, theta, solver
        self._solver: PreparedSolver | None = None
        self.last = LocalProblem(np.empty((0, 0)), np.empty(0), np.empty(0), system.dim)
        self.iterations, self.error = 0, 0.0

    def solve(
        self,
        active: Mask,
        shifted: tuple[Mask, Mask],
        u_start: FloatArray,
        W: FloatArray,
        step: ShiftedStep,
        p: FloatArray,
        tau: FloatArray,
    ) -> None:
        """Impulses p (c, d) and multipliers tau (c,) in place, guesses on entry.

        ``shifted`` holds the contacts whose gap is kept from closing, and those among them that are to end
        at g = 0.
        """
        h, theta, d = self._h, self._theta, self._system.dim
        allowed, equal = shifted
        b_u = step.u.copy()
        b_u[:, 0] += self._system.e * u_start[:, 0]
        gap_rows = (step.gap + h * theta * step.u[:, 0]) / h
        alpha = h * W[::d, ::d].trace() / max(step.D.trace(), 1e-300)
        whole = np.block([[W, -alpha * step.B], [theta * W[::d], alpha * (step.D / h - theta * step.B[::d])]])
        right = np.concatenate([b_u.ravel(), gap_rows])
        tau /= alpha

        def solve_with(working: Mask) -> FloatArray:
            places = (active, np.flatnonzero(working), np.flatnonzero(equal))
            self._solve_with(places, whole, right, p, tau)
            return tau

        def gaps(tau: FloatArray) -> FloatArray:
            g = (whole @ np.concatenate([p.ravel(), tau]) + right)[d * len(tau) :]
            return np.where(allowed & ~equal, g, 0.0)

        # tau is updated in place.
        first = allowed & ~equal & ((tau > 0.0) | (gaps(tau) < 0.0))
        grow(first, tau, solve_with, gaps)
        tau *= alpha

    def _solve_with(
        self,
        places: tuple[Mask, NDArray[np.int64], NDArray[np.int64]],
        whole: FloatArray,
        right: FloatArray,
        p: FloatArray,
        tau: FloatArray,
    ) -> None:
        """The problem of the active contacts with tau >= 0 on J, and g = 0 on E eliminated."""
        d, c = self._system.dim, self._system.contacts
        active, J, E = places
        rows = np.concatenate([np.flatnonzero(np.repeat(active, d)), d * c + J])
        A, b, ends = whole[np.ix_(rows, rows)], right[rows], d * c + E
        lift = np.zeros((0, 1 + len(rows)))
        if len(E):
            lift = least_squares(
                whole[np.ix_(ends, ends)], np.column_stack([right[ends], whole[np.ix_(ends, rows)]])
            )
            A, b = A - whole[np.ix_(rows, ends)] @ lift[:, 1:], b - whole[np.ix_(rows, ends)] @ lift[:, 0]
        m = int(active.sum())
        # Components of the local problem: a shift has a normal one only, the others are of no account.
        kept = np.concatenate([np.arange(d * m), d * (m + np.arange(len(J)))])
        size = d * (m + len(J))
        A_all, b_all, mu = np.eye(size), np.zeros(size), np.zeros(m + len(J))
        A_all[np.ix_(kept, kept)], b_all[kept], mu[:m] = A, b, self._system.mu[active]
        r = np.zeros(size)
        r[kept] = np.concatenate([p[active].ravel(), np.maximum(tau[J], 0.0)])
        self._local(LocalProblem(A_all, b_all, mu, d), r)
        p[...], tau[...] = 0.0, 0.0
        p[active], tau[J] = r[: d * m].reshape(-1, d), r[d * m :: d]
        tau[E] = -(lift[:, 0] + lift[:, 1:] @ r[kept])

    def _local(self, problem: LocalProblem, r: FloatArray) -> None:
        from fem_contact.solvers.lcp import LCP

        d = self._system.dim
        if self._solver is None:
            self._solver = self._settings.prepare(2 * self._system.contacts, d)
        self.last = problem
        self.iterations += self._solver.solve_into(problem.A, problem.b, problem.mu, r, True)
        self.error = residual(problem, r)
        if self.error > self._settings.tol and d < 3:
            result = solve(problem, LCP(tol=self._settings.tol), r)
            r[...], self.error = result.r, result.residual
            self.iterations += result.iterations


def grow(
    working: Mask,
    r: FloatArray,
    solve_with: Callable[[Mask], FloatArray],
    w: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The solution of 0 <= w(r) _|_ r >= 0 by ever larger sets of contacts that may have r > 0."""
    working = working.copy()
    for _ in range(len(working) + 1):
        r = solve_with(working)
        more = (w(r) < 0.0) & ~working
        if not more.any():
            break
        working |= more
    return r


def _restricted(
    solve_into: Callable[..., int], A: FloatArray, b: FloatArray, guess: FloatArray, working: Mask
) -> FloatArray:
    """r with the frictionless contacts outside ``working`` left open."""
    r, x = np.zeros(len(b)), guess[working]
    block = np.ascontiguousarray(A[np.ix_(working, working)])
    solve_into(block, b[working], np.zeros(len(x)), x, True)
    r[working] = x
    return r


def least_squares(A: FloatArray, b: FloatArray) -> FloatArray:
    """A^{-1} b, of least norm where contacts say the same thing twice."""
    try:
        x = np.asarray(np.linalg.solve(A, b), np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(A, b, rcond=1e-12)[0], np.float64)
    fault, size = np.abs(A @ x - b).max(initial=0.0), np.abs(b).max(initial=0.0)
    if fault <= 1e-10 * size and np.abs(A).max(initial=0.0) * np.abs(x).max(initial=0.0) <= 1e10 * size:
        return x
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-12)[0], np.float64)
