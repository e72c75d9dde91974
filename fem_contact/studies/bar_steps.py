"""RR-8029 figure 14: how the peak of the bar's contact force depends on the step size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fem_contact.studies._bar import HALF, force_figure, peaks, spec
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (2e-5, 2e-6, 2e-7, 2e-8)
RUNS = {f"h = {h:g} s": spec(h, 100, 6.8e-4, **HALF) for h in SIZES}


def _draw(runs: Runs) -> Figure:
    return force_figure(runs, "Contact force by step size, 100 elements")


def _quantities(runs: Runs) -> Sequence[Quantity]:
    return peaks(runs, "the larger, the smaller h")


STUDY = Study(
    figures=("RR-8029 figure 14",),
    title="Impacting bar, Moreau-Jean: step size",
    look="A mesh of fixed size has an impact: the impulse that stops its last node does not depend on h, "
    "so that the force p/h of the first step grows as 1/h. The impulse is the quantity that converges.",
    runs=RUNS,
    draw=_draw,
    quantities=_quantities,
    quick=dict(list(RUNS.items())[:3]),
    shortened="h = 2e-8 s (34,000 steps) is left out",
)
