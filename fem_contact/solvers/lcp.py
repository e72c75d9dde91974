"""Frictional contact in the plane as a linear complementarity problem, solved by Lemke's algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers import _lcp_kernels as kernels
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings
from fem_contact.solvers.cones import contact_scale

FloatArray = NDArray[np.float64]

#: Unknowns of the complementarity problem at most: the tableau is dense and every pivot updates all of it.
LARGEST = 3000

#: Contacts up to which all statuses are enumerated when Lemke's algorithm fails: 4^FEW of them.
FEW = 5


@dataclass(frozen=True)
class Complementarity:
    """w = q + M z >= 0, z >= 0, w.z = 0 with r = E z: one way to write a contact problem.

    Attributes
    ----------
    M : (n, n) float
    q : (n,) float
    E : (d*c, n) float
        From z to the impulses r.
    """

    M: FloatArray
    q: FloatArray
    E: FloatArray


def frictionless(problem: LocalProblem) -> Complementarity:
    """M = A_NN, q = b_N: Signorini's problem without friction, z = r_N."""
    d = problem.d
    E = np.zeros((len(problem.b), problem.contacts))
    E[::d] = np.eye(problem.contacts)
    return Complementarity(problem.dense()[::d, ::d].copy(), problem.b[::d].copy(), E)


def klarbring(problem: LocalProblem) -> Complementarity:
    """Three unknowns a sliding contact: z = (r_N, sigma+ = mu r_N + r_T, w-), Klarbring (1986).

    Their partners are (w_N, w+, sigma- = mu r_N - r_T = 2 mu r_N - sigma+), where w_T = w+ - w-::

        M = [A_NN - A_NT mu   A_NT   0]       q = (b_N, b_T, 0)
            [A_TN - A_TT mu   A_TT   I]
            [      2 mu        -I    0]

    A contact with mu = 0 has the one unknown r_N.
    """
    A, b, mu, c = problem.dense(), problem.b, problem.mu, problem.contacts
    rough = np.flatnonzero(mu > 0.0)
    f = len(rough)
    E = np.zeros((2 * c, c + 2 * f))
    E[::2, :c] = np.eye(c)
    E[2 * rough + 1, rough] = -mu[rough]
    E[2 * rough + 1, c + np.arange(f)] = 1.0
    M = np.zeros((c + 2 * f, c + 2 * f))
    M[:c] = A[::2] @ E
    M[c : c + f] = A[2 * rough + 1] @ E
    M[c + np.arange(f), c + f + np.arange(f)] = 1.0
    M[c + f + np.arange(f), rough] = 2.0 * mu[rough]
    M[c + f + np.arange(f), c + np.arange(f)] = -1.0
    return Complementarity(M, np.concatenate([b[::2], b[2 * rough + 1], np.zeros(f)]), E)


def stewart_trinkle(problem: LocalProblem) -> Complementarity:
    """Four unknowns a sliding contact: z = (r_N, beta+, beta-, lambda), r_T = beta+ - beta-, lambda = |w_T|.

    Their partners are (w_N, lambda + w_T, lambda - w_T, mu r_N - beta+ - beta-); Stewart and Trinkle (1996).
    M is copositive where A is positive semidefinite, so that Lemke's algorithm ends in a solution whenever
    one is sure to exist. A contact with mu = 0 has the one unknown r_N.
    """
    A, b, mu, c = problem.dense(), problem.b, problem.mu, problem.contacts
    rough = np.flatnonzero(mu > 0.0)
    f = len(rough)
    plus, minus, last = (c + k * f + np.arange(f) for k in range(3))
    E = np.zeros((2 * c, c + 3 * f))
    E[::2, :c] = np.eye(c)
    E[2 * rough + 1, plus] = 1.0
    E[2 * rough + 1, minus] = -1.0
    M = np.zeros((c + 3 * f, c + 3 * f))
    M[:c] = A[::2] @ E
    M[plus] = A[2 * rough + 1] @ E
    M[minus] = -M[plus]
    M[plus, last] = M[minus, last] = 1.0
    M[last, rough] = mu[rough]
    M[last, plus] = M[last, minus] = -1.0
    q = np.concatenate([b[::2], b[2 * rough + 1], -b[2 * rough + 1], np.zeros(f)])
    return Complementarity(M, q, E)


Builder = Callable[[LocalProblem], Complementarity]

#: Ways to write friction in the plane.
FORMS: dict[str, Builder] = {
    "klarbring": klarbring,
    "stewart-trinkle": stewart_trinkle,
}


