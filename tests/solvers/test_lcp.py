"""Lemke's algorithm on frictional contact: both forms, degeneracy, rays, enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers import _lcp_kernels as kernels
from fem_contact.solvers import lcp
from fem_contact.solvers.base import SolverStatus, Watch, solve
from fem_contact.solvers.lcp import LCP
from fem_contact.solvers.nsgs import NSGS

FORMS = list(lcp.FORMS)
seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, c, d=2, mu_max=0.6, rank=None):
    """A = G G^T of full rank plus a diagonal, or of the given rank with b in its range."""
    rng = np.random.default_rng(seed)
    m = d * c
    G = rng.standard_normal((m, rank or m))
    A = G @ G.T / m + (0.0 if rank else 0.3) * np.eye(m)
    b = G @ rng.standard_normal(rank) if rank else rng.standard_normal(m)
    return LocalProblem(A, b, rng.uniform(0.0, mu_max, c) * rng.choice([0.0, 1.0], c, p=[0.2, 0.8]), d)


def run_lemke(M, q, max_iter=1000):
    """z, how it ended and the pivots of the bare kernel."""
    n = len(q)
    T, values = np.column_stack([M, np.ones(n)]), np.array(q, dtype=float)
    labels = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    scale = float(np.abs(values).max())
    ended, pivots = kernels.lemke(T, values, scale, max_iter, False, np.zeros(2, np.int64), *labels)
    z = np.zeros(n)
    inside = (labels[0] >= n) & (labels[0] < 2 * n)
    z[labels[0][inside] - n] = values[inside]
    return z, ended, pivots


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("b", "expected"),
    [
        ((0.5, 1.0), (0.0, 0.0)),
        ((-2.0, 0.3), (2.0, -0.3)),
        ((-2.0, 3.0), (2.0, -1.0)),
        ((-2.0, -3.0), (2.0, 1.0)),
    ],
    ids=["open", "stick", "slip-minus", "slip-plus"],
)
def test_one_contact(form, b, expected):
    result = solve(LocalProblem(np.eye(2), np.array(b), np.array([0.5])), LCP(form=form))
    assert result.converged
    np.testing.assert_allclose(result.r, expected, atol=1e-14)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("c", [3, 20, 60])
def test_random_problems_to_round_off(form, c):
    for seed in range(4):
        problem = random_problem(seed, c)
        result = solve(problem, LCP(form=form))
        assert result.converged
        assert result.solver == "lcp"
        assert result.residual == residual(problem, result.r) <= 1e-13


@pytest.mark.parametrize("form", FORMS)
@given(seed=seeds, c=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_the_velocity_of_nsgs(form, seed, c):
    problem = random_problem(seed, c, mu_max=0.3)
    found, other = solve(problem, LCP(form=form)), solve(problem, NSGS())
    assert found.converged
    assert other.converged
    np.testing.assert_allclose(found.w, other.w, atol=1e-8)


@given(seed=seeds, c=st.integers(2, 8))
@settings(max_examples=25, deadline=None)
def test_redundant_contacts(seed, c):
    """A of rank 3, as of one body in the plane."""
    assert solve(random_problem(seed, c, rank=3, mu_max=0.9), LCP()).converged


@pytest.mark.parametrize("d", [1, 2, 3])
def test_without_friction(d):
    """Signorini's problem, against every set of closed contacts."""
    problem = random_problem(11, 6, d, mu_max=0.0)
    A, b = problem.A[::d, ::d], problem.b[::d]
    for closed in itertools.product((False, True), repeat=6):
        closed, r = np.array(closed), np.zeros(6)
        r[closed] = np.linalg.solve(A[np.ix_(closed, closed)], -b[closed])
        if r.min() >= 0.0 and (A @ r + b)[~closed].min(initial=0.0) >= 0.0:
            break
    expected = np.zeros(6 * d)
    expected[::d] = r
    result = solve(problem, LCP())
    assert result.converged
    np.testing.assert_allclose(result.r, expected, atol=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_hold_the_contact_law(form):
    """At a solution z >= 0, q + M z >= 0 and complementary, with z made up from r and w."""
    problem = random_problem(2, 8)
    built, result = lcp.FORMS[form](problem), solve(problem, NSGS())
    r, w, mu = result.r, result.w, problem.mu
    rough = mu > 0.0
    r_n, r_t, w_t = r[::2], r[1::2][rough], w[1::2][rough]
    if form == "klarbring":
        z = np.concatenate([r_n, (mu * r_n)[rough] + r_t, np.maximum(-w_t, 0.0)])
    else:
        z = np.concatenate([r_n, np.maximum(r_t, 0.0), np.maximum(-r_t, 0.0), np.abs(w_t)])
    partner = built.q + built.M @ z
    assert partner.min() > -1e-10
    assert np.abs(z * partner).max() < 1e-10
    np.testing.assert_allclose(built.E @ z, r, atol=1e-10)


def test_sparse_is_dense():
    problem = random_problem(4, 10)
    sparse = LocalProblem(bsr_matrix(problem.A, blocksize=(2, 2)), problem.b, problem.mu)
    np.testing.assert_array_equal(solve(sparse, LCP()).r, solve(problem, LCP()).r)


def test_units_do_not_matter():
    problem = random_problem(5, 10)
    scale = np.repeat(10.0 ** np.linspace(-5, 5, 10), 2)
    stiff = LocalProblem(problem.A * scale * scale[:, None], problem.b * scale, problem.mu)
    expected = solve(problem, LCP()).r / scale
    np.testing.assert_allclose(
        solve(stiff, LCP()).r, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max()
    )


def test_lemke_of_a_known_problem():
    """Murty's example of order 3: M lower triangular with twos, q = -1, solved by (1, 0, 0)."""
    M = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 2.0, 1.0]])
    z, ended, _ = run_lemke(M, -np.ones(3))
    assert ended == kernels.SOLVED
    np.testing.assert_allclose(z, [1.0, 0.0, 0.0], atol=1e-14)


