"""Alternating directions (ADMM) on the cone problem, with a Newton finish on the same equation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _admm_kernels as kernels
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings
from fem_contact.solvers.cones import contact_scale, tangential_norms

FloatArray = NDArray[np.float64]

#: Iterations between two looks at the residual.
LOOK = 20

#: Unknowns up to which a sparse A is treated as a dense one, which is then faster.
DENSE = 600

#: Penalties that are tried in turn, as multiples of the first, when the best residual has not been halved
#: for PATIENCE looks (longer every time).
PENALTIES, PATIENCE = (0.25, 4.0, 0.05, 1.0, 0.01, 16.0, 0.5, 2.0, 0.25, 1.0), 25


@dataclass(frozen=True)
class ADMM:
    """Alternating direction method of multipliers for min 1/2 r.A r + r.(b + s n), r in K, s = mu |w_T|.

    In variables scaled contact by contact so that A has a unit diagonal, with the penalty rho::

        z = P_K(v),  w = rho (z - v)                     (w in K*, w.z = 0)
        (A + rho I) r = rho (2 z - v) - b - mu |w_T| n
        v <- v + alpha (r - z)

    that is over-relaxed ADMM in the one variable v = z + u (u the scaled multiplier; the form of Douglas
    and Rachford). The term of De Saxcé follows at every iteration, so that the fixed point is a solution of
    the frictional problem and not of the associated one. One factorisation serves all iterations with one
    rho. What rho suits best differs between problems by an order of magnitude either way, and balancing the
    primal and the dual residual (Boyd et al. 2011, section 3.4.1) misjudges it where contacts are redundant:
    here another rho is taken where progress stalls, a bounded number of times. A need not be symmetric.
    Source: Acary, Brémond, Huber (2018), "On solving contact problems with Coulomb friction"; Kanno, Martins,
    Pinto da Costa (2006) for the convex subproblem.

    With ``finish`` Newton's method is tried now and then on rho (z - v) - b - s n - A z = 0, which has the
    same solutions, with a non-monotone search on |T(v) - v|, and kept where that falls.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Iterations and Newton steps at most, together.
    rho : float
        Penalty at the start, relative to the diagonal of A.
    relaxation : float
        alpha, between 0 and 2.
    adapt : bool
        Whether rho may change.
    finish : bool
        Whether to try Newton's method.
    """

    name: ClassVar[str] = "admm"
    tol: float = 1e-10
    max_iter: int = 20_000
    rho: float = 0.2
    relaxation: float = 1.6
    adapt: bool = True
    finish: bool = True

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if not (np.isfinite(self.rho) and self.rho > 0.0):
            raise ModelError(f"admm rho = {self.rho!r}: it must be a positive number")
        if not 0.0 < self.relaxation < 2.0:
            raise ModelError(f"admm relaxation = {self.relaxation!r}: it must lie between 0 and 2")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Iterate from ``r`` until the watch is content or ``max_iter`` is reached."""
        if problem.contacts:
            _Iteration(self, problem, r, watch).run()

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """For problems of ``d`` components; nothing is kept between them."""
        return PlainPrepared(self, d)


