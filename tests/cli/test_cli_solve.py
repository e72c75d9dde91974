"""``fem-contact solve``: what it prints and writes, and its exit status."""

from __future__ import annotations

import re

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

from fem_contact.cli import main
from fem_contact.cli.solve import command
from fem_contact.errors import ConvergenceError, ProblemError
from fem_contact.io.compare import make_solver
from fem_contact.io.fclib import read_problem, read_solution, write_problem
from fem_contact.problems import LocalProblem, residual
from fem_contact.problems.global_problem import GlobalProblem
from fem_contact.solvers import NSGS, SOLVERS

# Uncoupled contacts: one takes off, one sticks, one slips.
PROBLEM = LocalProblem(np.eye(6), np.array([1.0, 1.0, -2.0, 0.5, -2.0, 4.0]), np.full(3, 0.5))
SOLUTION = [0.0, 0.0, 2.0, -0.5, 2.0, -1.0]


@pytest.fixture
def file(tmp_path):
    return write_problem(PROBLEM, tmp_path / "problem.h5")


@pytest.fixture
def unsolvable(tmp_path):
    """Nothing can move, so that the contact cannot stop closing."""
    return write_problem(LocalProblem(np.zeros((2, 2)), -np.ones(2), np.ones(1)), tmp_path / "stuck.h5")


def test_what_it_prints(file):
    result = CliRunner().invoke(command, [str(file)], standalone_mode=False)
    assert result.exception is None
    lines = result.output.splitlines()
    assert lines[0] == "3 contacts of 2 components: 1 open, 1 stick, 1 slip"
    words = lines[1].split()
    assert words[0] == "residual"
    assert float(words[1]) <= 1e-15
    assert words[2:3] + words[4:6] + words[7:8] == ["after", "iterations", "in", "s,"]
    assert float(words[6]) >= 0.0
    assert lines[2].startswith("worst contact ")
    numbers = re.findall(r"\d\.\d+e[-+]\d+", lines[2])
    assert len(numbers) == 4
    assert max(map(float, numbers)) <= 1e-15
    assert len(lines) == 3


def test_the_worst_contact_is_told_where_the_answer_falls_short(unsolvable):
    result = CliRunner().invoke(command, [str(unsolvable), "--max-iter", "2"], standalone_mode=False)
    assert isinstance(result.exception, ConvergenceError)
    line = result.output.splitlines()[2]
    assert line.startswith("worst contact 0: ")
    assert float(line.split()[3]) > 0.1


def test_solution_file(file, tmp_path):
    output = tmp_path / "solution.h5"
    result = CliRunner().invoke(command, [str(file), "-o", str(output)], standalone_mode=False)
    assert result.exception is None
    assert f"solution: {output}" in result.output
    with h5py.File(output) as solution:
        r, u = solution["solution/r"][...], solution["solution/u"][...]
    np.testing.assert_allclose(r, SOLUTION, rtol=1e-15)
    np.testing.assert_allclose(u, PROBLEM.b + SOLUTION, rtol=1e-15)
    assert residual(PROBLEM, r) <= 1e-15


def test_solution_added_to_the_problem_itself(file):
    result = CliRunner().invoke(command, [str(file), "-o", str(file)], standalone_mode=False)
    assert result.exception is None
    np.testing.assert_allclose(read_solution(file).r, SOLUTION, rtol=1e-15)
    np.testing.assert_array_equal(read_problem(file).b, PROBLEM.b)


def test_global_problem(tmp_path):
    """A mass of 2 on the ground, weight 20 and pull 14, mu = 0.5: it slides at 2."""
    problem = GlobalProblem(2.0 * np.eye(2), [[0.0, 1.0], [1.0, 0.0]], [14.0, -20.0], [0.5], [0.0, 0.0])
    path, output = write_problem(problem, tmp_path / "g.hdf5"), tmp_path / "s.hdf5"
    result = CliRunner().invoke(command, [str(path), "-o", str(output)], standalone_mode=False)
    assert result.exception is None
    first = result.output.splitlines()[0]
    assert first == "1 contacts of 2 components, condensed from 2 unknowns: 0 open, 0 stick, 1 slip"
    solution = read_solution(output)
    np.testing.assert_allclose(solution.r, [20.0, -10.0], rtol=1e-14)
    np.testing.assert_allclose(solution.u, [0.0, 2.0], atol=1e-14)
    np.testing.assert_allclose(solution.v, [2.0, 0.0], atol=1e-14)
    assert read_solution(output).l is None


