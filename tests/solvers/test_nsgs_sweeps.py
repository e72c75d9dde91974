"""NSGS in space and on sparse blocks: sweeps against NumPy twins, variants, rank-deficient stacks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix, csr_matrix

from fem_contact.problems import LocalProblem, project, residual
from fem_contact.problems._kernels import block_multiply_add, natural_map
from fem_contact.solvers import NSGS, SolverStatus, solve
from fem_contact.solvers import nsgs as nsgs_module
from fem_contact.solvers.gauss_seidel import block_sweep_kernels as block_kernels
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels
from fem_contact.solvers.gauss_seidel.nsgs_sweeps import sweeps_of
from fem_contact.solvers.gauss_seidel.status_solve import solve_on_status, status_at

seeds = st.integers(0, 2**32 - 1)
dims = st.integers(1, 3)


def sparse_problem(seed, c, d, mu_max=0.4, skew=0.0, load=0.5):
    """A = H H^T of c contacts in a ring of bodies with d freedoms, positive definite; some contacts open."""
    rng = np.random.default_rng(seed)
    A = np.zeros((c, d, c, d))
    for i in range(c):
        block = rng.standard_normal((d, d))
        for j in {(i + 1) % c, (i + 3) % c} - {i}:
            A[i, :, j] += 0.15 * block
            A[j, :, i] += 0.15 * block.T
        A[i, :, i] += np.eye(d) * (1.5 + rng.random())
    A = A.reshape(d * c, d * c)
    if skew:
        E = rng.uniform(-1.0, 1.0, A.shape)
        A = A * (1.0 + skew * E)
    b = rng.standard_normal(d * c)
    b[::d] -= load
    return LocalProblem(csr_matrix(A), b, rng.uniform(0.0, mu_max, c), d)


def dense(problem):
    return LocalProblem(problem.dense(), problem.b, problem.mu, problem.d)


def box_stack(levels, mu, seed, skew=0.0, push=0.0):
    """Unit cubes on a floor, four contacts to a face: A of rank 6*levels, 12*levels reactions."""
    rng = np.random.default_rng(seed)
    corners = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    H = np.zeros((12 * levels, 6 * levels))
    for level in range(levels):
        for n, (x, y) in enumerate(corners):
            rows = slice(12 * level + 3 * n, 12 * level + 3 * n + 3)
            for body, sign, z in ((level, 1.0, -0.5), (level - 1, -1.0, 0.5)):
                if body >= 0:
                    # v + omega x arm in the frame (normal z, x, y)
                    arm = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])  # omega x arm = arm_matrix omega
                    velocity = np.hstack([np.eye(3), arm])[[2, 0, 1]]
                    H[rows, 6 * body : 6 * body + 6] += sign * velocity
    inverse = np.tile([1.0, 1.0, 1.0, 6.0, 6.0, 6.0], levels)
    N = np.diag(inverse)
    if skew:
        E = rng.standard_normal(N.shape) * np.kron(np.eye(levels), np.ones((6, 6)))
        N = N + skew * (E - E.T)
    v = np.tile([push, 0.3 * push, -1.0, 0.0, 0.0, 0.0], levels)
    v += 0.05 * push * rng.standard_normal(len(v))
    return LocalProblem(H @ N @ H.T, H @ v, np.full(4 * levels, mu), 3), H


@pytest.mark.parametrize("d", [1, 2, 3])
def test_sparse_product(d):
    problem = sparse_problem(0, 9, d)
    r, w = np.random.default_rng(1).standard_normal(9 * d), np.empty(9 * d)
    block_multiply_add(problem.A.indptr, problem.A.indices, problem.A.data, r, problem.b, w)
    np.testing.assert_allclose(w, problem.dense() @ r + problem.b, atol=1e-13)


@settings(deadline=None, max_examples=40)
@given(seeds, dims, st.booleans(), st.booleans(), st.sampled_from([1.0, 0.3, 1.4]))
def test_a_sweep_against_numpy(seed, d, sparse, backward, relaxation):
    """Each contact in turn: solved alone for its w without itself, and part of the way gone, in K."""
    c = 7
    problem = sparse_problem(seed, c, d, skew=0.01)
    A, b, mu = problem.dense(), problem.b, problem.mu
    r = project(2.0 * np.random.default_rng(seed).standard_normal(d * c), mu, d)
    expected = r.copy()
    for i in range(c)[::-1] if backward else range(c):
        k = slice(d * i, d * i + d)
        local = A[k] @ expected + b[k] - A[k, k] @ expected[k]
        own = LocalProblem(A[k, k], local, mu[i : i + 1], d)
        alone = solve(own, NSGS(finish=False)).r
        assert residual(own, alone) <= 1e-10
        way = expected[k] + relaxation * (alone - expected[k])
        expected[k] = project(way, mu[i : i + 1], d) if relaxation > 1.0 else way
    order, old = np.arange(c), np.empty(3)
    if sparse:
        diagonal, stale = np.empty(c, np.int64), np.ones(c, bool)
        arrays = problem.A.indptr, problem.A.indices, problem.A.data
        assert block_kernels.diagonal_blocks(*arrays[:2], diagonal)
        np.testing.assert_array_equal(problem.A.indices[diagonal], np.arange(c))
        block_kernels.block_sweep(*arrays, b, mu, diagonal, True, relaxation, order, backward, r, stale, old)
    else:
        w, At = A @ r + b, np.ascontiguousarray(A.T)
        kernels.sweep(A, At, mu, d, relaxation, order, backward, r, w, old)
        np.testing.assert_allclose(w, A @ r + b, atol=1e-12)
    np.testing.assert_allclose(r, expected, atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("c", [3, 20, 200])
def test_sparse_equals_dense(c, d):
    problem = sparse_problem(c, c, d)
    sparse, full = solve(problem, NSGS(tol=1e-13)), solve(dense(problem), NSGS(tol=1e-13))
    assert sparse.converged
    assert full.converged
    np.testing.assert_allclose(sparse.r, full.r, atol=1e-11)
    if c > 3:
        assert np.any(sparse.r[::d] == 0.0)
        assert np.any(sparse.r[::d] > 0.0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(
    "variant",
    [
        {"symmetric": True},
        {"shuffle": True},
        {"shuffle": True, "seed": 7},
        {"symmetric": True, "shuffle": True},
        {"relaxation": 0.6},
        {"relaxation": 1.3},
    ],
)
def test_variants_find_the_same(variant, d, sparse):
    problem = sparse_problem(5, 150, d)
    problem = problem if sparse else dense(problem)
    plain = solve(problem, NSGS(tol=1e-13, finish=False))
    other = solve(problem, NSGS(tol=1e-13, finish=False, **variant))
    assert plain.converged
    assert other.converged
    np.testing.assert_allclose(other.w, plain.w, atol=1e-11)
    assert not np.array_equal(other.r, plain.r)  # it did go another way
    np.testing.assert_array_equal(solve(problem, NSGS(tol=1e-13, finish=False, **variant)).r, other.r)


def test_shuffled_orders():
    """Permutations, all of three seen about as often; the seed decides."""
    order, state = np.empty(3, np.int64), np.empty(1, np.uint64)
    nsgs_module.begin_order(order, state, 3)
    np.testing.assert_array_equal(order, [0, 1, 2])
    seen: dict[tuple, int] = {}
    for _ in range(6000):
        kernels.reorder(order, state)
        seen[tuple(order)] = seen.get(tuple(order), 0) + 1
    assert len(seen) == 6
    assert min(seen.values()) > 850


@settings(deadline=None, max_examples=30)
@given(seeds, dims, st.booleans())
def test_not_symmetric_by_three_in_a_thousand(seed, d, sparse):
    problem = sparse_problem(seed, 30, d, skew=3e-3)
    problem = problem if sparse else dense(problem)
    result = solve(problem, NSGS())
    assert result.converged
    assert residual(problem, result.r) <= 1e-10


def test_pattern_that_is_not_symmetric():
    """No contact is skipped then: a change of 0 must reach 1 although row 0 does not name 1."""
    A = bsr_matrix(np.array([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 2.0]]), blocksize=(1, 1))
    problem = LocalProblem(A, np.array([-1.0, -1.0, -1.0]), np.zeros(3), 1)
    diagonal = np.empty(3, np.int64)
    assert not block_kernels.diagonal_blocks(problem.A.indptr, problem.A.indices, diagonal)
    run = NSGS(shuffle=True, seed=1, finish=False)
    r = np.zeros(3)
    assert sweeps_of(run, problem, False)(r, 50, 1e-14) < 50
    np.testing.assert_allclose(r, [0.5, 0.25, 0.375], atol=1e-14)


def test_contacts_at_rest_are_skipped():
    """Two groups that do not touch: once the first is at rest its contacts are not solved again."""
    A = np.kron(np.eye(2), np.array([[2.0, 1.0], [1.0, 2.0]]))
    problem = LocalProblem(csr_matrix(A), np.array([1.0, 1.0, -1.0, -1.0]), np.zeros(4), 1)
    diagonal, order, old = np.empty(4, np.int64), np.arange(4), np.empty(3)
    arrays = problem.A.indptr, problem.A.indices, problem.A.data
    block_kernels.diagonal_blocks(*arrays[:2], diagonal)
    r, stale = np.zeros(4), np.ones(4, bool)
    block_kernels.block_sweep(
        *arrays, problem.b, problem.mu, diagonal, True, 1.0, order, False, r, stale, old
    )
    np.testing.assert_array_equal(stale, [False, False, True, True])
    np.testing.assert_allclose(r, [0.0, 0.0, 0.5, 0.25])
    before = r.copy()
    stale[:] = False
    change = block_kernels.block_sweep(
        *arrays, problem.b, problem.mu, diagonal, True, 1.0, order, False, r, stale, old
    )
    assert change == 0.0
    np.testing.assert_array_equal(r, before)
    # Contact 2 stays as it is until 3 changes; then it must be solved again.
    r[:], stale[:] = (0.0, 0.0, 0.5, 0.0), True
    block_kernels.block_sweep(
        *arrays, problem.b, problem.mu, diagonal, True, 1.0, order, False, r, stale, old
    )
    np.testing.assert_array_equal(r, before)
    np.testing.assert_array_equal(stale, [False, False, True, True])


@pytest.mark.parametrize("skew", [0.0, 1e-3])
@pytest.mark.parametrize("push", [0.0, 0.4, 3.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_rank_deficient_stack_of_boxes(push, sparse, skew):
    """Hyperstatic: reactions are not unique, the bodies' velocities are."""
    problem, H = box_stack(3, 0.5, 1, skew, push)
    assert np.linalg.matrix_rank(problem.A) == 18 < 36
    if sparse:
        problem = LocalProblem(csr_matrix(problem.A), problem.b, problem.mu, 3)
    result = solve(problem, NSGS(max_iter=50_000))
    assert result.converged
    assert residual(problem, result.r) <= 1e-10
    other = solve(problem, NSGS(max_iter=50_000, symmetric=True))
    assert other.converged
    np.testing.assert_allclose(other.w, result.w, atol=1e-7)
    if push == 0.0:
        np.testing.assert_allclose(result.w, 0.0, atol=1e-8)
        if skew == 0.0:  # every box's weight is carried
            np.testing.assert_allclose((H.T @ result.r)[2::6], 1.0, atol=1e-7)


