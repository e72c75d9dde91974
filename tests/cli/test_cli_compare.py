"""``fem-contact compare-solvers``: trials against the clock, table, CSV, performance profile."""

from __future__ import annotations

import csv
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from fem_contact.cli.compare_solvers import command
from fem_contact.errors import FemContactWarning, ModelError, ProblemError
from fem_contact.io.compare import Trial, compare, table, time_table, write_csv
from fem_contact.io.fclib import write_problem, write_solution
from fem_contact.post.plots.profile import performance_profile, profile_figure
from fem_contact.problems import LocalProblem
from fem_contact.problems.global_problem import GlobalProblem
from fem_contact.solvers import SOLVERS


@dataclass(frozen=True)
class Exact:
    """Solves problems with A = 1: projects -b, after a pause."""

    tol: float = 1e-10
    max_iter: int = 1
    pause: ClassVar[float] = 0.0
    calls: ClassVar[list[int]] = []

    def attempt(self, problem, r, watch):
        self.calls.append(len(problem.mu))
        time.sleep(self.pause)
        watch.see(np.where(np.arange(len(r)) % problem.d == 0, np.maximum(-problem.b, 0.0), 0.0), 3, "exact")

    prepare = None


class Slow(Exact):
    pause: ClassVar[float] = 0.3
    calls: ClassVar[list[int]] = []


class Lost(Exact):
    """Shows the same poor iterate over and over until the time is up."""

    def attempt(self, problem, r, watch):
        while not watch.see(r + 1.0):
            time.sleep(0.01)


class Choosy(Exact):
    def attempt(self, problem, r, watch):
        raise ModelError("choosy solves nothing")


@pytest.fixture
def solvers(monkeypatch):
    """Four solvers in place of the registered ones."""
    for name in list(SOLVERS):
        monkeypatch.delitem(SOLVERS, name)
    for name, solver in (("exact", Exact), ("slow", Slow), ("lost", Lost), ("choosy", Choosy)):
        monkeypatch.setitem(SOLVERS, name, solver)
    Exact.calls.clear()
    Slow.calls.clear()


@pytest.fixture
def folder(tmp_path):
    """Two local problems without friction, one in a folder of its own, and a global one."""
    (tmp_path / "problems" / "inner").mkdir(parents=True)
    top = tmp_path / "problems"
    write_problem(LocalProblem(np.eye(600), -np.arange(600.0), np.zeros(600), d=1), top / "b.hdf5")
    write_problem(LocalProblem(np.eye(2), -2.0 * np.ones(2), np.zeros(2), d=1), top / "inner" / "a.hdf5")
    whole = GlobalProblem(np.eye(3), np.eye(3), -2.0 * np.ones(3), np.zeros(3), np.zeros(3), d=1)
    write_problem(whole, top / "c.hdf5")
    return top


def test_trials(folder, solvers):
    seen = []
    trials = compare(folder, seconds=0.2, progress=seen.append)
    assert sorted(seen, key=lambda trial: trial.problem) == trials
    assert [trial.problem for trial in trials] == ["b"] * 4 + ["c"] * 4 + ["inner/a"] * 4
    assert [trial.solver for trial in trials[:4]] == ["exact", "slow", "lost", "choosy"]
    assert [trial.contacts for trial in trials[::4]] == [600, 3, 2]
    exact, slow, lost, choosy = trials[:4]
    assert exact.solved
    assert exact.seconds < 0.1
    assert exact.residual <= 1e-15
    assert (exact.iterations, exact.note) == (3, "converged")
    assert not slow.solved
    assert slow.note == "converged after the time limit"
    assert slow.seconds >= 0.3
    assert not lost.solved
    assert lost.note == "time limit"
    assert 0.2 <= lost.seconds < 1.0
    assert lost.residual > 0.1
    assert not choosy.solved
    assert choosy.note == "refused: choosy solves nothing"
    # The smallest of a kind (dense, sparse) once more, unobserved, and first.
    assert Exact.calls == [2, 2, 3, 600, 600]


def test_time_limit_is_generous_enough(folder, solvers):
    trials = compare(folder, ["slow"], seconds=5.0)
    assert [trial.solved for trial in trials] == [True] * 3
    assert all(0.3 <= trial.seconds < 2.0 for trial in trials)


def test_names(folder, solvers):
    assert [trial.solver for trial in compare(folder, ["choosy", "exact"])][:2] == ["choosy", "exact"]
    with pytest.raises(ModelError, match="solver 'magic': there are choosy, exact, lost, slow"):
        compare(folder, ["exact", "magic"])


def test_files_that_are_no_problems(folder, solvers, tmp_path):
    write_solution(folder / "solution.hdf5", np.zeros(2), np.zeros(2))
    with pytest.warns(FemContactWarning, match=r"left out: .*solution\.hdf5: this is not a contact problem"):
        trials = compare(folder, ["exact"])
    assert len(trials) == 3
    only = tmp_path / "only"
    only.mkdir()
    with pytest.raises(ProblemError, match=r"only: there is no \.hdf5 file in it"):
        compare(only)
    write_solution(only / "solution.hdf5", np.zeros(2), np.zeros(2))
    with (
        pytest.warns(FemContactWarning, match="left out"),
        pytest.raises(ProblemError, match=r"only: none of its 1 \.hdf5 files holds a contact problem"),
    ):
        compare(only)
    with pytest.raises(ProblemError, match="none: there is no such folder"):
        compare(tmp_path / "none")


