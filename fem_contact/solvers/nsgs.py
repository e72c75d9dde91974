"""Nonsmooth Gauss-Seidel with an exact one-contact solve and, in the plane, an exact linear finish."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.base import Watch, check_settings
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels

FloatArray = NDArray[np.float64]

#: Components d*c up to which the compiled finish is used; sparse problems in the plane are made dense for it.
SMALL = 240

#: Sweeps before the first look, and at most between two.
FIRST_LOOK, LAST_LOOK = 10, 160


@dataclass(frozen=True)
class NSGS:
    """Block Gauss-Seidel over the contacts (Jourdan, Alart, Jean 1998), each solved exactly.

    Contact by contact, r_i solves -(w_i + mu_i |w_T,i| n) in N_K(r_i) with w_i = (A r + b)_i and every
    other r_j as it is. A sweep stops at a residual of ``tol``. With ``finish``, for contacts of one or two
    components, the status found (open, stick, slip to either side) is then solved as one linear system,
    tried as soon as a sweep leaves the status as it was and kept only when it contradicts no contact: r
    is then exact to round-off, so that a sliding contact does no positive tangential work by the
    leftover of an iteration. Where the reactions are not unique, those near the iterate are taken. A large
    problem (see ``SMALL``) solved by itself is left as it is once the residual is reached by sweeps.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Sweeps at most.
    finish : bool
        Whether to finish exactly.
    relaxation : float
        Share of the way that a contact goes to its own solution, in (0, 2). It is halved, down to 0.05,
        when the sweeps run in circles.
    symmetric : bool
        Whether each sweep goes forward and then back (counted once).
    shuffle : bool
        Whether the contacts are put in a new random order before each sweep.
    seed : int
        Of that order.

    Raises
    ------
    ModelError
        On a value that is not allowed.
    """

    name: ClassVar[str] = "nsgs"

    tol: float = 1e-10
    max_iter: int = 10_000
    finish: bool = True
    relaxation: float = 1.0
    symmetric: bool = False
    shuffle: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if not 0.0 < self.relaxation < 2.0:
            raise ModelError(f"solver relaxation = {self.relaxation!r}: it must lie between 0 and 2")
        if self.seed < 0:
            raise ModelError(f"solver seed = {self.seed!r}: it must not be negative")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Sweep from ``r`` until the watch is content or ``max_iter`` sweeps are made."""
        from fem_contact.solvers.gauss_seidel import nsgs_sweeps as sweeps

        r = r.copy()
        if not problem.contacts:
            watch.see(r, 0, self.name)
            return
        few = problem.d < 3 and len(problem.b) <= SMALL
        run = sweeps.sweeps_of(self, problem, few)
        try_status = self.finish and problem.d < 3 and not few
        seen = tried = np.empty(0, np.int64)
        made, batch = 0, FIRST_LOOK
        while made < self.max_iter:
            count = run(r, min(batch, self.max_iter - made), watch.tol)
            made += count
            if watch.see(r, count, self.name):
                return
            if try_status:
                status = sweeps.status_at(problem, r)
                if np.array_equal(status, seen) and not np.array_equal(status, tried):
                    if watch.see(sweeps.solve_on_status(problem, status, r), 0, self.name):
                        return
                    tried = status
                seen = status
            batch = min(2 * batch, LAST_LOOK)

    def prepare(self, contacts: int, d: int) -> PreparedNSGS:
        """Work space for problems of up to ``contacts`` contacts of ``d`` components."""
        if d not in (1, 2, 3):
            raise ModelError(f"nsgs solves contacts of 1, 2 or 3 components, not {d}")
        return PreparedNSGS(self, contacts, d)


class PreparedNSGS:
    """NSGS with its work space; remembers the factors of the last status."""

    def __init__(self, settings: NSGS, contacts: int, d: int, exact: bool = True):
        size = d * contacts
        self.settings, self.d = settings, d
        self.exact = exact and settings.finish and d < 3
        self._transposed = np.empty(size * size)
        self._lu = np.empty((size, size) if self.exact else (1, 1))
        self._vectors = np.empty((4, size))
        self._integers = np.empty((3, size), np.int64)
        self._statuses = np.empty((4, contacts), np.int64)
        self._memory = np.full(2, -2, np.int64)
        self._old = np.empty(3)
        self._state = np.empty(kernels.STATE)
        self._seed = np.empty(1, np.uint64)
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
        if not len(mu):
            return 0
        self.start(A, len(mu), fresh)
        return self.sweep(A, b, mu, r, self.settings.max_iter, self.settings.tol)

    def start(self, A: FloatArray, count: int, fresh: bool = True) -> None:
        """Begin a solve with ``count`` contacts."""
        transposed, order, status, _ = self._views(count)
        if fresh:
            transposed[...] = A.T
            self._memory[0] = -2
        if self.settings.shuffle:
            begin_order(order, self._seed, self.settings.seed)
        kernels.start(self.settings.relaxation, self._state, status)

    def sweep(
        self, A: FloatArray, b: FloatArray, mu: FloatArray, r: FloatArray, sweeps: int, tol: float
    ) -> int:
        """Up to ``sweeps`` sweeps more, r in place; returns how many were made."""
        transposed, order, status, work = self._views(len(mu))
        s = self.settings
        return int(
            kernels.gauss_seidel(
                A,
                transposed,
                b,
                mu,
                self.d,
                tol,
                sweeps,
                self.exact,
                s.symmetric,
                s.shuffle,
                r,
                self._state,
                self._seed,
                order,
                self._old,
                self._memory,
                status,
                *work,
            )
        )

    def _make_views(
        self, count: int
    ) -> tuple[FloatArray, NDArray[np.int64], NDArray[np.int64], tuple[NDArray, ...]]:
        """The work space of problems of ``count`` contacts."""
        m = self.d * count
        status, held, revised, order = (row[:count] for row in self._statuses)
        order[:] = np.arange(count)
        w, x, trial, trial_w = (row[:m] for row in self._vectors)
        transposed = self._transposed[: m * m].reshape(m, m)
        return transposed, order, status, (w, held, self._lu, *self._integers, x, trial, trial_w, revised)


def begin_order(order: NDArray[np.int64], state: NDArray[np.uint64], seed: int) -> None:
    """The contacts in their order, and the state of the random numbers that will shuffle them."""
    order[:] = np.arange(len(order))
    state[0] = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1)
