"""The table that ``fem-contact show`` prints."""

from __future__ import annotations

import re

from fem_contact.post.report import report


def row(text: str, label: str) -> list[str]:
    """Cells of the line that starts with a label."""
    line = next(line for line in text.splitlines() if re.match(rf"  {re.escape(label)}(  |$)", line))
    return line[2 + len(label) :].split()


def test_values_and_units(block):
    text = report([block], ["block.h5"])
    assert row(text, "total, end") == ["mJ", "15.08"]
    assert row(text, "contact, tangential") == ["mJ", "-7.92"]
    assert row(text, "external, of it supports") == ["mJ", "10"]
    assert row(text, "steps with a positive one") == ["4"]
    assert row(text, "nodes with a positive one") == ["1"]
    assert row(text, "largest tangential") == ["mJ", "0.02"]
    assert row(text, "final time") == ["ms", "0.4"]
    assert row(text, "mesh") == ["15", "nodes,", "16", "tri3"]
    assert row(text, "iterations, mean") == ["20.5"]
    assert row(text, "deepest penetration") == ["mm", "0"]
    assert row(text, "state") == ["complete"]


def test_runs_stand_side_by_side_in_aligned_columns(make_block):
    runs = [make_block(), make_block(positive=False, scheme="moreau-jean-fremond", complete=False, steps=20)]
    runs[1].attrs["steps"] = 40
    text = report(runs, ["classical.h5", "fremond.h5"])
    lines = text.splitlines()
    assert lines[0].split() == ["classical.h5", "fremond.h5"]
    assert row(text, "scheme") == ["moreau-jean", "moreau-jean-fremond"]
    assert row(text, "sum of the positive ones") == ["mJ", "0.08", "0"]
    assert row(text, "state")[1:] == ["unfinished,", "50.0", "%", "done"]
    full = [line for line in lines if line.startswith("  ")]
    assert len({len(line) for line in full}) == 1
    assert max(map(len, lines)) == len(full[0])


def test_bar_rows_carry_the_exact_solution(bar):
    text = report([bar], ["bar.h5"])
    assert row(text, "contact time") == ["s", "2"]
    assert row(text, "mean contact force") == ["N", "3"]
    assert row(text, "  exact, E S v0 / c0") == ["N", "3"]
    assert row(text, "rebound speed of the centre of mass") == ["m/s", "0.51"]


def test_without_contact_nothing_is_said_about_it(assemble_run):
    import numpy as np

    run = assemble_run([0, 1], ([1, 1], [0, 0]), {}, {"p": np.zeros((2, 0, 2))}, units="")
    text = report([run], ["free"])
    assert "Cone solver" not in text
    assert "Contact" not in text
    assert row(text, "mesh") == ["none", "(rigid)"]
    assert row(text, "total, end") == ["1"]


def test_missing_identity_is_a_dash(make_block):
    run = make_block()
    run.steps.residual[1:] = float("nan")
    assert row(report([run], ["x"]), "largest |residual| of a step") == ["mJ", "–"]


def test_different_unit_systems_are_both_named(block, bar):
    assert row(report([block, bar], ["a", "b"]), "total, end")[:3] == ["mJ", "|", "J"]
