"""RR-8029 figure 15: the impacting bar with a restitution of 0.95 at its tip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fem_contact.studies._bar import HALF, spec, tip_figure
from fem_contact.studies.base import Quantity, Runs, Study


def _quantities(runs: Runs) -> Sequence[Quantity]:
    run = runs["e = 0.95"]
    p_N = np.asarray(run.steps.contact.p)[:, 0, 0]
    impacts = int(np.count_nonzero(p_N > 0.0))
    return (Quantity("steps with an impulse, of 340", "many: the velocity oscillates", impacts, "–"),)


STUDY = Study(
    figures=("RR-8029 figure 15",),
    title="Impacting bar, Moreau-Jean with e = 0.95",
    look="The tip bounces instead of staying: the velocity oscillates through the whole time of contact, "
    "the force comes in separate peaks. A finite number of nodes may have any e; the elastic bar is the "
    "limit of e = 0.",
    runs={"e = 0.95": spec(2e-6, 100, 6.8e-4, **HALF).also("contact.0.e=0.95")},
    draw=tip_figure,
    quantities=_quantities,
)
