"""What the studies of the impacting bar share (RR-8029 section 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_contact.post import bar
from fem_contact.post.plots import look
from fem_contact.studies.base import Quantity, Runs, RunSpec, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fem_contact.record import Run

#: The tip is in contact once it has reached the wall, which the steps of these studies meet in a point of
#: their grid: a forecast would stop it before, and it would start again.
REACHED = {"gamma": 0.0, "velocity_tol": float("inf")}

#: theta = 1/2 and that activation.
HALF: dict[str, Any] = {"theta": 0.5, "activation": REACHED}

#: What RR-8029 prints: contact time 2 L / c0 (s), contact force E S v0 / c0 (N), speed v0 (m/s).
TIME, FORCE, SPEED = 3.8545e-4, 1271.472, 0.1


def spec(h: float, elements: int, t_end: float, *, scheme: str = "moreau-jean", **more: Any) -> RunSpec:
    """The bar of so many elements at a step size; ``more`` are keys of [scheme]."""
    # About 100 samples of the fields, for the velocity of the centre of mass.
    every = max(1, round(t_end / h) // 100)
    return RunSpec(
        "impacting_bar",
        (settings(scheme, h, t_end, **more), f"mesh.shape.elements={elements}", f"output.every={every}"),
    )


def tip_figure(runs: Runs) -> Figure:
    """Gap, velocity and force of the tip beside the exact solution; one column a run."""
    from fem_contact.post.plots.contact import bar_figure

    with look.style():
        return bar_figure(*runs.values())


def force_figure(panels: Mapping[str, Run], heading: str, columns: int = 2) -> Figure:
    """The contact force of several runs against time, a panel each, named by the keys."""
    rows = -(-len(panels) // columns)
    with look.style():
        drawing, axes = look.figure(columns, (2.3,) * rows, sharex=True)
        for axis, (title, run) in zip(axes.ravel(), panels.items(), strict=False):
            _force(axis, run)
            axis.set_title(title, fontweight="bold", fontsize=9)
        for column in axes.T:
            drawn = [axis for axis in column if axis.has_data()]
            for axis in drawn[-1:]:
                axis.set_xlabel(look.label(run, "time $t$", "time"))
                axis.tick_params(labelbottom=True)
            for axis in column[len(drawn) :]:
                axis.set_visible(False)
        for axis in axes[:, 0]:
            axis.set_ylabel(look.label(run, "contact force $p_N/h$", "force"))
        axes[0, -1].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
        look.heading(drawing, list(panels.values()), heading)
    return drawing


def _force(axis: Axes, run: Run) -> None:
    t, force = np.asarray(run.steps.t), bar.contact_force(run)
    look.steps(axis, t, force, color=look.BLUE, label="computed")
    theory = bar.theory_of(run)
    if theory is not None:
        first = float(run.steps.contact.gap[0, 0]) / theory.speed
        last = first + theory.contact_time
        corners = ([0, first, first, last, last, t[-1]], [0, 0, theory.force, theory.force, 0, 0])
        axis.plot(*corners, color=look.BLACK, linewidth=0.8, linestyle="--", label="exact")


def contact_quantities(run: Run, name: str) -> Sequence[Quantity]:
    """Contact time, mean force and rebound speed beside the paper's values."""
    rebound = bar.rebound_velocity(run)
    speed = np.nan if rebound is None else float(np.linalg.norm(rebound))
    return (
        Quantity(f"contact time, {name}", TIME, bar.contact_time(run), "s"),
        Quantity(f"mean contact force, {name}", FORCE, bar.mean_contact_force(run), "N"),
        Quantity(f"speed after contact, {name}", SPEED, speed, "m/s"),
    )


def peak(run: Run) -> float:
    """Largest contact force over the exact one."""
    return float(bar.contact_force(run).max()) / FORCE


def peaks(runs: Runs, trend: str) -> list[Quantity]:
    """The largest contact force of every run over the exact one, and how the paper says that it changes."""
    return [
        Quantity(f"largest force / exact force, {name}", trend, peak(run), "–") for name, run in runs.items()
    ]
