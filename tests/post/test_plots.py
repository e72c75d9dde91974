"""Figures: made of one or several runs, labelled with units, honest when thinned."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from fem_contact.errors import ModelError, RunFileError
from fem_contact.post.plots import FIGURES, FORMATS, applicable, save, style
from fem_contact.post.plots.deformed import displacement_scale
from fem_contact.post.plots.look import envelope, run_titles
from fem_contact.post.plots.maps import gather_status, gather_work
from fem_contact.post.report import report
from fem_contact.post.work import OPEN, SLIP_MINUS, STICK

BLOCK = ["budget", "works", "residual", "work-map", "status-map", "forces", "deformed", "stress", "solver"]
BAR = ["budget", "works", "residual", "forces", "bar", "solver"]


def data_axes(figure):
    """Axes that show data (not colour bars)."""
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def shows_something(axes) -> bool:
    collections = [c for c in axes.collections if c.get_array() is None or np.size(c.get_array())]
    return any(len(line.get_xdata()) > 1 for line in axes.lines) or bool(collections)


def texts(figure) -> str:
    pieces = [figure.get_suptitle()]
    for axes in figure.axes:
        pieces += [axes.get_title(loc) for loc in ("left", "center", "right")]
        pieces += [axes.get_xlabel(), axes.get_ylabel()] + [text.get_text() for text in axes.texts]
    return "\n".join(pieces)


def test_figures_of_each_kind_of_run(block, bar):
    assert applicable(list(FIGURES), [block]) == BLOCK
    assert applicable(list(FIGURES), [bar]) == BAR
    assert applicable(list(FIGURES), [block, bar]) == ["budget", "works", "residual", "forces", "solver"]


def test_figures_without_contacts_or_identity(assemble_run):
    nan = [0.0, np.nan]
    run = assemble_run([0, 1], ([1, 1], [0, 0]), {}, {"p": np.zeros((2, 0, 2))}, residual=nan)
    assert applicable(list(FIGURES), [run]) == ["budget", "works"]
    assert "no energy identity" in texts(FIGURES["budget"].draw(run))
    assert "no contact" in texts(FIGURES["budget"].draw(run))


@pytest.mark.parametrize("name", BLOCK)
@pytest.mark.parametrize("count", [1, 2])
def test_block_figures_are_labelled(make_block, name, count):
    runs = [make_block(), make_block(positive=False, scheme="moreau-jean-fremond")][:count]
    check_figure(FIGURES[name].draw(*runs), "(ms)" if name not in ("deformed", "stress") else "(mm)")


@pytest.mark.parametrize("name", BAR)
def test_bar_figures_are_labelled(bar, name):
    check_figure(FIGURES[name].draw(bar), "(s)")


def check_figure(figure, unit):
    axes = data_axes(figure)
    assert axes
    assert all(shows_something(a) for a in axes)
    assert unit in axes[-1].get_xlabel()
    outer = [a for a in axes if a.get_subplotspec().is_first_col()]
    assert all(a.get_ylabel().endswith(")") for a in outer)
    assert "a test" in figure.get_suptitle()


def test_each_quantity_has_its_unit(block, bar):
    budget = FIGURES["budget"].draw(block)
    assert [a.get_ylabel().rpartition(" ")[2] for a in budget.axes] == ["(mJ)"] * 4
    tip = FIGURES["bar"].draw(bar)
    assert [a.get_ylabel().rpartition(" ")[2] for a in tip.axes] == ["(m)", "(m/s)", "(N)"]
    assert FIGURES["deformed"].draw(block).axes[-1].get_ylabel() == "von Mises stress (MPa)"
    assert FIGURES["work-map"].draw(block).axes[-1].get_ylabel().endswith("(mJ)")


def test_no_unit_is_claimed_without_a_unit_system(make_block):
    figure = FIGURES["budget"].draw(make_block(units=""))
    assert figure.axes[0].get_ylabel() == "energy"
    assert figure.axes[-1].get_xlabel() == "time $t$"


def test_legends_name_the_curves(block):
    figure = FIGURES["budget"].draw(block)
    names = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes[:2]]
    assert names == [["kinetic", "elastic", "total"], ["total energy $E$", r"$E_0$ + work + dissipation"]]
    works = [text.get_text() for text in FIGURES["works"].draw(block).legends[0].get_texts()]
    assert works == ["change of total energy", "external", "contact, tangential (friction)"]
    statuses = [text.get_text() for text in FIGURES["status-map"].draw(block).legends[0].get_texts()]
    assert statuses == ["open", "stick", "slip +", "slip −"]


def test_budget_shows_the_numbers_of_the_run(block):
    figure = FIGURES["budget"].draw(block)
    total = next(line for line in figure.axes[0].lines if line.get_label() == "total")
    assert total.get_ydata() == pytest.approx(block.steps.energy.total)
    ours = next(line for line in figure.axes[1].lines if "work" in line.get_label())
    assert ours.get_ydata()[-1] == pytest.approx(15.08)
    assert "positive in 4 of 40 steps, up to 0.02 mJ" in texts(figure)


def test_budget_of_a_clean_run_is_not_blown_up(make_block):
    run = make_block(positive=False)
    run.steps.contact.work_tangential[1:] = -1e-18
    run.steps.contact.work_tangential[5, 4] = 1e-18
    figure = FIGURES["budget"].draw(run)
    assert "never positive beyond round-off (largest 1e-18 mJ)" in texts(figure)
    assert figure.axes[-1].get_ylim() == pytest.approx((-1e-9 * 15.0, 1e-9 * 15.0))


def test_work_map_is_centred_on_zero(make_block):
    figure = FIGURES["work-map"].draw(make_block(), make_block(positive=False, scheme="moreau-jean-fremond"))
    images = [axes.collections[0] for axes in data_axes(figure)]
    assert {image.norm.vmin for image in images} == {-0.1}
    assert {image.norm.vmax for image in images} == {0.1}
    assert np.asarray(images[0].get_array()).max() == pytest.approx(0.02)
    assert np.asarray(images[1].get_array()).max() == 0.0
    assert "positive at 4 of 200" in texts(figure)


def test_round_off_is_white_in_the_work_map(make_block):
    run = make_block(positive=False)
    run.steps.contact.work_tangential[7, 0] = 1e-18
    image = FIGURES["work-map"].draw(run).axes[0].collections[0]
    assert np.asarray(image.get_array()).max() == 0.0
    assert np.asarray(image.get_array()).min() == -0.1


def test_maps_lay_nodes_along_the_boundary(make_block):
    run = make_block()
    reverse = run.contact.nodes[::-1].copy()
    run.contact._data["nodes"] = reverse
    for name in ("work-map", "status-map"):
        there = FIGURES[name].draw(make_block()).axes[0].collections[0].get_array()
        back = FIGURES[name].draw(run).axes[0].collections[0].get_array()
        assert np.array_equal(there, back[::-1])
        assert not np.array_equal(there, back)


def test_forces_figure_shows_both_resultants(block):
    top, low = FIGURES["forces"].draw(block).axes
    normal, tangential = (line.get_ydata() for line in top.lines)
    assert normal == pytest.approx(np.full(40, 800.0))
    assert tangential[:2] == pytest.approx([130.0, 30.0])
    closed, slipping = (line.get_ydata() for line in low.lines)
    assert closed == pytest.approx(np.full(40, 0.8))
    assert slipping[:2] == pytest.approx([0.6, 0.4])


def test_bar_figure_draws_the_exact_solution(bar):
    position, speed, force = FIGURES["bar"].draw(bar).axes
    exact = [
        next(line for line in axes.lines if line.get_label() == "exact") for axes in (position, speed, force)
    ]
    assert exact[0].get_xydata().tolist() == pytest.approx(
        np.array([[0, 0.25], [0.5, 0], [2.5, 0], [4, 0.75]])
    )
    assert exact[1].get_ydata() == pytest.approx([-0.5, -0.5, 0, 0, 0.5, 0.5])
    assert exact[2].get_xdata() == pytest.approx([0, 0.5, 0.5, 2.5, 2.5, 4])
    assert exact[2].get_ydata().max() == pytest.approx(3.0)


def test_bar_figure_states_the_exact_values(bar):
    text = texts(FIGURES["bar"].draw(bar))
    assert "contact time 2 s (exact 2)" in text
    assert "mean force 3 N (exact 3)" in text
    assert "deepest penetration 0.01 m" in text


def test_unfinished_runs_say_so(make_block):
    run = make_block(complete=False)
    for name in BLOCK:
        assert "unfinished: shown up to t = 0.4 ms" in FIGURES[name].draw(run).get_suptitle()


def test_deformed_figure_states_its_magnification(block):
    # The largest displacement, 4e-3 mm, times 50 is a twentieth of the 4 mm of the block.
    assert displacement_scale(block) == 50.0
    figure = FIGURES["deformed"].draw(block)
    assert "× 50" in figure.get_suptitle()
    drawn = figure.axes[0].collections[0].get_datalim(figure.axes[0].transData)
    assert (drawn.x0, drawn.x1, drawn.y1) == pytest.approx((0.0, 4.0 + 50 * 4e-3, 2.0))
    assert "up to 224 N" in figure.axes[0].get_xlabel()  # sqrt(2^2 + 1) / 0.01


def test_large_displacements_are_not_made_smaller(block):
    block.fields.q[-1, ::2] += 100.0
    assert displacement_scale(block) == 1.0


def test_runs_in_different_units_share_no_axes(make_block):
    with pytest.raises(ModelError, match="different unit systems: mm-ms-g, SI"):
        FIGURES["budget"].draw(make_block(), make_block(units="SI"))


def test_a_run_of_its_start_alone_has_no_figures_but_a_table(assemble_run):
    run = assemble_run([0], ([1], [0]), {}, {"p": np.zeros((1, 2, 2))})
    assert applicable(list(FIGURES), [run]) == []
    assert "iterations, mean" in report([run], ["start"])


def test_titles_tell_runs_apart(make_block):
    assert run_titles([make_block(), make_block(scheme="hht")]) == ["moreau-jean", "hht"]
    thetas = run_titles([make_block(), make_block(theta=1.0)])
    assert thetas == ["moreau-jean, θ = 0.5", "moreau-jean, θ = 1"]
    steps = run_titles([make_block(), make_block(dt=0.5)])
    assert steps == ["moreau-jean, θ = 0.5, h = 0.01 ms", "moreau-jean, θ = 0.5, h = 0.5 ms"]
    assert run_titles([make_block()] * 2)[1].endswith("(2)")
    assert run_titles([make_block(complete=False)]) == ["moreau-jean, unfinished"]


@pytest.mark.parametrize("kind", FORMATS)
def test_save_writes_the_format(block, tmp_path, kind):
    path = save(FIGURES["works"].draw(block), tmp_path / f"works.{kind}")
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[kind]
    assert path.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_save_refuses_what_it_cannot_write(block, tmp_path):
    figure = FIGURES["works"].draw(block)
    with pytest.raises(RunFileError, match=r"\.png, \.pdf, \.svg"):
        save(figure, tmp_path / "works.gif")
    with pytest.raises(RunFileError, match="cannot be written"):
        save(figure, tmp_path / "nowhere" / "works.png")


def test_a_figure_is_saved_the_same_twice(make_block, tmp_path):
    files = [save(FIGURES["works"].draw(make_block()), tmp_path / f"{i}.svg") for i in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_style_leaves_the_users_settings_alone(block):
    with mpl.rc_context({"font.size": 33.0, "axes.grid": False}):
        FIGURES["works"].draw(block)
        with style():
            assert mpl.rcParams["axes.grid"] is True
        assert (mpl.rcParams["font.size"], mpl.rcParams["axes.grid"]) == (33.0, False)


def test_matplotlib_is_loaded_by_plots_alone():
    code = "import sys, fem_contact.post.report, fem_contact.post.bar; print('matplotlib' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )


@given(some.integers(1, 5000), some.integers(2, 400), some.integers(0, 2**32 - 1))
def test_envelope_keeps_peaks_and_ends(count, points, seed):
    y = np.random.default_rng(seed).standard_normal(count)
    t = np.arange(count) * 0.1
    thin_t, thin_y = envelope(t, y, points)
    index = np.round(thin_t / 0.1).astype(int)
    assert (np.diff(index) > 0).all()
    assert (y[index] == thin_y).all()
    assert (thin_y.min(), thin_y.max(), thin_y[0], thin_y[-1]) == (y.min(), y.max(), y[0], y[-1])
    assert len(thin_y) <= max(points, 2) + 2 or len(thin_y) == count <= points


def test_envelope_keeps_gaps():
    y = np.ones(1000)
    y[400:600] = np.nan
    thin_t, thin_y = envelope(np.arange(1000.0), y, 20)
    assert np.isnan(thin_y[(thin_t > 400) & (thin_t < 600)]).all()
    assert np.isnan(thin_y).any()
    assert len(thin_y) < 50


def test_gathered_work_hides_no_positive_value():
    work = np.zeros((1000, 3))
    work[:, 0] = -1.0
    work[537, 0] = 1e-6  # one positive step among large negative ones
    work[700, 1] = -0.5
    work[701, 2] = 1e-20  # round-off
    edges, cells = gather_work(np.arange(1001.0), work, floor=1e-15, columns=10)
    assert edges.tolist() == list(range(0, 1001, 100))
    assert cells.shape == (10, 3)
    assert cells[5, 0] == 1e-6
    assert (np.delete(cells[:, 0], 5) == -1.0).all()
    assert cells[7].tolist() == [-1.0, -0.5, 0.0]
    assert cells[:, 2].max() == 0.0


def test_gathered_status_is_the_commonest():
    status = np.full((9, 1), OPEN, np.int8)
    status[[0, 1, 5]] = STICK
    status[6:] = SLIP_MINUS
    edges, cells = gather_status(np.arange(10.0), status, columns=3)
    assert edges.tolist() == [0, 3, 6, 9]
    assert cells[:, 0].tolist() == [STICK, OPEN, SLIP_MINUS]


def test_ten_thousand_steps_are_drawn_quickly(make_block, tmp_path):
    import time

    run = make_block(steps=10_000)
    start = time.perf_counter()
    for name in BLOCK:
        FIGURES[name].draw(run)
    assert time.perf_counter() - start < 20.0
