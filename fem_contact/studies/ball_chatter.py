"""RR-8029 figures 4 and 5: a ball that does not come to rest, and how the forecast decides that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.studies._ball import H, spec
from fem_contact.studies._rigid import after, coordinate, legend, series
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fem_contact.record import Run

#: Gap forecasts of the direct scheme: eq. 61 at three gamma, eq. 62.
FORECASTS = {
    f"direct, explicit, γ = {gamma:g}": {"activation": {"gamma": float(gamma), "velocity_tol": float("inf")}}
    for gamma in (0, 1, 2)
} | {"direct, free position": {"forecast": "free-position"}}


def restlessness(run: Run) -> float:
    """Largest speed after t = 4, where the ball has been at rest since t = 3 (velocity)."""
    return float(np.abs(np.asarray(run.steps.contact.u)[after(run, 4.0), 0, 0]).max())


def rest_time(run: Run) -> float:
    """Instant after which the ball does not move any more, by a thousandth of its largest speed (time)."""
    speed = np.abs(np.asarray(run.steps.contact.u)[:, 0, 0])
    moving = np.flatnonzero(speed > 1e-3 * speed.max())
    return float(run.steps.t[min(moving[-1] + 1, len(speed) - 1)])


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(2, (1.7,) * len(runs), sharex="col")
        for row, (name, run) in zip(axes, runs.items(), strict=True):
            t = np.asarray(run.fields.t)
            lines = {
                "position (m)": coordinate(run, "height"),
                "velocity (m/s)": coordinate(run, "height", "v"),
            }
            for axis, first in zip(row, (0.0, 3.0), strict=True):
                shown = t >= first - 1e-12
                series(axis, t[shown], {key: values[shown] for key, values in lines.items()})
            row[1].set_ylim(-0.25, 0.15)
            row[0].set_title(name, fontweight="bold")
            row[1].set_title("from t = 3 s", fontsize=8.5)
            row[0].set_ylabel("position, velocity")
        legend(axes[0, 0], 2)
        for axis in axes[-1]:
            axis.set_xlabel("time $t$ (s)")
        look.heading(drawing, list(runs.values()), f"h = {H:g} s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        words = "chatter, never at rest" if "explicit" in name else "none"
        rows.append(Quantity(f"largest speed after t = 4 s, {name}", words, restlessness(run), "m/s"))
    calm = runs["moreau-jean"]
    return [*rows, Quantity("ball at rest from, moreau-jean", 3.0, rest_time(calm), "s")]


STUDY = Study(
    figures=("RR-8029 figure 4", "RR-8029 figure 5"),
    title="Chatter of the direct projected scheme by its forecast of the gap",
    look="The impacts accumulate at t = 3 s. With the explicit forecast the direct scheme never comes to "
    "rest, whatever gamma: what the projection brings in, the next impact takes out. With the "
    "free-position forecast it does, and so do the combined scheme and Moreau-Jean.",
    differs="the combined and the Moreau-Jean scheme are added.",
    runs={
        **{name: spec("bouncing_ball", "direct-projected", H, **more) for name, more in FORECASTS.items()},
        "combined": spec("bouncing_ball", "combined-projected", H),
        "moreau-jean": spec("bouncing_ball", "moreau-jean", H),
    },
    draw=_draw,
    quantities=_quantities,
)
