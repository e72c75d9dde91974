"""RR-8029 figure 13: how the peak of the bar's contact force depends on the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fem_contact.studies._bar import HALF, force_figure, peaks, spec
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (1000, 100, 25, 10)


def _draw(runs: Runs) -> Figure:
    return force_figure(runs, "Contact force by number of elements, h = 2e-6 s")


def _quantities(runs: Runs) -> Sequence[Quantity]:
    return peaks(runs, "the larger, the fewer elements")


STUDY = Study(
    figures=("RR-8029 figure 13",),
    title="Impacting bar, Moreau-Jean: number of elements",
    look="The first step of contact stops the mass of the last node at once: the force of that step grows "
    "with this mass, that is, as the mesh gets coarser.",
    runs={f"{count} elements": spec(2e-6, count, 6.8e-4, **HALF) for count in COUNTS},
    draw=_draw,
    quantities=_quantities,
)
