"""Nonsmooth Gauss-Seidel with an exact one-contact solve and an exact linear finish."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _nsgs_kernels as kernels
from fem_contact.solvers.base import Watch

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NSGS:
    """Block Gauss-Seidel over the contacts (Jourdan, Alart, Jean 1998), each solved exactly.

    A sweep stops at a residual of ``tol``. With ``finish`` the status found (open, stick, slip to
    either side) is then solved as one linear system, tried as soon as a sweep leaves the status as
    it was and kept only when it contradicts no contact: r is then exact to round-off, so that a
    sliding contact does no positive tangential work by the leftover of an iteration.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Sweeps at most.
    finish : bool
        Whether to finish exactly.
    """

    tol: float = 1e-10
    max_iter: int = 10_000
    finish: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tol) and self.tol > 0.0):
            raise ModelError(f"solver tol = {self.tol!r}: it must be a positive number")
        if self.max_iter < 1:
            raise ModelError(f"solver max_iter = {self.max_iter!r}: it must be at least 1")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Sweep from ``r`` until the watch is content or ``max_iter`` sweeps are made."""
        r = r.copy()
        solver = replace(self, tol=min(self.tol, watch.tol))
        iterations = solver.prepare(problem.contacts, problem.d).solve_into(
            problem.dense(), problem.b, problem.mu, r
        )
        watch.see(r, iterations, "nsgs")

    def prepare(self, contacts: int, d: int) -> PreparedNSGS:
        """Work space for problems of up to ``contacts`` contacts of ``d`` components (1 or 2)."""
        if d not in (1, 2):
            raise ModelError(f"nsgs solves contacts of 1 or 2 components, not {d}")
        return PreparedNSGS(self, contacts, d)


class PreparedNSGS:
    """NSGS with its work space; remembers the factors of the last status."""

    def __init__(self, settings: NSGS, contacts: int, d: int):
        size = d * contacts
        self.settings, self.d = settings, d
        self._transposed = np.empty(size * size)
        self._lu = np.empty((size, size))
        self._vectors = np.empty((4, size))
        self._integers = np.empty((2, size), np.int64)
        self._statuses = np.empty((3, contacts), np.int64)
        self._memory = np.full(1, -2, np.int64)
        self._views = cache(self._make_views)

    def solve_into(
        self, A: FloatArray, b: FloatArray, mu: FloatArray, r: FloatArray, fresh: bool = True
    ) -> int:
        """Solve A r + b = w for the guess in ``r``, in place; returns the number of sweeps.

        Parameters
        ----------
        A : (m, m), b : (m,), mu : (c,), r : (m,)
            m = d*c of the sizes prepared for, or less.
        fresh : bool
            False when A and mu are those of the call before.
        """
        count = len(mu)
        if not count:
            return 0
        transposed, work = self._views(count)
        if fresh:
            transposed[...] = A.T
            self._memory[0] = -2
        s = self.settings
        return int(
            kernels.gauss_seidel(
                A, transposed, b, mu, self.d, s.tol, s.max_iter, s.finish, r, self._memory, *work
            )
        )

    def _make_views(self, count: int) -> tuple[FloatArray, tuple[NDArray, ...]]:
        """The work space of problems of ``count`` contacts."""
        m = self.d * count
        status, held, revised = (row[:count] for row in self._statuses)
        w, x, trial, trial_w = (row[:m] for row in self._vectors)
        pivots, rows = self._integers
        transposed = self._transposed[: m * m].reshape(m, m)
        return transposed, (status, w, held, self._lu, pivots, rows, x, trial, trial_w, revised)
