"""Studies: the registry is whole, runs are kept and used again, the page and the table say what they must."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from fem_contact.errors import FemContactError
from fem_contact.io.case import load_case
from fem_contact.io.case.overrides import parse
from fem_contact.io.run import is_finished, open_run
from fem_contact.post.bar import violation
from fem_contact.studies import page
from fem_contact.studies.base import Quantity, RunSpec, Study, settings
from fem_contact.studies.execute import make, obtain
from fem_contact.studies.registry import LEFT_OUT, STUDIES

#: What the papers show that our systems cover.
WANTED = (
    [f"HAL 04230941 figure {n}" for n in (2, 3, 6, 7)]
    + [f"RR-8029 figure {n}" for n in (*range(2, 10), *range(11, 19), 20, *range(23, 27), *range(28, 31))]
    + ["RR-8029 table 3", "Asymptotic contact law, theorem 1", "RR-8602 energy balances"]
)
#: Drawings without a computation, and what cannot be had.
OTHERS = {"HAL 04230941": {1, 4, 5}, "RR-8029": {1, 10, 19, 21, 22, 27, 31}}

BALL = RunSpec("bouncing_ball", ("scheme.dt=1e-2", "scheme.t_end=2.0"))


def small(**more) -> Study:
    """A study of two runs of the ball: its violation at two step sizes."""

    def draw(runs):
        from fem_contact.post.plots import FIGURES

        return FIGURES["gaps"].draw(*runs.values())

    values = {
        "figures": ("A paper, figure 1",),
        "title": "A ball & <its> floor",
        "look": "Look here.",
        "runs": {"fine": BALL, "coarse": RunSpec("bouncing_ball", ("scheme.dt=2e-2", "scheme.t_end=2.0"))},
        "draw": draw,
        "quantities": lambda runs: [
            Quantity("violation, coarse", 0.02, violation(runs["coarse"]), "m"),
            Quantity("violation, fine", "small", violation(runs["fine"]), "m"),
        ],
        "quick": {"fine": BALL, "coarse": BALL},
        "shortened": "no coarse run",
    }
    return Study(**{**values, **more})


def test_every_figure_is_covered_or_says_why_not():
    covered = [figure for study in STUDIES.values() for figure in study.figures]
    assert set(WANTED) <= set(covered)
    assert len(covered) == len(set(covered))
    left_out = " ".join(LEFT_OUT)
    for paper, numbers in OTHERS.items():
        text = next(key for key in LEFT_OUT if key.startswith(f"{paper} figure"))
        assert text in left_out
        for number in numbers:
            assert any(re.search(rf"\b{number}\b", key) for key in LEFT_OUT if key.startswith(paper)), number
    assert all(LEFT_OUT.values())


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_whole(name):
    study = STUDIES[name]
    assert study.figures
    assert study.title
    assert len(study.look) > 40
    assert (study.quick is None) == (study.shortened == "")
    for quick in (False, True):
        for spec in study.needs(quick).values():
            case = load_case(spec.case, spec.overrides)
            assert case.scheme.t_end >= case.scheme.dt


def test_a_study_end_to_end(tmp_path):
    result = make("ball", small(), tmp_path)
    assert result.picture == tmp_path / "figures" / "ball.png"
    assert result.picture.stat().st_size > 10_000
    assert [made.reused for made in result.runs] == [False, False]
    assert [made.steps for made in result.runs] == [200, 100]
    assert result.quantities[0].ours == pytest.approx(0.02, rel=0.5)
    for made in result.runs:
        record = json.loads(made.path.with_suffix(".json").read_text())
        assert record["command"] == made.spec.command(made.path.name)
        assert record["seconds"] == made.seconds > 0.0


def test_a_second_call_uses_the_runs(tmp_path, monkeypatch):
    first = make("ball", small(), tmp_path)
    monkeypatch.setattr("fem_contact.studies.execute.run_case", None)
    second = make("ball", small(), tmp_path)
    assert [made.reused for made in second.runs] == [True, True]
    assert [made.seconds for made in second.runs] == [made.seconds for made in first.runs]
    assert second.quantities == first.quantities


def test_fresh_runs_are_made_again(tmp_path):
    path = obtain(BALL, _runs(tmp_path)).path
    before = path.stat().st_mtime_ns
    again = obtain(BALL, path.parent, fresh=True)
    assert not again.reused
    assert again.path.stat().st_mtime_ns > before
    assert again.warnings == ()


def test_other_changes_are_other_runs(tmp_path):
    folder = _runs(tmp_path)
    paths = {obtain(spec, folder).path for spec in (BALL, BALL.also("model.e=0.25"), BALL)}
    assert len(paths) == 2


def test_the_quick_look_takes_the_short_runs(tmp_path):
    result = make("ball", small(), tmp_path, quick=True)
    assert [made.steps for made in result.runs] == [200, 200]
    assert [made.reused for made in result.runs] == [False, True]
    assert make("ball", small(quick=None, shortened=""), tmp_path, quick=True).runs[1].steps == 100


def test_warnings_of_a_run_are_kept(tmp_path):
    spec = BALL.also("scheme.theta=0.25")
    made = obtain(spec, _runs(tmp_path))
    assert len(made.warnings) == 1
    assert "theta = 0.25 leaves" in made.warnings[0]
    assert obtain(spec, made.path.parent).warnings == made.warnings


def test_what_is_evaluated_is_evaluated_once(tmp_path):
    calls = []

    def evaluate(runs):
        calls.append(sorted(runs))
        return runs

    make("ball", small(evaluate=evaluate), tmp_path)
    assert calls == [["coarse", "fine"]]


LONG = """
from pathlib import Path
from fem_contact.studies.base import RunSpec
from fem_contact.studies.execute import obtain
spec = RunSpec("bouncing_ball", ("scheme.dt=1e-4", "scheme.t_end=1.5", "output.checkpoint=250"))
obtain(spec, Path("runs"))
"""


def test_a_killed_study_goes_on(tmp_path):
    """Killed once some checkpoints are there; the resumed run is the same to the last bit."""
    folder = _runs(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", LONG], cwd=tmp_path)
    try:
        deadline = time.monotonic() + 120.0
        while len(list(folder.glob("*.parts/steps-*.h5"))) < 3:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    (parts,) = folder.glob("*.parts")
    assert not is_finished(folder / parts.name.removesuffix(".parts"))
    kept = len(list(parts.glob("steps-*.h5")))
    spec = RunSpec("bouncing_ball", ("scheme.dt=1e-4", "scheme.t_end=1.5", "output.checkpoint=250"))
    seen = []
    made = obtain(spec, folder, progress=lambda done, total: seen.append(done))
    assert min(seen) > 250 * (kept - 2)
    assert not parts.exists()
    run, whole = open_run(made.path), open_run(obtain(spec, _runs(tmp_path / "other")).path)
    assert np.array_equal(run.fields.q, whole.fields.q)
    assert np.array_equal(run.steps.energy.total, whole.steps.energy.total)


def _runs(folder):
    runs = folder / "runs"
    runs.mkdir(parents=True)
    return runs


def test_quantities_and_ratios():
    assert Quantity("a", 2.0, 3.0).ratio == 1.5
    assert [Quantity("a", paper, 3.0).ratio for paper in (None, "some", 0.0)] == [None, None, None]
    rows = page.rows_of(
        [Quantity("a", 1271.472, 1262.214, "N"), Quantity("b", "none", 0.0), Quantity("c", None, 1.0)]
    )
    assert rows == [
        ["a", "1271.472", "1262.214", "0.9927", "N"],
        ["b", "none", "0", "–", ""],
        ["c", "–", "1", "–", ""],
    ]


def test_the_page_is_whole_in_itself(tmp_path):
    result = make("ball", small(differs="Nothing much."), tmp_path, quick=True)
    warned = replace(result, runs=(replace(result.runs[0], warnings=("Mind this.",)), *result.runs[1:]))
    index, numbers = page.write(
        [warned], {"other": "it <broke>"}, tmp_path, quick=True, left_out={"A paper, figure 9": "secret"}
    )
    html = index.read_text()
    assert 'src="data:image/png;base64,' in html
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    for words in (
        "A ball &amp; &lt;its&gt; floor",
        "A paper, figure 1",
        "Look here.",
        "Not as in the paper: Nothing much.",
        "Quick look: no coarse run",
        "fem-contact run bouncing_ball -o bouncing_ball-",
        "--set scheme.dt=1e-2",
        "The program warns: Mind this.",
        "it &lt;broke&gt;",
        "A paper, figure 9: secret",
    ):
        assert words in html, words
    lines = numbers.read_text().splitlines()
    assert lines[2] == "| study | quantity | paper | ours | ratio | unit |"
    assert lines[4].startswith("| ball | violation, coarse | 0.02 |")


def test_commands_make_the_same_run(tmp_path, monkeypatch):
    """The command line under a figure makes the run that was drawn."""
    import shlex

    from fem_contact.cli import main

    spec = RunSpec(
        "bouncing_ball",
        (settings("moreau-jean", 1e-2, 1.0, activation={"gamma": 0.0, "velocity_tol": np.inf}),),
    )
    made = obtain(spec, _runs(tmp_path))
    words = shlex.split(spec.command("again.h5"))
    assert words[0] == "fem-contact"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(words[1:])
    assert not stop.value.code
    assert open_run(tmp_path / "again.h5").case == open_run(made.path).case


def test_settings_replace_the_scheme():
    text = settings("hht", 1e-6, 0.5, alpha=0.1, newton={"tol": 1e-10}, flag=True)
    assert parse(text) == (
        ("scheme",),
        {"name": "hht", "dt": 1e-6, "t_end": 0.5, "alpha": 0.1, "newton": {"tol": 1e-10}, "flag": True},
    )


def test_a_study_that_fails_leaves_its_steps(tmp_path):
    bad = small(runs={"fine": BALL.also("scheme.newton.tol=1e-300", "scheme.newton.max_iter=1")}, quick=None)
    with pytest.raises(FemContactError):
        make("ball", bad, tmp_path)
