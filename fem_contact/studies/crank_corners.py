"""RR-8029 figure 24: the corners of the slider between the walls, by step size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.bar import violation
from fem_contact.post.plots import look
from fem_contact.studies._crank import CLEARANCE, revolutions_by_step, spec
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = {1e-4: 1.324e-4, 1e-5: 1.234e-5, 1e-6: 1.119e-6}
RUNS = {f"h = {h:g} s": spec("moreau-jean", h) for h in SIZES}


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(1, (1.9,) * len(runs), sharex=True)
        for axis, (name, run) in zip(axes[:, 0], runs.items(), strict=True):
            upper = np.asarray(run.steps.contact.gap)[:, 0] / CLEARANCE
            look.line(axis, revolutions_by_step(run), 1.0 - upper, color=look.BLUE)
            for wall in (-1.0, 1.0):
                axis.axhline(wall, color=look.GREY, linewidth=0.9, linestyle="--")
            axis.set_title(name, fontweight="bold")
            axis.set_ylabel("height / clearance (–)")
        axes[-1, 0].set_xlabel("crank revolution (–)")
        look.heading(drawing, list(runs.values()), "moreau-jean, upper left corner")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        paper = SIZES[float(run.attrs["dt"])]
        rows.append(Quantity(f"violation, {name}", paper, violation(run), "m"))
        gaps = np.asarray(run.steps.contact.gap)
        apart = max(float(np.abs(gaps[:, i] - gaps[:, i + 1]).max()) for i in (0, 2))
        rows.append(Quantity(f"difference of two corners' gaps, {name}", "identical", apart, "m"))
    return rows


STUDY = Study(
    figures=("RR-8029 figure 24",),
    title="Slider-crank, Moreau-Jean: a corner of the slider by step size",
    look="The walls are at -1 and 1. The corner passes them by about one step's way, and the excess falls "
    "with the step size; the other corners of its wall move with it.",
    runs=RUNS,
    draw=_draw,
    quantities=_quantities,
    quick=dict(list(RUNS.items())[:2]),
    shortened="h = 1e-6 s is left out",
)
