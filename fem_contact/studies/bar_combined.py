"""RR-8029 figures 16 to 18: the impacting bar with the combined projection."""

from __future__ import annotations

from collections.abc import Sequence

from fem_contact.post.bar import violation
from fem_contact.studies._bar import contact_quantities, spec, tip_figure
from fem_contact.studies.base import Quantity, Runs, Study

RUNS = {
    "h = 2e-6": spec(2e-6, 1000, 6.8e-4, scheme="combined-projected", theta=0.5),
    "h = 2e-7": spec(2e-7, 1000, 6.8e-4, scheme="combined-projected", theta=0.5),
    "theta = 1": spec(2e-7, 1000, 6.8e-4, scheme="combined-projected", theta=1.0),
}


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = [
        Quantity(f"violation, {name}", "zero to round-off", violation(run), "m") for name, run in runs.items()
    ]
    for name in list(runs)[1:]:
        total = runs[name].steps.energy.total
        rows.append(Quantity(f"energy kept, {name}", None, float(total[-1] / total[0]), "–"))
    return [*rows, *contact_quantities(runs["h = 2e-7"], "h = 2e-7")]


STUDY = Study(
    figures=("RR-8029 figure 16", "RR-8029 figure 17", "RR-8029 figure 18"),
    title="Impacting bar, combined projection",
    look="No violation: the tip is put on the wall, to round-off. The jump of its position excites the "
    "high frequencies, so that the force oscillates; that vanishes with the step size. theta = 1 (right) "
    "damps it, and with it the whole response.",
    runs=RUNS,
    draw=tip_figure,
    quantities=_quantities,
    quick={"h = 2e-6": RUNS["h = 2e-6"], "h = 2e-7": RUNS["h = 2e-7"]},
    shortened="figure 18 (theta = 1) is left out",
)
