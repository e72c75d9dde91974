"""A problem as the pivots take it: with two components for each contact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix, diags, kron

from fem_contact.problems.local import LocalProblem

FloatArray = NDArray[np.float64]


class InPlane:
    """The same problem in the plane.

    Attributes
    ----------
    problem : LocalProblem
        d = 2; one without tangential components gets some, without friction.
    """

    def __init__(self, problem: LocalProblem):
        self._d = problem.d
        self.problem = problem if problem.d == 2 else _with_tangents(problem)

    def inward(self, r: FloatArray) -> FloatArray:
        """Impulses of the problem as given, as those of ``problem``."""
        plane = np.zeros((self.problem.contacts, 2))
        plane[:, : self._d] = r.reshape(-1, self._d)
        return plane.ravel()

    def outward(self, r: FloatArray) -> FloatArray:
        """Impulses of ``problem``, as those of the problem as given."""
        return r.reshape(-1, 2)[:, : self._d].ravel()


def _with_tangents(problem: LocalProblem) -> LocalProblem:
    normal = csr_matrix(problem.A)
    A = kron(normal, np.diag([1.0, 0.0])) + kron(diags(normal.diagonal()), np.diag([0.0, 1.0]))
    b = np.zeros(2 * problem.contacts)
    b[::2] = problem.b
    return LocalProblem(bsr_matrix(A.tocsr(), blocksize=(2, 2)), b, np.zeros(problem.contacts), 2)
