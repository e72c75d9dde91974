"""What the steppers of linear systems share: the loop around a step and its contact problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.problems._kernels import relative_residual
from fem_contact.problems.local import LocalProblem
from fem_contact.schemes import _step_kernels as kernels
from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.schemes.linear.products import Products, unsigned
from fem_contact.solvers.base import Solver
from fem_contact.solvers.factor import Factor, factorise
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]

#: Entries of the response to contact impulses up to which it is kept dense; beyond, further solves in each
#: step are cheaper to hold.
DENSE_RESPONSE = 500_000


@dataclass(frozen=True)
class ContactWeights:
    """A = weight W, b = weight u_free + (1 - weight) u_k + ((slope e + offset) u_{N,k}, 0)."""

    weight: float
    slope: float
    offset: float


class LinearStepper:
    """A scheme bound to a linear system, a step size h and a solver.

    A family says what its step is made of: ``_derive`` (what a step needs of a state), ``_free_step`` (its
    end without contact), ``_end_step`` (the answer to the impulses) and ``_account`` (energies and works).

    Parameters
    ----------
    products : int
        Products with M, K, C that the family keeps of a state.
    """

    extras: tuple[str, ...] = ()

    def __init__(
        self,
        system: LinearSystem,
        h: float,
        activation: Activation,
        weights: ContactWeights,
        solver: Solver,
        products: int,
    ):
        if not (np.isfinite(h) and h > 0.0):
            raise ModelError(f"dt = {h!r}: the step must be a positive number")
        self.system, self.h, self.weights = system, float(h), weights
        self.activation = activation.resolved(system.length, system.wave_speed)
        self._solver = solver.prepare(system.contacts, system.dim)
        self._free = np.ones(system.n)
        if system.motion is not None:
            self._free[system.motion.dofs] = 0.0
        self._no_fields = np.empty(0)
        self._products = Products(system.M, system.K, system.C)
        self._H = (*unsigned(system.H), system.H.data)
        self._set_work_space(products)

    # --- set-up -------------------------------------------------------------------------------------

    def _set_work_space(self, products: int) -> None:
        n, c, d = self.system.n, self.system.contacts, self.system.dim
        # The products of the state that a step starts from and of the one that it ends in.
        self._before = np.zeros((products, n))
        self._after = np.zeros((products, n))
        self._gap, self._u, self._u_free = np.zeros(c), np.zeros((c, d)), np.zeros((c, d))
        self._was = np.zeros(c, np.bool_)
        self._A = np.empty((d * c) ** 2)
        self._b, self._r, self._w, self._mu = np.empty(d * c), np.empty(d * c), np.empty(d * c), np.empty(c)
        self._views = cache(self._make_views)
        self._count = 0
        self._fresh = True
        self._used, self._share = np.empty(d * c, np.int64), np.empty(d * c)
        self._at: int | None = None
        self._of: State | None = None

    def _make_views(self, count: int) -> tuple[FloatArray, ...]:
        """A, b, mu, r and work space of a problem of ``count`` contacts, in the arrays that hold any."""
        m = self.system.dim * count
        return self._A[: m * m].reshape(m, m), self._b[:m], self._mu[:count], self._r[:m], self._w[:m]

    def _factorise(self, matrix: csr_matrix, name: str) -> Factor:
        """Factors of a matrix on the free dofs, the identity on the others."""
        free = diags(self._free)
        return factorise((free @ matrix @ free + diags(1.0 - self._free)).tocsr(), name)

    def _set_response(
        self, respond: Callable[[FloatArray], tuple[FloatArray, FloatArray]], width: int
    ) -> None:
        """W = H V and, when it is small enough to keep, the response by rows.

        ``respond`` turns columns of H^T (on the free dofs) into the velocities V that unit impulses cause,
        (n, k), and into all that is to be known of the response, (width, k).
        """
        H = self.system.H
        rows = H.shape[0]
        self._response = np.empty((0, width))
        self.W = np.empty((rows, rows))
        keep = width * rows <= DENSE_RESPONSE
        kept = []
        for start in range(0, rows, 64):
            right = np.ascontiguousarray((H[start : start + 64] @ diags(self._free)).toarray().T)
            velocity, whole = respond(right)
            self.W[:, start : start + 64] = H @ velocity
            if keep:
                kept.append(whole.T)
        if keep and rows:
            self._response = np.ascontiguousarray(np.concatenate(kept))

    # --- stepping -----------------------------------------------------------------------------------

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state (q, v) at t = 0 and its report: energies, gaps and contact velocities, no work.

        Raises
        ------
        ModelError
            When q or v are not n finite numbers.
        """
        system = self.system
        for name, array in (("q", q), ("v", v)):
            if np.shape(array) != (system.n,) or not np.all(np.isfinite(array)):
                raise ModelError(f"initial {name} must be {system.n} finite numbers")
        p = np.zeros((system.contacts, system.dim))
        state = State(0, 0.0, np.array(q, np.float64), np.array(v, np.float64), p)
        report = StepReport(system.contacts, system.dim, self.extras)
        self._begin(state)
        self._derive(state)
        self._account_start(state, report)
        report.gap[...], report.u[...] = self._gap, self._u
        return state, report

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the state given is left as it was."""
        new, report = state.copy(), StepReport(self.system.contacts, self.system.dim, self.extras)
        self._of = None  # whatever was done to the state since, it is read afresh
        self.advance(state, new, report)
        return new, report

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``."""
        if self._of is not state or self._at != state.k:
            self._derive(state)
        self._resolve_contact(self._free_step(state), state, report)
        self._end_step(state, new, report)
        self._account(state, new, report)
        self._before, self._after = self._after, self._before
        self._gap[...], self._u[...] = report.gap, report.u
        self._of, self._at = new, new.k

    def problem(self) -> LocalProblem:
        """The local problem of the last step, over its active contacts."""
        A, b, mu, _, _ = self._views(self._count)
        return LocalProblem(A.copy(), b.copy(), mu.copy(), self.system.dim)

    def _begin(self, state: State) -> None:
        """Give a state at t = 0 what the scheme carries beside q and v: nothing."""

    def _derive(self, state: State) -> None:
        """What a step needs of a state and the step before would have left: here, at the contacts."""
        kernels.contact_state(*self._H, self.system.g0, state.q, state.v, self.system.dim, self._gap, self._u)
        self._of, self._at = state, state.k

    def _account_start(self, state: State, report: StepReport) -> None:
        """Energies of the initial state."""
        raise NotImplementedError

    def _free_step(self, state: State) -> FloatArray:
        """The change of velocity in the step without contact, (n,)."""
        raise NotImplementedError

    def _end_step(self, state: State, new: State, report: StepReport) -> None:
        """The end of the step from the impulses of the active contacts."""
        raise NotImplementedError

    def _account(self, state: State, new: State, report: StepReport) -> None:
        """Energies, works and the residual of their identity."""
        raise NotImplementedError

    def _resolve_contact(self, change: FloatArray, state: State, report: StepReport) -> None:
        """Pose the local problem, u_free = u_k + H change, have it solved, and judge the answer."""
        system, activation, weights = self.system, self.activation, self.weights
        if not len(self._gap):
            return
        d = system.dim
        self._count, same = kernels.pose(
            self._gap,
            self._u,
            *self._H,
            change,
            system.e,
            system.mu,
            self.W,
            state.p,
            d,
            weights.weight,
            weights.slope,
            weights.offset,
            activation.gamma * self.h,
            activation.gap_tol,
            activation.velocity_tol,
            self._u_free,
            report.active,
            self._was,
            self._A,
            self._b,
            self._mu,
            self._r,
        )
        report.iterations, report.scalars[base.ERROR] = 0, 0.0
        if self._count:
            A, b, mu, r, w = self._views(self._count)
            report.iterations = self._solver.solve_into(A, b, mu, r, self._fresh or not same)
            report.scalars[base.ERROR] = relative_residual(A, b, mu, d, r, w)
            self._fresh = False
        elif not same:
            self._fresh = True
