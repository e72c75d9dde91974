"""Figures of runs: the only part of the program that uses matplotlib.

Each figure is made from one or more runs, which stand side by side, and is returned, never shown; no
window or interactive backend is needed. ``FIGURES`` lists them by name:

>>> from fem_contact.post.plots import FIGURES, save
>>> save(FIGURES["budget"].draw(run), "budget.png")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from fem_contact.errors import ModelError, RunFileError
from fem_contact.post.material import has_material
from fem_contact.post.plots import budget, contact, deformed, maps, motion
from fem_contact.post.plots.look import style
from fem_contact.post.rigid import is_rigid

if TYPE_CHECKING:
    from fem_contact.record import Run

__all__ = ["FIGURES", "FORMATS", "FigureKind", "save", "style"]

#: File formats that :func:`save` writes.
FORMATS = ("png", "pdf", "svg")


@dataclass(frozen=True)
class FigureKind:
    """A figure that can be made of runs.

    Attributes
    ----------
    name : str
        Name in ``FIGURES`` and of the file.
    summary : str
        What it shows, in one line.
    make : function of runs
        Draws it.
    applicable : function of one run
        Whether the run has what the figure shows.
    """

    name: str
    summary: str
    make: Callable[..., Figure]
    applicable: Callable[[Run], bool]

    def draw(self, *runs: Run) -> Figure:
        """The figure of one or more runs, in the style of the program.

        Raises
        ------
        ModelError
            When the runs, which share their axes, are in different unit systems.
        """
        systems = list(dict.fromkeys(str(run.attrs.get("units", "")) or "none" for run in runs))
        if len(systems) > 1:
            raise ModelError(
                f"figure '{self.name}': the runs are in different unit systems: {', '.join(systems)}"
            )
        with style():
            return self.make(*runs)


def _any(run: Run) -> bool:
    return len(run.steps.t) > 1


def _contacts(run: Run) -> bool:
    return _any(run) and run.steps.contact.p.shape[1] > 0


def _forces(run: Run) -> bool:
    return _contacts(run) and run.steps.contact.p.shape[2] <= 2


def _plane_contacts(run: Run) -> bool:
    return _contacts(run) and run.steps.contact.p.shape[2] == 2


def _bar(run: Run) -> bool:
    return _contacts(run) and run.mesh is not None and run.mesh.element == "bar2"


def _moving(run: Run) -> bool:
    return is_rigid(run) and len(run.fields.t) > 1


def _rigid_contacts(run: Run) -> bool:
    return is_rigid(run) and _contacts(run)


def _identity(run: Run) -> bool:
    return _any(run) and bool((run.steps.residual[1:] == run.steps.residual[1:]).any())


def _stressed(run: Run) -> bool:
    plane = run.mesh is not None and run.mesh.element != "bar2"
    return plane and len(run.fields.t) > 0 and has_material(run)


#: Every figure by name.
FIGURES: dict[str, FigureKind] = {
    kind.name: kind
    for kind in (
        FigureKind(
            "budget", "energies, how the identity closes, largest friction work", budget.budget_figure, _any
        ),
        FigureKind("works", "each work of the identity, cumulated", budget.works_figure, _any),
        FigureKind("residual", "residual of the energy identity per step", budget.residual_figure, _identity),
        FigureKind("work-map", "tangential work by node and time", maps.work_map, _plane_contacts),
        FigureKind("status-map", "open, stick, slip by node and time", maps.status_map, _plane_contacts),
        FigureKind("forces", "contact forces, closed and slipping share", contact.forces_figure, _forces),
        FigureKind(
            "deformed", "deformed body, von Mises stress, contact forces", deformed.deformed_figure, _stressed
        ),
        FigureKind("stress", "stress components on the deformed body", deformed.stress_figure, _stressed),
        FigureKind("bar", "tip of the bar against the exact solution", contact.bar_figure, _bar),
        FigureKind("motion", "coordinates and velocities of a rigid model", motion.motion_figure, _moving),
        FigureKind(
            "gaps", "gaps and contact velocities of a rigid model", motion.gaps_figure, _rigid_contacts
        ),
        FigureKind("solver", "iterations and error of the cone solver", contact.solver_figure, _contacts),
    )
}


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure, whole or not at all; the extension (.png, .pdf or .svg) names the format.

    Raises
    ------
    RunFileError
        When the extension is another or the file cannot be written.
    """
    path = Path(path)
    kind = path.suffix[1:].lower()
    if kind not in FORMATS:
        raise RunFileError(f"{path}: figures are written as .{', .'.join(FORMATS)}, not '{path.suffix}'")
    temporary = path.with_name(f".{path.name}.tmp")
    # A date in the file would make two equal figures differ.
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(kind)
    try:
        with style():
            figure.savefig(temporary, format=kind, bbox_inches="tight", metadata=metadata)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunFileError(f"{path}: cannot be written ({error.strerror})") from None
    return path


def applicable(names: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Those of the named figures that every run has the data for."""
    return [name for name in names if all(FIGURES[name].applicable(run) for run in runs)]
