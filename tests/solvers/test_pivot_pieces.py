"""Pieces of the path of pivots: their kernels and matrices, against what NumPy says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix

from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers.pivots import change_kernels as changes_of
from fem_contact.solvers.pivots import path_kernels as path_kernels
from fem_contact.solvers.pivots import pivot_kernels as kernels
from fem_contact.solvers.pivots import pivot_matrix as pivot_matrix
from fem_contact.solvers.pivots.change_kernels import COUNT, KNOWN
from fem_contact.solvers.pivots.in_plane import InPlane
from fem_contact.solvers.pivots.pivot_kernels import OPEN, SLIDE, STICK
from fem_contact.solvers.pivots.pivot_matrix import PieceMatrix, Pieces

from . import granular


@pytest.fixture(scope="module")
def flow():
    problem = granular.flow("silo", 10, 10, np.random.default_rng(5), mu=0.4, settle=50)
    assert problem.sparse
    return problem


def dense(problem):
    return LocalProblem(problem.dense(), problem.b, problem.mu, problem.d)


def skewed(problem):
    """A not symmetric, in values and in pattern."""
    A = problem.A.tocsr().tolil()
    A[:10] *= 1.1
    A[0, -1], A[-2, 3] = 0.2, -0.1
    return LocalProblem(A.tocsr(), problem.b, problem.mu, 2)


def matrix_of(problem, shift, status, sign):
    """The matrix of a piece, written row by row."""
    A = problem.dense() + np.diag(np.repeat(shift, 2))
    M = np.eye(len(A))
    for i, one in enumerate(status):
        n, t = 2 * i, 2 * i + 1
        if one != OPEN:
            M[n] = A[n]
        if one == STICK:
            M[t] = A[t]
        else:
            M[t, n] = -sign[i] * problem.mu[i]
    return M


def some_statuses(c, rng):
    return rng.integers(0, 3, c), rng.choice([-1.0, 1.0], c)


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_statuses_are_those_of_the_natural_map(seed):
    """r and w are changed as little as the law between them asks for: r - rho w stays what it is."""
    rng = np.random.default_rng(seed)
    c = 6
    r, w = rng.standard_normal((2, 2 * c))
    mu, rho = rng.uniform(0.0, 1.5, c), rng.uniform(0.1, 3.0, c)
    mu[0] = 0.0
    old = (r - np.repeat(rho, 2) * w).reshape(c, 2)
    status, sign = np.empty(c, np.int64), np.empty(c)
    kernels.statuses(r, w, mu, rho, status, sign)
    np.testing.assert_allclose((r - np.repeat(rho, 2) * w)[::2], old[:, 0], atol=1e-14)
    closed = status != OPEN
    np.testing.assert_allclose((r - np.repeat(rho, 2) * w)[1::2][closed], old[closed, 1], atol=1e-14)
    # The law, by the projection onto the cone: one contact at a time with A = 0.
    A = bsr_matrix((np.zeros((c, 2, 2)), np.arange(c), np.arange(c + 1)), shape=(2 * c, 2 * c))
    assert residual(LocalProblem(A, w, mu, 2), r) < 1e-14
    assert np.all(sign[status == SLIDE] * w[1::2][status == SLIDE] <= 0.0)


def test_product_and_rows_against_numpy(flow):
    rng = np.random.default_rng(0)
    shift, v = rng.uniform(0.1, 1.0, flow.contacts), rng.standard_normal(len(flow.b))
    A, out = Pieces(flow).rows(shift), np.empty(len(flow.b))
    kernels.product(A, v, out)
    whole = flow.dense() + np.diag(np.repeat(shift, 2))
    np.testing.assert_allclose(out, whole @ v, atol=1e-12)
    assert kernels.row_times(kernels.OF_W, 0.0, 7, A, v) == pytest.approx(out[7], abs=1e-12)
    assert kernels.row_times(kernels.OF_R, 0.0, 7, A, v) == v[7]
    assert kernels.row_times(kernels.CONE, 0.3, 7, A, v) == v[7] - 0.3 * v[6]


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_first_facet_against_numpy(seed):
    rng = np.random.default_rng(seed)
    c = 8
    mu = rng.uniform(0.0, 1.0, c)
    mu[1] = 0.0
    status, sign = some_statuses(c, rng)
    r, w, dr, dw = rng.standard_normal((4, 2 * c))
    way = float(rng.choice([-1.0, 1.0]))

    def margins(r, w):
        n, t = r[::2], r[1::2]
        first = np.choose(status, [w[::2], mu * n - t, n])
        second = np.choose(status, [np.full(c, np.nan), mu * n + t, -sign * w[1::2]])
        second[mu == 0.0] = np.nan
        return np.column_stack([first, second])

    value, rate = np.maximum(margins(r, w), 0.0), way * margins(dr, dw)
    lengths = np.where(rate < 0.0, value / np.where(rate < 0.0, -rate, 1.0), np.inf)
    contact, facet, length = kernels.first_facet(status, sign, mu, r, w, dr, dw, way)
    assert length == pytest.approx(lengths.min())
    if np.isfinite(length):
        assert lengths[contact, facet] == pytest.approx(length)
    else:
        assert contact == -1


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_rates_of_w_where_the_status_leaves_it_free(seed):
    rng = np.random.default_rng(seed)
    c = 7
    A = LocalProblem(rng.standard_normal((2 * c, 2 * c)), np.zeros(2 * c), np.full(c, 0.3))
    status, _ = some_statuses(c, rng)
    shift, dr, q, dw = rng.uniform(0.1, 1.0, c), *rng.standard_normal((3, 2 * c))
    kernels.velocity_rates(Pieces(A).rows(shift), status, dr, q, dw)
    whole = (A.A + np.diag(np.repeat(shift, 2))) @ dr + q
    free = np.column_stack([status == OPEN, status != STICK]).ravel()
    np.testing.assert_allclose(dw, np.where(free, whole, 0.0), atol=1e-13)


POSES = [lambda p: p, dense, skewed]


def test_blocks_of_a_piece_against_numpy(flow):
    """diag(B) + diag(C) (A + shift) has the rows of the piece."""
    c, rng = flow.contacts, np.random.default_rng(4)
    status, sign = some_statuses(c, rng)
    shift = rng.uniform(0.5, 1.0, c)
    kinds, coefficients = np.empty(2 * c, np.int64), np.empty(2 * c)
    kernels.kinds_of(0, c, status, sign, flow.mu, kinds, coefficients)
    B, C = np.full((2, c, 2, 2), np.nan)
    kernels.blocks_of(kinds, coefficients, B, C)
    M = flow.dense() + np.diag(np.repeat(shift, 2))
    for i in range(c):
        k = slice(2 * i, 2 * i + 2)
        M[k] = C[i] @ M[k]
        M[k, k] += B[i]
    np.testing.assert_allclose(M, matrix_of(flow, shift, status, sign), atol=1e-13)


def a_piece(problem, seed):
    """Its matrix factorised for some statuses, and written out."""
    rng = np.random.default_rng(seed)
    c = problem.contacts
    q, shift = rng.standard_normal(2 * c), rng.uniform(0.5, 1.0, c)
    status, sign = some_statuses(c, rng)
    matrix = PieceMatrix(Pieces(problem), shift, q)
    assert matrix.factorise(status, sign)
    return matrix, shift, status, sign


def masked(status, v):
    return np.where(np.column_stack([status != OPEN, status == STICK]).ravel(), v, 0.0)


@pytest.mark.parametrize("pose", POSES)
def test_solutions_with_the_matrix_of_a_piece(flow, pose):
    """Against the matrix written out."""
    problem = pose(flow)
    matrix, shift, status, sign = a_piece(problem, 2)
    M = matrix_of(problem, shift, status, sign)
    y = np.random.default_rng(0).standard_normal(len(M))
    np.testing.assert_allclose(M @ matrix.solve(y), masked(status, y), atol=1e-11)
    np.testing.assert_allclose(M @ matrix.dr0, masked(status, -matrix.q), atol=1e-11)


def test_a_singular_piece_is_told(flow):
    """Sparse and dense; a piece of open contacts is none."""
    c = flow.contacts
    nothing = LocalProblem(0.0 * flow.A, flow.b, flow.mu, 2)
    for problem in (nothing, dense(nothing)):
        matrix = PieceMatrix(Pieces(problem), np.zeros(c), np.ones(2 * c))
        assert not matrix.factorise(np.full(c, STICK), np.ones(c))
        assert matrix.factorise(np.full(c, OPEN), np.ones(c))
        np.testing.assert_array_equal(matrix.dr0, 0.0)


def change(matrix, contact, status, sign):
    """Another status of a contact, as a walk takes it; False without room for it."""
    mu = matrix._pieces.problem.mu
    if not changes_of.enter(contact, status, sign, mu, matrix.changes):
        return False
    matrix.find_columns()
    changes_of.tabulate(contact, matrix.changes, matrix.A, matrix.q, matrix.dr0)
    return True


@pytest.mark.parametrize("pose", POSES)
def test_rates_of_a_piece_after_changes_of_status(flow, pose):
    """Against the matrix of the piece written out; a contact may change twice, and back."""
    problem = pose(flow)
    matrix, shift, status, sign = a_piece(problem, 1)
    M0, dr, met = matrix_of(problem, shift, status, sign), np.empty(len(matrix.q)), set()
    changed = [3, 17, 3, 40, 17, 5, 6, 7, 3]
    for new, i in enumerate(changed):
        met.add(int(status[i]))
        status[i], sign[i] = (status[i] + 1 + new % 2) % 3, -sign[i]
        assert change(matrix, i, status, sign)
        assert changes_of.rates(matrix.changes, matrix.dr0, dr)
        expected = np.linalg.solve(matrix_of(problem, shift, status, sign), masked(status, -matrix.q))
        np.testing.assert_allclose(dr, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert met == {OPEN, STICK, SLIDE}
    changes = matrix.changes
    count = changes.counts[COUNT]
    assert changes.counts[KNOWN] == count == len(set(changes.rows[:count]))
    for row, column in zip(changes.rows[:count], changes.inverse[:count], strict=True):
        np.testing.assert_allclose(M0 @ column, np.eye(len(M0))[row], atol=1e-11)


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_elimination_against_numpy(seed, m):
    rng = np.random.default_rng(seed)
    table, right = rng.standard_normal((m, m)), rng.standard_normal(m)
    table[0, 0] = 0.0 if m > 1 else 1.0  # asks for an exchange
    lu, c = table.copy(), right.copy()
    assert changes_of.eliminate(lu, c, m)
    np.testing.assert_allclose(table @ c, right, atol=1e-9 * (1.0 + np.abs(c).max()))
    assert not changes_of.eliminate(np.zeros((m, m)), right.copy(), m)


def test_too_many_changed_rows_ask_for_new_factors(flow, monkeypatch):
    monkeypatch.setattr(pivot_matrix, "CHANGES", 2)
    monkeypatch.setattr(pivot_matrix, "CHANGES_CONTACT", 0.0)
    c = flow.contacts
    status, sign = np.full(c, OPEN), np.ones(c)
    matrix = PieceMatrix(Pieces(flow), np.ones(c), np.ones(2 * c))
    assert matrix.factorise(status, sign)
    answers = []
    for i in (2, 9):
        status[i] = STICK  # two rows each
        answers.append(change(matrix, i, status, sign))
    assert answers == [True, False]


def test_marks_tell_statuses_apart(flow):
    """The sum as it is kept up by crossings is that of the statuses from scratch."""
    c, rng = 6, np.random.default_rng(0)
    marks = rng.integers(0, 2**63, (c, 4), dtype=np.uint64)
    status, sign = some_statuses(c, rng)
    w = rng.standard_normal(2 * c)

    def summed():
        codes = np.where((status == SLIDE) & (sign < 0.0), 3, status)
        return marks[np.arange(c), codes].sum(dtype=np.uint64)

    counts = np.zeros(3, np.int64)
    path = path_kernels.Path(
        w, w, w, w, status, sign, np.ones(2), counts, np.empty(1, np.uint64), np.empty(0)
    )
    path_kernels.mark(path, marks)
    assert path.mark[0] == summed()
    met = set()
    for k in range(60):
        i, facet = int(rng.integers(c)), int(rng.integers(2))
        before = int(status[i])
        path_kernels.cross(path, i, 0 if before == OPEN else facet, marks)
        assert path.mark[0] == summed()
        assert tuple(counts[1:]) == (i, before)
        met.add((before, int(status[i]), float(sign[i])))
        w *= (-1.0) ** k
    assert {(b, s) for b, s, _ in met} == {(OPEN, SLIDE), (STICK, SLIDE), (SLIDE, OPEN), (SLIDE, STICK)}


def test_a_problem_of_the_plane_stays_as_it_is(flow):
    plane, r = InPlane(flow), np.random.default_rng(6).standard_normal(len(flow.b))
    assert plane.problem is flow
    np.testing.assert_array_equal(plane.inward(r), r)
    np.testing.assert_array_equal(plane.outward(r), r)


def test_normal_components_alone_get_tangential_ones(flow):
    normal = LocalProblem(flow.dense()[::2, ::2], flow.b[::2], np.zeros(flow.contacts), d=1)
    plane = InPlane(normal)
    r = np.random.default_rng(7).standard_normal(flow.contacts)
    inner = plane.inward(r)
    np.testing.assert_array_equal(inner[1::2], 0.0)
    np.testing.assert_array_equal(plane.outward(inner), r)
    np.testing.assert_allclose(plane.outward(plane.problem.velocity(inner)), normal.velocity(r))
    np.testing.assert_allclose(plane.problem.velocity(inner)[1::2], 0.0)
