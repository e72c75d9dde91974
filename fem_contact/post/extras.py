"""What only some schemes record: Newton iterations, algorithmic energies, multipliers of a projection, ..."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.record import Tree
from fem_contact.schemes.base import SCALARS

if TYPE_CHECKING:
    from fem_contact.record import Run

#: Below /steps, what every run has.
COMMON = frozenset({*SCALARS, "t", "solver/iterations", "contact", "probes"})


def extras(run: Run) -> dict[str, NDArray[np.float64]]:
    """(N+1,) scalars of a run beyond those that every scheme records, by their path below /steps."""
    return dict(_walk(run.steps, ""))


def _walk(tree: Tree, path: str) -> Iterator[tuple[str, Any]]:
    for name in tree:
        place = f"{path}{name}"
        if place in COMMON:
            continue
        value = getattr(tree, name)
        if isinstance(value, Tree):
            yield from _walk(value, f"{place}/")
        else:
            yield place, np.asarray(value, np.float64)
