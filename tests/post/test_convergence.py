"""Norms in time, fitted orders, and how they are written and drawn."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from fem_contact.errors import ModelError, RunFileError
from fem_contact.post.convergence import (
    NORMS,
    PARTS,
    Convergence,
    common_error,
    fit_order,
    markdown,
    norms,
    plain,
    table,
    write_tables,
)
from fem_contact.post.plots.convergence import convergence_figure

H = np.array([0.1, 0.05, 0.02, 0.01])


def made(label: str = "moreau-jean", powers=(1.0, 1.0, 1.0, 0.0, 1.0, 0.5)) -> Convergence:
    """Errors 3 h^p exactly, one p for each part and norm."""
    errors = 3.0 * H[:, None] ** np.array(powers)
    return Convergence(label, H, errors.reshape(len(H), 2, 3), "the closed form", "SI")


def test_norms_by_hand():
    """Sizes 5, 0, 13 at three points 0.5 apart; what the first row holds does not count."""
    error = np.array([[100.0, 100.0], [3.0, 4.0], [0.0, 0.0], [-5.0, 12.0]])
    assert norms(error, 0.5) == pytest.approx([13.0, 9.0, np.sqrt(0.5 * (25.0 + 169.0))], rel=1e-15)


def test_norms_do_not_depend_on_the_number_of_nodes():
    error = np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    many = np.tile(error, (1, 50))
    assert norms(many, 0.1, per_node=2) == pytest.approx(norms(error, 0.1, per_node=2), rel=1e-14)
    assert norms(many, 0.1)[0] == pytest.approx(5.0 * np.sqrt(50.0))


@given(order=some.floats(-1.0, 4.0), scale=some.floats(1e-6, 1e6))
def test_the_fit_is_exact_on_powers(order, scale):
    """Round-off of logarithms between 1e-14 and 1e10 over a range of log(10)."""
    found = fit_order(H, scale * H**order)
    assert found[0] == pytest.approx(order, abs=1e-11)
    assert found[1] == pytest.approx(scale, rel=1e-9)


def test_the_fit_is_least_squares_over_all_points():
    h = np.exp([0.0, 1.0, 2.0])
    assert fit_order(h, np.exp([0.0, 2.0, 1.0]))[0] == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("error", [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, np.nan, np.inf]])
def test_errors_without_logarithms_have_no_order(error):
    assert np.isnan(fit_order(H, np.array(error))).all()
    assert fit_order(H, np.array([0.1, 0.05, 0.02, 0.0]))[0] == pytest.approx(1.0)


def test_the_table_holds_errors_and_orders():
    rows = table(made())
    assert rows[0] == ["h", *(f"{part}, {norm}" for part in PARTS for norm in NORMS)]
    assert [row[0] for row in rows] == ["h", "0.1", "0.05", "0.02", "0.01", "order"]
    assert rows[1][1:] == ["3.000e-01"] * 3 + ["3.000e+00", "3.000e-01", "9.487e-01"]
    assert rows[-1][1:] == ["1.000", "1.000", "1.000", "0.000", "1.000", "0.500"]
    flat = made(powers=(1,) * 6)
    assert table(Convergence("x", H, np.zeros_like(flat.errors), "r"))[-1][1:] == ["–"] * 6


def test_tables_as_text():
    rows = [["a", "bb"], ["ccc", "1|2"]]
    assert plain(rows) == ["a     bb", "ccc  1|2"]
    assert plain(rows, 2) == ["a    bb", "ccc  1|2"]
    assert markdown(rows) == ["| a | bb |", "| --- | ---: |", "| ccc | 1\\|2 |"]


def test_files_hold_all_digits(tmp_path):
    results = [made(), made("hht", (2.0,) * 6)]
    text, numbers = write_tables(results, "Ball", tmp_path / "converge")
    assert text.read_text().count("| order |") == 2
    assert text.read_text().startswith("# Ball\n")
    with open(numbers, newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert [row["scheme"] for row in rows] == ["moreau-jean"] * 4 + ["hht"] * 4
    assert float(rows[2]["v_L2"]) == results[0].errors[2, 1, 2]
    with pytest.raises(RunFileError, match="cannot be written"):
        write_tables(results, "Ball", tmp_path / "no" / "converge")


def test_the_picture_has_every_scheme_norm_and_slope():
    figure = convergence_figure({"": [made(), made("hht", (2.0,) * 6)]}, "Ball")
    assert len(figure.axes) == 6
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["moreau-jean", "hht", "slope 1", "slope 2", "slope 1/2"]
    assert [axes.get_ylabel() for axes in figure.axes[:3]] == [
        "error in $q$ (m)",
        "error in $q$ (m s)",
        "error in $q$ (m s$^{1/2}$)",
    ]
    assert [text.get_text() for text in figure.axes[0].texts] == ["order 1.00", "order 2.00"]
    points = figure.axes[4].lines[0]
    assert points.get_xdata() == pytest.approx(H)
    assert points.get_ydata() == pytest.approx(3.0 * H)
    assert figure.axes[-1].get_xlabel() == "step size $h$ (s)"


def test_angles_have_no_unit_of_length():
    figure = convergence_figure({"": [made()]}, "Pendulum", lengths=False)
    assert figure.axes[0].get_ylabel() == "error in $q$"


def test_groups_have_rows_of_their_own():
    figure = convergence_figure({"ball": [made()], "oscillator": [made()]}, "Both")
    assert len(figure.axes) == 12
    assert figure.axes[6].get_ylabel() == "oscillator: error in $q$ (m)"


def test_errors_on_a_common_grid():
    fine = np.linspace(0.0, 1.0, 11)
    coarse = fine[::5]
    difference = common_error(coarse, np.ones((3, 1)), fine, fine[:, None])
    assert difference[:, 0] == pytest.approx([1.0, 0.5, 0.0])
    with pytest.raises(ModelError, match="share no grid"):
        common_error(np.array([0.0, 0.25, 0.5]), np.ones((3, 1)), fine, fine[:, None])
