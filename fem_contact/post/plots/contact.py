"""Contact forces, the tip of the bar, and how the cone solver fared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fem_contact.post.bar import (
    BarTheory,
    contact_force,
    contact_interval,
    contact_time,
    mean_contact_force,
    theory_of,
)
from fem_contact.post.bar import violation as deepest
from fem_contact.post.plots import look as st
from fem_contact.post.work import OPEN, STICK, contact_forces, contact_status

if TYPE_CHECKING:
    from fem_contact.record import Run


def forces_figure(*runs: Run) -> Figure:
    """Resultant contact force and the share of nodes that are closed and that slip; one column a run."""
    drawing, axes = st.figure(len(runs), (2.4, 2.0), sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        top, low = axes[:, column]
        forces, t = contact_forces(run), np.asarray(run.steps.t)
        st.line(top, t[1:], forces[1:, 0], color=st.BLUE, label="normal")
        if forces.shape[1] == 2:
            st.line(top, t[1:], forces[1:, 1], color=st.VERMILION, label="tangential")
        st.column_title(top, title)
        status = contact_status(run)[1:]
        nodes = status.shape[1]
        st.line(low, t[1:], (status != OPEN).sum(axis=1) / nodes, color=st.BLUE, label="closed")
        if forces.shape[1] == 2:
            st.line(low, t[1:], (status > STICK).sum(axis=1) / nodes, color=st.VERMILION, label="slipping")
        low.set_ylim(-0.03, 1.05)
        low.set_xlabel(st.label(run, "time $t$", "time"))
    axes[0, 0].set_ylabel(st.label(runs[0], "contact force, sum of $p/h$", "force"))
    axes[1, 0].set_ylabel("share of contact nodes (–)")
    for axis in axes[:, -1]:
        axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
    st.heading(drawing, runs, "Contact forces")
    return drawing


def bar_figure(*runs: Run) -> Figure:
    """Position, velocity and contact force of the tip, with the exact solution as thin lines.

    RR-8029, figures 12 to 15. With several contacts: the smallest gap, the mean normal velocity and the
    resultant force.
    """
    drawing, axes = st.figure(len(runs), (2.0, 2.0, 2.2), sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        position, speed, force = axes[:, column]
        t = np.asarray(run.steps.t, np.float64)
        contact = run.steps.contact
        st.line(position, t, np.asarray(contact.gap).min(axis=1), color=st.BLUE, label="tip")
        st.line(speed, t, np.asarray(contact.u)[:, :, 0].mean(axis=1), color=st.BLUE, label="tip")
        st.steps(force, t, contact_force(run), color=st.BLUE)
        theory, interval = theory_of(run), contact_interval(run)
        if theory is not None and interval is not None:
            _exact(position, speed, force, theory, float(contact.gap[0].min()), t[-1])
        st.column_title(position, title)
        force.set_xlabel(st.label(run, "time $t$", "time"))
        force.set_title(_bar_note(run, theory), fontsize=8, loc="right")
        depth = deepest(run)
        deep = f"deepest penetration {st.with_unit(run, depth, 'length', 3)}"
        position.set_title(deep, fontsize=8, loc="right", y=1.0, pad=16)
    axes[0, 0].set_ylabel(st.label(runs[0], "gap of the tip $g$", "length"))
    axes[1, 0].set_ylabel(st.label(runs[0], "normal velocity $u_N$", "velocity"))
    axes[2, 0].set_ylabel(st.label(runs[0], "contact force $p_N/h$", "force"))
    axes[1, 0].legend(loc="best")
    st.heading(drawing, runs, "Impacting bar")
    return drawing


def _exact(position: Axes, speed: Axes, force: Axes, theory: BarTheory, gap: float, end: float) -> None:
    """The exact solution: free flight, contact from t1 to t2 = t1 + 2 L / c0, free flight."""
    thin: dict[str, Any] = {"color": st.BLACK, "linewidth": 0.8, "linestyle": "--", "zorder": 3}
    first = gap / theory.speed
    last = first + theory.contact_time
    end = max(end, last)
    position.plot([0, first, last, end], [gap, 0, 0, theory.speed * (end - last)], label="exact", **thin)
    v0 = theory.speed
    speed.plot([0, first, first, last, last, end], [-v0, -v0, 0, 0, v0, v0], label="exact", **thin)
    force.plot(
        [0, first, first, last, last, end], [0, 0, theory.force, theory.force, 0, 0], label="exact", **thin
    )


def _bar_note(run: Run, theory: BarTheory | None) -> str:
    lines = [
        f"contact time {st.with_unit(run, contact_time(run), 'time', 5)}",
        f"mean force {st.with_unit(run, mean_contact_force(run), 'force', 6)}",
    ]
    if theory is not None:
        lines[0] += f" (exact {theory.contact_time:.5g})"
        lines[1] += f" (exact {theory.force:.6g})"
    return "\n".join(lines)


def solver_figure(*runs: Run) -> Figure:
    """Iterations of the cone solver and the error it reached, at each step."""
    drawing, axes = st.figure(len(runs), (2.0, 2.0), sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        top, low = axes[:, column]
        t = np.asarray(run.steps.t)[1:]
        iterations = np.asarray(run.steps.solver.iterations, np.float64)[1:]
        error = np.asarray(run.steps.solver.error, np.float64)[1:]
        dots = {"linestyle": "", "marker": ".", "markersize": 2.0}
        st.line(top, t, iterations, color=st.BLUE, **dots)
        st.line(low, t, np.where(error > 0.0, error, np.nan), color=st.BLUE, **dots)
        low.set_yscale("log")
        worst = np.max(error, initial=0.0)
        top.set_title(f"{title}\nmean {iterations.mean():.1f}, largest {iterations.max():.0f}", fontsize=8.5)
        exact = np.count_nonzero(error == 0.0)
        low.set_title(f"largest {worst:.1e}; zero at {exact} of {len(error)} steps", fontsize=8.5)
        low.set_xlabel(st.label(run, "time $t$", "time"))
    axes[0, 0].set_ylabel("iterations (–)")
    axes[1, 0].set_ylabel("error reached (–)")
    st.heading(drawing, runs, "Cone solver, per step")
    return drawing
