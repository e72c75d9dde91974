"""The matrix of a piece of the path: factorised now and then, a few of its rows changed in between."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _pivot_kernels as kernels
from fem_contact.solvers._newton_systems import LinearSolve, OrderedFactors, newton_system
from fem_contact.solvers._pivot_kernels import OF_W

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Rows that may change before the matrix is factorised anew, and more of them for each contact.
CHANGES, CHANGES_CONTACT = 30, 0.025


class Pieces:
    """What all paths of a problem share: A in blocks, its Newton systems, scales, work space."""

    def __init__(self, problem: LocalProblem):
        c = problem.contacts
        self.problem, self.system = problem, newton_system(problem)
        A: Any = self.system.A
        if not issparse(A):
            A = LocalProblem(bsr_matrix(A, blocksize=(2, 2)), problem.b, problem.mu, 2).A
        self.A = A
        diagonal = np.abs(problem.A.diagonal()).reshape(c, 2).max(axis=1)
        self.stiffness = np.maximum(diagonal, 1e-6 * diagonal.max(initial=0.0) or 1.0)
        self.columns, self.contacts = self.A.indices.astype(np.int64), np.arange(c)
        # A number for each status of each contact: a set of statuses is known by their sum modulo 2^64.
        self.marks = np.random.default_rng(0).integers(0, 2**63, (c, 4), dtype=np.uint64)
        self.B, self.C = np.empty((c, 2, 2)), np.empty((c, 2, 2))
        self.changes = CHANGES + int(CHANGES_CONTACT * c)
        self.inverse, self.table = np.empty((self.changes, 2 * c)), np.empty((self.changes, self.changes))

    def rows(self, shift: FloatArray) -> tuple[Any, ...]:
        """A + shift as the kernels take it."""
        return self.A.indptr, self.columns, self.A.data, shift


class PieceMatrix:
    """M with dr/dt = -M^-1 (q in the rows of w), for statuses that change one at a time.

    M = M0 + sum over the changed rows of e_i delta_i^T. With V = M0^-1 (e_i) by columns, kept once they are
    found, M x = y is solved by x = M0^-1 y + V c, where (I + delta V) c = -delta M0^-1 y: no product of
    updates, whose round-off would grow.

    Parameters
    ----------
    pieces : Pieces
    shift : (c,) float
        Added to the diagonal of A.
    q : (2c,) float
    """

    def __init__(self, pieces: Pieces, shift: FloatArray, q: FloatArray):
        n = len(q)
        self.pieces, self.shift, self.q, self.A = pieces, shift, q, pieces.rows(shift)
        self.now: tuple[IntArray, FloatArray] = (np.empty(n, np.int64), np.empty(n))
        self.base, self.masked = self.now, np.empty(n)
        self.dr0, self.count = np.empty(n), 0
        self.slot: dict[int, int] = {}
        self.changed, self.right = np.empty(pieces.changes, np.int64), np.empty(pieces.changes)
        self._solve: LinearSolve | None = None

    def factorise(self, status: IntArray, sign: FloatArray) -> bool:
        """Factors for these statuses; False when the matrix is singular."""
        p = self.pieces
        kernels.kinds_of(0, len(status), status, sign, p.problem.mu, *self.now)
        self.base = (self.now[0].copy(), self.now[1].copy())
        self.slot.clear()
        self.count = 0
        kernels.piece(*self.now, p.B, p.C)
        self._solve = p.system.factor(p.B, p.C, self.shift, p.contacts)
        if self._solve is None:
            return False
        self.dr0 = self.solve(-self.q)
        return True

    def solve(self, y: FloatArray) -> FloatArray:
        """M0^-1 of y in the rows of w and of 0 in the others."""
        assert self._solve is not None
        kernels.rows_of_w(self.base[0], y, self.masked)
        return self._solve(self.masked)

    def change(self, i: int, status: IntArray, sign: FloatArray) -> bool:
        """Contact i has another status; False when too many rows are changed."""
        kernels.kinds_of(i, i + 1, status, sign, self.pieces.problem.mu, *self.now)
        return self._change(2 * i) and self._change(2 * i + 1)

    def _change(self, row: int) -> bool:
        """Row and column of the table, and the right side, of a row that may have changed."""
        p, (kinds, coefficients), (base_kinds, base_coefficients) = self.pieces, self.now, self.base
        slot = self.slot.get(row)
        if slot is None:
            if kinds[row] == base_kinds[row] and coefficients[row] == base_coefficients[row]:
                return True
            if self.count == p.changes:
                return False
            slot = self.slot[row] = self.count
            self.changed[slot], self.count = row, slot + 1
            p.inverse[slot] = self._column(row)
        changed = self.changed[: self.count]
        kernels.table(slot, changed, self.now, self.base, self.A, p.inverse, p.table)
        self.right[slot] = self.q[row] * (float(base_kinds[row] == OF_W) - float(kinds[row] == OF_W))
        self.right[slot] -= kernels.change(row, self.now, self.base, self.A, self.dr0)
        return True

    def rates(self) -> FloatArray | None:
        """dr/dt of the piece, None when its matrix is singular."""
        m, p = self.count, self.pieces
        try:
            c = np.linalg.solve(p.table[:m, :m], self.right[:m])
        except np.linalg.LinAlgError:
            return None
        return np.asarray(self.dr0 + c @ p.inverse[:m])

    def _column(self, row: int) -> FloatArray:
        """M0^-1 e_row."""
        if isinstance(self._solve, OrderedFactors):
            return self._solve.column(row)
        assert self._solve is not None
        unit = np.zeros(len(self.q))
        unit[row] = 1.0
        return self._solve(unit)
