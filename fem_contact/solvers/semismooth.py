"""Semismooth Newton methods on complementarity functions of frictional contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _semismooth_kernels as kernels
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings, lost
from fem_contact.solvers.linear.newton_systems import newton_system

FloatArray = NDArray[np.float64]

#: Complementarity functions by name.
FUNCTIONS: dict[str, Callable[..., float]] = {
    "alart-curnier": kernels.alart_curnier,
    "jean-moreau": kernels.jean_moreau,
    "natural-map": kernels.natural_map,
}
#: Shift of A relative to its diagonal: at first, at least and at most; from PROXIMAL on it counts in Phi.
SHIFT, LEAST, MOST, PROXIMAL, START = 1e-9, 1e-12, 1e3, 1e-6, 1e-1
#: Steps tried before a search fails, and merits that a new one is compared with.
HALVINGS, MEMORY = 10, 5
#: Steps after which a stall is looked for; fewer than QUICK in a proximal point step let the shift fall fast.
PATIENCE, QUICK = 15, 8


@dataclass(frozen=True)
class SemismoothNewton:
    """Newton's method on Phi(r, A r + b) = 0 with an element of the generalised Jacobian.

    ``function`` is one of

    - "alart-curnier": r_N - [z_N]_+ and r_T - P_D(r_T - rho_T w_T), z_N = r_N - rho_N w_N, with D the disk
      of radius mu [z_N]_+ (Alart and Curnier, 1991);
    - "jean-moreau": the same with radius mu [r_N]_+ (Jean and Moreau, 1987);
    - "natural-map": r - P_K(r - rho (w + mu |w_T| n)) (De Saxcé and Feng, 1998).

    Every step solves (diag(B) + diag(C) (A + shift)) dr = -Phi, B and C the derivatives of Phi with respect
    to r and w, for the contacts that are not open (phi = r there). The shift, tiny, makes the matrix regular
    when A is rank-deficient and costs no accuracy: its error in r lies in the kernel of A. A non-monotone
    Armijo search on |Phi|^2/2 (Grippo, Lampariello, Lucidi, 1986) picks the step. Where the method stalls it
    goes on by proximal point steps, each the problem with A + shift and b - shift r_k, with a shift that
    falls with success. See Acary, Brémond, Huber (2018), "On solving contact problems with Coulomb friction".

    Parameters
    ----------
    tol : float
        Residual to reach.
    max_iter : int
        Newton steps at most.
    function : str
        A key of ``FUNCTIONS``.

    Raises
    ------
    ModelError
        On settings that are not allowed.
    """

    tol: float = 1e-10
    max_iter: int = 500
    function: str = "alart-curnier"
    name: ClassVar[str] = "semismooth"

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if self.function not in FUNCTIONS:
            raise ModelError(
                f"{self.name} function = {self.function!r}: it must be one of {', '.join(FUNCTIONS)}"
            )

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Newton steps from ``r`` until the watch is content, ``max_iter`` or the shift has no effect."""
        if not problem.contacts:
            return
        path = _Path(problem, self.function, r)
        for _ in range(self.max_iter):
            taken = path.advance()
            if lost(problem, path.r, watch.tol):
                return
            if watch.see(path.r, 1, self.name):
                return
            if path.shift < PROXIMAL:
                path.follow(taken, watch)
            else:
                path.approach(taken)
            if path.shift > MOST:
                return

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """Work space: none of its own."""
        return PlainPrepared(self, d)


def scalings(problem: LocalProblem, function: str) -> FloatArray:
    """rho_N, rho_T of every contact, shape (c, 2): inverse diagonal blocks; equal for the natural map."""
    d = problem.d
    diagonal = np.abs(problem.A.diagonal()).reshape(problem.contacts, d)
    diagonal = np.maximum(diagonal, 1e-6 * diagonal.max(initial=0.0) or 1.0)
    normal = diagonal[:, 0]
    tangential = diagonal[:, 1:].max(axis=1) if d > 1 else normal
    if function == "natural-map":
        normal = tangential = diagonal.mean(axis=1)
    return np.ascontiguousarray(1.0 / np.column_stack([normal, tangential]))


