"""What no solver may depend on: order of the contacts, tangential axes, units; and all agree on w."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag

from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers import SOLVERS, solve

seeds = st.integers(0, 2**32 - 1)
IN_SPACE = [name for name in SOLVERS if name not in ("lcp", "pivoting")]


def definite(seed, c, d, mu_max=0.3):
    """A = G G^T + I/2 and little friction, so that w is unique."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((d * c, d * c))
    A = G @ G.T / (d * c) + 0.5 * np.eye(d * c)
    return LocalProblem(A, rng.standard_normal(d * c), rng.uniform(0.0, mu_max, c), d)


def answer(problem, name, tol=1e-12):
    result = solve(problem, SOLVERS[name](tol=tol))
    assert result.residual <= 1e-10
    return result.r, result.w


@settings(deadline=None, max_examples=15)
@given(seeds, st.integers(1, 2), st.integers(1, 5))
def test_all_solvers_agree_in_the_plane(seed, d, c):
    problem = definite(seed, c, d)
    velocities = [answer(problem, name)[1] for name in SOLVERS]
    for w in velocities[1:]:
        np.testing.assert_allclose(w, velocities[0], atol=1e-8)


@settings(deadline=None, max_examples=15)
@given(seeds, st.integers(1, 5))
def test_all_solvers_agree_in_space(seed, c):
    problem = definite(seed, c, 3)
    velocities = [answer(problem, name)[1] for name in IN_SPACE]
    for w in velocities[1:]:
        np.testing.assert_allclose(w, velocities[0], atol=1e-8)


@pytest.mark.parametrize("name", IN_SPACE)
@settings(deadline=None, max_examples=10)
@given(seed=seeds, c=st.integers(1, 5))
def test_tangential_axes_are_arbitrary(name, seed, c):
    """Each contact's own turn about its normal turns its impulse and its velocity along."""
    problem = definite(seed, c, 3)
    turns = []
    for angle in np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, c):
        cos, sin = np.cos(angle), np.sin(angle)
        turns.append(np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]]))
    Q = block_diag(*turns)
    turned = LocalProblem(Q @ problem.A @ Q.T, Q @ problem.b, problem.mu, 3)
    r, w = answer(problem, name)
    np.testing.assert_allclose(residual(turned, Q @ r), residual(problem, r), atol=1e-14)
    r_turned, w_turned = answer(turned, name)
    np.testing.assert_allclose(r_turned, Q @ r, atol=1e-8)
    np.testing.assert_allclose(w_turned, Q @ w, atol=1e-8)


@pytest.mark.parametrize("name", IN_SPACE)
@settings(deadline=None, max_examples=10)
@given(seed=seeds, d=st.integers(1, 3), c=st.integers(2, 5))
def test_order_of_the_contacts_is_arbitrary(name, seed, d, c):
    problem = definite(seed, c, d)
    order = np.random.default_rng(seed).permutation(c)
    rows = (d * order[:, None] + np.arange(d)).ravel()
    other = LocalProblem(problem.A[np.ix_(rows, rows)], problem.b[rows], problem.mu[order], d)
    np.testing.assert_allclose(answer(other, name)[0], answer(problem, name)[0][rows], atol=1e-8)


@pytest.mark.parametrize("name", IN_SPACE)
@settings(deadline=None, max_examples=10)
@given(seed=seeds, d=st.integers(1, 3), mass=st.floats(-1.0, 1.0), speed=st.floats(-1.0, 1.0))
def test_units_are_arbitrary(name, seed, d, mass, speed):
    """A / m and v b have the solution m v r with the velocity v w."""
    problem = definite(seed, 4, d)
    m, v = 10.0**mass, 10.0**speed
    other = LocalProblem(problem.A / m, v * problem.b, problem.mu, d)
    (r, w), (r_other, w_other) = answer(problem, name), answer(other, name)
    np.testing.assert_allclose(r_other / (m * v), r, atol=1e-7)
    np.testing.assert_allclose(w_other / v, w, atol=1e-7)
