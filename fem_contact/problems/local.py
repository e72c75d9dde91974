"""The local frictional contact problem and the one error measure that judges every solver."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix, issparse

from fem_contact.errors import ProblemError
from fem_contact.problems._kernels import natural_map

FloatArray = NDArray[np.float64]

#: Status of a contact, from :func:`status`.
OPEN, STICK, SLIP = 0, 1, 2


@dataclass(frozen=True)
class LocalProblem:
    """Find r with w = A r + b and -(w + mu |w_T| n) in N_K(r) for every contact.

    K = {r : |r_T| <= mu r_N}; Acary & Collins-Craft (HAL 04230941), eq. 81.

    Attributes
    ----------
    A : (d*c, d*c) float, dense or sparse
        Delassus matrix (1/mass, when r is an impulse and w a velocity). A dense A is kept as a C-ordered
        array; any SciPy sparse one as a ``bsr_matrix`` of d x d blocks, sorted, without duplicates. It need
        be neither symmetric nor regular.
    b : (d*c,) float
        Free velocity, restitution shift included.
    mu : (c,) float
        Friction coefficients.
    d : int
        Components of a contact, normal first: 1 (no friction), 2 or 3.

    Raises
    ------
    ProblemError
        On shapes that disagree, numbers that are not finite, or a negative mu.
    """

    A: Any
    b: FloatArray
    mu: FloatArray
    d: int = 2

    def __post_init__(self) -> None:
        for name in ("b", "mu"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.float64))
        if self.d not in (1, 2, 3):
            raise ProblemError(f"d = {self.d}: a contact has 1, 2 or 3 components")
        if self.mu.ndim != 1:
            raise ProblemError(f"mu has shape {self.mu.shape}, expected (c,)")
        if not issparse(self.A):
            object.__setattr__(self, "A", np.ascontiguousarray(self.A, dtype=np.float64))
        m = self.d * len(self.mu)
        if self.A.shape != (m, m) or self.b.shape != (m,):
            raise ProblemError(
                f"A has shape {self.A.shape} and b {self.b.shape}; {len(self.mu)} contacts of {self.d} "
                f"components need ({m}, {m}) and ({m},)"
            )
        if issparse(self.A):
            object.__setattr__(self, "A", _blocks(self.A, self.d))
        for name, array in (("A", self.A.data if self.sparse else self.A), ("b", self.b), ("mu", self.mu)):
            if not np.all(np.isfinite(array)):
                raise ProblemError(f"{name} holds numbers that are not finite")
        if self.mu.min(initial=0.0) < 0.0:
            raise ProblemError(f"mu must be >= 0, got {self.mu.min()}")

    @property
    def sparse(self) -> bool:
        """Whether A is kept in sparse blocks."""
        return issparse(self.A)

    def dense(self) -> FloatArray:
        """A as a dense array."""
        return self.A.toarray() if self.sparse else self.A

    @property
    def contacts(self) -> int:
        """Number of contacts c."""
        return len(self.mu)

    def velocity(self, r: FloatArray) -> FloatArray:
        """w = A r + b."""
        return self.A @ r + self.b


def _blocks(matrix: Any, d: int) -> bsr_matrix:
    """A sparse matrix in sorted d x d blocks, every diagonal block present."""
    entries = csr_matrix(matrix, dtype=np.float64)
    if not entries.has_canonical_format:
        entries = entries.copy()
        entries.sum_duplicates()
    blocks = entries.tobsr((d, d))
    n = blocks.shape[0] // d
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(blocks.indptr))
    missing = np.setdiff1d(np.arange(n), rows[rows == blocks.indices])
    keys = np.concatenate([rows * n + blocks.indices, missing * (n + 1)])
    data = np.concatenate([blocks.data, np.zeros((len(missing), d, d))])
    order = np.argsort(keys)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(keys // max(n, 1), minlength=n))])
    indices = (keys % max(n, 1))[order].astype(np.int32)
    return bsr_matrix(
        (np.ascontiguousarray(data[order]), indices, indptr.astype(np.int32)), shape=blocks.shape
    )


def project(z: FloatArray, mu: FloatArray, d: int = 2) -> FloatArray:
    """Projection of each contact's z on K = {|r_T| <= mu r_N}; any d >= 1, normal component first."""
    z = np.asarray(z, dtype=np.float64).reshape(len(mu), d)
    if d == 1:
        return np.maximum(z, 0.0).ravel()
    normal, length = z[:, 0], np.linalg.norm(z[:, 1:], axis=1)
    # Without friction K is a ray: (z_N < 0, 0) is on its line and not in it.
    inside, polar = (normal >= 0.0) & (length <= mu * normal), mu * length <= -normal
    r_n = np.where(inside, normal, np.where(polar, 0.0, (normal + mu * length) / (1.0 + mu * mu)))
    safe = np.where(length > 0.0, length, 1.0)
    scale = np.where(inside, 1.0, np.where(polar, 0.0, mu * r_n / safe))
    return np.column_stack([r_n, z[:, 1:] * scale[:, None]]).ravel()


def residual(problem: LocalProblem, r: FloatArray) -> float:
    """|r - P_K(r - (w + mu |w_T| n))|_2 / (1 + |b|_2), w = A r + b; zero exactly at a solution.

    Acary & Collins-Craft (HAL 04230941), section 4. Computed outside the solvers, on their answer.
    """
    r = np.asarray(r, dtype=np.float64).ravel()
    if r.shape != problem.b.shape:
        raise ProblemError(f"r has shape {r.shape}, expected {problem.b.shape}")
    fault = float(natural_map(np.ascontiguousarray(r), problem.velocity(r), problem.mu, problem.d))
    return fault / (1.0 + math.sqrt(problem.b @ problem.b))


def status(problem: LocalProblem, r: FloatArray, tol: float = 1e-10) -> NDArray[np.int64]:
    """OPEN, STICK or SLIP for each contact of a solution, shape (c,); closed is STICK where d = 1."""
    r = np.asarray(r, dtype=np.float64).reshape(problem.contacts, problem.d)
    limit = problem.mu * r[:, 0]
    tangential = np.linalg.norm(r[:, 1:], axis=1)
    scale = tol * max(np.abs(r).max(initial=0.0), 1e-300)
    sticking = (tangential < limit - scale) | (problem.d == 1)
    return np.where(r[:, 0] <= scale, OPEN, np.where(sticking, STICK, SLIP)).astype(np.int64)
