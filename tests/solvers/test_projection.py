"""Projection and extragradient: closed forms, limits of the step, honest failure; and the cone helpers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem, project, residual
from fem_contact.solvers import _projection_kernels as kernels
from fem_contact.solvers import cones
from fem_contact.solvers.base import SolverStatus, Watch, solve
from fem_contact.solvers.extragradient import Extragradient
from fem_contact.solvers.nsgs import NSGS
from fem_contact.solvers.projection import Projection

from .posed import ONE_CONTACT, random_problem

METHODS = [Projection(), Projection(accelerate=False), Extragradient()]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("method", METHODS)
@ONE_CONTACT
def test_one_contact_in_space(method, b, expected):
    result = solve(LocalProblem(np.eye(3), np.array(b), np.array([0.5]), 3), method)
    assert result.converged
    np.testing.assert_allclose(result.r, expected, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_random_problems(method, d, sparse):
    for seed in range(4):
        problem = random_problem(seed, 12, d, sparse=sparse, skew=0.002)
        result = solve(problem, method)
        assert result.converged
        assert result.residual == residual(problem, result.r) <= 1e-10
        assert result.solver == method.name


@pytest.mark.parametrize("method", METHODS)
@given(seed=seeds, c=st.integers(1, 6), d=st.integers(1, 2))
@settings(max_examples=15, deadline=None)
def test_the_velocity_of_nsgs(method, seed, c, d):
    problem = random_problem(seed, c, d, mu_max=0.3)
    found, other = solve(problem, method), solve(problem, NSGS())
    assert found.converged
    assert other.converged
    np.testing.assert_allclose(found.w, other.w, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_redundant_contacts(method):
    """A rod on four points: the normal impulses are not unique, their sum and moment and w are."""
    H = np.array([[1.0, -1.5], [1.0, -0.5], [1.0, 0.5], [1.0, 1.5]])
    problem = LocalProblem(H @ H.T, H @ np.array([-1.0, 0.2]), np.zeros(4), 1)
    result = solve(problem, method)
    assert result.converged
    np.testing.assert_allclose(H.T @ result.r, [1.0, -0.2], atol=1e-8)
    np.testing.assert_allclose(result.w, 0.0, atol=1e-8)


def test_extragradient_needs_no_symmetry():
    """A nearly skew A throws the plain projection with a fixed step off, not the extragradient."""
    A = 0.05 * np.eye(2) + np.array([[0.0, 1.0], [-1.0, 0.0]])
    problem = LocalProblem(A, np.array([-1.0, 0.5]), np.zeros(2), 1)
    result = solve(problem, Extragradient())
    assert result.converged
    np.testing.assert_allclose(result.r, np.linalg.solve(A, [1.0, -0.5]), atol=1e-8)


@pytest.mark.parametrize("rho", [1e-4, 1e4])
@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_the_step_finds_its_size(kind, rho):
    problem = random_problem(3, 8, 3)
    assert solve(problem, kind(rho=rho, max_iter=2000)).converged


@pytest.mark.parametrize("method", [Projection, Extragradient])
def test_the_scale_of_a_contact_does_not_matter(method):
    """Masses that differ by 1e6 between independent contacts: one step for all would need 1e6 iterations."""
    problem = LocalProblem(np.diag([1.0, 2.0, 1e6, 2e6]), np.array([-1.0, 0.1, -1.0, 5.0]), np.full(2, 0.5))
    result = solve(problem, method(max_iter=500))
    assert result.converged
    np.testing.assert_allclose(result.r * [1.0, 1.0, 1e6, 1e6], [1.0, -0.05, 1.0, -0.5], atol=1e-8)


@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_one_iteration_is_honest(kind):
    problem = random_problem(5, 10, 3)
    result = solve(problem, kind(max_iter=1))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.iterations == 1
    assert result.residual == residual(problem, result.r) > 1e-10


@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_the_best_iterate_and_the_count(kind):
    problem = random_problem(6, 10, 3)
    result = solve(problem, kind(max_iter=50, tol=1e-16))
    assert result.iterations == 50
    assert result.residual == min(error for _, error in result.history)


@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_a_problem_without_solution_never_converges(kind):
    result = solve(LocalProblem(np.zeros((1, 1)), np.array([-1.0]), np.zeros(1), 1), kind(max_iter=200))
    assert not result.converged


@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_guess_time_limit_and_work_space(kind):
    problem = random_problem(7, 6, 2)
    exact = solve(problem, kind()).r
    guess = exact + 1e-6
    kept = guess.copy()
    assert solve(problem, kind(), guess=guess).iterations < solve(problem, kind()).iterations
    np.testing.assert_array_equal(guess, kept)
    slow = solve(problem, kind(tol=1e-300), seconds=0.02)
    assert slow.status is SolverStatus.TIME_LIMIT
    r = np.zeros(12)
    assert kind().prepare(6, 2).solve_into(problem.A, problem.b, problem.mu, r) > 0
    np.testing.assert_array_equal(r, exact)


@pytest.mark.parametrize("kind", [Projection, Extragradient])
@pytest.mark.parametrize(
    "wrong", [{"tol": 0.0}, {"tol": float("nan")}, {"max_iter": 0}, {"rho": 0.0}, {"rho": -1.0}]
)
def test_settings(kind, wrong):
    with pytest.raises(ModelError, match=f"{kind.name} {next(iter(wrong))}"):
        kind(**wrong)


@pytest.mark.parametrize("kind", [Projection, Extragradient])
def test_no_contacts(kind):
    assert solve(LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 3), kind()).converged


@given(seed=seeds, d=st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_compiled_step_is_the_projection(seed, d):
    rng = np.random.default_rng(seed)
    mu = rng.choice([0.0, 0.3, 2.0], 8)
    r, w = rng.standard_normal((2, 8 * d))
    rho, out = rng.uniform(0.1, 3.0, 8), np.empty(8 * d)
    kernels.step(r, w, mu, d, rho, out)
    np.testing.assert_allclose(
        out, project(r - np.repeat(rho, d) * cones.shifted(w, mu, d), mu, d), rtol=1e-13, atol=1e-14
    )


def test_compiled_stretch_is_the_scaled_quotient():
    rng = np.random.default_rng(1)
    r, w, s, v = rng.standard_normal((4, 15))
    mu, scale = rng.uniform(0.0, 1.0, 5), rng.uniform(0.5, 2.0, 5)
    F = cones.shifted(w, mu, 3) - cones.shifted(v, mu, 3)
    expected = np.repeat(scale, 3) @ (r - s) ** 2, (1.0 / np.repeat(scale, 3)) @ F**2
    np.testing.assert_allclose(kernels.stretch(r, w, s, v, mu, 3, scale), expected, rtol=1e-13)


def test_cone_helpers():
    x = np.array([1.0, 3.0, 4.0, -2.0, 0.0, 0.0])
    np.testing.assert_allclose(cones.block_norms(x, 3), [np.sqrt(26.0), 2.0])
    np.testing.assert_array_equal(cones.tangential_norms(x, 3), [5.0, 0.0])
    np.testing.assert_array_equal(cones.tangential_norms(x, 1), np.zeros(6))
    np.testing.assert_array_equal(cones.shifted(x, np.array([0.5, 0.5]), 3), [3.5, 3.0, 4.0, -2.0, 0.0, 0.0])
    problem = LocalProblem(np.diag([1.0, 3.0, 0.0, 0.0]), np.ones(4), np.ones(2))
    np.testing.assert_allclose(cones.contact_scale(problem), [2.0, 2e-8])
    sparse = LocalProblem(bsr_matrix(problem.A, blocksize=(2, 2)), np.ones(4), np.ones(2))
    np.testing.assert_array_equal(cones.contact_scale(sparse), cones.contact_scale(problem))


@given(seed=seeds, d=st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_natural_map_is_the_residual(seed, d):
    problem = random_problem(seed, 4, d)
    r = np.random.default_rng(seed + 1).standard_normal(4 * d)
    length = np.linalg.norm(cones.natural_map(r, problem.velocity(r), problem.mu, d))
    assert length / (1.0 + np.linalg.norm(problem.b)) == pytest.approx(residual(problem, r), rel=1e-12)


def test_spectral_bound_of_a_diagonal():
    A = np.diag([1.0, 9.0, 4.0])
    assert cones.spectral_bound(A, np.ones(3), 1, rounds=60) == pytest.approx(9.9, rel=1e-6)
    assert cones.spectral_bound(A, np.array([1.0, 9.0, 4.0]), 1) == pytest.approx(1.1)
    assert cones.spectral_bound(np.zeros((2, 2)), np.ones(2), 1) == 1.0


def test_a_watch_that_is_content_ends_the_run():
    problem = random_problem(8, 10, 2)
    watch = Watch(problem, 1e-3)
    Projection().attempt(problem, np.zeros(20), watch)
    assert watch.converged
    assert watch.iterations < 500
