"""Newton's method with nonlinear elimination: the patches of contacts at fault are solved by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_contact.problems.local import LocalProblem
from fem_contact.problems.parts import residual_parts
from fem_contact.solvers.base import Solver, Watch, solve
from fem_contact.solvers.nsgs import NSGS
from fem_contact.solvers.semismooth import SemismoothNewton

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

name = "elimination"

#: Contacts of a patch at most; patches of a round at most, and the share of the squared residual they are
#: centred on.
PATCH, PATCHES, SHARE = 500, 12, 0.9
#: Newton steps and sweeps between two rounds of patches.
NEWTON_STEPS, SWEEPS = 6, 30
#: Rounds at most, and how many may pass without a residual of half of what it was.
ROUNDS, PATIENCE = 10, 4


class Leg:
    """What one solver sees: everything goes to the shared watch, the best of the leg is kept apart."""

    def __init__(self, watch: Watch):
        self._watch = watch
        self.best, self.residual = watch.best.copy(), float("inf")

    def see(self, r: FloatArray, iterations: int = 1, name: str = "") -> bool:
        """Judge an iterate; True when the solver is to stop."""
        stop = self._watch.see(r, iterations, name)
        reached = self._watch.history[-1][1]
        if reached < self.residual:
            self.best[...], self.residual = r, reached
        return stop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watch, name)


def eliminate(problem: LocalProblem, r: FloatArray, watch: Watch, local: Solver, last: int) -> None:
    """Rounds of Newton's method, sweeps and patches from ``r``, as far as iteration ``last``.

    On a large problem Newton's method and the paths are held up by a few places: step lengths are shared by
    all contacts, and a turning point in one spot shortens them for all. Here every such spot is solved by
    itself, with the impulses of all others held, before Newton's method goes on for the whole. See Cai and
    Keyes (2002), "Nonlinearly preconditioned inexact Newton algorithms", SIAM J. Sci. Comput. 24. The
    problem of a patch has a solution whenever b is in the range of a factor H of A = H M^-1 H^T: the
    impulses of the others change the free velocity of the bodies.

    Parameters
    ----------
    r : (d*c,) float
        Where to start; left as it is.
    watch : Watch
        Sees all iterates of the whole.
    local : Solver
        Solves the patches, of at most ``PATCH`` contacts each.
    last : int
        Iterations of the watch to stop at.
    """
    matrix = csr_matrix(problem.A)
    neighbours = _neighbours(problem)
    mark, failed = float("inf"), 0
    for _ in range(ROUNDS):
        leg = Leg(watch)
        leg.see(r, 0, name)
        steps = min(NEWTON_STEPS, last - watch.iterations)
        if steps > 0:
            SemismoothNewton(max_iter=steps).attempt(problem, r, leg)  # type: ignore[arg-type]
        if watch.converged or watch.late or steps <= 0:
            return
        reached = watch.residual
        failed, mark = (0, reached) if reached < 0.5 * mark else (failed + 1, mark)
        if failed == PATIENCE:
            return
        leg = _swept(problem, leg.best, watch)
        if watch.converged:
            return
        r = leg.best
        _solve_patches(problem, matrix, neighbours, r, watch, local)


def _swept(problem: LocalProblem, r: FloatArray, watch: Watch) -> Leg:
    """Where some sweeps of Gauss-Seidel from r lead to."""
    leg = Leg(watch)
    NSGS(tol=watch.tol, max_iter=SWEEPS, finish=False).attempt(problem, r, leg)  # type: ignore[arg-type]
    return leg


def _neighbours(problem: LocalProblem) -> csr_matrix:
    """The graph of the contacts: (i, j) where A couples them; every contact its own neighbour."""
    d, c = problem.d, problem.contacts
    blocks = LocalProblem(csr_matrix(problem.A), problem.b, problem.mu, d).A
    return csr_matrix((np.ones(len(blocks.indices)), blocks.indices, blocks.indptr), shape=(c, c))


def _solve_patches(
    problem: LocalProblem,
    matrix: csr_matrix,
    neighbours: csr_matrix,
    r: FloatArray,
    watch: Watch,
    local: Solver,
) -> None:
    """Solve a patch around each of the contacts most at fault, one after the other, r in place."""
    fault = residual_parts(problem, r).fault
    order = np.argsort(-fault, kind="stable")
    held = np.cumsum(fault[order] ** 2)
    at_fault = order[: int(np.searchsorted(held, SHARE * held[-1])) + 1]
    done, solved = np.zeros(problem.contacts, dtype=np.bool_), 0
    for centre in at_fault:
        if done[centre]:
            continue
        if solved == PATCHES or watch.late:
            return
        member = _patch_around(neighbours, int(centre))
        _solve_patch(problem, matrix, np.flatnonzero(member), r, watch, local)
        # At the rim of a patch the fault depends on contacts that were held.
        done |= member & (neighbours @ ~member == 0)
        done[centre] = True
        solved += 1


def _patch_around(neighbours: csr_matrix, centre: int) -> NDArray[np.bool_]:
    """The largest ball about a contact of at most ``PATCH`` contacts, as a mask."""
    member = np.zeros(neighbours.shape[0], dtype=np.bool_)
    member[centre] = True
    while True:
        wider = (neighbours @ member) > 0
        if wider.sum() > PATCH or wider.sum() == member.sum():
            return member
        member = wider


def _solve_patch(
    problem: LocalProblem, matrix: csr_matrix, contacts: IntArray, r: FloatArray, watch: Watch, local: Solver
) -> None:
    """Put the solution of the contacts, the others held, in r where the solver finds one in time."""
    d = problem.d
    rows = (d * contacts[:, None] + np.arange(d)).ravel()
    within = matrix[rows][:, rows]
    b = matrix[rows] @ r + problem.b[rows] - within @ r[rows]
    A = within if problem.sparse else within.toarray()
    patch = LocalProblem(A, b, problem.mu[contacts], d)
    result = solve(patch, local, guess=r[rows], tol=watch.tol, seconds=watch.left)
    if result.converged:
        r[rows] = result.r