@settings(deadline=None, max_examples=20)
@given(seeds, st.floats(-3.0, 3.0))
def test_turning_every_tangential_frame(seed, angle):
    """r turns with the frames about the normals."""
    problem = sparse_problem(seed, 12, 3, mu_max=0.3)
    turn = np.eye(3)
    turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    Q = np.kron(np.eye(12), turn)
    turned = LocalProblem(csr_matrix(Q @ problem.dense() @ Q.T), Q @ problem.b, problem.mu, 3)
    first, second = solve(problem, NSGS(tol=1e-13)), solve(turned, NSGS(tol=1e-13))
    np.testing.assert_allclose(second.r, Q @ first.r, atol=1e-10)


def test_space_against_the_plane():
    """Nothing couples to the second tangential direction: the plane's answer, and none there."""
    flat = sparse_problem(4, 20, 2)
    A = np.zeros((20, 3, 20, 3))
    A[:, :2, :, :2] = flat.dense().reshape(20, 2, 20, 2)
    A[np.arange(20), 2, np.arange(20), 2] = 1.0
    b = np.column_stack([flat.b.reshape(20, 2), np.zeros(20)]).ravel()
    deep = solve(LocalProblem(A.reshape(60, 60), b, flat.mu, 3), NSGS(tol=1e-13))
    r = deep.r.reshape(20, 3)
    np.testing.assert_allclose(r[:, :2].ravel(), solve(flat, NSGS(tol=1e-13)).r, atol=1e-11)
    np.testing.assert_allclose(r[:, 2], 0.0, atol=1e-13)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_natural_map_in_space(seed):
    rng = np.random.default_rng(seed)
    r, w = rng.standard_normal((2, 12))
    mu = rng.uniform(0.0, 2.0, 4)
    problem = LocalProblem(np.zeros((12, 12)), w, mu, 3)
    by_definition = residual(problem, r) * (1.0 + np.linalg.norm(w))
    assert natural_map(r, w, mu, 3) == pytest.approx(by_definition, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2])
