"""What a run of a rigid model has that one of a meshed body has not: few coordinates with names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]


def is_rigid(run: Run) -> bool:
    """Whether the run is one of a model with named coordinates."""
    return run.mesh is None and "coordinates" in run.attrs


def potential_name(run: Run) -> str:
    """What ``/steps/energy/elastic`` holds: a body's elastic energy, or a rigid model's potential."""
    return "potential" if is_rigid(run) else "elastic"


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of one kind: their columns in ``fields.q``, their names, and whether they are angles."""

    columns: tuple[int, ...]
    names: tuple[str, ...]
    angles: bool


def coordinate_groups(run: Run) -> tuple[Coordinates, ...]:
    """Lengths, then angles, each if there are any."""
    names = [str(name) for name in run.attrs["coordinates"]]
    angles = {str(name) for name in run.attrs.get("angles", ())}
    groups = []
    for kind in (False, True):
        columns = tuple(i for i, name in enumerate(names) if (name in angles) == kind)
        if columns:
            groups.append(Coordinates(columns, tuple(names[i] for i in columns), kind))
    return tuple(groups)


def contact_names(run: Run) -> tuple[str, ...]:
    """Names of the contacts, or their numbers from 1."""
    count = int(run.steps.contact.p.shape[1])
    names = tuple(str(name) for name in run.attrs.get("contact_names", ()))
    return names if len(names) == count else tuple(str(i + 1) for i in range(count))
