"""Which system makes and factorises the Newton matrices of a problem."""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_matrix, issparse

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.linear.base import NewtonSystem
from fem_contact.solvers.linear.dense_system import DenseSystem
from fem_contact.solvers.linear.plane_system import PlaneSystem
from fem_contact.solvers.linear.sparse_system import SparseSystem

#: A dense A of so many unknowns is treated as sparse when fewer of its blocks are filled.
SPARSE_FROM, SPARSE_BELOW = 200, 0.15


def newton_system(problem: LocalProblem) -> NewtonSystem:
    """Sparse for a sparse A and for a large dense one that is mostly zeros, dense otherwise."""
    A, d, c = problem.A, problem.d, problem.contacts
    if issparse(A):
        if d * c < SPARSE_FROM:
            return DenseSystem(np.ascontiguousarray(A.toarray()), d)
        return _of_blocks(A, d)
    if d * c >= SPARSE_FROM:
        filled = np.abs(A).reshape(c, d, c, d).max(axis=(1, 3)) > 0.0
        if filled.mean() < SPARSE_BELOW:
            return _of_blocks(LocalProblem(bsr_matrix(A, blocksize=(d, d)), problem.b, problem.mu, d).A, d)
    return DenseSystem(A, d)


def _of_blocks(A: bsr_matrix, d: int) -> NewtonSystem:
    return PlaneSystem(A) if d == 2 else SparseSystem(A, d)
