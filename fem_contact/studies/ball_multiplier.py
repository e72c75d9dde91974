"""RR-8029 figure 3: the multiplier of the direct projection against the step size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fem_contact.post.convergence import fit_order
from fem_contact.post.plots import look
from fem_contact.studies._ball import spec
from fem_contact.studies.ball_orders import CASES, COUNTS, T_END
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEME = "direct-projected"

Largest = dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]


def _runs() -> dict[str, RunSpec]:
    return {
        f"{name} {count}": spec(case, SCHEME, T_END / count)
        for name, case in CASES.items()
        for count in COUNTS
    }


def _evaluate(runs: Runs) -> Largest:
    found: Largest = {}
    for name in CASES:
        chosen = [run for key, run in runs.items() if key.startswith(f"{name} ")]
        sizes = np.array([float(run.attrs["dt"]) for run in chosen])
        found[name] = sizes, np.array([np.max(run.steps["projection/tau"]) for run in chosen])
    return found


def _draw(found: Largest) -> Figure:
    with look.style():
        drawing, axes = look.figure(1, (3.2,), width=5.4)
        axis = axes[0, 0]
        for (name, (h, tau)), colour in zip(found.items(), (look.BLUE, look.VERMILION), strict=True):
            order, constant = fit_order(h, tau)
            text = f"{name}: order {order:.2f}"
            axis.loglog(h, tau, "o", color=colour, fillstyle="none", markersize=5, label=text)
            axis.loglog(h, constant * h**order, color=colour, linewidth=0.9)
        axis.loglog(h, 2.0 * h * tau.max() / h.max(), "--", color=look.GREY, linewidth=0.9, label="slope 1")
        axis.set_xlabel("step size $h$ (s)")
        axis.set_ylabel(r"largest multiplier $\tau$ (m)")
        axis.legend(loc="upper left")
        text = "Direct projected scheme: multiplier of the projection"
        drawing.suptitle(text, fontsize=10.5, x=0.01, ha="left")
    return drawing


def _quantities(found: Largest) -> Sequence[Quantity]:
    return [
        Quantity(f"order of tau, {name}", 1.0, fit_order(*series)[0], "–") for name, series in found.items()
    ]


STUDY = Study(
    figures=("RR-8029 figure 3",),
    title="The multiplier of the projection falls with the step size",
    look="The largest multiplier of a run is of order 1: a contact that closes within a step has entered "
    "its obstacle by at most v h, and that is what the projection takes back (proposition 1).",
    differs="the paper shows one curve and does not say of which model.",
    runs=_runs(),
    evaluate=_evaluate,
    draw=_draw,
    quantities=_quantities,
)