def test_exact_finish_of_many_contacts(d):
    """More than the compiled finish takes on: sparse and LAPACK factors, exact to round-off."""
    problem = sparse_problem(8, 400, d)
    assert len(problem.b) > nsgs_module.SMALL
    for posed in (problem, dense(problem)):
        exact, rough = solve(posed, NSGS(tol=1e-15)), solve(posed, NSGS(tol=1e-9, finish=False))
        assert rough.residual > 1e-13  # otherwise there is nothing to finish
        finished = solve_on_status(posed, status_at(posed, rough.r), rough.r)
        assert residual(posed, finished) <= 1e-15
        assert exact.residual <= 1e-15


def test_status_solve_of_a_hyperstatic_block():
    """A block on 200 points: three motions, 400 reactions, solved by a correction of the guess."""
    c = 200
    x = np.linspace(-1.0, 1.0, c)
    H = np.zeros((2 * c, 3))
    H[::2, 1], H[::2, 2], H[1::2, 0], H[1::2, 2] = 1.0, x, 1.0, 0.5
    N = np.diag([1.0, 1.0, 3.0])
    for sliding, v in ((False, [0.1, -1.0, 0.0]), (True, [2.0, -1.0, 0.0])):
        A = H @ N @ H.T
        for matrix in (A, csr_matrix(A)):
            problem = LocalProblem(matrix, H @ np.array(v), np.full(c, 0.5))
            result = solve(problem, NSGS(tol=1e-13))
            assert result.converged
            finished = solve_on_status(problem, status_at(problem, result.r), result.r + 1e-3)
            assert residual(problem, finished) <= 1e-13
            motion = np.array(v) + N @ H.T @ result.r
            expected = [1.5, 0.0, 0.0] if sliding else [0.0, 0.0, 0.0]
            np.testing.assert_allclose(motion, expected, atol=1e-10)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_prepared_for_the_time_stepper(d):
    """Dense, any d, fewer contacts than prepared for; the same numbers as the plain solve."""
    problem = dense(sparse_problem(2, 8, d))
    prepared = NSGS().prepare(11, d)
    r = np.zeros(8 * d)
    iterations = prepared.solve_into(problem.A, problem.b, problem.mu, r)
    assert 1 <= iterations < 100
    assert residual(problem, r) <= 1e-10
    again = r.copy()
    assert prepared.solve_into(problem.A, problem.b, problem.mu, again, fresh=False) <= 2


def test_stops_when_the_time_is_up():
    problem, _ = box_stack(4, 0.5, 1)
    result = solve(problem, NSGS(tol=1e-300, max_iter=10**9), seconds=0.05)
    assert result.status is SolverStatus.TIME_LIMIT
    assert result.solver == "nsgs"
    looks = np.diff([iterations for iterations, _ in result.history])
    assert looks.max() <= nsgs_module.LAST_LOOK
