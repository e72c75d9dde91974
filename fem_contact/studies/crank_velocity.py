"""RR-8029 figure 26: the relative velocity at a corner of the slider with three schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.record import Run
from fem_contact.studies._crank import SCHEMES, revolutions_by_step, spec
from fem_contact.studies._rigid import titles
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Parts of a revolution that the paper shows.
RANGES = ((0.0, 0.25), (0.15, 0.25))


def chatter(run: Run) -> float:
    """Sum of the jumps of the corner's normal velocity from step to step on [0.15, 0.25] (velocity).

    A smooth stabilisation adds up to little more than one bounce's fall; velocities that go up and down
    while the contact should be closed add up to much more.
    """
    turns = revolutions_by_step(run)
    inside = (turns >= RANGES[1][0]) & (turns <= RANGES[1][1])
    return float(np.abs(np.diff(np.asarray(run.steps.contact.u)[inside, 0, 0])).sum())


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (2.2, 2.2), sharey="row")
        for column, run in zip(axes.T, runs.values(), strict=True):
            turns, u_N = revolutions_by_step(run), np.asarray(run.steps.contact.u)[:, 0, 0]
            for axis, (first, last) in zip(column, RANGES, strict=True):
                inside = (turns >= first) & (turns <= last)
                axis.plot(
                    turns[inside], u_N[inside], color=look.BLUE, linewidth=0.9, marker=".", markersize=2.5
                )
            column[-1].set_xlabel("crank revolution (–)")
        titles(axes[0], list(runs))
        for axis in axes[:, 0]:
            axis.set_ylabel("$u_N$ at corner 1 (m/s)")
        look.heading(drawing, list(runs.values()), "h = 1e-4 s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    words = {"direct-projected": "oscillates", "moreau-jean": "smooth", "combined-projected": "smooth"}
    return [
        Quantity(f"sum of jumps of u_N on [0.15, 0.25], {name}", words[name], chatter(run), "m/s")
        for name, run in runs.items()
    ]


STUDY = Study(
    figures=("RR-8029 figure 26",),
    title="Slider-crank: velocity of a corner as it settles on the wall",
    look="Top: the first quarter of a revolution; below: its end, where the contact should be closed. "
    "Moreau-Jean and the combined scheme settle; in the direct one the velocity goes up and down as in "
    "the ball's chatter.",
    runs={name: spec(name, 1e-4) for name in SCHEMES},
    draw=_draw,
    quantities=_quantities,
)
