"""High frequencies after the impact of the bar: what each scheme damps (RR-8029 figure 18, RR-8602)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_contact.post import bar
from fem_contact.post.plots import look
from fem_contact.record import Run
from fem_contact.studies._bar import HALF, REACHED, SPEED, spec
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMES: dict[str, tuple[str, dict[str, Any]]] = {
    "moreau-jean, θ = 1/2": ("moreau-jean", HALF),
    "moreau-jean, θ = 1": ("moreau-jean", {**HALF, "theta": 1.0}),
    "generalized-alpha, ρ∞ = 0.5": ("generalized-alpha", {"rho_inf": 0.5, "activation": REACHED}),
}


def ringing(run: Run) -> float:
    """Root mean square of the tip's velocity about v0 after the contact, over v0."""
    interval = bar.contact_interval(run)
    assert interval is not None
    late = np.asarray(run.steps.t) > interval[1] + 5e-5
    return float(np.std(np.asarray(run.steps.contact.u)[late, 0, 0])) / SPEED


def _draw(runs: Runs) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(runs), (2.2, 2.2), sharex="col", sharey="row")
        for column, (name, run) in zip(axes.T, runs.items(), strict=True):
            t, total = np.asarray(run.steps.t), np.asarray(run.steps.energy.total)
            look.line(column[0], t, np.asarray(run.steps.contact.u)[:, 0, 0], color=look.BLUE, linewidth=0.8)
            look.line(column[1], t, total / total[0], color=look.BLACK)
            column[0].axhline(SPEED, color=look.GREY, linewidth=0.9, linestyle="--")
            column[1].set_ylim(0.0, 1.05)
            column[1].set_xlabel("time $t$ (s)")
            look.column_title(column[0], name)
        axes[0, 0].set_ylabel("velocity of the tip (m/s)")
        axes[1, 0].set_ylabel("energy / its start (–)")
        look.heading(drawing, list(runs.values()), "1000 elements, h = 5e-7 s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        total = np.asarray(run.steps.energy.total)
        rows.append(Quantity(f"ringing of the tip after contact / v0, {name}", None, ringing(run), "–"))
        rows.append(Quantity(f"energy kept, {name}", None, float(total[-1] / total[0]), "–"))
    return rows


STUDY = Study(
    figures=("RR-8029 figure 18 and RR-8602: damping of high frequencies",),
    title="Impacting bar: generalized-alpha damps the mesh's frequencies and keeps the energy",
    look="After the contact the tip should fly at v0 (dashed). theta = 1/2 lets the frequencies of the "
    "mesh ring on; theta = 1 damps them and much of the motion with them; generalized-alpha with rho_inf "
    "< 1 damps only them.",
    differs="a figure of ours for what the papers say in words.",
    runs={name: spec(5e-7, 1000, 6.8e-4, scheme=scheme, **more) for name, (scheme, more) in SCHEMES.items()},
    draw=_draw,
    quantities=_quantities,
)
