"""The look that all figures share, labels with units, and thinning of long series that hides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: Colours that remain apart for colour-blind readers and in grey (Okabe and Ito, 2008).
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE, GREY = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
    "#7F7F7F",
)

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "legend.fontsize": 8.0,
    "legend.frameon": True,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "path.simplify_threshold": 0.2,
    "svg.hashsalt": "fem-contact",
}


@contextmanager
def style() -> Iterator[None]:
    """Everything drawn or saved inside has the look of the program; other figures keep theirs."""
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        yield


def unit(run: Run, quantity: str) -> str:
    """Unit of "energy", "length", ... in the run's unit system; empty when the run names no system."""
    from fem_contact.units import UNIT_LABELS

    labels = UNIT_LABELS.get(str(run.attrs.get("units", "")), {})
    return str(labels.get(quantity, ""))


def label(run: Run, text: str, quantity: str) -> str:
    """Axis label "text (unit)", or the text alone in a run without units."""
    symbol = unit(run, quantity)
    return f"{text} ({symbol})" if symbol else text


def with_unit(run: Run, value: float, quantity: str, digits: int = 3) -> str:
    """A number with its unit, for notes inside figures."""
    return f"{value:.{digits}g} {unit(run, quantity)}".rstrip()


def run_titles(runs: Sequence[Run]) -> list[str]:
    """What tells the runs apart: the schemes, with theta, h or a number added while two are alike."""

    def step(run: Run) -> str:
        dt = run.attrs.get("dt")
        return "" if dt is None else f", h = {with_unit(run, float(dt), 'time')}"

    def theta(run: Run) -> str:
        value = run.attrs.get("theta")
        return "" if value is None else f", θ = {float(value):g}"

    titles = [run.scheme or "run" for run in runs]
    for more in (theta, step):
        if len(set(titles)) < len(titles):
            titles = [title + more(run) for title, run in zip(titles, runs, strict=True)]
    if len(set(titles)) < len(titles):
        titles = [f"{title} ({i + 1})" for i, title in enumerate(titles)]
    return [
        title if run.complete else f"{title}, unfinished" for title, run in zip(titles, runs, strict=True)
    ]


def figure(
    columns: int, heights: Sequence[float], width: float = 6.4, layout: Any = "constrained", **sharing: Any
) -> tuple[Figure, NDArray[np.object_]]:
    """A figure of one column a run and rows of those heights (inches); axes as an array (rows, columns)."""
    total = 1.0 + sum(heights)
    size = (width if columns == 1 else 0.4 + 5.0 * columns, total)
    drawing = Figure(figsize=size, layout=layout)
    engine = drawing.get_layout_engine()
    assert engine is not None
    engine.set(wspace=0.03, h_pad=0.07)  # type: ignore[call-arg]
    axes = drawing.subplots(
        len(heights), columns, squeeze=False, gridspec_kw={"height_ratios": list(heights)}, **sharing
    )
    return drawing, axes


def heading(drawing: Figure, runs: Sequence[Run], text: str) -> None:
    """Title of a figure: what is shown, of which case, and whether a run is unfinished."""
    titles = list(dict.fromkeys(str(run.attrs.get("title", "")) for run in runs))
    case = titles[0] if len(titles) == 1 else ""
    lines = f"{text}: {case}" if case else text
    if any(not run.complete for run in runs):
        until = ", ".join(with_unit(r, float(r.steps.t[-1]), "time") for r in runs if not r.complete)
        lines += f"\n(unfinished: shown up to t = {until})"
    drawing.suptitle(lines, fontsize=10.5, x=0.01, ha="left")


def envelope(t: FloatArray, y: FloatArray, points: int = 3000) -> tuple[FloatArray, FloatArray]:
    """A series thinned to about ``points`` points that keeps the least and the largest value of every bin.

    The kept points are points of the series, at their own times and in order, ends included, so that no
    peak is lost and none is invented. Series that are short enough come back as they are.
    """
    t, y = np.asarray(t, np.float64), np.asarray(y, np.float64)
    if len(y) <= points:
        return t, y
    bins = max(points // 2, 1)
    edges = np.linspace(0, len(y), bins + 1).astype(np.int64)
    keep = [0, len(y) - 1]
    for first, last in pairwise(edges):
        part = y[first:last]
        finite = np.isfinite(part)
        if finite.all():
            keep += [first + int(part.argmin()), first + int(part.argmax())]
        else:
            # A gap in the series stays a gap.
            keep.append(first + int(np.argmin(finite)))
            if finite.any():
                keep += [first + int(np.nanargmin(part)), first + int(np.nanargmax(part))]
    index = np.unique(keep)
    return t[index], y[index]


def line(axes: Axes, t: Any, y: Any, **settings: Any) -> None:
    """Plot a series of any length."""
    axes.plot(*envelope(np.asarray(t), np.asarray(y)), **settings)


def steps(axes: Axes, t: Any, y: Any, **settings: Any) -> None:
    """Plot means over steps, y_k over (t_{k-1}, t_k], as a staircase; y_0 belongs to no step."""
    y = np.asarray(y)
    line(axes, t, np.concatenate([y[1:2], y[1:]]) if len(y) > 1 else y, drawstyle="steps-pre", **settings)


def column_title(axes: Axes, text: str) -> None:
    """Name of a run above its column, clear of the power of ten that the first column's axis may carry."""
    axes.set_title(text, fontweight="bold", y=1.0, pad=16)


def note(axes: Axes, text: str, *, x: float = 0.99, y: float = 0.97, **settings: Any) -> None:
    """A remark inside the axes, at the upper right unless told otherwise."""
    settings = {"ha": "right" if x > 0.5 else "left", "va": "top" if y > 0.5 else "bottom", **settings}
    box = {"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.5}
    axes.text(x, y, text, transform=axes.transAxes, fontsize=8.0, bbox=box, **settings)
