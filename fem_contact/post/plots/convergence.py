"""Error against step size on logarithmic axes, with reference slopes (RR-8029 figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fem_contact.post.convergence import NORMS, PARTS, Convergence, fit_order
from fem_contact.post.plots import look as st
from fem_contact.units import UNIT_LABELS

#: One look a scheme.
COLOURS = (st.BLUE, st.VERMILION, st.GREEN, st.PURPLE, st.ORANGE, st.SKY, st.BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def convergence_figure(
    groups: Mapping[str, Sequence[Convergence]], title: str, lengths: bool = True
) -> Figure:
    """Errors in q and v, two rows a group; a column a norm, a colour a scheme.

    Parameters
    ----------
    groups : results by what they belong to; a single group may be called ""
    lengths : bool
        Whether all coordinates are lengths, so that the errors have units.
    """
    rows = [(name, part) for name in groups for part in PARTS]
    count = max(len(results) for results in groups.values())
    with st.style():
        drawing = Figure(figsize=(9.6, 2.8 * len(rows) + 0.6 + 0.1 * count), layout="constrained")
        axes = drawing.subplots(len(rows), len(NORMS), sharex=True, squeeze=False)
        entries: dict[str, Any] = {}
        for row, (name, part) in zip(axes, rows, strict=True):
            results = groups[name]
            for axis, norm in zip(row, NORMS, strict=True):
                _panel(axis, results, part, norm)
                prefix = f"{name}: " if name and norm == NORMS[0] else ""
                axis.set_ylabel(prefix + _label(results[0].units if lengths else "", part, norm))
                handles, labels = axis.get_legend_handles_labels()
                entries.update(zip(labels, handles, strict=True))
        for axis, norm in zip(axes[0], NORMS, strict=True):
            axis.set_title(f"{norm} norm in time", fontweight="bold")
        time = UNIT_LABELS.get(next(iter(groups.values()))[0].units, {}).get("time", "")
        for axis in axes[-1]:
            axis.set_xlabel(f"step size $h$ ({time})" if time else "step size $h$")
        drawing.legend(list(entries.values()), list(entries), loc="outside lower left", ncols=4, fontsize=8)
        references = {result.reference for results in groups.values() for result in results}
        against = references.pop() if len(references) == 1 else "each scheme's finest run"
        text = f"{title}: error against {against}, by step size"
        drawing.suptitle(text, fontsize=10.5, x=0.01, ha="left")
    return drawing


def _panel(axis: Axes, results: Sequence[Convergence], part: str, norm: str) -> None:
    axis.set_xscale("log")
    axis.set_yscale("log")
    for i, result in enumerate(results):
        h, error = result.dt, result.series(part, norm)
        order, constant = fit_order(h, error)
        positive = error > 0.0
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        # Hollow and of different sizes: results that coincide stay visible.
        size = 4.0 + 2.0 * (len(results) - 1 - i)
        look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": size, "fillstyle": "none"}
        axis.plot(h[positive], error[positive], linestyle="", label=result.label, **look)
        text = "no order"
        if np.isfinite(order):
            axis.plot(h, constant * h**order, color=colour, linewidth=0.9)
            text = f"order {round(order, 2) + 0.0:.2f}"
        place = 0.04 + 0.07 * (len(results) - 1 - i)
        axis.text(0.98, place, text, color=colour, transform=axis.transAxes, ha="right", fontsize=8)
    _slopes(axis, results, part, norm)


def _slopes(axis: Axes, results: Sequence[Convergence], part: str, norm: str) -> None:
    """Lines of order 1 and, where some error is nearer to them, of 1/2 and 2, above the points."""
    h = results[0].dt
    largest = max(float(result.series(part, norm).max()) for result in results)
    if not largest > 0.0:
        return
    orders = [result.order(part, norm) for result in results]
    wanted = {
        "1": True,
        "1/2": any(0.25 < order < 0.75 for order in orders),
        "2": any(order > 1.5 for order in orders),
    }
    for (name, drawn), dashes in zip(wanted.items(), ("--", "-.", ":"), strict=True):
        if drawn:
            line = 2.0 * largest * (h / h.max()) ** float(Fraction(name))
            axis.plot(h, line, color=st.GREY, linewidth=0.9, linestyle=dashes, label=f"slope {name}")


def _label(units: str, part: str, norm: str) -> str:
    """Axis label with the unit of the norm: the uniform norm has that of the quantity, L1 one more time."""
    labels = UNIT_LABELS.get(units, {})
    unit, time = labels.get({"q": "length", "v": "velocity"}[part], ""), labels.get("time", "")
    if not unit:
        return f"error in ${part}$"
    more = {"uniform": "", "L1": f" {time}", "L2": f" {time}$^{{1/2}}$"}[norm]
    return f"error in ${part}$ ({unit}{more})"
