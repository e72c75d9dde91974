"""Extragradient method for the variational inequality of frictional contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _projection_kernels as kernels
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings
from fem_contact.solvers.projection import (
    GROW,
    LONG,
    LOOK,
    SHORT,
    SHRINK,
    check_step,
    first_step,
    step_ratio,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Extragradient:
    """Extragradient: r' = P_K(r - rho F(r)), r <- P_K(r - rho F(r')), F(r) = w + mu |w_T| n, w = A r + b.

    Korpelevich (1976), with the step of Khobotov (1987) and Marcotte (1991): rho shrinks while
    rho |F(r) - F(r')| > 0.9 |r - r'| and grows below 0.3; Acary, Brémond, Huber (2018), section 4.2. Each
    contact has its own share of rho, inverse to the diagonal of A there. Unlike the plain projection it needs
    F monotone only, so that A may be far from symmetric. Two products with A an iteration.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Iterations at most, steps refused as too long among them.
    rho : float or None
        First step relative to the diagonal of A^{-1}; the inverse of the largest eigenvalue when left out.
    """

    name: ClassVar[str] = "extragradient"
    tol: float = 1e-10
    max_iter: int = 100_000
    rho: float | None = None

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        check_step(self.name, self.rho)

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Iterate from ``r`` until the watch is content or ``max_iter`` is reached."""
        if not problem.contacts:
            return
        mu, d = problem.mu, problem.d
        scale, rho, longest = first_step(problem, self.rho)
        r, w = r.copy(), problem.velocity(r)
        ahead = np.empty_like(r)
        unseen = 0
        for count in range(1, self.max_iter + 1):
            kernels.step(r, w, mu, d, rho / scale, ahead)
            w_ahead = problem.velocity(ahead)
            unseen += 1
            ratio = step_ratio(rho, kernels.stretch(r, w, ahead, w_ahead, mu, d, scale))
            if ratio > LONG:
                rho *= SHRINK * min(1.0, 1.0 / ratio)
            else:
                kernels.step(r, w_ahead, mu, d, rho / scale, r)
                w = problem.velocity(r)
                rho = min(GROW * rho, longest) if ratio < SHORT else rho
            if count % LOOK == 0 or count == self.max_iter:
                if watch.see(r, unseen, self.name):
                    return
                unseen = 0

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """For problems of ``d`` components; nothing is kept between them."""
        return PlainPrepared(self, d)