def test_solver_by_name(file, monkeypatch):
    used = []

    class Recorded(NSGS):
        def attempt(self, problem, r, watch):
            used.append((self.tol, self.max_iter, watch.seconds))
            super().attempt(problem, r, watch)

    monkeypatch.setitem(SOLVERS, "recorded", Recorded)
    arguments = [str(file), "--solver", "recorded", "--tol", "1e-9", "--seconds", "7"]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).exception is None
    assert used == [(1e-9, NSGS().max_iter, 7.0)]


def test_default_solver(monkeypatch):
    monkeypatch.setitem(SOLVERS, "auto", NSGS)
    monkeypatch.delitem(SOLVERS, "nsgs")
    assert make_solver(None, 1e-8) == NSGS(tol=1e-8)
    monkeypatch.setitem(SOLVERS, "nsgs", SOLVERS.pop("auto"))
    assert make_solver(None, 1e-8, 12) == NSGS(tol=1e-8, max_iter=12)


def test_solver_without_a_name(file, capfd):
    with pytest.raises(SystemExit) as stop:
        main(["solve", str(file), "--solver", "magic"])
    assert stop.value.code == 1
    error = capfd.readouterr().err
    assert error.startswith("fem-contact: error: solver 'magic': there are ")
    assert all(name in error for name in SOLVERS)


def test_options_reach_the_solver(tmp_path):
    rng = np.random.default_rng(1)
    G = rng.standard_normal((40, 40))
    hard = LocalProblem(G @ G.T / 40 + 0.01 * np.eye(40), rng.standard_normal(40), np.full(20, 0.6))
    path = write_problem(hard, tmp_path / "hard.h5")
    arguments = [str(path), "--solver", "nsgs", "--max-iter", "1"]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert isinstance(result.exception, ConvergenceError)
    assert "iteration limit reached" in str(result.exception)
    loose = CliRunner().invoke(command, [*arguments, "--tol", "100"], standalone_mode=False)
    assert loose.exception is None


def test_exit_status_of_success(file, capfd):
    with pytest.raises(SystemExit) as stop:
        main(["solve", str(file)])
    assert stop.value.code == 0
    assert capfd.readouterr().err == ""


def test_exit_status_of_a_problem_that_is_not_solved(unsolvable, tmp_path, capfd):
    output = tmp_path / "attempt.h5"
    with pytest.raises(SystemExit) as stop:
        main(["solve", str(unsolvable), "--solver", "nsgs", "--max-iter", "5", "-o", str(output)])
    assert stop.value.code == 1
    captured = capfd.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.err.startswith(f"fem-contact: error: {unsolvable}: iteration limit reached")
    assert "Traceback" not in captured.err
    assert output.exists()  # what was reached is kept, with its residual on the terminal


def test_files_that_are_refused(tmp_path, capfd):
    for path in (tmp_path / "none.h5", tmp_path):
        with pytest.raises(SystemExit) as stop:
            main(["solve", str(path)])
        assert stop.value.code == 1
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        assert str(path) in error


def test_output_that_cannot_be_written(file, tmp_path, capfd):
    with pytest.raises(SystemExit) as stop:
        main(["solve", str(file), "-o", str(tmp_path / "none" / "s.h5")])
    assert stop.value.code == 1
    assert capfd.readouterr().err.count("\n") == 1


def test_debug_shows_the_exception(tmp_path):
    with pytest.raises(ProblemError, match="there is no such problem file"):
        main(["--debug", "solve", str(tmp_path / "none.h5")])


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve"],
        ["solve", "a.h5", "--max-iter", "many"],
        ["solve", "a", "--seconds", "0"],
        ["solve", "a", "b"],
    ],
)
def test_wrong_usage(arguments, capfd):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "Usage:" in capfd.readouterr().err
