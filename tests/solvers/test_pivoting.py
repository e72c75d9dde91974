"""Proximal point steps by pivots: pieces, their matrices, the path between them, and what it solves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers import pivoting, solve
from fem_contact.solvers.auto import Auto
from fem_contact.solvers.base import SolverStatus, Watch
from fem_contact.solvers.lcp import LCP
from fem_contact.solvers.nsgs import NSGS
from fem_contact.solvers.pivoting import Pivoting, _varied
from fem_contact.solvers.pivots import pivot_path as pivot_path
from fem_contact.solvers.pivots.pivot_kernels import SLIDE, STICK
from fem_contact.solvers.pivots.pivot_matrix import Pieces
from fem_contact.solvers.pivots.pivot_path import PiecewisePath

from . import granular


@pytest.fixture(scope="module")
def flow():
    problem = granular.flow("silo", 10, 10, np.random.default_rng(5), mu=0.4, settle=50)
    assert problem.sparse
    return problem


@pytest.fixture(scope="module")
def rough(flow):
    watch = Watch(flow, 1e-10)
    NSGS(max_iter=20, finish=False).attempt(flow, np.zeros(len(flow.b)), watch)
    return watch.best


def dense(problem):
    return LocalProblem(problem.dense(), problem.b, problem.mu, problem.d)


@pytest.mark.parametrize("share", [1e-2, 1e-4])
def test_the_law_holds_all_along_the_path(flow, rough, share):
    """r and w keep to it for the t that the path says, to round-off, between factors and after."""
    pieces = Pieces(flow)
    shift = share * pieces.stiffness
    A = flow.A + bsr_matrix(np.diag(np.repeat(shift, 2)), blocksize=(2, 2))
    start = PiecewisePath(pieces, rough, shift)
    seen = 0
    for pivots in (0, 1, 2, 5, 10, 20, 40, 80):
        path = PiecewisePath(pieces, rough, shift)
        path.follow(pivots, Watch(flow, 1e-10))
        b = flow.b - np.repeat(shift, 2) * rough + path.t * start.q
        assert residual(LocalProblem(A, b, flow.mu, 2), path.r) < 1e-11
        np.testing.assert_allclose(path.w, A @ path.r + b, atol=1e-10)
        seen = max(seen, path.pivots)
    assert seen > 8


def test_a_step_is_the_proximal_one(flow, rough):
    """At t = 0 the path solves w = A r + b + shift (r - centre)."""
    pieces = Pieces(flow)
    shift = 0.1 * pieces.stiffness
    path = PiecewisePath(pieces, rough, shift)
    assert path.follow(10_000, Watch(flow, 1e-10))
    assert path.t == pytest.approx(0.0, abs=1e-15)
    A = flow.A + bsr_matrix(np.diag(np.repeat(shift, 2)), blocksize=(2, 2))
    b = flow.b - np.repeat(shift, 2) * rough
    assert residual(LocalProblem(A, b, flow.mu, 2), path.r) < 1e-12
    # Another solver finds the same: the shift makes the answer unique here.
    other = solve(LocalProblem(A, b, flow.mu, 2), NSGS(tol=1e-13), seconds=20.0)
    np.testing.assert_allclose(path.r, other.r, atol=1e-9 * np.abs(other.r).max())


def test_the_path_turns_round_at_folds():
    """One contact with A_NN + mu A_NT = -0.8: where it slides to the right, r_N = b_N/0.8 grows with b_N.

    b_N = 0.6 t - 0.1 and b_T = -1.2 from a centre that is open at t = 1. It closes at t = 1/6. Sliding takes
    t up again, to w_T = 1.1 r_N - 1.2 = 0 at t = (0.8 x 1.2/1.1 + 0.1)/0.6, and sticking down to 0.
    """
    problem = LocalProblem(np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([-0.1, -1.2]), np.array([2.0]))
    y = -2.0 / 3.0
    path = PiecewisePath(Pieces(problem), np.array([y / 0.9, y]), np.array([1e-9]))
    np.testing.assert_allclose(path.q, [0.6, 0.0], atol=1e-8)
    turns, statuses = [], []
    while not path.follow(path.pivots + 1, Watch(problem, 1e-10)):
        turns.append(path.t)
        statuses.append(int(path.state.status[0]))
    np.testing.assert_allclose(turns, [1.0 / 6.0, (0.8 * 1.2 / 1.1 + 0.1) / 0.6], atol=1e-7)
    assert statuses == [SLIDE, STICK]
    np.testing.assert_allclose(path.r, np.linalg.solve(problem.A, -problem.b), atol=1e-6)


def test_a_path_that_goes_far_is_given_up(monkeypatch):
    """That of the test before, which goes as far as t = 1.62 on its way."""
    monkeypatch.setattr(pivot_path, "FAR", 1.5)
    problem = LocalProblem(np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([-0.1, -1.2]), np.array([2.0]))
    y = -2.0 / 3.0
    path = PiecewisePath(Pieces(problem), np.array([y / 0.9, y]), np.array([1e-9]))
    assert not path.follow(100, Watch(problem, 1e-10))
    assert path.t > 1.5
    assert path.pivots == 2


def test_a_path_into_a_piece_without_solution_is_given_up():
    """A = 0: a contact that closes has no r_N that would hold it, the matrix of the piece is singular."""
    problem = LocalProblem(np.zeros((2, 2)), np.array([-1.0, 0.0]), np.array([0.3]))
    path = PiecewisePath(Pieces(problem), np.array([-2.0, 0.0]), np.array([0.0]))
    np.testing.assert_allclose(path.q, [2.0, 0.0])
    assert not path.follow(10, Watch(problem, 1e-10))
    assert path.pivots == 1
    assert path.t == pytest.approx(0.5)
    assert path.state.status[0] == SLIDE


def test_the_shift_falls_after_a_step_and_grows_after_a_path_in_vain(flow, rough, monkeypatch):
    shares, arrivals = [], iter([True, True, False, False, True, False])

    class Path(PiecewisePath):
        def __init__(self, pieces, centre, shift):
            shares.append(shift[0] / pieces.stiffness[0])
            super().__init__(pieces, centre, shift)

        def follow(self, most, watch):
            return next(arrivals)

    monkeypatch.setattr(pivoting, "PiecewisePath", Path)
    with pytest.raises(StopIteration):
        Pivoting().attempt(flow, rough, Watch(flow, 1e-300))
    ratios = np.array(shares[1:]) / np.array(shares[:-1])
    assert shares[0] == pytest.approx(pivoting.FIRST)
    np.testing.assert_allclose(ratios[[0, 1, 4]], pivoting.FALL)
    assert pivoting.FALL < 1.0 < pivoting.GROWTH
    np.testing.assert_allclose(ratios[[2, 3, 5]], [pivoting.GROWTH * _varied(k) for k in (3, 4, 6)])


def test_a_path_that_closes_is_given_up():
    """A rough guess at mu = 0.8 may lie on a closed curve: the path comes back to a piece and ends there."""
    problem = granular.flow("silo", 10, 10, np.random.default_rng(5), mu=0.8, settle=50)
    watch = Watch(problem, 1e-10)
    NSGS(max_iter=20, finish=False).attempt(problem, np.zeros(len(problem.b)), watch)
    pieces = Pieces(problem)
    path = PiecewisePath(pieces, watch.best, 1e-6 * pieces.stiffness)
    assert not path.follow(20_000, watch)
    assert path.pivots < 1000
    state = path.state
    again = state.status.copy(), state.sign.copy()
    before = path.pivots
    state.seen[:] = 0
    assert not path.follow(20_000, watch)
    # Once round: as many pieces, and the same one at the end.
    assert path.pivots - before <= before + 1
    np.testing.assert_array_equal(path.state.status, again[0])
    slides = again[0] == SLIDE
    np.testing.assert_array_equal(path.state.sign[slides], again[1][slides])


def test_patience(monkeypatch):
    """A problem without solution: no progress, so that it stops after so many pivots, or earlier."""
    problem = LocalProblem(np.zeros((2, 2)), np.array([-1.0, 0.0]), np.array([0.3]))
    early = solve(problem, Pivoting())
    assert not early.converged
    assert early.iterations < 100
    monkeypatch.setattr(pivoting, "STILL", 1_000_000)
    result = solve(problem, Pivoting(patience=50))
    assert not result.converged
    assert 50 <= result.iterations < 200
    with pytest.raises(ModelError, match="pivoting patience = 0"):
        Pivoting(patience=0)


def test_it_stops_at_round_off(flow, rough):
    """A tolerance that no iterate can meet does not cost its patience: paths without a pivot end it."""
    result = solve(flow, Pivoting(), guess=rough, tol=1e-300)
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.residual < 1e-15
    assert result.iterations < 2000 < Pivoting().patience


def test_patience_is_with_the_start_not_with_the_best_iterate(flow, rough):
    """From a worse iterate than one seen before it stops for want of its own progress alone."""
    near = solve(flow, Pivoting(), guess=rough, tol=1e-12).r.copy()
    near[0] += 1e-7
    watch = Watch(flow, 1e-10)
    watch.see(near)
    assert 1e-10 < watch.residual < 1e-6 < residual(flow, rough)
    Pivoting(patience=20).attempt(flow, rough, watch)
    assert watch.converged


@given(st.integers(0, 100_000))
@settings(max_examples=200, deadline=None)
def test_small_problems_from_nothing(seed):
    """Up to five contacts, A definite, mu up to 1: solved, and as LCP says where both say the same w."""
    rng = np.random.default_rng(seed)
    c = int(rng.integers(1, 6))
    G = rng.standard_normal((2 * c, 2 * c + 2))
    problem = LocalProblem(
        G @ G.T / (2 * c) + 0.1 * np.eye(2 * c), rng.standard_normal(2 * c), rng.uniform(0.0, 1.0, c)
    )
    result = solve(problem, Pivoting(max_iter=500))
    assert result.residual == pytest.approx(residual(problem, result.r), abs=1e-16)
    assert result.converged


def test_from_a_rough_guess_to_round_off(flow, rough):
    result = solve(flow, Pivoting(), guess=rough, tol=1e-12, seconds=30.0)
    assert result.converged
    assert residual(flow, rough) > 1e-4
    whole = solve(dense(flow), Pivoting(), guess=rough, tol=1e-12, seconds=30.0)
    assert whole.converged


def test_without_friction_and_without_tangents(flow):
    A, b = flow.dense()[::2, ::2], flow.b[::2]
    normal = LocalProblem(A, b, np.zeros(flow.contacts), d=1)
    one = solve(normal, Pivoting(), tol=1e-12)
    smooth = solve(LocalProblem(flow.A, flow.b, np.zeros(flow.contacts), 2), Pivoting(), tol=1e-12)
    assert one.converged
    assert smooth.converged
    np.testing.assert_allclose(normal.velocity(one.r), normal.velocity(smooth.r[::2]), atol=1e-9)
    np.testing.assert_allclose(normal.velocity(one.r), normal.velocity(solve(normal, LCP()).r), atol=1e-9)


def test_space_is_refused_by_name():
    problem = LocalProblem(np.eye(3), -np.ones(3), np.array([0.5]), d=3)
    with pytest.raises(ModelError, match=r"pivoting .* plane .* d = 3"):
        solve(problem, Pivoting())


def test_it_keeps_to_its_pivots_and_its_time(flow):
    result = solve(flow, Pivoting(max_iter=7), tol=1e-300)
    assert result.iterations == 7
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert solve(flow, Pivoting(), tol=1e-300, seconds=0.05).status is SolverStatus.TIME_LIMIT


def test_growth_is_never_the_same_twice():
    factors = [_varied(k) for k in range(1000)]
    assert len(set(factors)) == 1000
    assert 0.7 < min(factors) < 0.75
    assert 1.33 < max(factors) < 1.36


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "grains", "seed", "settings"),
    [
        ("rest", (46, 46), 19, {"mu": (0.0, 1.0), "settle": 86}),
        ("silo", (60, 62), 514, {"mu": 0.3, "settle": 30, "steps": 60}),
    ],
)
def test_dense_flows_of_thousands_are_solved(kind, grains, seed, settings):
    """At which the paths of interior point alone are held up in a few places."""
    problem = granular.flow(kind, *grains, np.random.default_rng(seed), **settings)
    assert problem.contacts > 1900
    assert solve(problem, Auto(), seconds=60.0).converged
