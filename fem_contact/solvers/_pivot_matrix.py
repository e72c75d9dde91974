"""The matrix of a piece of the path: factorised now and then, a few of its rows changed in between."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import bsr_matrix, csc_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import _change_kernels as change_kernels
from fem_contact.solvers import _piece_kernels as piece_kernels
from fem_contact.solvers import _pivot_kernels as kernels
from fem_contact.solvers._change_kernels import Changes
from fem_contact.solvers._newton_systems import SPARSE_BELOW, SPARSE_FROM
from fem_contact.solvers._piece_kernels import Factors
from fem_contact.solvers._superlu import superlu

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Rows that may change before the matrix is factorised anew, and more of them for each contact.
CHANGES, CHANGES_CONTACT = 30, 0.025


class Rows(NamedTuple):
    """A + shift by rows of 2 x 2 blocks, as the kernels take it."""

    indptr: IntArray
    columns: IntArray
    blocks: FloatArray
    shift: FloatArray


class Pieces:
    """What all paths of a problem share: A by rows and columns, scales, marks, work space."""

    def __init__(self, problem: LocalProblem):
        c = problem.contacts
        self.problem = problem
        A: Any = problem.A
        if not issparse(A):
            A = LocalProblem(bsr_matrix(A, blocksize=(2, 2)), problem.b, problem.mu, 2).A
        turned = A.T.tobsr(blocksize=(2, 2))
        turned.sort_indices()
        self.columns = turned.indptr, turned.indices.astype(np.int64), turned.data
        self._rows = A.indptr, A.indices.astype(np.int64), A.data
        self.sparse = 2 * c >= SPARSE_FROM and len(A.indices) < SPARSE_BELOW * c * c
        diagonal = np.abs(problem.A.diagonal()).reshape(c, 2).max(axis=1)
        self.stiffness = np.maximum(diagonal, 1e-6 * diagonal.max(initial=0.0) or 1.0)
        # A number for each status of each contact: a set of statuses is known by their sum modulo 2^64.
        self.marks = np.random.default_rng(0).integers(0, 2**63, (c, 4), dtype=np.uint64)
        self.K = np.empty(2 * c + 1, np.int32), np.empty(A.data.size, np.int32), np.empty(A.data.size)
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
        slot=np.full(n, -1),
        rows=np.empty(most, np.int64),
        count=np.zeros(1, np.int64),
        inverse=np.empty((most, n)),
        table=np.empty((most, most)),
        right=np.empty(most),
        lu=np.empty((most, most)),
        c=np.empty(most),
        x=np.empty(n),
        z=np.empty(n),
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
    factors : Factors
    dr0 : (2c,) float
        dr/dt of the piece that was factorised.
    """

    def __init__(self, pieces: Pieces, shift: FloatArray, q: FloatArray):
        self._pieces, self.q, self.A = pieces, q, pieces.rows(shift)
        self.changes, self.dr0 = pieces.changes, np.empty(len(q))
        self.factors: Factors

    def factorise(self, status: IntArray, sign: FloatArray) -> bool:
        """Factors for these statuses; False when the matrix is singular."""
        p, changes = self._pieces, self.changes
        kernels.kinds_of(0, len(status), status, sign, p.problem.mu, changes.kinds, changes.coefficients)
        kinds, coefficients = changes.kinds.copy(), changes.coefficients.copy()
        changes.slot[:], changes.count[0] = -1, 0
        place = np.empty(len(kinds), np.int64)
        n = piece_kernels.places(kinds, place)
        entries = piece_kernels.reduced(p.columns, self.A.shift, kinds, coefficients, place, p.K)
        indptr, indices, data = p.K
        K = csc_matrix((data[:entries], indices[:entries], indptr[: n + 1]), shape=(n, n))
        parts = _sparse_factors(K) if p.sparse and n else _dense_factors(K.toarray(order="F"))
        if parts is None:
            return False
        self.factors = Factors(kinds, coefficients, place, p.columns, *parts)
        self.solve(-self.q, self.dr0)
        return True

    def solve(self, y: FloatArray, r: FloatArray) -> None:
        """r = M0^-1 of y in the rows of w and of 0 in the others."""
        piece_kernels.solve(self.factors, y, r, self.changes.x, self.changes.z)

    def change(self, i: int, status: IntArray, sign: FloatArray) -> bool:
        """Contact i has another status; False when too many rows are changed."""
        mu = self._pieces.problem.mu
        args = status, sign, mu, self.changes, self.factors, self.A, self.q, self.dr0
        return bool(change_kernels.change(i, *args))


def _sparse_factors(K: csc_matrix) -> tuple[Any, ...] | None:
    """L, U, its diagonal and the places of rows and unknowns, by SuperLU; None when K is singular."""
    lu = superlu(K, "NATURAL")
    return None if lu is None else _parts(lu)


def _parts(lu: Any) -> tuple[Any, ...]:
    """Those of SuperLU's factors."""
    L, U = lu.L, lu.U
    return (L.indptr, L.indices, L.data), (U.indptr, U.indices, U.data), U.diagonal(), lu.perm_r, lu.perm_c


def _dense_factors(K: FloatArray) -> tuple[Any, ...] | None:
    """The same by LAPACK, K in Fortran order."""
    n = len(K)
    lu, exchanged, info = lapack.dgetrf(K, overwrite_a=True) if n else (K, np.empty(0, np.int32), 0)
    if info != 0:
        return None
    order = np.arange(n, dtype=np.int32)
    for k, other in enumerate(exchanged):
        order[k], order[other] = order[other], order[k]
    place = np.empty_like(order)
    place[order] = np.arange(n)
    return (
        _triangle(lu, lower=True),
        _triangle(lu, lower=False),
        np.diag(lu).copy(),
        place,
        np.arange(n, dtype=np.int32),
    )


def _triangle(lu: FloatArray, *, lower: bool) -> tuple[Any, ...]:
    """Below or above the diagonal, by columns."""
    n = len(lu)
    column, row = np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)
    counts = np.bincount(column, minlength=n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return indptr, row.astype(np.int32), lu.T[column, row]
