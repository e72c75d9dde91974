"""Space-time maps: tangential work and status of every contact node at every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap, SymLogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from fem_contact.post.energy import ROUND_OFF, energy_scale
from fem_contact.post.plots import look as st
from fem_contact.post.work import (
    OPEN,
    SLIP_MINUS,
    SLIP_PLUS,
    STATUS_NAMES,
    STICK,
    ContactLine,
    contact_line,
    contact_status,
    tangential_work,
)

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: Time columns of a map; longer runs are gathered into that many.
COLUMNS = 450

#: The colour scale is linear below this share of its limits and logarithmic above.
LINEAR_SHARE = 1e-5

STATUS_COLOURS = {OPEN: "#F2F2F2", STICK: st.GREY, SLIP_PLUS: st.ORANGE, SLIP_MINUS: st.BLUE}


def work_map(*runs: Run) -> Figure:
    """Tangential work of each contact node and step, red where friction creates energy; one column a run.

    The colour scale is common to the runs, centred on zero and logarithmic away from it.
    """
    limit = max((float(np.abs(tangential_work(run)).max(initial=0.0)) for run in runs), default=0.0)
    floor = ROUND_OFF * max(energy_scale(run) for run in runs)
    limit = max(limit, floor) or 1.0
    norm = SymLogNorm(linthresh=LINEAR_SHARE * limit, vmin=-limit, vmax=limit, base=10)
    drawing, axes = st.figure(len(runs), (3.6,), sharey=True)
    gathered = False
    for axis, run, title in zip(axes[0], runs, st.run_titles(runs), strict=True):
        line, work = contact_line(run), tangential_work(run)[1:]
        edges, cells = gather_work(np.asarray(run.steps.t, np.float64), work[:, line.order], floor)
        gathered = gathered or len(cells) < len(work)
        cells = np.where(np.abs(cells) <= floor, 0.0, cells)
        image = axis.pcolormesh(edges, _cell_edges(line), cells.T, cmap="RdBu_r", norm=norm, rasterized=True)
        positive = int(np.count_nonzero(work > floor))
        axis.set_title(f"{title}: positive at {positive} of {work.size} (node, step)", fontsize=8.5)
        _label_map(axis, run, line)
    axes[0, 0].set_ylabel(_along(runs[0], contact_line(runs[0])))
    bar = drawing.colorbar(image, ax=list(axes[0]), pad=0.02, ticks=_ticks(limit))
    bar.set_label(st.label(runs[0], "tangential work of a node in a step", "energy"))
    if gathered:
        remark = (
            "Each column gathers several steps: the largest positive work, or the most negative if none is."
        )
        drawing.supxlabel(remark, fontsize=8, x=0.01, ha="left")
    st.heading(drawing, runs, "Who did the friction work, where and when")
    return drawing


def status_map(*runs: Run) -> Figure:
    """Open, stick or slip at each contact node and step; one column a run."""
    drawing, axes = st.figure(len(runs), (3.6,), sharey=True)
    colours = ListedColormap([STATUS_COLOURS[code] for code in range(len(STATUS_NAMES))])
    norm = BoundaryNorm(np.arange(len(STATUS_NAMES) + 1) - 0.5, len(STATUS_NAMES))
    gathered = False
    for axis, run, title in zip(axes[0], runs, st.run_titles(runs), strict=True):
        line, status = contact_line(run), contact_status(run)[1:]
        edges, cells = gather_status(np.asarray(run.steps.t, np.float64), status[:, line.order])
        gathered = gathered or len(cells) < len(status)
        axis.pcolormesh(edges, _cell_edges(line), cells.T, cmap=colours, norm=norm, rasterized=True)
        axis.set_title(title, fontweight="bold")
        _label_map(axis, run, line)
    axes[0, 0].set_ylabel(_along(runs[0], contact_line(runs[0])))
    patches = [
        Patch(facecolor=STATUS_COLOURS[code], edgecolor="#888888", linewidth=0.5, label=text)
        for code, text in enumerate(STATUS_NAMES)
    ]
    remark = "Each column shows the commonest status of the steps it gathers." if gathered else None
    drawing.legend(
        handles=patches, loc="outside lower left", ncols=4, fontsize=8.5, title=remark, title_fontsize=8
    )
    st.heading(drawing, runs, "Status of the contact nodes (slip + : body moves along +t)")
    return drawing


def gather_work(
    t: FloatArray, work: FloatArray, floor: float, columns: int = COLUMNS
) -> tuple[FloatArray, FloatArray]:
    """Time edges (m+1,) and cells (m, c) of a work map with at most ``columns`` columns.

    A cell that gathers several steps shows the largest work if that exceeds ``floor``, else the most
    negative one: thinning can hide no positive work.
    """
    starts, edges = _bins(t, len(work), columns)
    largest, least = np.maximum.reduceat(work, starts), np.minimum.reduceat(work, starts)
    return edges, np.where(largest > floor, largest, least)


def gather_status(
    t: FloatArray, status: NDArray[np.int8], columns: int = COLUMNS
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Time edges (m+1,) and the commonest status (m, c) of each column; the lower code wins a tie."""
    starts, edges = _bins(t, len(status), columns)
    counts = [np.add.reduceat((status == code).astype(np.int64), starts) for code in range(len(STATUS_NAMES))]
    return edges, np.argmax(counts, axis=0)


def _bins(t: FloatArray, steps: int, columns: int) -> tuple[NDArray[np.int64], FloatArray]:
    """First step of each column, and the instants that bound the columns (step i spans t[i]..t[i+1])."""
    count = min(steps, columns)
    starts = np.linspace(0, steps, count + 1).astype(np.int64)
    return starts[:-1], t[starts]


def _cell_edges(line: ContactLine) -> FloatArray:
    """Borders of the cells of the contact nodes: half way between neighbours."""
    if len(line.s) == 1:
        return np.array([line.s[0] - 0.5, line.s[0] + 0.5])
    middles = 0.5 * (line.s[1:] + line.s[:-1])
    return np.concatenate(
        [[1.5 * line.s[0] - 0.5 * line.s[1]], middles, [1.5 * line.s[-1] - 0.5 * line.s[-2]]]
    )


def _label_map(axis: Any, run: Run, line: ContactLine) -> None:
    axis.set_xlabel(st.label(run, "time $t$", "time"))
    axis.grid(False)
    if len(line.s) == 1:
        axis.set_yticks([line.s[0]])
    for first, _ in line.chains[1:]:
        axis.axhline(0.5 * (line.s[first - 1] + line.s[first]), color=st.BLACK, linewidth=0.8)


def _along(run: Run, line: ContactLine) -> str:
    return (
        st.label(run, "place along the contact boundary", "length")
        if line.has_length
        else "contact number (–)"
    )


def _ticks(limit: float) -> list[float]:
    """Powers of ten on both sides of zero that are not crowded."""
    top = int(np.floor(np.log10(limit)))
    powers = [10.0**power for power in range(top, top - 5, -2) if 10.0**power > LINEAR_SHARE * limit]
    return [-power for power in powers] + [0.0] + powers[::-1]