class _Path:
    """The iterate, with Phi, its blocks and w there.

    w = A r + b + shift (r - centre)/rho_N belongs to a proximal point step from ``centre``. Below a shift of
    ``PROXIMAL`` the centre is the iterate itself, so that the shift is but a regularisation of the matrix.
    """

    def __init__(self, problem: LocalProblem, function: str, r: FloatArray):
        c, d = problem.contacts, problem.d
        self.problem, self.system, self.function = problem, newton_system(problem), FUNCTIONS[function]
        self.rho = scalings(problem, function)
        self.stiffness = 1.0 / self.rho[:, 0]
        self.phi, self.trial, self.w = np.empty(c * d), np.empty(c * d), np.empty(c * d)
        self.B, self.C = np.empty((c, d, d)), np.empty((c, d, d))
        self.closed = np.empty(c, np.bool_)
        self.r, self.centre, self.shift = r.copy(), r.copy(), SHIFT
        self.steps, self.mark = 0, float("inf")
        self.recent: list[float] = []
        self.settle()

    def settle(self) -> None:
        """Evaluate at the iterate after a change of centre or shift; earlier merits count no more."""
        self.steps = 0
        self.recent = [self._look()]

    def _look(self) -> float:
        """|Phi|^2/2 at the iterate."""
        self.w = self.system.A @ self.r + self.problem.b
        if self.shift >= PROXIMAL:
            self.w += self._pull(self.r - self.centre)
        return self._evaluate(self.r, self.w, self.phi)

    def _pull(self, x: FloatArray) -> FloatArray:
        """shift x / rho_N."""
        return self.shift * np.repeat(self.stiffness, self.problem.d) * x

    def _evaluate(self, r: FloatArray, w: FloatArray, phi: FloatArray) -> float:
        """|Phi|^2/2 at r, w; phi, B, C and closed are written."""
        p = self.problem
        return self.function(r, w, p.mu, self.rho, p.d, phi, self.B, self.C, self.closed)

    def advance(self) -> float:
        """One Newton step; returns the length taken, 0 when none lowers the merit."""
        step = self._direction()
        taken = 0.0 if step is None else self._search(step)
        if step is not None and taken > 0.0:
            self.r = self.r + taken * step
        self.recent = [*self.recent[1 - MEMORY :], self._look()]
        self.steps += 1
        return taken

    def follow(self, taken: float, watch: Watch) -> None:
        """After a plain step: on, or from the best iterate by proximal point steps after a stall."""
        if self.steps % PATIENCE == 0:
            stalled, self.mark = watch.residual > 0.5 * self.mark, watch.residual
        else:
            stalled = False
        if taken == 0.0 or stalled:
            self.r, self.centre, self.shift = watch.best.copy(), watch.best.copy(), START
            self.settle()
        elif taken == 1.0:
            self.shift = max(0.1 * self.shift, LEAST)

    def approach(self, taken: float) -> None:
        """After a step within a proximal point step: on, or a new centre, or a greater shift."""
        moved = float(np.linalg.norm(self.r - self.centre))
        if np.sqrt(2.0 * self.recent[-1]) <= 0.1 * self.shift * moved:
            self.shift *= 0.1 if self.steps < QUICK else 0.5
            self.centre = self.r.copy()
            self.mark = float("inf")
            self.settle()
        elif taken == 0.0 or self.steps >= PATIENCE:
            self.shift *= 10.0
            self.r = self.centre.copy()
            self.settle()

    def _direction(self) -> FloatArray | None:
        """The Newton step, None when the matrix is singular."""
        d = self.problem.d
        contacts = np.flatnonzero(self.closed)
        step = np.where(np.repeat(self.closed, d), 0.0, -self.phi)
        if not len(contacts):
            return step
        rows = (d * contacts[:, None] + np.arange(d)).ravel()
        right = -self.phi[rows]
        if np.any(step):
            known = (self.system.A @ step).reshape(-1, d)[contacts]
            right -= np.einsum("ijk,ik->ij", self.C[contacts], known).ravel()
        solve = self.system.factor(self.B, self.C, self.shift * self.stiffness, contacts)
        if solve is None:
            return None
        step[rows] = solve(right)
        return step if np.all(np.isfinite(step)) else None

    def _search(self, step: FloatArray) -> float:
        """The first of 1, 1/2, 1/4, ... that lowers the merit; 0 when none does."""
        dw = self.system.A @ step
        if self.shift >= PROXIMAL:
            dw += self._pull(step)
        bound, length = max(self.recent), 1.0
        for _ in range(HALVINGS):
            merit = self._evaluate(self.r + length * step, self.w + length * dw, self.trial)
            if merit <= (1.0 - 1e-4 * length) * bound:
                return length
            length *= 0.5
        return 0.0
