"""What the projection methods for the variational inequality share: their settings, step and loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
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
class VariationalMethod(ABC):
    """Settings and loop of a method that projects on the cones with an adaptive step; see its subclasses."""

    name: ClassVar[str] = ""
    tol: float = 1e-10
    max_iter: int = 100_000
    rho: float | None = None

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if self.rho is not None and not (np.isfinite(self.rho) and self.rho > 0.0):
            raise ModelError(f"{self.name} rho = {self.rho!r}: it must be a positive number")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Iterate from ``r`` until the watch is content or ``max_iter`` is reached."""
        if not problem.contacts:
            return
        unseen = 0
        iterates = self._iterates(problem, r.copy(), AdaptiveStep(problem, self.rho))
        for count in range(1, self.max_iter + 1):
            r = next(iterates)
            unseen += 1
            if count % LOOK == 0 or count == self.max_iter:
                if watch.see(r, unseen, self.name):
                    return
                unseen = 0

    @abstractmethod
    def _iterates(self, problem: LocalProblem, r: FloatArray, step: AdaptiveStep) -> Iterator[FloatArray]:
        """The iterates after ``r``, without end; one that is refused is not left out but repeated."""

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """For problems of ``d`` components; nothing is kept between them."""
        return PlainPrepared(self, d)


class AdaptiveStep:
    """The step of Khobotov and Marcotte, with a share of it for each contact, inverse to the diagonal of A.

    It shrinks while rho |F(r) - F(r')| > 0.9 |r - r'| with F = w + mu |w_T| n, and grows below 0.3.
    """

    def __init__(self, problem: LocalProblem, rho: float | None):
        self._mu, self._d = problem.mu, problem.d
        self._scale = contact_scale(problem)
        sure = LONG / spectral_bound(problem.A, self._scale, problem.d)
        self.rho, self._longest = sure if rho is None else rho, LONGEST * sure
        self._short = False

    def project(self, r: FloatArray, w: FloatArray, out: FloatArray) -> None:
        """out = P_K(r - rho (w + mu |w_T| n))."""
        kernels.step(r, w, self._mu, self._d, self.rho / self._scale, out)

    def accepts(self, r: FloatArray, w: FloatArray, new: FloatArray, w_new: FloatArray) -> bool:
        """Whether rho was not too long on the way from r to ``new``; rho is shorter after a refusal."""
        way, change = kernels.stretch(r, w, new, w_new, self._mu, self._d, self._scale)
        # Of a step that leads nowhere, a harmless ratio.
        ratio = self.rho * float(np.sqrt(change / way)) if way > 0.0 else 0.5 * (LONG + SHORT)
        self._short = ratio < SHORT
        if ratio > LONG:
            self.rho *= SHRINK * min(1.0, 1.0 / ratio)
            return False
        return True

    def lengthen(self) -> None:
        """A longer rho if that of the last accepted step was short."""
        if self._short:
            self.rho = min(GROW * self.rho, self._longest)
