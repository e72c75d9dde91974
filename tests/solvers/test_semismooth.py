"""Semismooth Newton: its Jacobians by differences, constructed solutions, closed forms, and honest limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix, csr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers import NSGS, SolverStatus, solve
from fem_contact.solvers.linear.dense_system import DenseSystem
from fem_contact.solvers.linear.newton_systems import newton_system
from fem_contact.solvers.linear.plane_system import PlaneSystem
from fem_contact.solvers.linear.sparse_system import SparseSystem
from fem_contact.solvers.semismooth import FUNCTIONS, SemismoothNewton, lost, scalings

from .posed import constructed

seeds = st.integers(0, 2**32 - 1)
NAMES = sorted(FUNCTIONS)


def chain(c, d=3, mu=0.4, seed=0):
    """A pile of unit masses, each on the one below by two coincident contacts: sparse, A of half rank."""
    rng = np.random.default_rng(seed)
    n = c // 2
    H = np.zeros((d * c, d * n))
    for k in range(c):
        body = k // 2
        H[d * k : d * k + d, d * body : d * body + d] = np.eye(d)
        if body:
            H[d * k : d * k + d, d * (body - 1) : d * body] = -np.eye(d)
    v = 0.2 * rng.standard_normal(d * n)
    v[::d] -= 0.5
    return LocalProblem(csr_matrix(H @ H.T), H @ v, np.full(c, mu), d)


def evaluate(name, r, w, mu, rho, d):
    c = len(mu)
    phi, B, C, closed = np.empty(c * d), np.empty((c, d, d)), np.empty((c, d, d)), np.empty(c, np.bool_)
    merit = FUNCTIONS[name](r, w, mu, rho, d, phi, B, C, closed)
    assert merit == pytest.approx(0.5 * phi @ phi, rel=1e-13, abs=1e-300)
    return phi, B, C, closed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_derivatives_by_central_differences(name, d):
    rng = np.random.default_rng(d)
    c, h = 60, 1e-6
    mu = np.where(np.arange(c) % 10 == 0, 0.0, rng.uniform(0.1, 2.0, c))
    rho = np.repeat(rng.uniform(0.3, 3.0, (c, 1)), 2, axis=1) * (1.0 if name == "natural-map" else [1.0, 1.7])
    r, w = rng.standard_normal((2, c * d))
    _, B, C, closed = evaluate(name, r, w, mu, rho, d)
    for p in range(d):
        step = np.zeros(c * d)
        step[p::d] = h
        for blocks, ends in (
            (B, [evaluate(name, r + s * step, w, mu, rho, d)[0] for s in (1, -1)]),
            (C, [evaluate(name, r, w + s * step, mu, rho, d)[0] for s in (1, -1)]),
        ):
            slope = ((ends[0] - ends[1]) / (2 * h)).reshape(c, d)
            np.testing.assert_allclose(blocks[:, :, p], slope, atol=2e-7)
    np.testing.assert_array_equal(C[~closed], 0.0)
    np.testing.assert_array_equal(B[~closed], np.broadcast_to(np.eye(d), B[~closed].shape))
    assert 0 < closed.sum() < c


@settings(deadline=None, max_examples=60)
@given(seeds, st.sampled_from(NAMES), st.integers(1, 3))
def test_functions_vanish_at_solutions_and_only_there(seed, name, d):
    problem, r, w = constructed(seed, 4, d)
    rho = scalings(problem, name)
    phi = evaluate(name, r, w, problem.mu, rho, d)[0]
    np.testing.assert_allclose(phi, 0.0, atol=1e-14)
    moved = r + 0.01 * np.random.default_rng(seed).standard_normal(len(r))
    moved_w = problem.velocity(moved)
    assert np.linalg.norm(evaluate(name, moved, moved_w, problem.mu, rho, d)[0]) > 1e-5


@pytest.mark.parametrize("d", [1, 2, 3])
def test_newton_matrices_dense_and_sparse(d):
    """Both are diag(B) + diag(C) (A + shift) on the chosen contacts."""
    rng = np.random.default_rng(d)
    c = 12
    A = np.kron(np.eye(c) + np.diag(np.ones(c - 1), 1) + np.diag(np.ones(c - 1), -1), np.ones((d, d)))
    A *= rng.standard_normal(A.shape)
    B, C, shift = rng.standard_normal((c, d, d)), rng.standard_normal((c, d, d)), rng.uniform(1.0, 2.0, c)
    contacts = np.array([0, 2, 3, 4, 8, 11])
    rows = (d * contacts[:, None] + np.arange(d)).ravel()
    whole = np.zeros((c * d, c * d))
    for i in range(c):
        k = slice(d * i, d * i + d)
        whole[k] = C[i] @ A[k]
        whole[k, k] += B[i] + C[i] * shift[i]
    x = rng.standard_normal(len(rows))
    expected = np.linalg.solve(whole[np.ix_(rows, rows)], x)
    sparse = LocalProblem(csr_matrix(A), np.zeros(c * d), np.zeros(c), d).A
    plane = [PlaneSystem(sparse)] if d == 2 else []
    for system in (DenseSystem(A, d), SparseSystem(sparse, d), *plane):
        solution = system.factor(B, C, shift, contacts)(x)
        np.testing.assert_allclose(solution, expected, rtol=1e-8, atol=1e-9)
        assert system.factor(0.0 * B, 0.0 * C, shift, contacts) is None
        everyone, x_all = np.arange(c), rng.standard_normal(c * d)
        for _ in range(2):  # the second time in the order found the first time
            solution = system.factor(B, C, shift, everyone)(x_all)
            np.testing.assert_allclose(whole @ solution, x_all, rtol=1e-8, atol=1e-8)
        assert system.factor(0.0 * B, 0.0 * C, shift, everyone) is None


def test_a_dense_matrix_of_few_blocks_is_treated_as_sparse():
    problem = chain(120)
    dense = LocalProblem(problem.A.toarray(), problem.b, problem.mu, 3)
    assert isinstance(newton_system(dense), SparseSystem)
    assert isinstance(newton_system(problem), SparseSystem)
    full = LocalProblem(np.ones((300, 300)), np.zeros(300), np.zeros(100), 3)
    assert isinstance(newton_system(full), DenseSystem)
    assert isinstance(newton_system(chain(20)), DenseSystem)
    assert isinstance(newton_system(chain(120, d=2)), PlaneSystem)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [2, 3])
def test_one_contact_in_closed_form(name, d):
    """A = a I: open, stick r_T = -b_T/a, slip r_T = -mu r_N b_T/|b_T| with r_N = -b_N/a."""
    a, mu, solver = 0.5, 0.3, SemismoothNewton(function=name)
    direction = np.array([1.0]) if d == 2 else np.array([0.6, -0.8])
    for normal, slide in ((1.0, 0.7), (-1.0, 0.1), (-1.0, 0.7), (-2.0, 5.0)):
        b = np.concatenate([[normal], slide * direction])
        result = solve(LocalProblem(a * np.eye(d), b, np.array([mu]), d), solver)
        r_n = max(-normal, 0.0) / a
        expected = np.concatenate([[r_n], -min(slide / a, mu * r_n) * direction])
        np.testing.assert_allclose(result.r, expected, atol=1e-9)
        assert result.converged


@settings(deadline=None, max_examples=60)
@given(seeds, st.sampled_from(NAMES), st.integers(1, 3), st.integers(1, 12))
def test_constructed_problems(seed, name, d, c):
    """Friction this moderate leaves one solution: the one constructed."""
    problem, r, w = constructed(seed, c, d, mu_max=0.2, skew=1e-3)
    result = solve(problem, SemismoothNewton(function=name))
    assert result.converged
    assert result.residual == residual(problem, result.r) <= 1e-10
    np.testing.assert_allclose(result.r, r, atol=1e-7)
    np.testing.assert_allclose(result.w, w, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_quadratic_at_the_end(name):
    """From 1e-4 off the solution the residual is squared, up to a constant, at every step."""
    problem, r, _ = constructed(5, 30, 3)
    guess = r + 1e-4 * np.random.default_rng(0).standard_normal(len(r)) * (r != 0.0)
    result = solve(problem, SemismoothNewton(function=name), guess=guess, tol=1e-14)
    seen = [reached for _, reached in result.history]
    assert result.converged
    assert result.iterations <= 4
    assert seen[1] < 1e-2 * seen[0]
    assert seen[2] < max(1e-4 * seen[1], 1e-14)


@pytest.mark.parametrize("c", [40, 600])
@pytest.mark.parametrize("seed", [0, 1])
def test_polishes_hyperstatic_chains(c, seed):
    """A of half rank, up to 1800 unknowns: from 1e-5 to 1e-12 in a few steps, without moving w."""
    problem = chain(c, seed=seed)
    first = solve(problem, SemismoothNewton(), tol=1e-12)
    assert first.converged
    noise = np.random.default_rng(seed).standard_normal(len(first.r))
    guess = first.r + 1e-5 * np.abs(first.r).max() * noise
    assert residual(problem, guess) > 1e-7
    result = solve(problem, SemismoothNewton(), guess=guess, tol=1e-12)
    assert result.converged
    assert result.iterations <= 8
    np.testing.assert_allclose(result.w, first.w, atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(1, 3), st.integers(2, 8))
def test_rank_deficient_problems_from_near_by(seed, d, c):
    """A of about half rank, b such that a solution exists: the guess is finished to 1e-12."""
    problem, r, _ = constructed(seed, c, d, rank=max(d * c // 2, 1), mu_max=0.3)
    result = solve(problem, SemismoothNewton(), guess=r * (1.0 + 1e-6), tol=1e-12)
    assert result.converged


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(1, 8))
def test_agreement_with_nsgs_in_the_plane(seed, c):
    problem, _, _ = constructed(seed, c, 2, mu_max=0.2)
    result, other = solve(problem, SemismoothNewton()), solve(problem, NSGS())
    assert result.converged
    assert other.converged
    np.testing.assert_allclose(result.w, other.w, atol=1e-8)


@settings(deadline=None, max_examples=30)
@given(seeds, st.sampled_from(NAMES), st.integers(2, 3), st.floats(-4.0, 4.0))
def test_no_friction_and_units(seed, name, d, exponent):
    """mu = 0 leaves a normal problem and r_T = 0; A in other units scales r the other way."""
    rng, factor = np.random.default_rng(seed), 10.0**exponent
    problem, _, _ = constructed(seed, 5, d)
    smooth = LocalProblem(problem.A, problem.b, np.zeros(5), d)
    normal = LocalProblem(problem.A[::d, ::d], problem.b[::d], rng.uniform(0.0, 1.0, 5), 1)
    whole, part = (solve(p, SemismoothNewton(function=name), tol=1e-12) for p in (smooth, normal))
    scaled = LocalProblem(factor * problem.A[::d, ::d], factor * normal.b, normal.mu, 1)
    np.testing.assert_allclose(whole.r[::d], part.r, atol=1e-9)
    np.testing.assert_allclose(whole.r.reshape(5, d)[:, 1:], 0.0, atol=1e-11)
    np.testing.assert_allclose(solve(scaled, SemismoothNewton(), tol=1e-13).r, part.r, atol=1e-7)


def test_dense_and_sparse_agree():
    problem = chain(80, seed=3)
    dense = DenseSystem(problem.A.toarray(), 3)
    assert isinstance(problem.A, bsr_matrix)
    shuffled = LocalProblem(dense.A + 0.0, problem.b, problem.mu, 3)
    results = [solve(p, SemismoothNewton(), tol=1e-12) for p in (problem, shuffled)]
    assert all(result.converged for result in results)
    np.testing.assert_allclose(results[0].w, results[1].w, atol=1e-9)


def test_proximal_steps_solve_what_newton_alone_does_not(monkeypatch):
    """Strong friction, far guess: the plain method stalls on some, the shift then carries it on."""
    problems = [constructed(seed, 15, 3, rank=20, mu_max=1.5)[0] for seed in range(12)]
    solver = SemismoothNewton()
    with_shift = [solve(problem, solver).converged for problem in problems]
    monkeypatch.setattr("fem_contact.solvers.semismooth.START", 1e6)
    without = [solve(problem, solver).converged for problem in problems]
    assert sum(without) < sum(with_shift)
    assert sum(with_shift) >= 10


def test_limits_are_honest():
    problem = chain(40, seed=1)
    result = solve(problem, SemismoothNewton(max_iter=1))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.iterations == 1
    assert result.residual == residual(problem, result.r) > 1e-10
    assert result.residual <= residual(problem, np.zeros(len(problem.b)))
    assert solve(problem, SemismoothNewton(), seconds=0.0).status is SolverStatus.TIME_LIMIT


def test_no_solution_is_not_claimed():
    """A = 0 with an approaching velocity: no impulse helps."""
    problem = LocalProblem(np.zeros((3, 3)), np.array([-1.0, 0.0, 0.0]), np.array([0.3]), 3)
    result = solve(problem, SemismoothNewton())
    assert not result.converged
    assert np.all(np.isfinite(result.r))


def test_impulses_beyond_round_off_are_not_looked_at():
    """At r = 1e18 even a velocity of -1 would leave no residual."""
    problem = LocalProblem(np.diag([1.0, 0.0]), np.array([-1.0, -1.0]), np.zeros(2), 1)
    huge = np.array([1.0, 1e18])
    assert residual(problem, huge) == 0.0
    assert lost(problem, huge, 1e-10)
    assert not lost(problem, np.array([1.0, 1e5]), 1e-10)
    assert not solve(problem, SemismoothNewton()).converged


def test_nothing_to_do():
    empty = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 3)
    SemismoothNewton().attempt(empty, np.zeros(0), None)
    assert solve(empty, SemismoothNewton()).converged


def test_prepared():
    problem, r, _ = constructed(2, 4, 3, mu_max=0.2)
    x = np.zeros_like(r)
    assert SemismoothNewton().prepare(4, 3).solve_into(problem.A, problem.b, problem.mu, x) > 0
    np.testing.assert_allclose(x, r, atol=1e-8)


@pytest.mark.parametrize(
    ("setting", "found"),
    [({"tol": 0.0}, "tol = 0.0"), ({"max_iter": 0}, "max_iter = 0"), ({"function": "f"}, "alart-curnier")],
)
def test_settings_that_are_not_allowed(setting, found):
    with pytest.raises(ModelError, match=found):
        SemismoothNewton(**setting)
