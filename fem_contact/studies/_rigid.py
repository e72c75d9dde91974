"""What the studies of rigid models share: their coordinates by name, and small panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.post.plots import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: An explicit forecast of the gap, without a test of the velocity: RR-8029 eq. 61.
EXPLICIT: dict[str, Any] = {"gamma": 0.0, "velocity_tol": float("inf")}


def coordinate(run: Run, name: str, field: str = "q") -> FloatArray:
    """(S,) a coordinate of a rigid model, or its velocity (``field`` = "v"), at the sampled instants."""
    column = [str(known) for known in run.attrs["coordinates"]].index(name)
    return np.asarray(getattr(run.fields, field)[:, column])


def after(run: Run, time: float) -> NDArray[np.bool_]:
    """(N+1,) the steps that end after an instant."""
    return np.asarray(run.steps.t) > time


def series(axis: Axes, t: FloatArray, lines: Mapping[str, FloatArray], **more: Any) -> None:
    """Several series on one axis, told apart by colour and dashes."""
    from fem_contact.post.plots.motion import look_of

    for i, (name, values) in enumerate(lines.items()):
        look.line(axis, t, values, label=name, **{**look_of(i), **more})


def legend(axis: Axes, columns: int = 4) -> None:
    """A legend above the axis, to the right."""
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2)


def energies(axis: Axes, run: Run) -> None:
    """Kinetic, potential and total energy of a rigid model against time."""
    energy = run.steps.energy
    lines = {"kinetic": energy.kinetic, "potential": energy.elastic, "total": energy.total}
    for (name, values), (colour, dashes) in zip(
        lines.items(), ((look.BLUE, "--"), (look.ORANGE, "-."), (look.BLACK, "-")), strict=True
    ):
        look.line(axis, run.steps.t, values, label=name, color=colour, linestyle=dashes)


def rise(run: Run) -> float:
    """Largest rise of the total energy in one step (energy)."""
    return float(np.diff(np.asarray(run.steps.energy.total)).max(initial=0.0))


def titles(axes: Sequence[Axes], names: Sequence[str]) -> None:
    """Names above columns."""
    for axis, name in zip(axes, names, strict=True):
        look.column_title(axis, name)