class _Iteration:
    """The state of one attempt: v, its image under the map, and the factors for the present rho."""

    def __init__(self, settings: ADMM, problem: LocalProblem, r: FloatArray, watch: Watch):
        self.settings, self.problem, self.watch = settings, problem, watch
        # r_T = tau x_T turns K into the cone of mu / tau: for a large mu that of 1 is much better shaped.
        stretch = np.maximum(problem.mu, 1.0)
        self.mu = problem.mu / stretch
        weights = np.ones((problem.contacts, problem.d))
        weights[:, 1:] = stretch[:, None]
        weights /= np.sqrt(contact_scale(problem, weights.ravel()))[:, None]
        self.scale: FloatArray = weights.ravel()
        self.system = _system(problem, self.scale)
        self.b = self.scale * problem.b
        self.z, self.rhs = np.empty(len(r)), np.empty(len(r))
        self.rho, self.changes = settings.rho, 0
        self.spent = self.unseen = self.idle = self.attempts = 0
        self.goal, self.patience = watch.residual, PATIENCE
        start = r / self.scale
        w = self.system.A @ start + self.b
        w[:: problem.d] += self.mu * tangential_norms(w, problem.d)
        self.v = start - w / self.rho
        self.system.factor(self.rho)
        self.defect = self.map_defect(self.v)

    def map_defect(self, v: FloatArray) -> FloatArray:
        """T(v) - v = alpha (r - z); leaves z in ``self.z``."""
        kernels.split(v, self.b, self.mu, self.problem.d, self.rho, self.z, self.rhs)
        return np.asarray(self.settings.relaxation * (self.system.solve(self.rhs) - self.z))

    def look(self) -> bool:
        """Show z = P_K(v) to the watch; True when to stop."""
        kernels.split(self.v, self.b, self.mu, self.problem.d, self.rho, self.z, self.rhs)
        stop = self.watch.see(self.scale * self.z, self.unseen, self.settings.name)
        self.unseen = 0
        return stop or self.spent >= self.settings.max_iter

    def run(self) -> None:
        """Iterate, look, balance rho and try Newton's method in turn."""
        wait = pause = float(max(LOOK, len(self.b) // 20))
        newton_at = wait
        while True:
            for _ in range(min(LOOK, self.settings.max_iter - self.spent)):
                self.v = self.v + self.defect
                self.defect = self.map_defect(self.v)
                self.spent += 1
                self.unseen += 1
            if self.look():
                return
            if self.settings.finish and self.spent >= newton_at:
                steps = self.newton()
                # Steps that were of use are soon tried again, useless ones ever more rarely.
                self.attempts += steps <= 2
                pause = wait if steps > 2 else min(1.5 * pause, 50 * wait)
                newton_at = self.spent + pause
                if steps and self.look():
                    return
            if self.settings.adapt and self.stalled():
                self.penalise(PENALTIES[self.changes] * self.settings.rho)
                self.idle, self.patience = 0, self.patience + PATIENCE // 2

    def stalled(self) -> bool:
        """Whether the best residual has not been halved for ``patience`` looks."""
        if self.watch.residual < 0.5 * self.goal:
            self.goal, self.idle = self.watch.residual, 0
        else:
            self.idle += 1
        return self.idle >= self.patience and self.changes < len(PENALTIES)

    def penalise(self, rho: float) -> None:
        """Go on with another rho: z and w stay, v = z - w / rho changes."""
        kernels.split(self.v, self.b, self.mu, self.problem.d, self.rho, self.z, self.rhs)
        self.v = self.z + (self.v - self.z) * (self.rho / rho)
        self.rho = rho
        self.changes += 1
        self.system.factor(rho)
        self.defect = self.map_defect(self.v)

    def ridge(self, size: float) -> float:
        """What to add to the diagonal of A at the distance ``size`` from the fixed point."""
        share = RIDGES[self.attempts % len(RIDGES)]
        return share * min(1.0, size / max(float(np.linalg.norm(self.z)), 1e-300)) + 1e-9

    def newton(self) -> int:
        """Newton steps towards the fixed point; v ends on the nearest point met. Returns its number."""
        c, d = self.problem.contacts, self.problem.d
        P, R = np.empty((2, c, d, d))
        sizes = [float(np.linalg.norm(self.defect))]
        nearest, best = 0, (self.v, self.defect)
        while self.spent < self.settings.max_iter and len(sizes) <= STEPS and not self.watch.late:
            if sizes[-1] == 0.0 or len(sizes) - nearest > WINDOW + 4:
                break
            kernels.split(self.v, self.b, self.mu, d, self.rho, self.z, self.rhs)
            kernels.slopes(self.v, self.mu, d, self.rho, P, R)
            value = self.rhs - self.rho * self.z - self.system.A @ self.z
            way = self.system.newton_step(P, R, -value, self.ridge(sizes[-1]))
            self.spent += 1
            self.unseen += 1
            if way is None or not self.search(way, sizes):
                break
            if sizes[-1] < sizes[nearest]:
                nearest, best = len(sizes) - 1, (self.v, self.defect)
            # A look costs a product, a step much more.
            if sizes[-1] < 1e-8 * float(np.linalg.norm(self.z)) and self.look():
                break
        self.v, self.defect = best
        return nearest

    def search(self, way: FloatArray, sizes: list[float]) -> bool:
        """Go along ``way`` until the defect is below the largest of the last few; notes its size."""
        share = 1.0
        while share > 0.1:
            trial = self.v + share * way
            defect = self.map_defect(trial)
            reached = float(np.linalg.norm(defect))
            if reached < (1.0 - 0.1 * share) * max(sizes[-WINDOW:]):
                self.v, self.defect = trial, defect
                sizes.append(reached)
                return True
            share *= 0.5
        return False


#: Newton steps in a row at most; window of the non-monotone search (Grippo, Lampariello, Lucidi 1986).
STEPS, WINDOW = 30, 5

#: Newton's matrix takes A + ridge I, as A is singular where contacts are redundant: the ridge is one of these
#: shares of the relative distance from the fixed point (A has a unit diagonal), the next where one is no use.
RIDGES = (1.0, 1e-3, 1e-6)


class _DenseSystem:
    """A + rho I and Newton's matrix as dense arrays."""

    def __init__(self, A: FloatArray):
        self.A = A
        self._symmetric = bool(np.abs(A - A.T).max(initial=0.0) <= 1e-13 * np.abs(A).max(initial=0.0))
        self._inverse = np.empty_like(A)
        self._jacobian = np.empty_like(A)

    def factor(self, rho: float) -> None:
        """(A + rho I)^{-1}, explicitly: a product is faster than two triangular solves."""
        from scipy.linalg import lapack

        matrix = self.A + rho * np.eye(len(self.A))
        if self._symmetric:
            factors, failed = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
            if not failed:
                lower = np.tril(lapack.dpotri(factors, lower=1, overwrite_c=1)[0])
                self._inverse = lower + np.tril(lower, -1).T
                return
            matrix = self.A + rho * np.eye(len(self.A))
        try:
            self._inverse = np.asarray(np.linalg.inv(matrix), np.float64)
        except np.linalg.LinAlgError:
            self._inverse = np.asarray(np.linalg.pinv(matrix), np.float64)

    def solve(self, rhs: FloatArray) -> FloatArray:
        """(A + rho I)^{-1} rhs."""
        return np.asarray(self._inverse @ rhs)

    def newton_step(self, P: FloatArray, R: FloatArray, rhs: FloatArray, ridge: float) -> FloatArray | None:
        """Solution of (R - (A + ridge I) P) x = rhs; None when it cannot be had."""
        kernels.jacobian(self.A, P, R, ridge, self._jacobian)
        try:
            x = np.asarray(np.linalg.solve(self._jacobian, rhs), np.float64)
        except np.linalg.LinAlgError:
            return None
        return x if np.all(np.isfinite(x)) else None


class _SparseSystem:
    """A + rho I and Newton's matrix in sparse blocks, factorised by SuperLU."""

    def __init__(self, A: Any):
        self.A = A
        rows = np.repeat(np.arange(A.shape[0] // A.blocksize[0]), np.diff(A.indptr))
        self._diagonal = np.flatnonzero(rows == A.indices)

    def _factors(self, data: FloatArray) -> Any:
        from scipy.sparse import bsr_matrix
        from scipy.sparse.linalg import splu

        matrix = bsr_matrix((data, self.A.indices, self.A.indptr), shape=self.A.shape).tocsc()
        matrix.eliminate_zeros()
        return splu(
            matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1, options={"SymmetricMode": True}
        )

    def factor(self, rho: float) -> None:
        """LU factors of A + rho I."""
        data = self.A.data.copy()
        data[self._diagonal] += rho * np.eye(data.shape[1])
        self._lu = self._factors(data)

    def solve(self, rhs: FloatArray) -> FloatArray:
        """(A + rho I)^{-1} rhs."""
        return np.asarray(self._lu.solve(rhs))

    def newton_step(self, P: FloatArray, R: FloatArray, rhs: FloatArray, ridge: float) -> FloatArray | None:
        """Solution of (R - (A + ridge I) P) x = rhs; None when it cannot be had."""
        data = -np.matmul(self.A.data, P[self.A.indices])
        data[self._diagonal] += R - ridge * P
        try:
            x = self._factors(data).solve(rhs)
        except RuntimeError:
            return None
        return x if np.all(np.isfinite(x)) else None


def _system(problem: LocalProblem, scale: FloatArray) -> _DenseSystem | _SparseSystem:
    """The matrix of the scaled problem, S A S, dense when that is what it is or when it is small."""
    if not problem.sparse or len(scale) <= DENSE:
        return _DenseSystem(problem.dense() * scale * scale[:, None])
    A, c = problem.A.copy(), problem.contacts
    rows, blocks = np.repeat(np.arange(c), np.diff(A.indptr)), scale.reshape(c, problem.d)
    A.data *= blocks[rows][:, :, None] * blocks[A.indices][:, None, :]
    return _SparseSystem(A)
