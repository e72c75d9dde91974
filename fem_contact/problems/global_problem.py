"""The global frictional contact problem, with the bodies' equation of motion, and its condensation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bmat, csc_matrix, csr_matrix, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from fem_contact.errors import ProblemError
from fem_contact.problems.local import LocalProblem

FloatArray = NDArray[np.float64]

#: Sparse storage of a Delassus matrix below this share of numbers that are not zero, from so many rows on.
SPARSE_BELOW, SPARSE_FROM = 0.2, 100
#: Bodies of up to so many unknowns (a rigid one has 6) are inverted one by one.
SMALL_BODY = 24
#: Right-hand sides solved at a time.
CHUNK = 256


@dataclass(frozen=True)
class GlobalProblem:
    """Find v, r (and lambda) with M v = H^T r + G^T lambda + f, G v + g = 0 and u = H v + b, where
    -(u + mu |u_T| n) is in N_K(r) for every contact, K = {r : |r_T| <= mu r_N}.

    Acary & Cadoux (2013, Recent Advances in Contact Mechanics). FCLIB stores the transposes of H and G.

    Attributes
    ----------
    M : (n, n) float, sparse or dense, kept as a ``csc_matrix``
        Iteration matrix (mass): regular (with G: on the kernel of G), not necessarily symmetric.
    H : (d*c, n) float, sparse or dense, kept as a ``csr_matrix``
        From v to the contacts' relative velocities, normal component first.
    f : (n,) float
        Impulses of all that is not contact, M v of the step's beginning included.
    mu : (c,) float
        Friction coefficients.
    b : (d*c,) float
        Relative velocity at v = 0: of obstacles that move, and of restitution.
    d : int
        Components of a contact, normal first: 1 (no friction), 2 or 3.
    G : (p, n) float or None, kept as a ``csr_matrix``
    g : (p,) float or None
        Equality constraints, such as joints.

    Raises
    ------
    ProblemError
        On shapes that disagree, numbers that are not finite, or a negative mu.
    """

    M: Any
    H: Any
    f: FloatArray
    mu: FloatArray
    b: FloatArray
    d: int = 2
    G: Any = None
    g: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.d not in (1, 2, 3):
            raise ProblemError(f"d = {self.d}: a contact has 1, 2 or 3 components")
        if (self.G is None) != (self.g is None):
            raise ProblemError("equality constraints need both G and g")
        given = [name for name in ("M", "H", "G", "f", "mu", "b", "g") if getattr(self, name) is not None]
        for name in given:
            value = getattr(self, name)
            if name in "MHG":
                value = (csc_matrix if name == "M" else csr_matrix)(value, dtype=np.float64)
            else:
                value = np.ascontiguousarray(value, dtype=np.float64)
            object.__setattr__(self, name, value)
        self._check_shapes()
        for name in given:
            array = getattr(self, name)
            if not np.all(np.isfinite(array.data if issparse(array) else array)):
                raise ProblemError(f"{name} holds numbers that are not finite")
        if self.mu.min(initial=0.0) < 0.0:
            raise ProblemError(f"mu must be >= 0, got {self.mu.min()}")

    def _check_shapes(self) -> None:
        if self.f.ndim != 1 or self.mu.ndim != 1:
            raise ProblemError(f"f has shape {self.f.shape} and mu {self.mu.shape}, expected (n,) and (c,)")
        n, m = len(self.f), self.d * len(self.mu)
        for name, shape in (("M", (n, n)), ("H", (m, n)), ("b", (m,))):
            if getattr(self, name).shape != shape:
                raise ProblemError(
                    f"{name} has shape {getattr(self, name).shape}; {n} unknowns and {len(self.mu)} contacts "
                    f"of {self.d} components need {shape}"
                )
        if self.g is not None and (self.g.ndim != 1 or self.G.shape != (len(self.g), n)):
            raise ProblemError(
                f"G has shape {self.G.shape} and g {self.g.shape}; {n} unknowns need (p, {n}) and (p,)"
            )

    @property
    def contacts(self) -> int:
        """Number of contacts c."""
        return len(self.mu)

    @cached_property
    def _inverse(self) -> _Inverse:
        """Inverse of M, or of [M, -G^T; G, 0]."""
        if self.G is None:
            return _Inverse(self.M)
        return _Inverse(csc_matrix(bmat([[self.M, -self.G.T], [self.G, None]])))


def condense(problem: GlobalProblem) -> LocalProblem:
    """The local problem in r alone: A = H M^-1 H^T and b = H M^-1 f + b.

    With equality constraints, M^-1 is the block of the unknowns v in the inverse of [M, -G^T; G, 0].
    The matrix is sparse when less than ``SPARSE_BELOW`` of it is not zero.

    Raises
    ------
    ProblemError
        When M is singular.
    """
    n, extra = len(problem.f), 0 if problem.g is None else len(problem.g)
    H = csr_matrix((problem.H.data, problem.H.indices, problem.H.indptr), (problem.H.shape[0], n + extra))
    A = problem._inverse.condense(H)
    free = _free_side(problem, problem.f)
    return LocalProblem(A, H @ problem._inverse.solve(free) + problem.b, problem.mu, problem.d)


def velocities(problem: GlobalProblem, r: FloatArray) -> FloatArray:
    """v = M^-1 (H^T r + f), shape (n,), that of the constraints included. ProblemError when M is singular."""
    return _unknowns(problem, r)[: len(problem.f)]


def multipliers(problem: GlobalProblem, r: FloatArray) -> FloatArray:
    """lambda, the impulses of the equality constraints, shape (p,); empty without them."""
    return _unknowns(problem, r)[len(problem.f) :]


def compact(matrix: Any) -> Any:
    """A square matrix as a dense array or, when large and mostly zero, as a ``csr_matrix``."""
    if not issparse(matrix):
        filled = np.count_nonzero(matrix)
    else:
        matrix = csr_matrix(matrix, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        filled = matrix.nnz
    if matrix.shape[0] >= SPARSE_FROM and filled < SPARSE_BELOW * matrix.shape[0] ** 2:
        return csr_matrix(matrix)
    return matrix.toarray() if issparse(matrix) else matrix


def _unknowns(problem: GlobalProblem, r: FloatArray) -> FloatArray:
    r = np.asarray(r, dtype=np.float64).ravel()
    if r.shape != problem.b.shape:
        raise ProblemError(f"r has shape {r.shape}, expected {problem.b.shape}")
    return problem._inverse.solve(_free_side(problem, problem.H.T @ r + problem.f))


def _free_side(problem: GlobalProblem, forces: FloatArray) -> FloatArray:
    return forces if problem.g is None else np.concatenate([forces, -problem.g])


class _Inverse:
    """K^-1: body by body where all bodies are small, so that it is sparse; by LU factors otherwise."""

    def __init__(self, K: csc_matrix):
        self._blocks: csr_matrix | None = None
        count, body = connected_components(K, directed=False)
        sizes = np.bincount(body, minlength=count)
        try:
            if sizes.max(initial=0) <= SMALL_BODY:
                self._blocks = _invert_blocks(csr_matrix(K), body, sizes)
            else:
                self._factor = splu(K)
        except (RuntimeError, np.linalg.LinAlgError):
            raise ProblemError("M is singular (with the equality constraints, if any)") from None

    def solve(self, side: FloatArray) -> FloatArray:
        """K^-1 side."""
        return self._factor.solve(side) if self._blocks is None else self._blocks @ side

    def condense(self, H: csr_matrix) -> Any:
        """H K^-1 H^T."""
        if self._blocks is not None:
            return compact(H @ self._blocks @ H.T)
        A, columns = np.empty((H.shape[0],) * 2), csc_matrix(H.T)
        for first in range(0, H.shape[0], CHUNK):
            part = slice(first, first + CHUNK)
            A[:, part] = H @ self._factor.solve(columns[:, part].toarray())
        return compact(A)


def _invert_blocks(K: csr_matrix, body: NDArray[Any], sizes: NDArray[Any]) -> csr_matrix:
    """Inverse of a matrix that couples only unknowns of the same body; bodies of one size at once."""
    order = np.argsort(body, kind="stable")
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    place -= firsts[body]
    entries = K.tocoo()
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        rank = np.full(len(sizes), -1)
        rank[chosen] = np.arange(len(chosen))
        mine = rank[body[entries.row]] >= 0
        i, j = entries.row[mine], entries.col[mine]
        blocks = np.zeros((len(chosen), size, size))
        np.add.at(blocks, (rank[body[i]], place[i], place[j]), entries.data[mine])
        unknowns = order[firsts[chosen][:, None] + np.arange(size)]
        rows.append(np.repeat(unknowns, size, axis=1).ravel())
        columns.append(np.tile(unknowns, (1, size)).ravel())
        values.append(np.linalg.inv(blocks).ravel())
    triplets = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return csr_matrix(triplets, K.shape)
