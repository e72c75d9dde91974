"""RR-8029 figure 2: orders of the schemes with impacts on the ball and the oscillator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.io.case import Case
from fem_contact.post.convergence import Convergence
from fem_contact.studies._ball import SCHEMES, spec
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study
from fem_contact.studies.converge import closed_form, exact_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CASES = {"ball": "bouncing_ball", "oscillator": "linear_oscillator"}

#: Numbers of steps over 5 s. They share no grid points: where one step size is a multiple of another, impacts
#: fall on the same part of a step, and errors come in plateaus.
COUNTS = (199, 401, 809, 1601, 3203, 6421, 12829)
T_END = 5.0

Groups = dict[str, list[Convergence]]


def _runs() -> dict[str, RunSpec]:
    return {
        f"{name} {scheme} {count}": spec(case, scheme, T_END / count)
        for name, case in CASES.items()
        for scheme in SCHEMES
        for count in COUNTS
    }


def _evaluate(runs: Runs) -> Groups:
    groups: Groups = {name: [] for name in CASES}
    for name in CASES:
        for scheme in SCHEMES:
            chosen = [run for key, run in runs.items() if key.startswith(f"{name} {scheme} ")]
            exact = closed_form(Case.from_text(chosen[0].case))
            assert exact is not None
            errors = [exact_errors(run, exact, 1) for run in chosen]
            sizes = np.array([float(run.attrs["dt"]) for run in chosen])
            groups[name].append(Convergence(scheme, sizes, np.array(errors), "the closed form", "SI"))
    return groups


def _draw(groups: Groups) -> Figure:
    from fem_contact.post.plots.convergence import convergence_figure

    return convergence_figure(groups, "Bouncing ball and linear oscillator")


def _quantities(groups: Groups) -> Sequence[Quantity]:
    return [
        Quantity(f"L1 order in {part}, {name}, {result.label}", 1.0, result.order(part, "L1"), "–")
        for name, results in groups.items()
        for result in results
        for part in ("q", "v")
    ]


STUDY = Study(
    figures=("RR-8029 figure 2",),
    title="Orders of the schemes with impacts, in three norms",
    look="Every scheme is of order 1 in the L1 norm. An impact that is seen a step late leaves an error "
    "of the size of the jump in one point: order 0 for v in the uniform norm, 1/2 in L2. The projection "
    "changes no order.",
    differs="the combined scheme is added. The parameters of the oscillator are ours: the paper prints none.",
    runs=_runs(),
    evaluate=_evaluate,
    draw=_draw,
    quantities=_quantities,
)
