"""The default solver on the bank, in a run, and its honesty."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import ModelError
from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers import NSGS, SOLVERS, SolverStatus, solve
from fem_contact.solvers.auto import STEP_SWEEPS, Auto
from fem_contact.solvers.base import Turn, Watch

from . import granular
from .bank import bank

PROBLEMS = dict(bank())


@pytest.mark.parametrize("name", list(PROBLEMS))
def test_every_problem_of_the_bank_is_solved(name):
    problem = PROBLEMS[name]
    result = solve(problem, Auto(), seconds=30.0)
    assert result.converged, f"{name}: {result.residual:.3g} by {result.solver}"
    assert residual(problem, result.r) <= 1e-10
    assert result.residual == residual(problem, result.r)
    np.testing.assert_allclose(result.w, problem.velocity(result.r), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["disks-rough", "tower-top-heavy", "huge-mu-spheres"])
def test_it_goes_on_where_the_sweeps_stop(name):
    problem = PROBLEMS[name]
    assert not solve(problem, NSGS(max_iter=2000)).converged
    assert solve(problem, Auto(), seconds=30.0).solver != "nsgs"


def test_a_problem_without_solution_is_not_called_solved():
    """Two rigid walls that close in: A = 0, b < 0."""
    problem = LocalProblem(np.zeros((2, 2)), np.array([-1.0, 0.5]), np.array([0.5]))
    result = solve(problem, Auto(), seconds=1.0)
    assert not result.converged
    assert result.status in (SolverStatus.TIME_LIMIT, SolverStatus.ITERATION_LIMIT, SolverStatus.NOT_FINITE)


def test_a_guess_that_solves_costs_nothing():
    problem = PROBLEMS["rocks-mixed"]
    first = solve(problem, Auto())
    again = solve(problem, Auto(), guess=first.r)
    assert again.iterations == 0
    assert again.solver == "guess"


def test_prepared_for_a_run_it_answers_as_nsgs_where_that_converges():
    problem = PROBLEMS["random-2d"]
    answers = []
    for solver in (NSGS(), Auto()):
        r = np.zeros(len(problem.b))
        iterations = solver.prepare(problem.contacts, 2).solve_into(problem.A, problem.b, problem.mu, r)
        answers.append((r, iterations))
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    assert answers[0][1] == answers[1][1] < STEP_SWEEPS


def test_prepared_for_a_run_it_takes_over_from_the_sweeps():
    problem = PROBLEMS["tower-top-heavy"]
    r = np.zeros(len(problem.b))
    iterations = Auto().prepare(problem.contacts, 3).solve_into(problem.A, problem.b, problem.mu, r)
    assert iterations > STEP_SWEEPS
    assert residual(problem, r) <= 1e-10


def test_prepared_for_a_run_with_hundreds_of_contacts():
    """More than the sweeps solve, dense as in a run, and fewer contacts than prepared for."""
    problem = granular.flow("silo", 14, 14, np.random.default_rng(6), mu=0.3, settle=54)
    assert problem.contacts > 300
    r = np.zeros(len(problem.b))
    prepared = Auto().prepare(problem.contacts + 5, 2)
    iterations = prepared.solve_into(problem.dense(), problem.b, problem.mu, r)
    assert iterations > STEP_SWEEPS
    assert residual(problem, r) <= 1e-10
    assert prepared.solve_into(problem.dense(), problem.b, problem.mu, r) < 20  # from the answer


def test_a_turn_stops_a_solver_that_makes_no_progress():
    problem = PROBLEMS["random-2d"]
    watch = Watch(problem, 1e-10)
    turn = Turn(watch, patience=0.0)
    r = np.ones(len(problem.b))
    assert not turn.see(r, 1, "first")  # better than nothing at all
    assert turn.see(r, 1, "second")
    assert watch.iterations == 2
    assert turn.finder == "first"


@pytest.mark.parametrize("name", list(SOLVERS))
def test_every_solver_of_the_registry_keeps_the_interface(name):
    solver = SOLVERS[name]()
    assert solver.name == name
    problem = LocalProblem(np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([-1.0, 0.2]), np.array([0.4]))
    result = solve(problem, solver)
    assert result.converged
    r = np.zeros(2)
    solver.prepare(1, 2).solve_into(problem.A, problem.b, problem.mu, r)
    np.testing.assert_allclose(r, result.r, atol=1e-8)
    with pytest.raises(ModelError, match="tol"):
        SOLVERS[name](tol=0.0)
    with pytest.raises(ModelError, match="max_iter"):
        SOLVERS[name](max_iter=0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["column", "silo", "drum", "shaken", "rest"])
def test_flows_are_solved(kind, seed):
    """Grains in the plane, mu from 0 to 1, at rest, falling, turned and shaken, with and without e."""
    rng = np.random.default_rng(100 + seed)
    e = 0.5 if kind in ("column", "shaken") and seed == 1 else 0.0
    problem = granular.flow(kind, 8, 8, rng, mu=(0.3, 0.8, (0.0, 1.0))[seed], e=e, settle=48)
    assert problem.contacts > 60
    assert solve(problem, Auto(), seconds=30.0).converged


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["column", "silo", "drum", "shaken", "rest"])
@pytest.mark.parametrize(("grains", "mu"), [((14, 14), 0.5), ((25, 24), 0.3)])
def test_large_flows_are_solved(kind, grains, mu):
    problem = granular.flow(kind, *grains, np.random.default_rng(7), mu=mu, settle=40 + grains[1])
    assert problem.sparse
    assert solve(problem, Auto(), seconds=30.0).converged


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["column", "silo", "drum"])
def test_every_step_of_a_flow_is_solved(kind):
    """600 grains from rest on, each step from the solution of the one before."""
    flow = granular.start(kind, 25, 24, np.random.default_rng(3), mu=0.5, settle=64)
    for _ in range(10):
        problem, H, N = flow.pose(0.5, 0.0)
        result = solve(problem, Auto(), seconds=60.0)
        assert result.converged
        flow = flow.moved(N @ (H.T @ result.r))
    assert problem.contacts > 800


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "large-spheres",
        "large-spheres-rest",
        "large-rocks",
        "large-capsules",
        "large-polyhedra",
        "large-polyhedra-rest",
        "large-tower",
        "large-tower-shaken",
        "large-stacks",
        "large-disks-700",
    ],
)
def test_large_problems_are_solved(name):
    problem = dict(bank(large=True))[name]
    assert solve(problem, Auto(), seconds=30.0).converged
