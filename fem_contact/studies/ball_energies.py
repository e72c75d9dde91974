"""RR-8029 figures 6 and 7: what the projection does to the energy of the ball."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.studies._ball import H, spec
from fem_contact.studies._rigid import EXPLICIT, energies, legend, rise, titles
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (2.8,), sharex=True)
        for axis, run in zip(axes[0], runs.values(), strict=True):
            energies(axis, run)
            axis.set_xlabel("time $t$ (s)")
        titles(axes[0], list(runs))
        axes[0, 0].set_ylabel("energy (J)")
        legend(axes[0, -1], 3)
        look.heading(drawing, list(runs.values()), f"direct-projected, explicit forecast, h = {H:g} s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        total = np.asarray(run.steps.energy.total)
        rows.append(Quantity(f"largest rise of the energy in a step, {name}", "positive", rise(run), "J"))
        if name == "e = 1":
            rows.append(
                Quantity(f"energy at the end / at the start, {name}", "above 1", total[-1] / total[0], "–")
            )
    return rows


#: The first impact falls on a point of the grid to round-off. As in the paper the gap is compared with zero:
#: with a tolerance nothing is ever projected at e = 1.
LITERAL = {**EXPLICIT, "gap_tol": 0.0}

STUDY = Study(
    figures=("RR-8029 figure 6", "RR-8029 figure 7"),
    title="The projection raises the energy of the ball",
    look="At each projection the potential energy jumps up. With e = 1/2 (left) the impacts take more "
    "than that; with e = 1 (right), where the energy should stay, it grows.",
    runs={
        "e = 1/2": spec("bouncing_ball", "direct-projected", H, activation=LITERAL),
        "e = 1": spec("bouncing_ball", "direct-projected", H, activation=LITERAL).also("model.e=1.0"),
    },
    draw=_draw,
    quantities=_quantities,
)
