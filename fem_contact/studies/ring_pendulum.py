"""RR-8029 figure 20: the gap of a pendulum hooked into a ring, with and without projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.bar import violation
from fem_contact.post.plots import look
from fem_contact.studies._rigid import EXPLICIT, titles
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study, settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H, T_END = 5e-4, 1.0


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (2.4, 2.0), sharex="col")
        for column, run in zip(axes.T, runs.values(), strict=True):
            t, contact = np.asarray(run.steps.t), run.steps.contact
            look.line(column[0], t, 1e3 * np.asarray(contact.gap)[:, 0], color=look.BLUE)
            column[0].axhline(0.0, color=look.GREY, linewidth=0.8)
            column[0].set_ylim(-1.2, 2.0)
            look.line(column[1], t, np.asarray(contact.u)[:, 0, 1], color=look.VERMILION)
            column[1].set_ylim(-3.0, 11.0)
            column[1].set_xlabel("time $t$ (s)")
        titles(axes[0], list(runs))
        axes[0, 0].set_ylabel("gap $g$ (mm)")
        axes[1, 0].set_ylabel("sliding velocity $u_T$ (m/s)")
        look.heading(drawing, list(runs.values()), f"h = {H:g} s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    words = {"moreau-jean, frames at the start": "lost through the ring", "combined-projected": "round-off"}
    return [
        Quantity(f"deepest penetration, {name}", words.get(name), violation(run), "m")
        for name, run in runs.items()
    ]


STUDY = Study(
    figures=("RR-8029 figure 20",),
    title="Pendulum in a ring: drift from a curved constraint",
    look="The hook falls into the ring, which turns, and enters it by the first step. With contact frames "
    "taken at the start of the step it then sinks while it slides, and once it is past the middle of the "
    "2 mm thickness the outer side pushes it out: the contact is lost. With frames at the end of the step "
    "the penetration stays; the combined scheme has none.",
    differs="the paper shows no dimensions of the pendulum; the hook is the end of a uniform rod of its "
    "mass and inertia. The middle column is added.",
    runs={
        "moreau-jean, frames at the start": RunSpec(
            "ring_pendulum",
            (settings("moreau-jean", H, T_END, theta=0.5, frame="start", activation=EXPLICIT),),
        ),
        "moreau-jean, frames at the end": RunSpec(
            "ring_pendulum", (settings("moreau-jean", H, T_END, theta=0.5, activation=EXPLICIT),)
        ),
        "combined-projected": RunSpec(
            "ring_pendulum", (settings("combined-projected", H, T_END, theta=0.5),)
        ),
    },
    draw=_draw,
    quantities=_quantities,
)
