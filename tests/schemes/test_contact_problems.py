"""The problems that a projected step poses, against enumeration and NumPy twins."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fem_contact.problems import LocalProblem, residual
from fem_contact.schemes.projections import projected_kernels as kernels
from fem_contact.schemes.projections.contact_problems import (
    CoupledProblem,
    PositionLaw,
    ShiftedStep,
    ShiftProblem,
    VelocityProblem,
    least_squares,
)
from fem_contact.solvers import NSGS
from fem_contact.solvers.projection import Projection


def contacts_of(c: int, d: int, seed: int = 0) -> SimpleNamespace:
    rng = np.random.default_rng(seed)
    return SimpleNamespace(contacts=c, dim=d, mu=rng.uniform(0.0, 1.0, c), e=rng.uniform(0.0, 1.0, c))


def positive(rng, n: int) -> np.ndarray:
    B = rng.normal(size=(n, n))
    return B @ B.T / n + 0.1 * np.eye(n)


def enumerated(D, gap, active, equal):
    """The tau of the projection problem, by trying every set of contacts that are shifted."""
    J = np.flatnonzero(active & ~equal)
    for closed in product((False, True), repeat=len(J)):
        tau, rows = np.zeros(len(gap)), np.concatenate([np.flatnonzero(equal), J[list(closed)]]).astype(int)
        tau[rows] = np.linalg.solve(D[np.ix_(rows, rows)], -gap[rows])
        g = D @ tau + gap
        if (tau[J] >= -1e-12).all() and (g[J] >= -1e-12).all():
            return tau
    raise AssertionError("no solution")


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), c=st.integers(1, 5), size=st.sampled_from((1.0, 1e-9, 1e6)))
def test_the_shift_problem_is_solved_exactly_at_any_scale(seed, c, size):
    rng = np.random.default_rng(seed)
    D, gap = positive(rng, c), size * rng.normal(size=c)
    active = rng.random(c) < 0.8
    equal = active & (rng.random(c) < 0.4)
    tau = rng.normal(size=c)
    ShiftProblem(contacts_of(c, 1), NSGS()).solve(active, equal, D, gap, tau)
    expected = size * enumerated(D, gap / size, active, equal)
    np.testing.assert_allclose(tau, expected, rtol=1e-10, atol=1e-11 * size)
    assert np.all(tau[~active] == 0.0)


def test_an_open_problem_is_not_shifted_and_redundant_equalities_are_met():
    tau = np.ones(2)
    problem = ShiftProblem(contacts_of(2, 1), NSGS())
    nobody, all_of_them = np.zeros(2, bool), np.ones(2, bool)
    problem.solve(all_of_them, nobody, np.eye(2), np.array([0.1, 0.0]), tau)
    assert np.array_equal(tau, [0.0, 0.0])
    D, gap = np.ones((2, 2)), np.array([-0.3, -0.3])
    problem.solve(all_of_them, all_of_them, D, gap, tau)
    np.testing.assert_allclose(D @ tau + gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(tau, [0.15, 0.15])


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("solver", [NSGS(), Projection(max_iter=1)])
@pytest.mark.parametrize("seed", range(8))
def test_the_coupled_problem_meets_all_its_laws(d, solver, seed):
    """With a solver that gives up at once, Lemke's algorithm stands in."""
    rng = np.random.default_rng(seed)
    c, h, theta = 4, 0.01, 0.6
    system = contacts_of(c, d, seed)
    W, D = positive(rng, d * c), positive(rng, c)
    step = ShiftedStep(D, h * rng.normal(size=c), 0.5 * rng.normal(size=(d * c, c)), rng.normal(size=(c, d)))
    active = np.array([True, True, False, True])
    equal = np.array([False, True, False, False])
    u_start, p, tau = rng.normal(size=(c, d)), np.zeros((c, d)), np.zeros(c)
    problem = CoupledProblem(system, h, theta, solver)
    everybody = np.ones(c, bool)
    problem.solve(active, (everybody, equal), u_start, W, step, p, tau)
    assert problem.error <= solver.tol
    assert 3 <= problem.last.contacts <= 6
    u = step.u + (W @ p.ravel() - step.B @ tau).reshape(c, d)
    gap = step.gap + h * theta * u[:, 0] + D @ tau
    assert np.abs(tau).max() > 1e-4
    assert np.abs(gap[equal]).max() <= 1e-12
    assert gap.min() >= -1e-12
    assert tau[~equal].min() >= 0.0
    assert np.abs((gap * tau)[~equal]).max() <= 1e-13
    w = u.copy()
    w[:, 0] += system.e * u_start[:, 0]
    # As a problem of its own with the answer's w: b = w - W p.
    rows = np.repeat(active, d)
    block = W[np.ix_(rows, rows)]
    own = LocalProblem(block, w[active].ravel() - block @ p[active].ravel(), system.mu[active], d)
    assert residual(own, p[active].ravel()) <= 1e-9
    assert np.all(p[~active] == 0.0)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.sampled_from((1, 2)))
