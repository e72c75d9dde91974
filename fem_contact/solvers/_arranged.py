"""A problem as the pivots take it: in the plane, its contacts in an order of little fill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix, diags, kron

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers._elimination import elimination

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Arranged:
    """The same problem with two components for each contact, contacts reordered for elimination.

    Attributes
    ----------
    problem : LocalProblem
        d = 2; one without tangential components gets some, without friction.
    """

    def __init__(self, problem: LocalProblem):
        self._d = problem.d
        plane = problem if problem.d == 2 else _in_plane(problem)
        self._order = elimination(plane.A)[0] if plane.sparse else np.arange(plane.contacts)
        places = (2 * self._order[:, None] + np.arange(2)).ravel()
        A = plane.A.tocsr()[places][:, places] if plane.sparse else plane.A
        self.problem = LocalProblem(A, plane.b[places], plane.mu[self._order], 2)

    def inward(self, r: FloatArray) -> FloatArray:
        """Impulses of the problem as given, as those of ``problem``."""
        plane = np.zeros((len(self._order), 2))
        plane[:, : self._d] = r.reshape(-1, self._d)[self._order]
        return plane.ravel()

    def outward(self, r: FloatArray) -> FloatArray:
        """Impulses of ``problem``, as those of the problem as given."""
        given = np.empty((len(self._order), self._d))
        given[self._order] = r.reshape(-1, 2)[:, : self._d]
        return given.ravel()


def _in_plane(problem: LocalProblem) -> LocalProblem:
    """A problem of normal components with tangential ones without friction."""
    normal = csr_matrix(problem.A)
    A = kron(normal, np.diag([1.0, 0.0])) + kron(diags(normal.diagonal()), np.diag([0.0, 1.0]))
    b = np.zeros(2 * problem.contacts)
    b[::2] = problem.b
    return LocalProblem(bsr_matrix(A.tocsr(), blocksize=(2, 2)), b, np.zeros(problem.contacts), 2)
