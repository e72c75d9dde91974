"""Sparse factors: Cholesky and LU against dense solves, several right-hand sides, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, diags
from scipy.sparse import random as random_sparse

from fem_contact.errors import ModelError
from fem_contact.solvers.factor import CholeskyFactor, LUFactor, factorise


def symmetric(n, seed=0):
    G = random_sparse(n, n, 0.1, random_state=np.random.default_rng(seed))
    return csr_matrix(G @ G.T + diags(np.linspace(1.0, 2.0, n)))


def unsymmetric(n):
    return csr_matrix(symmetric(n) + 0.1 * random_sparse(n, n, 0.1, random_state=np.random.default_rng(5)))


@pytest.mark.parametrize(("matrix", "kind"), [(symmetric(60), CholeskyFactor), (unsymmetric(60), LUFactor)])
@pytest.mark.parametrize("shape", [(60,), (60, 1), (60, 7)])
def test_against_dense(matrix, kind, shape):
    factor = factorise(matrix)
    assert isinstance(factor, kind)
    b = np.random.default_rng(1).standard_normal(shape)
    kept, x = b.copy(), np.full(shape, np.nan)
    factor.solve_into(b, x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix.toarray(), b), rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(b, kept)
    factor.solve_into(2.0 * b, x)  # the factors are still good
    np.testing.assert_allclose(matrix @ x, 2.0 * b, atol=1e-13)


def test_symmetric_to_round_off_is_symmetric():
    matrix = symmetric(20).toarray()
    matrix[0, 1] += 1e-16
    assert isinstance(factorise(csr_matrix(matrix)), CholeskyFactor)
    matrix[0, 1] += 1e-6
    assert isinstance(factorise(csr_matrix(matrix)), LUFactor)


def test_one_dof_and_unsorted_indices():
    x = np.empty(1)
    factorise(csr_matrix([[4.0]])).solve_into(np.array([2.0]), x)
    assert x[0] == 0.5
    matrix = csr_matrix((np.array([1.0, 4.0, 3.0, 1.0]), [1, 0, 1, 0], [0, 2, 4]), (2, 2))
    x = np.empty(2)
    factorise(matrix).solve_into(np.array([5.0, 4.0]), x)
    np.testing.assert_allclose(x, [1.0, 1.0], rtol=1e-15)


@pytest.mark.parametrize("diagonal", [(1.0, -1.0, 2.0), (1.0, 0.0, 2.0)])
def test_not_positive_definite(diagonal):
    with pytest.raises(ModelError, match=r"^Mhat is not positive definite: check mass, stiffness, damping"):
        factorise(csr_matrix(diags(diagonal)), "Mhat")


def test_singular():
    with pytest.raises(ModelError, match=r"^Mhat is singular: check mass, stiffness, damping and the step$"):
        factorise(csr_matrix(np.array([[1.0, 2.0], [0.0, 0.0]])), "Mhat")
