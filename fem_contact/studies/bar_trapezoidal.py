"""RR-8029 figure 11: the trapezoidal rule with a constraint on positions, a warning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fem_contact.post import bar
from fem_contact.studies._bar import TIME, spec, tip_figure
from fem_contact.studies.base import Quantity, Runs, Study


def _quantities(runs: Runs) -> Sequence[Quantity]:
    (run,) = runs.values()
    interval = bar.contact_interval(run)
    assert interval is not None
    t = np.asarray(run.steps.t)
    inside = (t > interval[0] + 1e-5) & (t < interval[1] - 1e-5)
    u_N = np.asarray(run.steps.contact.u)[inside, 0, 0]
    force = bar.contact_force(run)[inside]
    return (
        Quantity("contact time", TIME, bar.contact_time(run), "s"),
        Quantity("violation", 0.0, bar.violation(run), "m"),
        Quantity(
            "mean of |contact velocity| during contact",
            "oscillates at each step",
            float(np.abs(u_N).mean()),
            "m/s",
        ),
        Quantity("spread (standard deviation) of the force", "oscillates", float(force.std()), "N"),
        Quantity("mean force during contact", 1271.472, float(force.mean()), "N"),
    )


STUDY = Study(
    figures=("RR-8029 figure 11",),
    title="Impacting bar, trapezoidal rule with a position-level constraint: how not to do it",
    look="The position is exact during the contact, but the contact velocity jumps between two values "
    "from one step to the next, and the force oscillates about its exact value: an equation of index 3 "
    "solved without care.",
    runs={"h = 2e-6": spec(2e-6, 1000, 6.8e-4, scheme="trapezoidal-position")},
    draw=tip_figure,
    quantities=_quantities,
)
