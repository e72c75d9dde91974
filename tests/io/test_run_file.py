"""The run file: its contract, checkpoints, resume to the last bit, and what is refused."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from fem_contact.errors import ConvergenceError, FemContactWarning, RunFileError
from fem_contact.io.build import build
from fem_contact.io.case import Case, load_case
from fem_contact.io.execute import run_case
from fem_contact.io.fclib import read_problem
from fem_contact.io.run import open_run
from fem_contact.problems import residual
from fem_contact.solvers import NSGS, solve

CASE = """
units = "mm-ms-g"
[mesh]
shape = { kind = "rectangle", width = 40.0, height = 25.0 }
size = 6.0
[body]
E = 5750.0
nu = 0.358
density = 1.17e-3
thickness = 15.0
assumption = "plane-stress"
[[support]]
group = "top"
y = -0.005
[[load]]
group = "left"
traction = ["2*sign(sin(4*pi*t))", 0.0]
[[contact]]
group = "bottom"
mu = 0.5
e = 0.0
obstacle = { kind = "plane", point = [0.0, 0.0], normal = [0.0, 1.0] }
[initial]
kind = "preload"
[scheme]
name = "moreau-jean-fremond"
theta = 0.5
dt = 1e-4
t_end = 0.06
[output]
every = 7
checkpoint = 50
probes = [{ name = "corner", point = [40.0, 0.0] }]
"""


@pytest.fixture
def case(tmp_path) -> Case:
    path = tmp_path / "block.toml"
    path.write_text(CASE)
    return load_case(path)


def test_the_contract(case, tmp_path):
    run_case(case, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["case"] == CASE
        assert file.attrs["scheme"] == "moreau-jean-fremond"
        assert bool(file.attrs["complete"]) is True
        assert file.attrs["version"]
        n, e = len(file["mesh/points"]), len(file["mesh/cells"])
        assert file["mesh/points"].shape == (n, 2)
        assert file["mesh/cells"].shape == (e, 3)
        assert {"bottom", "right", "top", "left", "body"} <= set(file["mesh/groups"])
        c = len(file["contact/nodes"])
        assert np.array_equal(np.sort(file["contact/nodes"]), file["mesh/groups/bottom/nodes"])
        steps = file["steps"]
        for name in (
            *(
                "t",
                "residual",
                "energy/kinetic",
                "energy/elastic",
                "energy/total",
                "solver/iterations",
                "solver/error",
            ),
            *(
                "work/external",
                "work/damping",
                "work/contact_normal",
                "work/contact_tangential",
                "work/numerical",
            ),
        ):
            assert steps[name].shape == (601,), name
        for name in ("gap", "work_normal", "work_tangential"):
            assert steps["contact/" + name].shape == (601, c), name
        for name in ("u", "p"):
            assert steps["contact/" + name].shape == (601, c, 2), name
        works = sum(
            steps["work/" + w][:]
            for w in ("external", "damping", "contact_normal", "contact_tangential", "numerical")
        )
        balance = np.diff(steps["energy/total"][:]) - works[1:]
        np.testing.assert_allclose(steps["residual"][1:], balance, rtol=0, atol=1e-13)
        assert file["fields/t"].shape == (86,)
        assert file["fields/q"].shape == file["fields/v"].shape == (86, 2 * n)
    assert not (tmp_path / "run.h5.parts").exists()


def test_a_run_reads_under_the_names_of_its_file(case, tmp_path):
    run = run_case(case, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.array_equal(run.steps.energy.total, file["steps/energy/total"])
        assert np.array_equal(run["steps/contact/p"], file["steps/contact/p"])
    assert run.complete
    assert run.case == CASE
    assert run.scheme == "moreau-jean-fremond"
    assert np.array_equal(run.mesh.group("bottom").nodes, np.sort(run.contact.nodes))
    assert np.abs(run.steps.residual).max() <= 1e-11 * run.steps.energy.total.max()
    corner = int(np.argmin(np.hypot(*(run.mesh.points - [40.0, 0.0]).T)))
    assert np.array_equal(run.steps.probes.corner.q[::7], run.fields.q[:, 2 * corner : 2 * corner + 2])


class Stop(Exception):
    pass


def break_at(model, step: int) -> None:
    """Let the scheme of a model raise at a step."""

    class Breaking(type(model.scheme)):
        def prepare(self, *arguments):
            stepper = super().prepare(*arguments)
            advance = stepper.advance

            def stopping(state, new, report):
                if state.k == step:
                    raise Stop
                advance(state, new, report)

            stepper.advance = stopping
            return stepper

    object.__setattr__(model, "scheme", Breaking(**vars(model.scheme)))


@pytest.mark.parametrize("at", [1, 49, 50, 51, 333, 599])
def test_an_interrupted_run_resumes_to_the_same_file(case, tmp_path, at):
    whole, broken = tmp_path / "whole.h5", tmp_path / "broken.h5"
    run_case(case, whole)
    model = build(case)

    break_at(model, at)
    with pytest.raises(Stop):
        run_case(model, broken)
    cut = open_run(broken)
    assert not cut.complete
    assert len(cut.steps.t) == at + 1
    run_case(case, broken, resume=True)
    assert broken.read_bytes() == whole.read_bytes()


def test_a_run_with_names_among_its_attributes_resumes(tmp_path):
    """The names of three coordinates, two contacts and one angle are lists in the head of the checkpoint."""
    case = load_case("rocking_block", ("output.checkpoint=20", "scheme.t_end=0.6"))
    whole, broken = tmp_path / "whole.h5", tmp_path / "broken.h5"
    run_case(case, whole)
    model = build(case)
    break_at(model, 45)
    with pytest.raises(Stop):
        run_case(model, broken)
    run_case(case, broken, resume=True)
    assert broken.read_bytes() == whole.read_bytes()
    assert list(open_run(broken).attrs["angles"]) == ["theta"]


@pytest.mark.parametrize(
    "scheme", ['"newmark"\ngamma = 0.7\nbeta = 0.4', '"hht"', '"generalized-alpha"', '"krenk-hogsberg"']
)
def test_what_a_scheme_carries_beside_q_and_v_is_in_the_checkpoint(tmp_path, scheme):
    """Accelerations and filters: killed between two checkpoints, the run goes on to the same file."""
    old = 'name = "moreau-jean-fremond"\ntheta = 0.5'
    assert old in CASE
    (tmp_path / "block.toml").write_text(CASE.replace(old, f"name = {scheme}"))
    case = load_case(tmp_path / "block.toml")
    whole, broken = tmp_path / "whole.h5", tmp_path / "broken.h5"
    run = run_case(case, whole)
    assert np.abs(run["steps/work/algorithmic"]).max() > 0.0
    assert np.abs(run["steps/residual_algorithmic"]).max() <= 1e-11 * run["steps/energy/algorithmic"].max()
    model = build(case)
    break_at(model, 77)
    with pytest.raises(Stop):
        run_case(model, broken)
    run_case(case, broken, resume=True)
    assert broken.read_bytes() == whole.read_bytes()


def test_resume_without_a_checkpoint_starts_and_on_a_finished_run_returns_it(case, tmp_path):
    first = run_case(case, tmp_path / "run.h5", resume=True)
    before = (tmp_path / "run.h5").stat().st_mtime_ns
    again = run_case(case, tmp_path / "run.h5", resume=True)
    assert (tmp_path / "run.h5").stat().st_mtime_ns == before
    assert np.array_equal(first.steps.energy.total, again.steps.energy.total)


def test_a_finished_run_is_not_overwritten_silently(case, tmp_path):
    run_case(case, tmp_path / "run.h5")
    before = (tmp_path / "run.h5").read_bytes()
    with pytest.raises(RunFileError, match="is a finished run; give another name with -o, or --overwrite"):
        run_case(case, tmp_path / "run.h5")
    assert (tmp_path / "run.h5").read_bytes() == before
    run_case(case, tmp_path / "run.h5", overwrite=True)
    assert (tmp_path / "run.h5").read_bytes() == before


def test_another_file_is_not_overwritten(case, tmp_path):
    (tmp_path / "letter.h5").write_text("dear reader")
    for options in ({}, {"overwrite": True}, {"resume": True}):
        with pytest.raises(RunFileError, match="not a run file"):
            run_case(case, tmp_path / "letter.h5", **options)
    assert (tmp_path / "letter.h5").read_text() == "dear reader"


def test_resume_with_another_case_is_refused(case, tmp_path):
    run_case(case, tmp_path / "run.h5")
    other = load_case(tmp_path / "block.toml", ("contact.0.mu=0.4",))
    with pytest.raises(RunFileError, match="finished run of another case"):
        run_case(other, tmp_path / "run.h5", resume=True)


def test_a_step_that_fails_saves_its_problem_and_the_steps_before(case, tmp_path):
    hard = load_case(tmp_path / "block.toml", ("solver.tol=1e-30",))
    with pytest.raises(ConvergenceError, match=r"step 1 .*is saved in .*run-step1\.problem\.hdf5"):
        run_case(hard, tmp_path / "run.h5")
    problem = read_problem(tmp_path / "run-step1.problem.hdf5")
    assert problem.contacts > 3
    assert residual(problem, np.zeros(len(problem.b))) > 1e-6
    assert solve(problem, NSGS()).converged
    assert not open_run(tmp_path / "run.h5").complete
    assert len(open_run(tmp_path / "run.h5").steps.t) == 1


def test_problems_of_chosen_steps_are_saved(case, tmp_path):
    chosen = load_case(tmp_path / "block.toml", ("solver.dump=[3, 40]",))
    run = run_case(chosen, tmp_path / "run.h5")
    names = sorted(path.name for path in tmp_path.glob("*.hdf5"))
    assert names == ["run-step3.problem.hdf5", "run-step40.problem.hdf5"]
    problem = read_problem(tmp_path / "run-step40.problem.hdf5")
    active = run.steps.contact.active[40]
    assert problem.contacts == np.count_nonzero(active) > 3
    answer = solve(problem, NSGS())
    np.testing.assert_allclose(answer.r.reshape(-1, 2), run.steps.contact.p[40][active], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.h5", None, "there is no such run file"),
        ("text.h5", b"text", "not a run file, or it is damaged"),
    ],
)
def test_what_is_not_a_run_is_refused(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RunFileError, match=message):
        open_run(tmp_path / name)


def test_a_foreign_hdf5_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1.0
    with pytest.raises(RunFileError, match="an HDF5 file, but not a run file"):
        open_run(tmp_path / "other.h5")


def test_starting_again_over_an_unfinished_run_is_said(case, tmp_path):
    parts = tmp_path / "run.h5.parts"
    parts.mkdir()
    with pytest.warns(FemContactWarning, match="starting again over an unfinished run"):
        run_case(case, tmp_path / "run.h5")
    assert not parts.exists()


def test_killed_twenty_times_at_random_moments(tmp_path):
    """kill -9 anywhere, then --resume: the final file is an uninterrupted run's to the last bit."""
    path = tmp_path / "block.toml"
    path.write_text(
        CASE.replace("t_end = 0.06", "t_end = 2.0").replace("checkpoint = 50", "checkpoint = 200")
    )
    command = [sys.executable, "-m", "fem_contact", "run", str(path), "-q", "-o"]
    started = time.perf_counter()
    subprocess.run([*command, str(tmp_path / "whole.h5")], check=True)
    duration = time.perf_counter() - started
    moment = random.Random(2026)
    broken = tmp_path / "broken.h5"
    killed = 0
    for _ in range(20):
        process = subprocess.Popen([*command, str(broken), "--resume"])
        try:
            process.wait(timeout=moment.uniform(0.0, 0.6 * duration))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.wait()
    subprocess.run([*command, str(broken), "--resume"], check=True)
    assert killed >= 5
    assert broken.read_bytes() == Path(tmp_path / "whole.h5").read_bytes()
    assert not (tmp_path / "broken.h5.parts").exists()