TRIALS = [
    Trial("wall", 12, 3, "a", True, 0.25, 1e-12, 10, "converged"),
    Trial("wall", 12, 3, "b", False, 8.0, 2.5e-7, 900, "time limit"),
    Trial("tower-of-six", 24, 3, "a", True, 2.0, 1e-11, 10, "converged"),
    Trial("tower-of-six", 24, 3, "b", True, 1.0, 1e-11, 30, "converged"),
    Trial("pile", 7, 2, "a", False, 0.1, float("nan"), 0, "refused: not in the plane"),
    Trial("pile", 7, 2, "b", False, 8.0, 0.5, 30, "iteration limit"),
]


def test_table():
    assert table(TRIALS) == [
        "problem       contacts        a          b",
        "wall            12 x 3   0.25 s  (2.5e-07)",
        "tower-of-six    24 x 3      2 s        1 s",
        "pile             7 x 2  refused  (5.0e-01)",
        "solved            of 3        2          1",
    ]


def test_csv(tmp_path):
    path = write_csv(TRIALS, tmp_path / "trials.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "problem",
        "contacts",
        "components",
        "solver",
        "solved",
        "seconds",
        "residual",
        "iterations",
        "note",
    ]
    assert [(row["solver"], float(row["seconds"])) for row in rows[:2]] == [("a", 0.25), ("b", 8.0)]
    assert rows[1]["solved"] == "False"
    assert rows[4]["note"] == "refused: not in the plane"
    with pytest.raises(ProblemError, match=r"trials\.csv: cannot be written"):
        write_csv(TRIALS, tmp_path / "none" / "trials.csv")


def test_performance_profile_by_hand():
    """Of three problems a solves two, one as the fastest; b one, as the fastest, twice as fast as a."""
    problems, solvers, times = time_table(TRIALS)
    assert (problems, solvers) == (["wall", "tower-of-six", "pile"], ["a", "b"])
    np.testing.assert_array_equal(times, [[0.25, np.inf], [2.0, 1.0], [np.inf, np.inf]])
    tau, rho = performance_profile(times)
    np.testing.assert_array_equal(tau, [1.0, 2.0])
    np.testing.assert_allclose(rho, [[1 / 3, 1 / 3], [2 / 3, 1 / 3]])


def test_performance_profile_of_nothing():
    tau, rho = performance_profile(np.full((2, 3), np.inf))
    np.testing.assert_array_equal(tau, [1.0])
    np.testing.assert_array_equal(rho, np.zeros((1, 3)))
    # What the clock cannot tell apart is a draw.
    np.testing.assert_array_equal(performance_profile(np.array([[1e-6, 5e-6]]))[1], [[1.0, 1.0]])


def test_profile_figure():
    axes = profile_figure(["a", "b"], time_table(TRIALS)[2], "residual 1e-10 within 8 s").axes[0]
    lines = axes.get_lines()
    assert [line.get_label() for line in lines] == ["a (2 of 3)", "b (1 of 3)"]
    np.testing.assert_allclose(lines[0].get_xdata(), [1.0, 2.0, 10.0])
    np.testing.assert_allclose(lines[0].get_ydata(), [1 / 3, 2 / 3, 2 / 3])
    assert axes.get_xscale() == "log"
    assert all(line.get_drawstyle() == "steps-post" for line in lines)


def test_command(folder, solvers, tmp_path):
    output = tmp_path / "new" / "results"
    arguments = [str(folder), "--seconds", "0.2", "--solvers", "exact, lost", "-o", str(output)]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None
    lines = result.output.splitlines()
    assert lines[0].split() == ["problem", "contacts", "exact", "lost"]
    assert [line.split()[0] for line in lines[1:4]] == ["b", "c", "inner/a"]
    assert lines[4].split() == ["solved", "of", "3", "3", "0"]
    assert lines[5:] == [
        f"trials: {output / 'compare-solvers.csv'}",
        f"profile: {output / 'compare-solvers.png'}",
    ]
    assert sorted(path.name for path in output.iterdir()) == ["compare-solvers.csv", "compare-solvers.png"]
    with (output / "compare-solvers.csv").open(newline="") as file:
        assert all(float(row["seconds"]) < 2.0 for row in csv.DictReader(file))  # the limit was passed on
    assert (output / "compare-solvers.png").read_bytes().startswith(b"\x89PNG")


def test_command_refusals(folder, solvers, tmp_path):
    (tmp_path / "file").write_text("")
    for arguments, message in (
        ([str(folder), "--solvers", "exact", "-o", str(tmp_path / "file")], "the folder cannot be made"),
        ([str(folder), "--solvers", ", "], "names no solver"),
        ([str(folder), "--seconds", "0"], "not in the range"),
        ([str(tmp_path / "none")], "there is no such folder"),
    ):
        result = CliRunner().invoke(command, arguments, standalone_mode=False)
        assert message in (str(result.exception) or result.output)


def test_registered_solvers_solve_an_easy_problem(tmp_path):
    """No stand-ins: each solver of the program that takes two components, on three uncoupled contacts."""
    problem = LocalProblem(np.eye(6), np.array([1.0, 1.0, -2.0, 0.5, -2.0, 4.0]), np.full(3, 0.5))
    write_problem(problem, tmp_path / "easy.hdf5")
    trials = compare(tmp_path)
    assert [trial.solver for trial in trials] == list(SOLVERS)
    for trial in trials:
        assert trial.solved or trial.note.startswith("refused"), trial
    assert any(trial.solved for trial in trials)
