"""ADMM with its Newton finish: closed forms, redundant contacts in space, derivatives, honest failure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem, project, residual
from fem_contact.solvers import _admm_kernels as kernels
from fem_contact.solvers import admm
from fem_contact.solvers.admm import ADMM
from fem_contact.solvers.base import SolverStatus, solve
from fem_contact.solvers.cones import tangential_norms
from fem_contact.solvers.nsgs import NSGS

from .posed import ONE_CONTACT, random_problem

METHODS = [ADMM(), ADMM(finish=False), ADMM(adapt=False, relaxation=1.0)]
seeds = st.integers(0, 2**32 - 1)


def box_tower(levels, mu=0.5, push=0.0, skew=0.0, seed=0):
    """Unit cubes on each other, four contacts a face: A of rank 6 levels for 12 levels unknowns."""
    rng = np.random.default_rng(seed)
    H = np.zeros((12 * levels, 6 * levels))
    corners = [(x, y) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    for level in range(levels):
        for k, (x, y) in enumerate(corners):
            rows = slice(12 * level + 3 * k, 12 * level + 3 * k + 3)
            for body, sign, z in ((level, 1.0, -0.5), (level - 1, -1.0, 0.5)):
                if body < 0:
                    continue
                arm = np.array([x, y, z])
                # Velocity of the corner, v + omega x arm, along z, x and y.
                turned = np.hstack([np.eye(3), np.array([np.cross(axis, arm) for axis in np.eye(3)]).T])
                H[rows, 6 * body : 6 * body + 6] += sign * turned[[2, 0, 1]]
    inverse_mass = np.tile([1.0, 1.0, 1.0, 6.0, 6.0, 6.0], levels)
    A = (H * inverse_mass) @ H.T
    if skew:
        E = rng.standard_normal((6 * levels, 6 * levels)) / np.sqrt(6 * levels)
        root = H * np.sqrt(inverse_mass)
        A += skew * root @ (E - E.T) @ root.T
    v = push * rng.standard_normal(6 * levels)
    v[2::6] -= 0.1
    return LocalProblem(A, H @ v, np.full(4 * levels, mu), 3), H


@pytest.mark.parametrize("method", METHODS)
@ONE_CONTACT
def test_one_contact_in_space(method, b, expected):
    result = solve(LocalProblem(np.eye(3), np.array(b), np.array([0.5]), 3), method)
    assert result.converged
    np.testing.assert_allclose(result.r, expected, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("skew", [0.0, 0.02])
def test_random_problems(method, d, skew):
    for seed in range(5):
        problem = random_problem(seed, 15, d, skew=skew)
        result = solve(problem, method)
        assert result.converged
        assert result.solver == "admm"
        assert result.residual == residual(problem, result.r) <= 1e-10


@pytest.mark.parametrize("method", METHODS)
@given(seed=seeds, c=st.integers(1, 6), d=st.integers(1, 2))
@settings(max_examples=15, deadline=None)
def test_the_velocity_of_nsgs(method, seed, c, d):
    problem = random_problem(seed, c, d, mu_max=0.3)
    found, other = solve(problem, method), solve(problem, NSGS())
    assert found.converged
    assert other.converged
    np.testing.assert_allclose(found.w, other.w, atol=1e-7)


def test_a_tower_at_rest_carries_its_weight():
    """Four contacts a face: the impulses are not unique, their resultant is: the weight above."""
    problem, H = box_tower(10)
    assert np.linalg.matrix_rank(problem.A) == 60 < len(problem.b)
    result = solve(problem, ADMM())
    assert result.converged
    np.testing.assert_allclose(result.w, 0.0, atol=1e-9)
    weight = np.zeros((10, 6))
    weight[:, 2] = 0.1
    np.testing.assert_allclose((H.T @ result.r).reshape(10, 6), weight, atol=1e-8)


@pytest.mark.parametrize("skew", [0.0, 0.003])
@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_a_tower_that_is_pushed(mu, skew):
    problem, _ = box_tower(8, mu, push=0.01, skew=skew)
    assert np.linalg.matrix_rank(problem.A) < len(problem.b)
    assert solve(problem, ADMM()).converged


@pytest.mark.parametrize("d", [1, 2, 3])
def test_sparse_is_dense(monkeypatch, d):
    dense, sparse = random_problem(4, 20, d), random_problem(4, 20, d, sparse=True)
    monkeypatch.setattr(admm, "DENSE", 0)
    for method in METHODS:
        a, b = solve(dense, method), solve(sparse, method)
        assert a.converged
        assert b.converged
        np.testing.assert_allclose(a.r, b.r, atol=1e-8)


@pytest.mark.parametrize("d", [1, 2, 3])
@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_split_is_moreau_s_decomposition(d, seed):
    rng = np.random.default_rng(seed)
    mu, rho = rng.choice([0.0, 0.4, 3.0], 7), 0.7
    v, b = rng.standard_normal((2, 7 * d))
    z, rhs = np.empty((2, 7 * d))
    kernels.split(v, b, mu, d, rho, z, rhs)
    np.testing.assert_allclose(z, project(v, mu, d), rtol=1e-13, atol=1e-14)
    w = rho * (z - v)
    expected = rho * (2.0 * z - v) - b
    expected[::d] -= mu * tangential_norms(w, d)
    np.testing.assert_allclose(rhs, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("d", [1, 2, 3])
@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_slopes_are_the_derivatives(d, seed):
    rng = np.random.default_rng(seed)
    mu, rho, eps = rng.uniform(0.1, 1.5, 5), 0.7, 1e-7
    v, way = rng.standard_normal((2, 5 * d))
    P, R = np.empty((2, 5, d, d))
    kernels.slopes(v, mu, d, rho, P, R)
    zero = np.zeros(5 * d)

    def both(v):
        z, rhs = np.empty((2, 5 * d))
        kernels.split(v, zero, mu, d, rho, z, rhs)
        return z, rhs - rho * z

    above, below = both(v + eps * way), both(v - eps * way)
    step = way.reshape(5, d)
    for block, up, down in ((P, above[0], below[0]), (R, above[1], below[1])):
        expected = (up - down) / (2.0 * eps)
        found = np.einsum("iac,ic->ia", block, step).ravel()
        # A contact within eps of a change of face has no derivative to compare with.
        other = np.empty_like(P), np.empty_like(R)
        kernels.slopes(v + 10 * eps * way, mu, d, rho, *other)
        smooth = np.repeat(np.abs(other[0] - P).max(axis=(1, 2)) < 1e-4, d)
        np.testing.assert_allclose(found[smooth], expected[smooth], atol=1e-5)


def test_newton_matrix_dense_and_sparse():
    rng = np.random.default_rng(2)
    problem = random_problem(2, 6, 3, skew=0.1)
    P, R = rng.standard_normal((2, 6, 3, 3))
    blocks = [np.zeros((18, 18)), np.zeros((18, 18))]
    for i in range(6):
        k = slice(3 * i, 3 * i + 3)
        blocks[0][k, k], blocks[1][k, k] = P[i], R[i]
    expected = blocks[1] - (problem.A + 0.1 * np.eye(18)) @ blocks[0]
    J = np.empty((18, 18))
    kernels.jacobian(problem.A, P, R, 0.1, J)
    np.testing.assert_allclose(J, expected, rtol=1e-12, atol=1e-13)
    x = rng.standard_normal(18)
    for system in (admm._DenseSystem(problem.A), admm._SparseSystem(bsr_matrix(problem.A, blocksize=(3, 3)))):
        np.testing.assert_allclose(system.newton_step(P, R, expected @ x, 0.1), x, rtol=1e-8)
        system.factor(0.3)
        np.testing.assert_allclose(system.solve(problem.A @ x + 0.3 * x), x, rtol=1e-10)


def test_the_finish_saves_iterations():
    """Newton's method converges at once where the plain iteration is linear."""
    problem, _ = box_tower(8, 0.4, push=0.02)
    quick, plain = solve(problem, ADMM(adapt=False)), solve(problem, ADMM(adapt=False, finish=False))
    assert quick.converged
    assert quick.iterations < 0.5 * plain.iterations


