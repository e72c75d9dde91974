"""RR-8029 figure 8 and the text around it: an equilibrium that the direct scheme loses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.studies._rigid import EXPLICIT, coordinate, titles
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study, settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H, T_END = 1e-3, 2.0
SCHEMES = {
    "moreau-jean": {"activation": EXPLICIT},
    "direct-projected": {"activation": EXPLICIT},
    "combined-projected": {},
}


def _draw(runs: Runs) -> Figure:
    panels = (
        ("z", "q", "height of slider (m)"),
        ("z", "v", "its velocity (m/s)"),
        ("phi", "v", "roller's angular\nvelocity (rad/s)"),
        ("phi", "q", "roller's angle (rad)"),
    )
    with look.style():
        drawing, axes = look.figure(len(runs), (1.6,) * len(panels), sharex="col", sharey="row")
        for column, run in zip(axes.T, runs.values(), strict=True):
            for axis, (name, field, _) in zip(column, panels, strict=True):
                look.line(axis, run.fields.t, coordinate(run, name, field), color=look.BLUE)
            column[-1].set_xlabel("time $t$ (s)")
        titles(axes[0], list(runs))
        for axis, (_, _, text) in zip(axes[:, 0], panels, strict=True):
            axis.set_ylabel(text)
        look.heading(drawing, list(runs.values()), f"h = {H:g} s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        late = np.asarray(run.fields.t) > 0.75 * T_END
        words = "never at rest" if "direct" in name else "at rest"
        slider = float(np.abs(coordinate(run, "z", "v")[late]).max())
        roller = coordinate(run, "phi")[late]
        rows.append(Quantity(f"largest speed of the slider after 1.5 s, {name}", words, slider, "m/s"))
        rows.append(Quantity(f"the roller turns after 1.5 s by, {name}", words, float(np.ptp(roller)), "rad"))
    return rows


STUDY = Study(
    figures=("RR-8029 figure 8",),
    title="Slider and roller: an equilibrium kept or lost",
    look="The torque is half of what friction can hold. With Moreau-Jean and the combined scheme the "
    "slider comes to rest and the roller stands still; in the direct scheme the slider goes on bouncing, "
    "and each time that it leaves, the torque turns the roller.",
    differs="the paper describes the runs in words only; the parameters are ours.",
    runs={
        name: RunSpec("slider_roller", (settings(name, H, T_END, theta=0.5, **more),))
        for name, more in SCHEMES.items()
    },
    draw=_draw,
    quantities=_quantities,
)
