"""Elimination of contacts by blocks: its fill, its factors against NumPy, what takes over where it fails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix, csc_matrix, identity, kron, random_array
from scipy.sparse.linalg import spsolve

from fem_contact.problems import LocalProblem
from fem_contact.solvers.linear import plane_system
from fem_contact.solvers.linear.elimination import Elimination, elimination
from fem_contact.solvers.linear.plane_system import PlaneSystem
from fem_contact.solvers.linear.sparse_system import SparseSystem
from fem_contact.solvers.linear.superlu import superlu

from . import granular


def graph_matrix(c, edges):
    """Blocks of ones on the diagonal and for each edge, as a sparse matrix."""
    A = np.eye(c)
    for i, j in edges:
        A[i, j] = A[j, i] = 1.0
    return bsr_matrix(np.kron(A, np.ones((2, 2))), blocksize=(2, 2))


def random_matrix(c, density, seed):
    """Blocks in random places, not symmetric in values and in pattern, with a diagonal."""
    rng = np.random.default_rng(seed)
    pattern = random_array((c, c), density=density, rng=rng) + identity(c)
    A = bsr_matrix(kron(pattern, np.ones((2, 2))), blocksize=(2, 2))
    A.data[:] = rng.standard_normal(A.data.shape)
    return A


def random_blocks(c, rng):
    """B, C and shift of a Newton matrix, B large enough for a regular one."""
    B = rng.standard_normal((c, 2, 2)) + 8.0 * np.eye(2)
    return B, rng.standard_normal((c, 2, 2)), rng.uniform(0.0, 1.0, c)


def newton_matrix(A, B, C, shift):
    """diag(B) + diag(C) (A + shift), written contact by contact."""
    M = A.toarray()
    M[np.diag_indices(len(M))] += np.repeat(shift, 2)
    for i in range(len(B)):
        k = slice(2 * i, 2 * i + 2)
        M[k] = C[i] @ M[k]
        M[k, k] += B[i]
    return M


@pytest.fixture(scope="module")
def flow():
    return granular.flow("silo", 10, 10, np.random.default_rng(5), mu=0.4, settle=50)


def test_the_order_of_elimination_fills_little(flow):
    """A chain with its ends joined to a hub that comes first: eliminated last, or nearly so."""
    c = 60
    order, _ = elimination(
        graph_matrix(c, [(k, k + 1) for k in range(1, c - 1)] + [(0, k) for k in range(1, c)])
    )
    assert sorted(order) == list(range(c))
    assert 0 in order[-3:]
    fill = []
    order = elimination(flow.A)[0]
    for k in (np.arange(flow.contacts), order):
        rows = (2 * k[:, None] + np.arange(2)).ravel()
        A = csc_matrix(flow.A.tocsr()[rows][:, rows])
        fill.append(superlu(csc_matrix(A + 10.0 * identity(A.shape[0])), "NATURAL").L.nnz)
    assert fill[1] < 0.8 * fill[0]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.sampled_from([0.0, 0.05, 0.2, 1.0]))
def test_the_pattern_is_that_of_elimination(seed, c, density):
    A = random_matrix(c, density, seed)
    order, lower = elimination(A)
    full = np.abs(A.toarray()).reshape(c, 2, c, 2).sum(axis=(1, 3)) > 0.0
    full = (full | full.T)[np.ix_(order, order)]
    for k in range(c):
        full[k + 1 :, k + 1 :] |= np.outer(full[k + 1 :, k], full[k + 1 :, k])
    np.testing.assert_array_equal(lower.toarray() != 0.0, np.tril(full, -1))


def test_a_long_ring_loses_no_fill():
    """The last contacts of a ring to be eliminated are far from each other, but fill each other's places.

    A is its Laplacian, whose inverse decays slowly along the ring: what is lost there is missed.
    """
    c = 4000
    at, ahead = np.arange(c), np.roll(np.arange(c), -1)
    rows, columns = np.concatenate([at, ahead, at]), np.concatenate([at, at, ahead])
    values = np.repeat([2.0, -1.0, -1.0], c)
    A = bsr_matrix(kron(csc_matrix((values, (rows, columns))), np.eye(2)), blocksize=(2, 2))
    B, C = np.tile(1e-5 * np.eye(2), (c, 1, 1)), np.tile(np.eye(2), (c, 1, 1))
    b = np.random.default_rng(0).standard_normal((c, 2))
    blocks = Elimination(A)
    assert blocks.factor(B, C, np.zeros(c), np.ones(c, np.bool_))
    expected = spsolve(csc_matrix(A + 1e-5 * identity(2 * c)), b.ravel())
    np.testing.assert_allclose(
        blocks.solve(b).ravel(), expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max()
    )


@pytest.mark.parametrize("component", [0, 1])
def test_a_right_side_of_one_component(flow, component):
    """The columns of the inverse that pivots ask for."""
    c, rng = flow.contacts, np.random.default_rng(3)
    B, C, shift = random_blocks(c, rng)
    blocks = Elimination(flow.A)
    assert blocks.factor(B, C, shift, np.ones(c, np.bool_))
    M = newton_matrix(flow.A, B, C, shift)
    for contact in range(0, c, 5):
        unit = np.zeros((c, 2))
        unit[contact, component] = 1.0
        np.testing.assert_allclose(M @ blocks.solve(unit).ravel(), unit.ravel(), atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.sampled_from([0.05, 0.2, 1.0]), st.booleans())
def test_factors_against_numpy(seed, c, density, whole):
    A, rng = random_matrix(c, density, seed), np.random.default_rng(seed)
    B, C, shift = random_blocks(c, rng)
    kept = np.ones(c, np.bool_) if whole else rng.random(c) < 0.6
    kept[seed % c] = True
    b = np.where(kept[:, None], rng.standard_normal((c, 2)), 0.0)
    blocks = Elimination(A)
    for scale in (1.0, 2.0):  # the second matrix in the work space of the first
        M = newton_matrix(A, scale * B, C, shift)
        if not blocks.factor(scale * B, C, shift, kept):
            continue
        x, error = blocks.solve(b), blocks.error(b)
        rows = np.repeat(kept, 2)
        left = b.ravel()[rows] - M[np.ix_(rows, rows)] @ x.ravel()[rows]
        assert np.all(x[~kept] == 0.0)
        assert error == pytest.approx(np.abs(left).max(initial=0.0), abs=1e-11 * (1.0 + np.abs(x).max()))
        if np.linalg.cond(M[np.ix_(rows, rows)]) < 1e3:
            assert error < 1e-9


def test_the_error_is_that_of_the_solution(flow):
    """With factors of another matrix, the error says so; NaN is not small."""
    c, rng = flow.contacts, np.random.default_rng(1)
    B, C, shift = random_blocks(c, rng)
    b, all_of_them = rng.standard_normal((c, 2)), np.ones(c, np.bool_)
    blocks = Elimination(flow.A)
    assert blocks.factor(B, C, shift, all_of_them)
    x, error = blocks.solve(b), blocks.error(b)
    assert error < 1e-12
    B *= 1.5  # the matrix, not its factors
    x, error = blocks.solve(b), blocks.error(b)
    left = b.ravel() - newton_matrix(flow.A, B, C, shift) @ x.ravel()
    assert error == pytest.approx(np.abs(left).max(), rel=1e-10)
    b[3, 1] = np.nan
    blocks.solve(b)
    assert np.isnan(blocks.error(b))


def test_a_system_of_a_flow_agrees_with_superlu(flow, monkeypatch):
    c, rng = flow.contacts, np.random.default_rng(2)
    B, C, shift = random_blocks(c, rng)
    plane, scalars = PlaneSystem(flow.A), SparseSystem(flow.A, 2)
    # What does not solve by itself may not hide behind SuperLU.
    monkeypatch.setattr(plane, "_scalars", None)
    for contacts in (np.arange(c), np.flatnonzero(rng.random(c) < 0.7)):
        mine, theirs = plane.factor(B, C, shift, contacts), scalars.factor(B, C, shift, contacts)
        for x in rng.standard_normal((2, 2 * len(contacts))):
            np.testing.assert_allclose(mine(x), theirs(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pivot", [0.0, 1e-17])
def test_superlu_takes_over_where_a_pivot_is_small(pivot, monkeypatch):
    """[[pivot, I], [I, I]] needs an exchange of contacts."""
    eye, zero = np.eye(2), np.zeros((2, 2))
    A = bsr_matrix(np.block([[pivot * eye, eye], [eye, eye]]), blocksize=(2, 2))
    B, C = np.array([zero, zero]), np.array([eye, eye])
    monkeypatch.setattr(
        "fem_contact.solvers.linear.elimination.elimination",
        lambda A: (np.arange(2), csc_matrix(([1.0], ([1], [0])), shape=(2, 2))),
    )
    system, x = PlaneSystem(A), np.array([1.0, 2.0, 3.0, 5.0])
    assert system._blocks.factor(B, C, np.zeros(2), np.ones(2, np.bool_)) == (pivot > 0.0)
    solve = system.factor(B, C, np.zeros(2), np.arange(2))
    for _ in range(2):
        np.testing.assert_allclose(solve(x), [2.0, 3.0, 1.0, 2.0], rtol=1e-14)


def test_a_singular_matrix_has_no_solution():
    problem = LocalProblem(graph_matrix(3, [(0, 1), (1, 2)]), np.zeros(6), np.zeros(3), 2)
    system, eye = PlaneSystem(problem.A), np.tile(np.eye(2), (3, 1, 1))
    assert system.factor(0.0 * eye, eye, np.zeros(3), np.arange(3)) is None


def test_a_matrix_found_singular_late_gives_nan(flow, monkeypatch):
    """By the error of its factors, where SuperLU finds none."""
    c, rng = flow.contacts, np.random.default_rng(4)
    plane = PlaneSystem(flow.A)
    monkeypatch.setattr(plane_system, "ERROR", -1.0)
    monkeypatch.setattr(plane._scalars, "factor", lambda *_: None)
    solve = plane.factor(*random_blocks(c, rng), np.arange(c))
    for _ in range(2):
        assert np.all(np.isnan(solve(rng.standard_normal(2 * c))))
