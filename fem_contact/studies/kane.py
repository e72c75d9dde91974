"""Kane's double pendulum, cited in HAL 04230941 section 2.3: energy out of friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.studies._rigid import coordinate, legend, rise, series, titles
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (1.9, 1.9, 1.9), sharex="col", sharey="row")
        for column, run in zip(axes.T, runs.values(), strict=True):
            t, u = 1e3 * np.asarray(run.steps.t), np.asarray(run.steps.contact.u)[:, 0]
            times = 1e3 * np.asarray(run.fields.t)
            series(
                column[0], times, {"α′": coordinate(run, "alpha", "v"), "β′": coordinate(run, "beta", "v")}
            )
            series(column[1], t, {"$u_N$": u[:, 0], "$u_T$": u[:, 1]})
            total = np.asarray(run.steps.energy.total)
            look.line(column[2], t, total - total[0], color=look.BLACK)
            column[-1].set_xlabel("time $t$ (ms)")
        titles(axes[0], list(runs))
        texts = ("angular velocity (rad/s)", "velocity of the tip (m/s)", "energy − its start (J)")
        for axis, text in zip(axes[:, 0], texts, strict=True):
            axis.set_ylabel(text)
        for axis in axes[:2, -1]:
            legend(axis, 2)
        look.heading(drawing, list(runs.values()), "h = 1e-5 s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        total = np.asarray(run.steps.energy.total)
        words = "gained" if name == "moreau-jean" else "not gained"
        rows.append(Quantity(f"change of the energy, {name}", words, float(total[-1] - total[0]), "J"))
        rows.append(Quantity(f"largest rise of the energy in a step, {name}", None, rise(run), "J"))
    return rows


STUDY = Study(
    figures=("HAL 04230941 section 2.3 (Kane's pendulum)",),
    title="Kane's double pendulum strikes a rough table",
    look="With Newton's law and Coulomb's in the velocities after the impact (Moreau-Jean) the pendulum "
    "leaves the table with more energy than it had; with Frémond's law with less.",
    differs="the paper has no figure and no numbers of it; parameters and start are ours.",
    runs={
        name: RunSpec("kane_pendulum", (f"scheme.name={name}",))
        for name in ("moreau-jean", "moreau-jean-fremond")
    },
    draw=_draw,
    quantities=_quantities,
)