def test_the_law_in_positions_is_that_of_all_contacts(seed, d):
    rng = np.random.default_rng(seed)
    c = 5
    system = contacts_of(c, d, seed)
    A, b, p = positive(rng, d * c), rng.normal(size=(c, d)), np.zeros((c, d))
    law = PositionLaw(system, NSGS(), constant=True)
    law.solve(A, b, p)
    assert residual(LocalProblem(A, b.ravel(), system.mu, d), p.ravel()) <= 1e-10
    assert np.all(p[~law.working] == 0.0)
    assert law.problem().contacts == law.working.sum()


def test_velocities_of_changing_active_contacts(make_system):
    """What is kept of one problem does not leak into the next."""
    system = make_system(1, contacts=4)
    rng = np.random.default_rng(1)
    W = positive(rng, 8)
    problem = VelocityProblem(system, NSGS(), constant=True)
    for active in ([1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]):
        active = np.array(active, bool)
        u_start, u_free, p = rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
        problem.solve(active, u_start, u_free, W, p)
        assert np.all(p[~active] == 0.0)
        if active.any():
            rows = np.repeat(active, 2)
            b = u_free.copy()
            b[:, 0] += system.e * u_start[:, 0]
            own = LocalProblem(W[np.ix_(rows, rows)], b[active].ravel(), system.mu[active], 2)
            assert residual(own, p[active].ravel()) <= 1e-10
            np.testing.assert_array_equal(problem.problem().A, own.A)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), combined=st.booleans(), shifted=st.booleans())
def test_kernels_and_their_numpy_twins(seed, combined, shifted):
    rng = np.random.default_rng(seed)
    c, d = int(rng.integers(1, 6)), int(rng.integers(1, 3))
    W, B, D = rng.normal(size=(d * c, d * c)), rng.normal(size=(d * c, c)), rng.normal(size=(c, c))
    u_zero, p, gap_zero = rng.normal(size=(c, d)), rng.normal(size=(c, d)), rng.normal(size=c)
    tau = rng.normal(size=c) if shifted else np.zeros(c)
    u, u_free, gap = np.empty((c, d)), np.empty((c, d)), np.empty(c)
    kernels.without_impulses(u_zero, B, tau, u_free)
    np.testing.assert_allclose(u_free, u_zero - (B @ tau).reshape(c, d), atol=1e-13)
    kernels.with_impulses(u_free, W, p, u)
    np.testing.assert_allclose(u, u_free + (W @ p.ravel()).reshape(c, d), atol=1e-13)
    kernels.gaps(gap_zero, 0.3, u, D, tau, shifted, gap)
    np.testing.assert_allclose(gap, gap_zero + 0.3 * u[:, 0] + D @ tau, atol=1e-13)

    equal, active = rng.random(c) < 0.3, rng.random(c) < 0.6
    held = equal | (tau != 0.0)
    fault = np.where(held, np.abs(gap), np.where(active | (not combined), -gap, 0.0)).max()
    expected = np.inf if (tau[~equal] < 0.0).any() else max(fault, 0.0)
    assert kernels.violation(gap, tau, equal, active, combined) == expected
    gap[0] = np.nan
    assert kernels.violation(gap, tau, equal, active, combined) == np.inf

    grown = active.copy()
    assert kernels.activate(gap, 0.1, grown) == bool((~active & (gap <= 0.1)).any())
    np.testing.assert_array_equal(grown, active | (gap <= 0.1))


def test_a_contact_comes_back_to_its_equality_a_few_times_only():
    equal, returns, active = np.zeros(1, bool), np.zeros(1, np.int64), np.ones(1, bool)
    held = []
    for sign in (1.0, -1.0) * 4:
        kernels.press(active, np.array([[sign]]), 3, equal, returns)
        held.append(bool(equal[0]))
    assert held == [True, False, True, False, True, False, False, False]
    kernels.press(np.zeros(1, bool), np.ones((1, 1)), 3, equal, np.zeros(1, np.int64))
    assert not equal[0]


def test_least_squares_of_regular_and_singular_matrices():
    rng = np.random.default_rng(3)
    A, b = positive(rng, 4), rng.normal(size=(4, 2))
    np.testing.assert_allclose(A @ least_squares(A, b), b, atol=1e-12)
    low = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    x = least_squares(low, low @ np.ones((3, 1)))
    np.testing.assert_allclose(low @ x, low @ np.ones((3, 1)), atol=1e-12)
    assert np.abs(x).max() < 2.0
    assert least_squares(np.zeros((0, 0)), np.zeros((0, 1))).shape == (0, 1)