def test_lemke_needs_no_pivot_where_zero_solves():
    z, ended, pivots = run_lemke(np.eye(2), [1.0, 0.0])
    assert (ended, pivots) == (kernels.SOLVED, 0)
    assert not z.any()


def test_lemke_ends_on_a_ray():
    _, ended, pivots = run_lemke(-np.eye(2), [-1.0, -1.0])
    assert ended == kernels.RAY
    assert pivots >= 1


def test_the_lexicographic_rule_ends_a_degenerate_problem():
    """Equal bounds everywhere: every ratio ties."""
    n = 12
    A = np.ones((n, n)) + 1e-3 * np.eye(n)
    z, ended, pivots = run_lemke(A, -np.ones(n), 200)
    assert ended == kernels.SOLVED
    assert pivots < 100
    np.testing.assert_allclose(A @ z, 1.0, atol=1e-10)


def test_a_run_in_batches_is_the_run_at_once(monkeypatch):
    problem = random_problem(8, 15)
    whole = solve(problem, LCP())
    monkeypatch.setattr(lcp, "BATCH", 3)
    parts = solve(problem, LCP())
    assert parts.iterations == whole.iterations > 10
    np.testing.assert_array_equal(parts.r, whole.r)


def test_no_solution_is_no_convergence():
    result = solve(LocalProblem(np.zeros((2, 2)), np.array([-1.0, 0.0]), np.array([0.3])), LCP())
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.residual > 0.1


def test_enumeration_finds_every_status():
    for b, expected in [((0.5, 1.0), (0, 0)), ((-2, 0.3), (2, -0.3)), ((-2, 3), (2, -1)), ((-2, -3), (2, 1))]:
        problem = LocalProblem(np.eye(2), np.array(b, dtype=float), np.array([0.5]))
        np.testing.assert_allclose(lcp._enumerated(problem, 1e-12), expected, atol=1e-14)
    problem = random_problem(1, 4, rank=3)
    assert residual(problem, lcp._enumerated(problem, 1e-12)) <= 1e-12


def test_enumeration_takes_over(monkeypatch):
    """With Lemke's algorithm out of order, five contacts are still solved and six are not."""
    monkeypatch.setattr(lcp, "_pivot", lambda form, limit, watch: (np.zeros(len(form.q)), 1))
    assert solve(random_problem(3, 5), LCP()).converged
    assert solve(random_problem(3, 6), LCP()).status is SolverStatus.ITERATION_LIMIT


def test_the_other_form_takes_over(monkeypatch):
    problem = random_problem(9, 12)
    monkeypatch.setitem(
        lcp.FORMS, "klarbring", lambda p: lcp.Complementarity(-np.eye(2), -np.ones(2), np.zeros((24, 2)))
    )
    assert solve(problem, LCP()).converged


def test_one_pivot_is_honest():
    problem = random_problem(6, 10)
    result = solve(problem, LCP(max_iter=1))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.iterations == 1
    assert result.residual == residual(problem, result.r) > 1e-10


def test_time_limit():
    problem = random_problem(6, 60)
    watch = Watch(problem, 1e-10, seconds=-1.0)
    LCP().attempt(problem, np.zeros(120), watch)
    assert watch.result().status is SolverStatus.TIME_LIMIT
    assert watch.iterations == 0


def test_what_it_refuses(monkeypatch):
    with pytest.raises(ModelError, match="plane only"):
        solve(LocalProblem(np.eye(3), -np.ones(3), np.ones(1), 3), LCP())
    with pytest.raises(
        ModelError, match="lcp form = 'simplex': it must be one of klarbring, stewart-trinkle"
    ):
        LCP(form="simplex")
    with pytest.raises(ModelError, match="lcp tol"):
        LCP(tol=-1.0)
    with pytest.raises(ModelError, match="lcp max_iter"):
        LCP(max_iter=0)
    monkeypatch.setattr(lcp, "LARGEST", 10)
    with pytest.raises(ModelError, match="it takes 10 at most"):
        solve(random_problem(1, 20, mu_max=0.5), LCP())


def test_in_a_run_and_without_contacts():
    problem = random_problem(7, 6)
    r = np.zeros(12)
    assert LCP().prepare(6, 2).solve_into(problem.A, problem.b, problem.mu, r) > 0
    assert residual(problem, r) <= 1e-12
    assert solve(LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0)), LCP()).converged
