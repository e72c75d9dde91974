"""RR-8029 figure 12: tip of the impacting bar with the Moreau-Jean scheme."""

from __future__ import annotations

from collections.abc import Sequence

from fem_contact.post.bar import violation
from fem_contact.studies._bar import HALF, contact_quantities, spec, tip_figure
from fem_contact.studies.base import Quantity, Runs, Study

T_END = 6.5e-4


def _quantities(runs: Runs) -> Sequence[Quantity]:
    fine, coarse = runs["h = 5e-7"], runs["h = 5e-5"]
    return (
        *contact_quantities(fine, "h = 5e-7 s"),
        Quantity("violation, h = 5e-7 s", 2.5e-8, violation(fine), "m"),
        Quantity("violation, h = 5e-5 s (the paper's exceeds v0 h)", 2.5e-5, violation(coarse), "m"),
    )


STUDY = Study(
    figures=("RR-8029 figure 12",),
    title="Impacting bar, Moreau-Jean",
    look="The contact velocity is zero to round-off while the tip touches the wall, and the force is that "
    "of the exact solution but for a peak in the first step. The tip enters the wall by v0 h/2 and stays "
    "there. After the contact the high frequencies of the mesh ring on: theta = 1/2 does not damp them.",
    differs="the caption says h = 5e-5 s, a seventh of the contact time, at which no curve can be as the "
    "figure describes; 5e-7 s is also the step of the violations in the text. Both are shown.",
    runs={
        "h = 5e-7": spec(5e-7, 1000, T_END, **HALF),
        "h = 5e-5": spec(5e-5, 1000, T_END, **HALF),
    },
    draw=tip_figure,
    quantities=_quantities,
)
