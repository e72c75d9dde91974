"""Rigid models: their coordinates, velocities, gaps and contact velocities against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fem_contact.post.bar import violation
from fem_contact.post.plots import look as st
from fem_contact.post.rigid import contact_names, coordinate_groups

if TYPE_CHECKING:
    from fem_contact.record import Run

COLOURS = (st.BLUE, st.VERMILION, st.GREEN, st.PURPLE, st.ORANGE, st.SKY, st.BLACK)
DASHES = ("-", "--", "-.", ":")


def look_of(i: int) -> dict[str, Any]:
    """Colour and dashes of the i-th series; no two of the first seven look alike in either."""
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)], "linewidth": 1.0}


def motion_figure(*runs: Run) -> Figure:
    """Coordinates and velocities at the sampled instants, lengths apart from angles; one column a run."""
    kinds = [
        angles
        for angles in (False, True)
        if any(group.angles == angles for run in runs for group in coordinate_groups(run))
    ]
    rows = [(name, angles) for angles in kinds for name in ("q", "v")]
    drawing, axes = st.figure(len(runs), (1.9,) * len(rows), sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        for axis, (name, angles) in zip(axes[:, column], rows, strict=True):
            for group in coordinate_groups(run):
                if group.angles == angles:
                    _series(axis, run, name, group.columns, group.names)
        st.column_title(axes[0, column], title)
        axes[-1, column].set_xlabel(st.label(run, "time $t$", "time"))
    for axis, (name, angles) in zip(axes[:, 0], rows, strict=True):
        axis.set_ylabel(_label(runs[0], name, angles))
    st.heading(drawing, runs, "Motion")
    return drawing


def _series(axis: Axes, run: Run, field: str, columns: tuple[int, ...], names: tuple[str, ...]) -> None:
    t, values = np.asarray(run.fields.t), np.asarray(getattr(run.fields, field))
    for i, (column, name) in enumerate(zip(columns, names, strict=True)):
        st.line(axis, t, values[:, column], label=name, **look_of(i))
    _legend(axis, len(names))


def _legend(axis: Axes, count: int) -> None:
    """Outside the axes, where it hides nothing: above them, or beside them if it is long."""
    if count <= 3:
        axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)
    else:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def _label(run: Run, field: str, angles: bool) -> str:
    if not angles:
        return st.label(run, *{"q": ("position", "length"), "v": ("velocity", "velocity")}[field])
    if field == "q":
        return "angle (rad)"
    time = st.unit(run, "time")
    return f"angular velocity (rad/{time})" if time else "angular velocity"


def gaps_figure(*runs: Run) -> Figure:
    """Gaps, normal and, with friction, tangential velocities of every contact; one column a run."""
    plane = any(run.steps.contact.u.shape[2] == 2 for run in runs)
    drawing, axes = st.figure(len(runs), (2.1, 2.1, 2.1) if plane else (2.1, 2.1), sharex="col", sharey="row")
    for column, (run, title) in enumerate(zip(runs, st.run_titles(runs), strict=True)):
        top = axes[:, column]
        t, u = np.asarray(run.steps.t), np.asarray(run.steps.contact.u)
        names = contact_names(run)
        for i, name in enumerate(names):
            st.line(top[0], t, np.asarray(run.steps.contact.gap)[:, i], label=name, **look_of(i))
            for axis, component in zip(top[1:], range(u.shape[2]), strict=False):
                st.line(axis, t, u[:, i, component], label=name, **look_of(i))
        top[0].axhline(0.0, color=st.GREY, linewidth=0.8)
        st.column_title(top[0], title)
        deep = f"deepest penetration {st.with_unit(run, violation(run), 'length', 3)}"
        top[0].set_title(deep, fontsize=8, loc="right", y=1.0, pad=16)
        if len(names) > 1:
            _legend(top[0], len(names))
        top[-1].set_xlabel(st.label(run, "time $t$", "time"))
    axes[0, 0].set_ylabel(st.label(runs[0], "gap $g$", "length"))
    axes[1, 0].set_ylabel(st.label(runs[0], "normal velocity $u_N$", "velocity"))
    if plane:
        axes[2, 0].set_ylabel(st.label(runs[0], "tangential velocity $u_T$", "velocity"))
    st.heading(drawing, runs, "Gaps and contact velocities")
    return drawing
