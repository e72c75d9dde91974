"""Patches of contacts solved by themselves within Newton's method for the whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_contact.problems import LocalProblem, residual, residual_parts
from fem_contact.solvers import _elimination as elimination
from fem_contact.solvers import solve
from fem_contact.solvers.auto import Auto
from fem_contact.solvers.base import Watch
from fem_contact.solvers.interior import InteriorPoint
from fem_contact.solvers.nsgs import NSGS

from . import granular


@pytest.fixture(scope="module")
def flow():
    problem = granular.flow("silo", 10, 10, np.random.default_rng(5), mu=0.4, settle=50)
    assert problem.sparse
    return problem


def test_a_patch_is_a_ball_of_limited_size(flow, monkeypatch):
    monkeypatch.setattr(elimination, "PATCH", 30)
    neighbours = elimination._neighbours(flow)
    filled = np.abs(flow.dense()).reshape(flow.contacts, 2, -1, 2).max(axis=(1, 3)) > 0.0
    np.testing.assert_array_equal(neighbours.toarray() > 0.0, filled | np.eye(flow.contacts, dtype=bool))
    for centre in (0, flow.contacts // 2):
        member = elimination._patch_around(neighbours, centre)
        assert member[centre]
        assert member.sum() <= 30
        # One ring more would be too many.
        assert ((neighbours @ member) > 0).sum() > 30


@pytest.mark.parametrize("sparse", [True, False])
def test_a_patch_is_solved_with_the_others_held(flow, sparse):
    problem = flow if sparse else LocalProblem(flow.dense(), flow.b, flow.mu, 2)
    rough = Watch(problem, 1e-10)
    NSGS(max_iter=20, finish=False).attempt(problem, np.zeros(len(problem.b)), rough)
    r = rough.best.copy()
    contacts = np.arange(10, 40)
    elimination._solve_patch(
        problem, csr_matrix(problem.A), contacts, r, Watch(problem, 1e-12), InteriorPoint()
    )
    assert residual_parts(problem, rough.best).fault[contacts].max() > 1e-6
    assert residual_parts(problem, r).fault[contacts].max() < 1e-11
    held = np.setdiff1d(np.arange(problem.contacts), contacts)
    np.testing.assert_array_equal(r.reshape(-1, 2)[held], rough.best.reshape(-1, 2)[held])


def test_a_patch_that_is_not_solved_is_left_alone(flow):
    r = np.zeros(len(flow.b))
    local = NSGS(max_iter=1, finish=False)
    elimination._solve_patch(flow, csr_matrix(flow.A), np.arange(40), r, Watch(flow, 1e-12), local)
    np.testing.assert_array_equal(r, 0.0)


def test_rounds_of_patches_and_newton_steps_solve_a_flow(flow, monkeypatch):
    """From zero, with patches of a third of the flow; what is best is kept and its residual told."""
    monkeypatch.setattr(elimination, "PATCH", flow.contacts // 3)
    watch = Watch(flow, 1e-10)
    start = np.zeros(len(flow.b))
    elimination.eliminate(flow, start, watch, InteriorPoint(), 1000)
    np.testing.assert_array_equal(start, 0.0)
    assert watch.residual == min(reached for _, reached in watch.history) == residual(flow, watch.best)
    assert watch.residual <= 1e-10


def test_it_keeps_to_its_iterations(flow):
    watch = Watch(flow, 1e-300)
    elimination.eliminate(flow, np.zeros(len(flow.b)), watch, InteriorPoint(max_iter=5), 3)
    assert watch.iterations <= 3 + elimination.SWEEPS
    assert not watch.converged


def test_a_leg_keeps_its_own_best(flow):
    watch = Watch(flow, 1e-10)
    watch.see(answer := solve(flow, Auto()).r, 0, "first")
    leg = elimination.Leg(watch)
    leg.see(np.zeros(len(flow.b)), 1, "second")
    np.testing.assert_array_equal(leg.best, 0.0)
    assert leg.residual > watch.residual == residual(flow, answer)


@pytest.mark.slow
def test_a_dense_flow_of_thousands_is_solved():
    """A pile at rest, mu from 0 to 1, at which the paths alone are held up in a few places."""
    problem = granular.flow("rest", 46, 46, np.random.default_rng(19), mu=(0.0, 1.0), settle=86)
    assert problem.contacts > 3000
    assert solve(problem, Auto(), seconds=60.0).converged


def test_a_patch_does_not_outlast_the_watch():
    """The solver of a patch is given what time is left; nothing is, and r stays as it is."""
    given = []

    class Recording(NSGS):
        def attempt(self, problem, r, watch):
            given.append(watch.seconds)

    problem = LocalProblem(np.eye(4), np.array([-1.0, 0.0, -1.0, 0.0]), np.ones(2))
    r = np.zeros(4)
    for seconds in (100.0, 0.0):
        watch = Watch(problem, 1e-10, seconds)
        elimination._solve_patch(problem, csr_matrix(problem.A), np.array([0]), r, watch, Recording())
    assert not r.any()
    assert len(given) == 1
    assert 99.0 < given[0] <= 100.0
