"""The piecewise linear path from an iterate to a solution of frictional contact in the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.solvers.base import Watch
from fem_contact.solvers.pivots import path_kernels as path_kernels
from fem_contact.solvers.pivots import pivot_kernels as kernels
from fem_contact.solvers.pivots.path_kernels import ARRIVED, PIVOTS, STALE, WANTING, Path, T
from fem_contact.solvers.pivots.pivot_matrix import PieceMatrix, Pieces

FloatArray = NDArray[np.float64]

#: A path that gets further from t = 0 than this (it starts at 1) is given up.
FAR = 10.0


class PiecewisePath:
    """r(t) with w = A r + b + shift (r - centre) + t q and the contact law between r and w, from t = 1 on.

    q makes the centre (moved onto its statuses) the solution for t = 1; t = 0 is a proximal point step from
    there. For given statuses r is linear in t. Where a contact reaches the border of its status it takes
    the next one, and the path goes on into the piece beyond: at a fold t turns round. This is Lemke's
    algorithm (Cottle, Pang and Stone, 1992, "The linear complementarity problem", section 4.4) from a guess,
    cf. Dirkse and Ferris (1995), "The PATH solver", Optim. Methods Softw. 5. The path is a curve without
    branches: it leads to t = 0, goes far, or closes.

    Parameters
    ----------
    pieces : Pieces
        Of one path at a time: they share work space.
    centre : (2c,) float
    shift : (c,) float
        Positive; of each contact, both components.

    Attributes
    ----------
    state : Path
        What the path is made of, see :class:`~fem_contact.solvers.pivots.path_kernels.Path`.
    q : (2c,) float
    """

    def __init__(self, pieces: Pieces, centre: FloatArray, shift: FloatArray):
        problem, c = pieces.problem, pieces.problem.contacts
        self._mu, self._marks = problem.mu, pieces.marks
        self.state = _start(c, centre, problem.velocity(centre))
        r, w, status, sign = self.state.r, self.state.w, self.state.status, self.state.sign
        kernels.statuses(r, w, self._mu, 1.0 / pieces.stiffness, status, sign)
        path_kernels.mark(self.state, self._marks)
        self._b = problem.b - np.repeat(shift, 2) * centre
        self._A = pieces.rows(shift)
        held = np.empty(2 * c)
        kernels.product(self._A, r, held)
        self.q = w - held - self._b
        self.matrix = PieceMatrix(pieces, shift, self.q)
        self._regular = self._refresh()

    @property
    def r(self) -> FloatArray:
        """Impulses (2c,) where the path is."""
        return self.state.r

    @property
    def w(self) -> FloatArray:
        """w (2c,) there."""
        return self.state.w

    @property
    def t(self) -> float:
        """How far it is from its end."""
        return float(self.state.numbers[T])

    @property
    def pivots(self) -> int:
        """Changes of status so far."""
        return int(self.state.counts[PIVOTS])

    def follow(self, most: int, watch: Watch) -> bool:
        """Pieces one after the other; True at t = 0, False where the path closes, goes far or is long."""
        state, matrix = self._roomy(most), self.matrix
        while self._regular and not watch.late:
            ended = path_kernels.walk(
                state, matrix.changes, self._A, self.q, matrix.dr0, self._mu, self._marks, most, FAR
            )
            if ended == ARRIVED:
                return bool(np.all(np.isfinite(state.r)))
            if ended == WANTING:
                matrix.find_columns()
            elif ended == STALE:
                self._regular = self._refresh()
            else:
                return False
        return False

    def _roomy(self, most: int) -> Path:
        """The state with room for the marks of ``most`` pieces."""
        lacking = most - len(self.state.seen)
        if lacking > 0:
            seen = np.concatenate([self.state.seen, np.empty(lacking, np.uint64)])
            self.state = self.state._replace(seen=seen)
        return self.state

    def _refresh(self) -> bool:
        """Factors of the piece; r, w and their rates from them, free of the round-off on the way."""
        state, matrix = self.state, self.matrix
        if not matrix.factorise(state.status, state.sign):
            return False
        t = state.numbers[T]
        state.dr[:] = matrix.dr0
        kernels.velocity_rates(self._A, state.status, state.dr, self.q, state.dw)
        state.r[:] = matrix.solve(-self._b - t * self.q)
        kernels.velocity_rates(self._A, state.status, state.r, self._b + t * self.q, state.w)
        return True


def _start(c: int, r: FloatArray, w: FloatArray) -> Path:
    """A path at t = 1, its statuses not yet known."""
    return Path(
        r=r.copy(),
        w=w,
        dr=np.empty(2 * c),
        dw=np.empty(2 * c),
        status=np.empty(c, np.int64),
        sign=np.empty(c),
        numbers=np.array([1.0, -1.0]),
        counts=np.array([0, -1, 0]),
        mark=np.zeros(1, np.uint64),
        seen=np.empty(0, np.uint64),
    )