def test_another_penalty_is_taken_where_progress_stalls():
    """From a penalty 1e5 times too large."""
    problem = random_problem(1, 20, 3)
    changes = []
    for adapt in (True, False):
        stuck = ADMM(rho=1e5, finish=False, adapt=adapt, max_iter=4_000)
        run = admm._Iteration(stuck, problem, np.zeros(60), admm.Watch(problem, 1e-12))
        run.run()
        changes.append(run.changes)
    assert changes[0] >= 3
    assert changes[1] == 0


@pytest.mark.parametrize("method", METHODS)
def test_one_iteration_is_honest(method):
    problem = random_problem(5, 10, 3)
    result = solve(problem, ADMM(max_iter=1, finish=method.finish))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.iterations == 1
    assert result.residual == residual(problem, result.r) > 1e-10


@pytest.mark.parametrize("limit", [20, 27, 60])
def test_newton_steps_count(limit):
    problem, _ = box_tower(6, 0.4, push=0.05)
    result = solve(problem, ADMM(max_iter=limit, tol=1e-300))
    assert result.iterations == limit
    assert result.residual == min(error for _, error in result.history)


@pytest.mark.parametrize("method", METHODS)
def test_a_problem_without_solution_never_converges(method):
    problem = LocalProblem(np.zeros((3, 3)), np.array([-1.0, 0.5, 0.0]), np.array([0.3]), 3)
    assert not solve(problem, method).converged


def test_a_good_guess_is_kept_and_used():
    problem = random_problem(7, 10, 3)
    exact = solve(problem, ADMM()).r
    guess = exact + 1e-9
    kept = guess.copy()
    result = solve(problem, ADMM(finish=False), guess=guess)
    assert result.iterations < solve(problem, ADMM(finish=False)).iterations
    np.testing.assert_array_equal(guess, kept)
    r = np.zeros(30)
    assert ADMM().prepare(10, 3).solve_into(problem.A, problem.b, problem.mu, r) > 0
    np.testing.assert_array_equal(r, exact)


def test_time_limit_and_no_contacts():
    problem = random_problem(7, 10, 3)
    assert solve(problem, ADMM(tol=1e-300, max_iter=10**7), seconds=0.05).status is SolverStatus.TIME_LIMIT
    assert solve(LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 3), ADMM()).converged


@pytest.mark.parametrize(
    "wrong",
    [
        {"tol": 0.0},
        {"max_iter": 0},
        {"rho": 0.0},
        {"rho": float("inf")},
        {"relaxation": 2.0},
        {"relaxation": 0.0},
    ],
)
def test_settings(wrong):
    with pytest.raises(ModelError, match=f"admm {next(iter(wrong))}"):
        ADMM(**wrong)
