"""Every command and example of the README runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```(sh|toml|python)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
LINES = [line.split("#")[0].strip() for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("fem-contact")]
MAKE = [line for line in LINES if line.startswith("make")]


def test_the_readme_has_no_command_that_is_not_run_here():
    assert set(filter(None, LINES)) == {*COMMANDS, *MAKE}
    assert len(COMMANDS) >= 10


def test_every_fem_contact_command_runs_in_order(tmp_path):
    (case,) = [text for kind, text in BLOCKS if kind == "toml"]
    (tmp_path / "drop.toml").write_text(case)
    # The console script calls the same entry point; `python -m` needs no installed script.
    for line in COMMANDS:
        command = [sys.executable, "-m", "fem_contact", *line.split()[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert "warning" not in done.stderr, f"{line}\n{done.stderr}"
    for name in (
        "fremond.h5",
        "classical.h5",
        "fremond.xdmf",
        "bar.h5",
        "block.msh",
        "drop.h5",
        "figures/budget.png",
        "figures/bar.png",
    ):
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "python"])
def test_the_python_example_runs(text, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    closes = [float(number) for number in re.findall(r"identity(?: closes to)? (\S+)", done.stdout)]
    assert len(closes) == (2 if "for scheme in" in text else 1)
    assert max(closes) < 1e-10


@pytest.mark.parametrize("line", MAKE)
def test_make_knows_its_targets(line):
    """The targets themselves set up an environment each; a dry run shows that they are whole."""
    environment = {**os.environ, "MAKEFLAGS": ""}
    done = subprocess.run(
        [*line.split(), "-n"], cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "fem-contact run pmma_sliding_block" in done.stdout or "pytest" in done.stdout


def test_the_picture_is_there():
    for path in re.findall(r"\]\(([^)]+\.(?:png|ipynb))\)", (ROOT / "README.md").read_text()):
        assert (ROOT / path).exists(), path
