"""The piecewise linear path from an iterate to a solution of frictional contact in the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.solvers import _pivot_kernels as kernels
from fem_contact.solvers._pivot_kernels import OPEN, SLIDE, STICK
from fem_contact.solvers._pivot_matrix import PieceMatrix, Pieces
from fem_contact.solvers.base import Watch

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
    centre : (2c,) float
    shift : (c,) float
        Positive; of each contact, both components.

    Attributes
    ----------
    r, w : (2c,) float
        Where the path is.
    t : float
    pivots : int
        Changes of status so far.
    """

    def __init__(self, pieces: Pieces, centre: FloatArray, shift: FloatArray):
        problem, c = pieces.problem, pieces.problem.contacts
        self.mu, self.marks = problem.mu, pieces.marks
        self.r, self.w = centre.copy(), problem.velocity(centre)
        self.status, self.sign = np.empty(c, np.int64), np.empty(c)
        kernels.statuses(self.r, self.w, self.mu, 1.0 / pieces.stiffness, self.status, self.sign)
        self.b, self.dw = problem.b - np.repeat(shift, 2) * centre, np.empty(2 * c)
        self.A = pieces.rows(shift)
        kernels.product(self.A, self.r, self.dw)
        self.q = self.w - self.dw - self.b
        self.matrix = PieceMatrix(pieces, shift, self.q)
        self.t, self.way, self.pivots = 1.0, -1.0, 0
        self.seen: set[int] = set()
        codes = np.where((self.status == SLIDE) & (self.sign < 0.0), 3, self.status)
        self.mark = int(self.marks[np.arange(c), codes].sum(dtype=np.uint64))
        self.dr, self.regular = np.empty(2 * c), True
        self._refresh()

    def follow(self, most: int, watch: Watch) -> bool:
        """Pieces one after the other; True at t = 0, False where the path closes, goes far or is long."""
        while self.regular and self.pivots < most and self.t <= FAR and not watch.late:
            contact, facet, length = kernels.first_facet(
                self.status, self.sign, self.mu, self.r, self.w, self.dr, self.dw, self.way
            )
            if self.way < 0.0 and self.t <= length:
                self._move(self.t)
                return bool(np.all(np.isfinite(self.r)))
            if contact < 0 or self.mark in self.seen:
                return False
            self.seen.add(self.mark)
            self._move(length)
            self.pivots += 1
            self._cross(contact, facet)
        return False

    def _move(self, length: float) -> None:
        """Along the piece."""
        self.r += (length * self.way) * self.dr
        self.w += (length * self.way) * self.dw
        self.t += length * self.way

    def _cross(self, i: int, facet: int) -> None:
        """Contact i takes the status on the other side of the facet, the path goes on in the piece there."""
        old, before = int(self.status[i]), self._code(i)
        if old == OPEN:
            self.status[i], self.sign[i] = SLIDE, (-1.0 if self.w[2 * i + 1] > 0.0 else 1.0)
        elif old == STICK:
            self.status[i], self.sign[i] = SLIDE, (1.0 if facet == 0 else -1.0)
        else:
            self.status[i] = OPEN if facet == 0 else STICK
        self.mark = (self.mark - int(self.marks[i, before]) + int(self.marks[i, self._code(i)])) % 2**64
        dr = self.matrix.rates() if self.matrix.change(i, self.status, self.sign) else None
        if dr is None:
            self._refresh()
        else:
            self._take(dr)
        self.way = 1.0 if self._inwards(i, old) > 0.0 else -1.0

    def _inwards(self, i: int, old: int) -> float:
        """Rate in t of what is to be positive in the new piece of contact i and was zero on the facet."""
        n, t = 2 * i, 2 * i + 1
        if old == OPEN:
            return float(self.dr[n])
        if old == STICK:
            return float(-self.sign[i] * self.dw[t])
        if self.status[i] == OPEN:
            return float(self.dw[n])
        return float(self.mu[i] * self.dr[n] - self.sign[i] * self.dr[t])

    def _refresh(self) -> None:
        """Factors of the piece; r, w and their rates from them, free of the round-off on the way."""
        self.regular = self.matrix.factorise(self.status, self.sign)
        if self.regular:
            self._take(self.matrix.dr0)
            self.r = self.matrix.solve(-self.b - self.t * self.q)
            kernels.product(self.A, self.r, self.w)
            self.w += self.b + self.t * self.q

    def _take(self, dr: FloatArray) -> None:
        """Take dr, and dw with it."""
        self.dr = dr
        kernels.product(self.A, dr, self.dw)
        self.dw += self.q

    def _code(self, i: int) -> int:
        """Status of contact i as a number from 0 to 3."""
        return 3 if self.status[i] == SLIDE and self.sign[i] < 0.0 else int(self.status[i])
