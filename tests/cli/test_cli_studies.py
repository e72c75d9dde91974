"""``converge`` and ``reproduce`` as commands."""

from __future__ import annotations

import pytest

from fem_contact.cli import main
from fem_contact.studies.base import Quantity, RunSpec, Study
from fem_contact.studies.registry import STUDIES


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """Run a command in a folder of its own: (status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return run


def _draw(runs):
    from fem_contact.post.plots import FIGURES

    return FIGURES["motion"].draw(*runs.values())


def ball(*overrides: str) -> Study:
    return Study(
        figures=("A paper, figure 1",),
        title="A ball",
        look="Look.",
        runs={"ball": RunSpec("bouncing_ball", ("scheme.dt=2e-2", "scheme.t_end=1.0", *overrides))},
        draw=_draw,
        quantities=lambda runs: [Quantity("steps", 50.0, float(len(runs["ball"].steps.t) - 1), "–")],
    )


@pytest.fixture
def studies(monkeypatch):
    monkeypatch.setattr(STUDIES, "_places", {"ball": ball(), "broken": ball("scheme.theta=7.0")})


def test_converge_prints_and_writes(call, tmp_path):
    status, out, err = call(
        "converge", "bouncing_ball", "--dt", "5e-2,2e-2", "--dt", "10 ms", "-o", "new/folder"
    )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "moreau-jean: error against the closed form"
    assert [line.split()[0] for line in lines[1:6]] == ["h", "0.05", "0.02", "0.01", "order"]
    for name in ("converge.md", "converge.csv", "converge.png"):
        assert (tmp_path / "new/folder" / name).stat().st_size > 100
        assert f"new/folder/{name}" in out


def test_converge_compares_schemes(call):
    arguments = ["--dt", "0.04,0.02,0.01", "--scheme", "moreau-jean-fremond"]
    arguments += ["--scheme", '{ name = "moreau-jean", theta = 0.6 }', "--set", "scheme.t_end=0.8", "-q"]
    status, out, err = call("converge", "bouncing_ball", *arguments)
    assert (status, out, err) == (0, "", "")
    with open("converge.csv") as file:
        text = file.read()
    assert [text.count(f"\n{name},") for name in ("moreau-jean-fremond", "moreau-jean")] == [3, 3]


def test_converge_warns_once(call):
    status, _, err = call(
        "converge", "bouncing_ball", "--dt", "0.04,0.02,0.01", "--set", "scheme.theta=1.0", "-q"
    )
    assert status == 0
    assert err.count("leaves 1/2 <= theta") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bouncing_ball", "--dt", "0.3,0.1,0.05"], "t_end = 5 is not a whole number of steps dt = 0.3"),
        (["bouncing_ball", "--dt", "0.1,0.05"], "2 step sizes: an order needs at least 3"),
        (["bouncing_ball", "--dt", "0.1,abc"], "--dt abc: 'abc' is not a number with a unit"),
        (["bouncing_ball", "--dt", "0.1,,0.05"], "--dt : "),
        (["bouncing_ball", "--dt", "3 kg"], "--dt 3 kg: "),
        (["bouncing_bal", "--dt", "0.1"], "did you mean 'bouncing_ball'?"),
        (["bouncing_ball", "--dt", "0.1,0.05,0.02", "--scheme", "hhtt"], "unknown scheme"),
        (["bouncing_ball", "--dt", "0.1,0.05,0.02", "--scheme", "{ nam"], "cannot be read as TOML"),
        (["bouncing_ball", "--dt", "0.1,0.05,0.02", "--reference", "0.03"], "not a whole number of steps"),
        (["rocking_block", "--dt", "0.1,0.05,0.04,0.02"], "dt = 0.05 is not a multiple of 0.02"),
    ],
)
def test_converge_refuses_in_one_line(call, arguments, words):
    status, out, err = call("converge", *arguments)
    assert (status, out) == (1, "")
    assert err.startswith("fem-contact: error: ")
    assert words in err
    assert err.count("\n") == 1


def test_converge_needs_step_sizes(call):
    status, _, err = call("converge", "bouncing_ball")
    assert status == 2
    assert "--dt" in err


def test_reproduce_makes_page_and_table(call, studies, tmp_path):
    status, out, err = call("reproduce", "ball", "-o", "papers")
    assert (status, err) == (0, "")
    assert "ball: 1 runs, 0 of them there before" in out
    row = next(line for line in out.splitlines() if line.startswith("ball   steps"))
    assert row.split() == ["ball", "steps", "50", "50", "1", "–"]
    for name in ("index.html", "table.md", "figures/ball.png"):
        assert (tmp_path / "papers" / name).stat().st_size > 100
    assert "1 of them there before" in call("reproduce", "ball", "-o", "papers")[1]


def test_one_study_that_fails_does_not_stop_the_others(call, studies, tmp_path):
    status, out, err = call("reproduce", "--all", "-o", "papers")
    assert status == 1
    assert "ball: 1 runs" in out
    assert err.startswith("fem-contact: error: broken: bouncing_ball.toml: ")
    assert err.count("\n") == 1
    assert "This study failed" in (tmp_path / "papers/index.html").read_text()


def test_reproduce_lists_its_studies(call):
    status, out, _ = call("reproduce", "--list")
    assert status == 0
    assert len(out.splitlines()) == len(STUDIES)
    assert any(
        line.startswith("bar-moreau-jean") and "(RR-8029 figure 12)" in line for line in out.splitlines()
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ([], 2, "name studies or give --all"),
        (["ball", "--all", "-o", "x"], 2, "name studies or give --all"),
        (["ball"], 2, "Missing option '-o'"),
        (
            ["bal", "-o", "x"],
            1,
            "there is no study 'bal' (did you mean 'ball'?); known studies: ball, broken",
        ),
    ],
)
def test_reproduce_refuses(call, studies, tmp_path, arguments, status, words):
    code, out, err = call("reproduce", *arguments)
    assert (code, out) == (status, "")
    assert words in err
    assert not (tmp_path / "x").exists()


def test_a_folder_that_cannot_be_made(call, tmp_path):
    (tmp_path / "file").write_text("")
    for arguments in (["reproduce", "bar-elements"], ["converge", "bouncing_ball", "--dt", "0.1,0.05,0.02"]):
        status, _, err = call(*arguments, "-o", "file/folder")
        assert status == 1
        assert "the folder cannot be made" in err
