"""Fixed point of the projection on the friction cone, with a self-adaptive step and Nesterov's momentum."""

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
class Projection(VariationalMethod):
    """Fixed-point projection r <- P_K(r - rho (w + mu |w_T| n)), w = A r + b.

    The solution of the variational inequality is the fixed point for every rho > 0 (De Saxcé and Feng, 1998,
    Fortin's projection in Acary, Brémond, Huber 2018, section 4.1). Each contact has its own share of rho,
    inverse to the diagonal of A there, and the whole follows the rule of Khobotov and Marcotte: it shrinks
    while rho |F(r) - F(r')| > 0.9 |r - r'| with F = w + mu |w_T| n, and grows below 0.3. With
    ``accelerate`` the step is taken from r_k + beta_k (r_k - r_{k-1}), restarted when it turns back
    (Nesterov 1983; Mazhar, Heyn, Negrut, Tasora 2015; O'Donoghue and Candès 2015).

    One product with A an iteration. It converges for A symmetric positive semidefinite and little friction;
    slowly where A is ill-conditioned.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Products with A at most, steps refused as too long among them.
    rho : float or None
        First step relative to the diagonal of A^{-1}; the inverse of the largest eigenvalue when left out.
    accelerate : bool
        Whether to use momentum.
    """

    name: ClassVar[str] = "projection"
    accelerate: bool = True

    def _iterates(self, problem: LocalProblem, r: FloatArray, step: AdaptiveStep) -> Iterator[FloatArray]:
        w = problem.velocity(r)
        at, w_at, momentum = r, w, 1.0
        while True:
            new = np.empty_like(r)
            step.project(at, w_at, new)
            w_new = problem.velocity(new)
            if not step.accepts(at, w_at, new, w_new):
                at, w_at, momentum = r, w, 1.0
                yield r
                continue
            beta = 0.0
            if self.accelerate and np.dot(at - new, new - r) <= 0.0:
                following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
                beta, momentum = (momentum - 1.0) / following, following
            else:
                momentum = 1.0
            # w is linear in r: the extrapolated velocity needs no product.
            at, w_at = (new + beta * (new - r), w_new + beta * (w_new - w)) if beta else (new, w_new)
            r, w = new, w_new
            step.lengthen()
            yield r
