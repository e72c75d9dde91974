"""RR-8029 figure 25: the way of the slider's centre with three schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fem_contact.post.bar import violation
from fem_contact.post.plots import look
from fem_contact.studies._crank import CLEARANCE, SCHEMES, slider, spec
from fem_contact.studies._rigid import titles
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: RR-8029 table 3 at h = 1e-4 s (m).
PAPER = {"moreau-jean": 1.324e-4, "direct-projected": 8.099e-11, "combined-projected": 8.410e-11}


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (3.2,), sharex=True, sharey=True)
        for axis, run in zip(axes[0], runs.values(), strict=True):
            x, y = slider(run)
            axis.plot(x, 1e3 * y, color=look.BLUE, linewidth=0.9)
            for wall in (-1e3 * CLEARANCE, 1e3 * CLEARANCE):
                axis.axhline(wall, color=look.GREY, linewidth=0.9, linestyle="--")
            axis.set_xlabel("$x$ of the slider (m)")
        titles(axes[0], list(runs))
        axes[0, 0].set_ylabel("$y$ of the slider (mm)")
        look.heading(drawing, list(runs.values()), "h = 1e-4 s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    return [Quantity(f"violation, {name}", PAPER[name], violation(run), "m") for name, run in runs.items()]


STUDY = Study(
    figures=("RR-8029 figure 25",),
    title="Slider-crank: portrait of the slider with three schemes",
    look="Dashed: where the slider touches a wall. With Moreau-Jean the curve passes them, and bends "
    "sharply where a corner strikes; with both projections it stays inside.",
    runs={name: spec(name, 1e-4) for name in SCHEMES},
    draw=_draw,
    quantities=_quantities,
)
