"""The matrix of a piece of the path: factorised now and then, a few of its rows changed in between."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.linear.base import LinearSolve
from fem_contact.solvers.linear.newton_systems import newton_system
from fem_contact.solvers.pivots import pivot_kernels as kernels
from fem_contact.solvers.pivots.change_kernels import COUNT, KNOWN, Changes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Rows that may change before the matrix is factorised anew, and more of them for each contact.
CHANGES, CHANGES_CONTACT = 50, 0.006


class Rows(NamedTuple):
    """A + shift by rows of 2 x 2 blocks, as the kernels take it."""

    indptr: IntArray
    columns: IntArray
    blocks: FloatArray
    shift: FloatArray


class Pieces:
    """What all paths of a problem share: A, its Newton matrices, scales, marks, work space."""

    def __init__(self, problem: LocalProblem):
        c = problem.contacts
        self.problem, self.system, self.contacts = problem, newton_system(problem), np.arange(c)
        A: Any = problem.A
        if not issparse(A):
            A = LocalProblem(bsr_matrix(A, blocksize=(2, 2)), problem.b, problem.mu, 2).A
        self._rows = A.indptr, A.indices.astype(np.int64), A.data
        diagonal = np.abs(problem.A.diagonal()).reshape(c, 2).max(axis=1)
        self.stiffness = np.maximum(diagonal, 1e-6 * diagonal.max(initial=0.0) or 1.0)
        # A number for each status of each contact: a set of statuses is known by their sum modulo 2^64.
        self.marks = np.random.default_rng(0).integers(0, 2**63, (c, 4), dtype=np.uint64)
        self.B, self.C = np.empty((c, 2, 2)), np.empty((c, 2, 2))
        self.changes = _no_changes(c, CHANGES + int(CHANGES_CONTACT * c))

    def rows(self, shift: FloatArray) -> Rows:
        """A + shift."""
        return Rows(*self._rows, shift)


def _no_changes(c: int, most: int) -> Changes:
    """Room for ``most`` changed rows."""
    n = 2 * c
    return Changes(
        kinds=np.zeros(n, np.int64),
        coefficients=np.zeros(n),
        old_kinds=np.zeros(n, np.int64),
        old_coefficients=np.zeros(n),
        slot=np.full(n, -1),
        rows=np.empty(most, np.int64),
        counts=np.zeros(2, np.int64),
        inverse=np.empty((most, n)),
        table=np.empty((most, most)),
        right=np.empty(most),
        lu=np.empty((most, most)),
        c=np.empty(most),
    )


class PieceMatrix:
    """M with dr/dt = -M^-1 (q in the rows of w), for statuses that change one at a time.

    Parameters
    ----------
    pieces : Pieces
    shift : (c,) float
        Added to the diagonal of A.
    q : (2c,) float

    Attributes
    ----------
    A : Rows
    changes : Changes
        Of the rows since the last factors; shared by all paths of the problem.
    dr0 : (2c,) float
        dr/dt of the piece that was factorised.
    """

    def __init__(self, pieces: Pieces, shift: FloatArray, q: FloatArray):
        self._pieces, self.q, self.A = pieces, q, pieces.rows(shift)
        self.changes, self.dr0 = pieces.changes, np.empty(len(q))
        self._inverse: LinearSolve

    def factorise(self, status: IntArray, sign: FloatArray) -> bool:
        """Factors for these statuses; False when the matrix is singular."""
        p, changes = self._pieces, self.changes
        kernels.kinds_of(0, len(status), status, sign, p.problem.mu, changes.kinds, changes.coefficients)
        changes.old_kinds[:], changes.old_coefficients[:] = changes.kinds, changes.coefficients
        changes.slot[:], changes.counts[:] = -1, 0
        kernels.blocks_of(changes.kinds, changes.coefficients, p.B, p.C)
        inverse = p.system.factor(p.B, p.C, self.A.shift, p.contacts)
        if inverse is None:
            return False
        self._inverse = inverse
        self.dr0[:] = self.solve(-self.q)
        return bool(np.all(np.isfinite(self.dr0)))

    def solve(self, y: FloatArray) -> FloatArray:
        """M0^-1 of y in the rows of w and of 0 in the others, M0 the matrix that was factorised."""
        return self._inverse(np.where(self.changes.old_kinds == kernels.OF_W, y, 0.0))

    def find_columns(self) -> None:
        """Columns of M0^-1 of the changed rows for which they are not known yet."""
        changes = self.changes
        for slot in range(changes.counts[KNOWN], changes.counts[COUNT]):
            unit = np.zeros(len(self.q))
            unit[changes.rows[slot]] = 1.0
            changes.inverse[slot] = self._inverse(unit)
