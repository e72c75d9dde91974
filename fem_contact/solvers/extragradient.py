"""Extragradient method for the variational inequality of frictional contact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers._variational import AdaptiveStep, VariationalMethod

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Extragradient(VariationalMethod):
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

    def _iterates(self, problem: LocalProblem, r: FloatArray, step: AdaptiveStep) -> Iterator[FloatArray]:
        w, ahead = problem.velocity(r), np.empty_like(r)
        while True:
            step.project(r, w, ahead)
            w_ahead = problem.velocity(ahead)
            if step.accepts(r, w, ahead, w_ahead):
                step.project(r, w_ahead, r)
                w = problem.velocity(r)
                step.lengthen()
            yield r
