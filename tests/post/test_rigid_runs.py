"""How runs of rigid models look: their motion, gaps, energies, and what only their scheme records."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.post.extras import extras
from fem_contact.post.plots import FIGURES, applicable
from fem_contact.post.report import report
from fem_contact.post.rigid import contact_names, coordinate_groups, is_rigid, potential_name
from fem_contact.systems.rigid import MODELS

NAMES = ("x", "tilt", "y")


@pytest.fixture
def rigid(assemble_run):
    """Ten steps of a made-up model of three coordinates, one an angle, and two contacts."""
    rows = 11
    t = 0.1 * np.arange(rows)
    p = np.zeros((rows, 2, 2))
    p[5:, 1, 0] = 0.5
    gap = np.stack([1.0 - t, np.full(rows, -0.25)], axis=1)
    u = np.ones((rows, 2, 2))
    q = np.stack([t, 10.0 * t, -t], axis=1)
    run = assemble_run(
        t,
        (np.ones(rows), 2.0 * np.ones(rows)),
        {},
        {"p": p, "gap": gap, "u": u},
        fields={"t": t, "q": q, "v": 2.0 * q},
        units="SI",
        coordinates=list(NAMES),
        angles=["tilt"],
        contact_names=["left", "right"],
    )
    run.steps._data["newton"] = {"iterations": np.arange(rows, dtype=float)}
    return run


def labels(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_lengths_and_angles_are_apart(rigid):
    lengths, angles = coordinate_groups(rigid)
    assert (lengths.columns, lengths.names, lengths.angles) == ((0, 2), ("x", "y"), False)
    assert (angles.columns, angles.names, angles.angles) == ((1,), ("tilt",), True)
    figure = FIGURES["motion"].draw(rigid)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "position (m)",
        "velocity (m/s)",
        "angle (rad)",
        "angular velocity (rad/s)",
    ]
    assert [labels(axes) for axes in figure.axes] == [["x", "y"], ["x", "y"], ["tilt"], ["tilt"]]
    assert figure.axes[3].lines[0].get_ydata() == pytest.approx(20.0 * rigid.fields.t)


def test_gaps_and_contact_velocities(rigid):
    figure = FIGURES["gaps"].draw(rigid)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "gap $g$ (m)",
        "normal velocity $u_N$ (m/s)",
        "tangential velocity $u_T$ (m/s)",
    ]
    assert labels(figure.axes[0]) == ["left", "right"]
    assert figure.axes[0].get_title(loc="right") == "deepest penetration 0.25 m"
    assert figure.axes[0].lines[0].get_ydata() == pytest.approx(1.0 - rigid.steps.t)


def test_which_figures_a_rigid_run_has(rigid, block):
    names = applicable(list(FIGURES), [rigid])
    assert {"motion", "gaps", "budget"} <= set(names)
    assert not {"bar", "stress", "deformed"} & set(names)
    assert not {"motion", "gaps"} & set(applicable(list(FIGURES), [block]))


def test_potential_in_place_of_elastic(rigid, block):
    assert (is_rigid(rigid), is_rigid(block)) == (True, False)
    assert (potential_name(rigid), potential_name(block)) == ("potential", "elastic")
    assert labels(FIGURES["budget"].draw(rigid).axes[0]) == ["kinetic", "potential", "total"]
    text = report([rigid], ["run.h5"])
    assert "potential, start" in text
    assert "elastic" not in text
    assert "coordinates" in text
    assert "x, tilt, y" in text
    assert "elastic, start" in report([block], ["run.h5"])
    assert "potential or elastic, start" in report([rigid, block], ["a.h5", "b.h5"])


def test_what_only_a_scheme_records(rigid, block):
    assert list(extras(rigid)) == ["newton/iterations"]
    assert extras(block) == {}
    lines = report([rigid, block], ["a.h5", "b.h5"]).splitlines()
    mean, largest = (
        next(line for line in lines if f"newton/iterations, {w}" in line) for w in ("mean", "largest")
    )
    assert mean.split()[-2:] == ["5.5", "–"]  # of the ten steps, not of the start
    assert largest.split()[-2:] == ["10", "–"]
    assert "Of the scheme itself" not in report([block], ["b.h5"])


def test_contacts_without_names_are_numbered(rigid):
    assert contact_names(rigid) == ("left", "right")
    rigid.attrs["contact_names"] = []
    assert contact_names(rigid) == ("1", "2")


@pytest.mark.parametrize("kind", MODELS)
def test_every_model_says_what_its_coordinates_are(kind):
    """Figures and errors go by it: an angle taken for a length would get its axis and its unit."""
    system = MODELS[kind]().system()
    assert set(system.angles) <= set(system.names)
    words = ("angle", "alpha", "beta", "gamma", "theta", "phi", "crank", "rod", "slider")
    for name in system.names:
        looks_like_one = name.split()[-1] in words
        assert (name in system.angles) == looks_like_one, name
