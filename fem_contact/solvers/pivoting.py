"""Proximal point steps for frictional contact in the plane, each along a piecewise linear path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers.base import PlainPrepared, Watch, check_settings
from fem_contact.solvers.pivots.in_plane import InPlane
from fem_contact.solvers.pivots.pivot_matrix import Pieces
from fem_contact.solvers.pivots.pivot_path import PiecewisePath
from fem_contact.solvers.semismooth import SemismoothNewton

FloatArray = NDArray[np.float64]

#: Shift over the diagonal of A: of the first step at most (else as small as the residual), the least and the
#: greatest; its fall after a step, and its growth after a path that leads nowhere. A greater fall does not
#: pay: a path in vain takes the pivots of several that arrive.
FIRST, LEAST, MOST, FALL, GROWTH = 3e-3, 1e-10, 1.0, 0.5, 4.0
#: How much the growth varies from path to path: the same shift again would mean the same path.
SPREAD, GOLDEN = 0.3, 0.6180339887498949
#: Pivots of a path at most, and more of them for each contact.
LONG, LONG_CONTACT = 300, 0.03
#: What part of the residual counts as progress.
LOWER = 0.7
#: Steps in a row with the least shift and without a pivot after which only round-off is left.
STILL = 3
#: Residual from which Newton's method is tried, for so many steps; in vain, from FURTHER of that one on.
NEAR, NEWTON_STEPS, FURTHER = 1e-5, 5, 0.5


@dataclass(frozen=True)
class Pivoting:
    """Proximal point steps, each solved by pivots along a piecewise linear path: a finisher in the plane.

    A step from the centre r_0 solves the problem with w = A r + b + shift (r - r_0) instead of w = A r + b,
    which is regular however hyperstatic the contacts are, and has r_0 for its answer once r_0 solves the
    problem itself. It is solved exactly: contacts are open, stick or slide, and a path of solutions that is
    linear between their changes leads there from r_0, turning where it has to, in the way of Lemke's
    algorithm. See :class:`~fem_contact.solvers.pivots.pivot_path.PiecewisePath`. After a step the shift
    falls; a path that closes, or is long, is given up for one with another shift. Convergence of the proximal
    point method is only sure for monotone problems (Rockafellar, 1976, SIAM J. Control Optim. 14), which
    Coulomb friction is not; near a solution it goes where Newton's method is held up by a few contacts.

    It stops early where steps with the least shift no longer change a contact nor lower the residual: what is
    left is round-off.

    From far away the paths are long: let another solver come near first. Sparse or dense. A pivot costs a
    product with A, a combination of the columns of the rows that have changed since the last factors, and a
    triangular solve for a row that changes for the first time since then.

    Parameters
    ----------
    tol : float
        Residual to reach, see :func:`fem_contact.problems.residual`.
    max_iter : int
        Pivots at most, steps of Newton's method included.
    patience : int
        Pivots after which it stops where the residual has not fallen to ``LOWER`` of what it was.

    Raises
    ------
    ModelError
        On settings that are not allowed, and by ``attempt`` for d = 3.
    """

    tol: float = 1e-10
    max_iter: int = 100_000
    patience: int = 20_000
    name: ClassVar[str] = "pivoting"

    def __post_init__(self) -> None:
        check_settings(self.name, self.tol, self.max_iter)
        if self.patience < 1:
            raise ModelError(f"{self.name} patience = {self.patience!r}: it must be at least 1")

    def attempt(self, problem: LocalProblem, r: FloatArray, watch: Watch) -> None:
        """Steps from ``r`` until the watch is content or ``max_iter`` is reached."""
        if not problem.contacts:
            return
        if problem.d == 3:
            raise ModelError(f"{self.name} solves problems in the plane only, this one has d = 3")
        plane, last = InPlane(problem), watch.iterations + self.max_iter
        pieces, centre = Pieces(plane.problem), plane.inward(r)
        # Counted on from the iterations so far: another turn from the same iterate tries other shifts.
        paths, near = watch.iterations, NEAR
        best = residual(problem, r)
        share = min(FIRST, max(best, LEAST))
        most = LONG + int(LONG_CONTACT * problem.contacts)
        mark, since, still = best, watch.iterations, 0
        while watch.iterations < last:
            path = PiecewisePath(pieces, centre, share * pieces.stiffness)
            arrived, paths = path.follow(min(most, last - watch.iterations), watch), paths + 1
            still = still + 1 if arrived and path.pivots == 0 and share <= LEAST else 0
            if arrived:
                centre, share = path.r, max(FALL * share, LEAST)
            else:
                share = min(GROWTH * _varied(paths) * share, MOST)
            # At least 1, or paths without pivots would go on for ever.
            if watch.see(plane.outward(centre), max(path.pivots, 1), self.name):
                return
            best = min(best, watch.history[-1][1])
            if best <= LOWER * mark:
                mark, since, still = best, watch.iterations, 0
            elif watch.iterations - since >= self.patience or still >= STILL:
                return
            reached = watch.history[-1][1]
            left = min(NEWTON_STEPS, last - watch.iterations)
            if arrived and reached <= near and left > 0:
                SemismoothNewton(max_iter=left).attempt(problem, plane.outward(centre), watch)
                near = FURTHER * reached
                if watch.converged or watch.late:
                    return

    def prepare(self, contacts: int, d: int) -> PlainPrepared:
        """Work space: none of its own."""
        return PlainPrepared(self, d)


def _varied(k: int) -> float:
    """The k-th of factors about 1 that are spread evenly and never the same."""
    return float(np.exp(SPREAD * (2.0 * ((k * GOLDEN) % 1.0) - 1.0)))