@dataclass(frozen=True)
class LCP:
    """Lemke's algorithm on the linear complementarity form of the contact problem.

    Exact in the plane (d = 2), where the friction cone is polyhedral, and without friction (any d). Lemke
    (1965) with the lexicographic rule against cycling (Cottle, Pang, Stone 1992, section 4.4), on the form
    asked for and, where that ends on a ray or takes too long, on the other; then the last basis is solved
    anew from the data, so that the round-off of the pivots is gone. A problem of up to five contacts on which
    both fail has its statuses (open, stick, slip to either side) enumerated. The guess is not used.

    A dense tableau is updated at every pivot: for problems of up to some 500 contacts.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Pivots at most.
    form : str
        ``"klarbring"`` (3 unknowns a contact) or ``"stewart-trinkle"`` (4).

    Raises
    ------
    ModelError
        By ``attempt`` for friction in space (d = 3, mu > 0), and for more unknowns than a dense tableau
        is good for.
    """

    name: ClassVar[str] = "lcp"
    tol: float = 1e-10
    max_iter: int = 20_000
    form: str = "klarbring"

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if self.form not in FORMS:
            raise ModelError(f"lcp form = {self.form!r}: it must be one of {', '.join(FORMS)}")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Pivot until a solution, a ray or ``max_iter``; every end of a run is shown to ``watch``."""
        if not problem.contacts:
            return
        if problem.d == 3 and problem.mu.max() > 0.0:
            raise ModelError("lcp solves friction in the plane only: d = 3 needs mu = 0 at every contact")
        left = self.max_iter
        for form in self._forms(problem):
            z, pivots = _pivot(form, min(left, PATIENCE * len(form.q)), watch)
            left -= pivots
            if watch.see(form.E @ z, pivots, self.name) or left <= 0:
                return
        if problem.contacts <= FEW and problem.d < 3:
            watch.see(_enumerated(problem, watch.tol), 1, self.name)

    def _forms(self, problem: LocalProblem) -> list[Complementarity]:
        """The forms to try, one after the other, of the problem scaled to a unit diagonal."""
        if problem.d != 2 or problem.mu.max() == 0.0:
            builders: list[Builder] = [frictionless]
        else:
            builders = [FORMS[self.form], *(f for n, f in FORMS.items() if n != self.form)]
        scale = np.repeat(1.0 / np.sqrt(contact_scale(problem)), problem.d)
        scaled = LocalProblem(
            problem.dense() * scale * scale[:, None], problem.b * scale, problem.mu, problem.d
        )
        forms = [build(scaled) for build in builders]
        size = len(forms[0].q)
        if size > LARGEST:
            raise ModelError(
                f"lcp has {size} unknowns for {problem.contacts} contacts; it takes {LARGEST} at most"
            )
        return [Complementarity(f.M, f.q, scale[:, None] * f.E) for f in forms if len(f.q) <= LARGEST]

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """For problems of ``d`` components; nothing is kept between them."""
        return PlainPrepared(self, d)


#: Pivots between two looks at the clock.
BATCH = 100

#: Pivots a form may take, as a multiple of its unknowns, before the other one is tried: in practice a few.
PATIENCE = 20


def _pivot(form: Complementarity, max_iter: int, watch: Watch) -> tuple[FloatArray, int]:
    """z of the last basis of Lemke's algorithm, solved from the data, and the number of pivots."""
    n = len(form.q)
    # The covering vector is all ones: any positive one would do.
    tableau = np.column_stack([form.M, np.ones(n)])
    values, scale = form.q.copy(), float(np.abs(form.q).max())
    state = np.zeros(2, np.int64)
    labels = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    pivots, ended = 0, kernels.LIMIT
    while ended == kernels.LIMIT and pivots < max_iter and not watch.late:
        ended, made = kernels.lemke(
            tableau, values, scale, min(BATCH, max_iter - pivots), pivots > 0, state, *labels
        )
        pivots += made
    basic = labels[0]
    z = np.zeros(n)
    inside = (basic >= n) & (basic < 2 * n)
    z[basic[inside] - n] = np.maximum(values[inside], 0.0)
    if ended == kernels.SOLVED:
        exact = _basic_solution(form, basic[inside] - n)
        if exact is not None and exact.min(initial=0.0) > -1e-8 * (1.0 + np.abs(exact).max(initial=0.0)):
            z = np.maximum(exact, 0.0)
    return z, pivots


def _basic_solution(form: Complementarity, positive: NDArray[np.int64]) -> FloatArray | None:
    """z with (q + M z)_j = 0 on the basic z_j and the others zero, refined once; None when singular."""
    z = np.zeros(len(form.q))
    block = form.M[np.ix_(positive, positive)]
    try:
        z[positive] = np.linalg.solve(block, -form.q[positive])
        z[positive] -= np.linalg.solve(block, block @ z[positive] + form.q[positive])
    except np.linalg.LinAlgError:
        return None
    return z if np.all(np.isfinite(z)) else None


def _enumerated(problem: LocalProblem, tol: float) -> FloatArray:
    """The impulses of the first status of all contacts that holds a solution; of none, the nearest."""
    A, b, d = problem.dense(), problem.b, problem.d
    best, nearest = np.zeros(len(b)), np.inf
    for statuses in product(range(4 if d == 2 else 2), repeat=problem.contacts):
        faces, rows = [], []
        for i, status in enumerate(statuses):
            if status == 0:
                continue
            face = np.zeros(len(b))
            face[d * i] = 1.0
            rows.append(d * i)
            if status > 1:
                face[d * i + 1] = problem.mu[i] * (1.0 if status == 2 else -1.0)
            faces.append(face)
            if status == 1 and d == 2:
                faces.append(np.eye(len(b))[d * i + 1])
                rows.append(d * i + 1)
        r = np.zeros(len(b))
        if rows:
            E = np.column_stack(faces)
            # Least squares, as redundant contacts make the system singular.
            r = E @ np.linalg.lstsq((A @ E)[rows], -b[rows], rcond=None)[0]
        reached = residual(problem, r)
        if reached < nearest:
            best, nearest = r, reached
        if nearest <= tol:
            break
    return best
