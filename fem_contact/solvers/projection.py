"""Fixed point of the projection on the friction cone, with a self-adaptive step and Nesterov's momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _projection_kernels as kernels
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings
from fem_contact.solvers.cones import contact_scale, spectral_bound

FloatArray = NDArray[np.float64]

#: Iterations between two looks at the residual.
LOOK = 20

#: A step is too long where rho |F(r) - F(r')| > LONG |r - r'|, short below SHORT; it shrinks by SHRINK and
#: grows by GROW (the values of Acary, Brémond, Huber 2018 are 0.9, 0.3, 2/3 and 3/2).
LONG, SHORT, SHRINK, GROW = 0.9, 0.3, 2.0 / 3.0, 1.5

#: A step grows up to this multiple of the inverse of the largest eigenvalue: without a bound, a problem that
#: has no solution would drive r to where w is lost in its round-off, and nothing could be judged.
LONGEST = 1e4


@dataclass(frozen=True)
class Projection:
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
    tol: float = 1e-10
    max_iter: int = 100_000
    rho: float | None = None
    accelerate: bool = True

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
        at, w_at, momentum = r, w, 1.0
        unseen = 0
        for count in range(1, self.max_iter + 1):
            new = np.empty_like(r)
            kernels.step(at, w_at, mu, d, rho / scale, new)
            w_new = problem.velocity(new)
            unseen += 1
            ratio = step_ratio(rho, kernels.stretch(at, w_at, new, w_new, mu, d, scale))
            if ratio > LONG:
                rho *= SHRINK * min(1.0, 1.0 / ratio)
                at, w_at, momentum = r, w, 1.0
            else:
                beta = 0.0
                if self.accelerate and np.dot(at - new, new - r) <= 0.0:
                    following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum))
                    beta, momentum = (momentum - 1.0) / following, following
                else:
                    momentum = 1.0
                # w is linear in r: the extrapolated velocity needs no product.
                at, w_at = (new + beta * (new - r), w_new + beta * (w_new - w)) if beta else (new, w_new)
                r, w = new, w_new
                rho = min(GROW * rho, longest) if ratio < SHORT else rho
            if count % LOOK == 0 or count == self.max_iter:
                if watch.see(r, unseen, self.name):
                    return
                unseen = 0

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """For problems of ``d`` components; nothing is kept between them."""
        return PlainPrepared(self, d)


def check_step(name: str, rho: float | None) -> None:
    """Raise ModelError unless ``rho`` is None or a positive number."""
    if rho is not None and not (np.isfinite(rho) and rho > 0.0):
        raise ModelError(f"{name} rho = {rho!r}: it must be a positive number")


def first_step(problem: LocalProblem, rho: float | None) -> tuple[FloatArray, float, float]:
    """Weights of the contacts (c,), the first step relative to them, and the longest one."""
    scale = contact_scale(problem)
    sure = LONG / spectral_bound(problem.A, scale, problem.d)
    return scale, sure if rho is None else rho, LONGEST * sure


def step_ratio(rho: float, lengths: tuple[float, float]) -> float:
    """rho |F(r) - F(r')| / |r - r'| from their squares; of a step that leads nowhere a harmless value."""
    way, change = lengths
    return rho * float(np.sqrt(change / way)) if way > 0.0 else 0.5 * (LONG + SHORT)
