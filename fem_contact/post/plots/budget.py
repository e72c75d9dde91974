"""The energy budget and the works: figures 6 and 7 of HAL 04230941, and what lies behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fem_contact.post.energy import ROUND_OFF, budget, cumulated_works, energy_scale, mismatch
from fem_contact.post.plots import look as st
from fem_contact.post.rigid import potential_name
from fem_contact.post.work import largest_tangential_work

if TYPE_CHECKING:
    from fem_contact.record import Run

#: Colour, dashes and legend of each work.
WORK_STYLE = {
    "external": (st.BLUE, "-", "external"),
    "damping": (st.GREEN, "-.", "damping"),
    "contact_normal": (st.PURPLE, "--", "contact, normal"),
    "contact_tangential": (st.VERMILION, "-", "contact, tangential (friction)"),
    "numerical": (st.GREY, ":", "numerical"),
}


def budget_figure(*runs: Run) -> Figure:
    """Energies (a), total energy against the works (b), largest tangential work of a step (c).

    One column a run, the rows on common axes: HAL 04230941, figures 6 and 7.
    """
    heights = (2.4, 2.4, 1.0, 2.0)
    drawing, axes = st.figure(len(runs), heights, sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        top = axes[:, column]
        _energies(top[0], run)
        _balance(top[1], run)
        _closing(top[2], run)
        _largest_work(top[3], run)
        if len(runs) > 1:
            st.column_title(top[0], title)
        top[-1].set_xlabel(st.label(run, "time $t$", "time"))
        if column:
            for axis in top:
                axis.set_ylabel("")
    for axis, text in zip(axes[:, 0], ("(a)", "(b)", "", "(c)"), strict=True):
        axis.annotate(text, (0, 1), (-48, 5), "axes fraction", "offset points", fontweight="bold")
    _room_around_zero(axes[3], runs)
    st.heading(drawing, runs, "Energy budget" + ("" if len(runs) > 1 else f", {st.run_titles(runs)[0]}"))
    return drawing


def _energies(axes: Axes, run: Run) -> None:
    energy, t = run.steps.energy, run.steps.t
    for name, colour, dashes in (
        ("kinetic", st.BLUE, "--"),
        ("elastic", st.ORANGE, "-."),
        ("total", st.BLACK, "-"),
    ):
        text = potential_name(run) if name == "elastic" else name
        st.line(axes, t, getattr(energy, name), color=colour, linestyle=dashes, label=text)
    axes.set_ylabel(st.label(run, "energy", "energy"))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)


def _balance(axes: Axes, run: Run) -> None:
    t = run.steps.t
    st.line(axes, t, run.steps.energy.total, color=st.SKY, linewidth=3.2, label="total energy $E$")
    text = r"$E_0$ + work + dissipation"
    st.line(axes, t, budget(run), color=st.BLACK, linewidth=1.0, linestyle=(0, (4, 2)), label=text)
    axes.set_ylabel(st.label(run, "energy", "energy"))
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)


def _closing(axes: Axes, run: Run) -> None:
    difference = mismatch(run)
    st.line(axes, run.steps.t, difference, color=st.VERMILION, linewidth=0.8)
    axes.set_ylabel(st.label(run, "difference", "energy"))
    if np.isnan(difference[-1]):
        st.note(axes, "this scheme has no energy identity", x=0.01)
        return
    largest = float(np.abs(difference).max())
    scale = energy_scale(run)
    share = f" = {largest / scale:.1e} of the largest energy" if scale > 0.0 else ""
    axes.set_title(
        f"largest difference {st.with_unit(run, largest, 'energy', 2)}{share}", fontsize=8, loc="right"
    )


def _largest_work(axes: Axes, run: Run) -> None:
    t, work = np.asarray(run.steps.t), largest_tangential_work(run)
    axes.axhline(0.0, color=st.GREY, linewidth=0.8)
    axes.set_ylabel(st.label(run, r"max$_\alpha\ u_T \cdot p_T$", "energy"))
    if np.isnan(work).all():
        axes.set_title("the run has no contact", fontsize=8, loc="right")
        return
    st.line(axes, t, work, color=st.BLUE, linewidth=0.9)
    positive = work[1:] > ROUND_OFF * energy_scale(run)
    count = int(np.count_nonzero(positive))
    if count:
        largest = st.with_unit(run, float(work.max()), "energy")
        text = f"positive in {count} of {len(positive)} steps, up to {largest}"
        up = np.concatenate([[False], positive])
        st.line(axes, t[up], work[up], color=st.VERMILION, linestyle="", marker=".", markersize=3.0)
    else:
        largest = st.with_unit(run, float(work[1:].max()), "energy", 2)
        text = f"never positive beyond round-off (largest {largest})"
    axes.set_title(text, fontsize=8, loc="right")


def _room_around_zero(row: np.ndarray, runs: tuple[Run, ...]) -> None:
    """Keep a row that is zero to round-off from being blown up into noise."""
    floor = 1e-9 * max(energy_scale(run) for run in runs)
    low, high = row[0].get_ylim()
    if floor > 0.0 and max(abs(low), abs(high)) < floor:
        row[0].set_ylim(-floor, floor)


def works_figure(*runs: Run) -> Figure:
    """Each work of the identity, cumulated over the steps; one column a run."""
    drawing, axes = st.figure(len(runs), (3.4,), sharey=True)
    for axis, run, title in zip(axes[0], runs, st.run_titles(runs), strict=True):
        change = np.asarray(run.steps.energy.total) - float(run.steps.energy.total[0])
        st.line(axis, run.steps.t, change, color="#BBBBBB", linewidth=3.5, label="change of total energy")
        for name, series in cumulated_works(run).items():
            colour, dashes, text = WORK_STYLE[name]
            if np.any(series != 0.0):
                st.line(axis, run.steps.t, series, color=colour, linestyle=dashes, label=text)
        st.column_title(axis, title)
        axis.set_xlabel(st.label(run, "time $t$", "time"))
    axes[0, 0].set_ylabel(st.label(runs[0], "cumulated work", "energy"))
    _legend_below(drawing, axes[0])
    st.heading(drawing, runs, "Cumulated works")
    return drawing


def _legend_below(drawing: Figure, axes: np.ndarray) -> None:
    """One legend for all columns, under them."""
    entries = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        entries.update(dict(zip(labels, handles, strict=True)))
    columns = 3 if len(axes) == 1 else 5
    drawing.legend(list(entries.values()), list(entries), loc="outside lower left", ncols=columns, fontsize=8)


def residual_figure(*runs: Run) -> Figure:
    """|Residual| of the energy identity at each step over the largest energy, on a log scale."""
    drawing, axes = st.figure(1, (3.0,), width=6.4)
    axis = axes[0, 0]
    for run, title, colour in zip(runs, st.run_titles(runs), _cycle(len(runs)), strict=True):
        residual = np.abs(np.asarray(run.steps.residual, np.float64)) / energy_scale(run)
        share = np.where(residual > 0.0, residual, np.nan)
        largest = np.max(residual[1:], initial=0.0)
        dots = {"linestyle": "", "marker": ".", "markersize": 2.0, "color": colour}
        st.line(axis, run.steps.t, share, label=f"{title}: largest {largest:.1e}", **dots)
    eps = float(np.finfo(np.float64).eps)
    axis.axhline(eps, color=st.BLACK, linewidth=0.8, linestyle="--", label="machine epsilon")
    axis.set_yscale("log")
    axis.set_xlabel(st.label(runs[0], "time $t$", "time"))
    axis.set_ylabel(r"$|$residual$|$ / largest energy (–)")
    axis.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2, markerscale=4)
    st.heading(drawing, runs, "Residual of the energy identity, per step")
    return drawing


def _cycle(count: int) -> list[str]:
    colours = (st.BLUE, st.VERMILION, st.GREEN, st.PURPLE, st.ORANGE, st.SKY, st.BLACK)
    return [colours[i % len(colours)] for i in range(count)]
