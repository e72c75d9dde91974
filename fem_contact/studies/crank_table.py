"""RR-8029 table 3: violations and iterations of three schemes at three step sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.bar import violation
from fem_contact.post.plots import look
from fem_contact.record import Run
from fem_contact.studies._crank import SCHEMES, spec
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What is counted: path below /steps, name.
COUNTS = {
    "newton/iterations": "Newton iterations",
    "projection/iterations": "projection iterations",
    "projection/index_sets": "index sets",
}

#: (scheme, h) -> violation, then mean and largest of each of COUNTS, as far as the paper counts them.
PAPER: dict[tuple[str, float], tuple[float, ...]] = {
    ("moreau-jean", 1e-4): (1.324e-4, 2.95, 4),
    ("moreau-jean", 1e-5): (1.234e-5, 1.99, 3),
    ("moreau-jean", 1e-6): (1.119e-6, 1.96, 2),
    ("direct-projected", 1e-4): (8.099e-11, 1.96, 2, 0.09, 2),
    ("direct-projected", 1e-5): (4.833e-11, 1.01, 2, 0.11, 1),
    ("direct-projected", 1e-6): (9.99e-11, 1.001, 2, 0.04, 1),
    ("combined-projected", 1e-4): (8.410e-11, 2.15, 4, 0.20, 2, 1.18, 2),
    ("combined-projected", 1e-5): (9.940e-11, 1.127, 2, 0.019, 1, 1.127, 2),
    ("combined-projected", 1e-6): (8.650e-11, 1.12, 2, 0.00036, 1, 1.12, 2),
}

RUNS = {f"{scheme}, h = {h:g} s": spec(scheme, h) for scheme, h in PAPER}
QUICK = {f"{scheme}, h = {h:g} s": spec(scheme, h) for scheme, h in PAPER if h > 5e-6}


def counts(run: Run) -> list[float]:
    """Mean and largest of each of COUNTS that the run has, over its steps."""
    found: list[float] = []
    for path in COUNTS:
        if path in run.steps:
            values = np.asarray(run.steps[path])[1:]
            found += [float(values.mean()), float(values.max())]
    return found


def _key(run: Run) -> tuple[str, float]:
    return run.scheme, float(run.attrs["dt"])


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        deepest, *paper = PAPER[_key(run)]
        rows.append(Quantity(f"violation, {name}", deepest, violation(run), "m"))
        kinds = [f"{kind}, {text}" for text in COUNTS.values() for kind in ("mean", "largest")]
        for kind, theirs, ours in zip(kinds, paper, counts(run), strict=False):
            rows.append(Quantity(f"{kind}, {name}", theirs, ours, "–"))
    return rows


def _draw(runs: Runs) -> Figure:
    looks = zip(SCHEMES, (look.BLUE, look.VERMILION, look.GREEN), ("o", "s", "^"), strict=True)
    with look.style():
        drawing, axes = look.figure(2, (3.2,))
        for scheme, colour, marker in looks:
            mine = [run for run in runs.values() if run.scheme == scheme]
            h = np.array([float(run.attrs["dt"]) for run in mine])
            papers = [PAPER[_key(run)] for run in mine]
            pairs = (
                (axes[0, 0], [max(violation(run), 1e-16) for run in mine], [p[0] for p in papers]),
                (axes[0, 1], [counts(run)[0] for run in mine], [p[1] for p in papers]),
            )
            for axis, ours, theirs in pairs:
                axis.plot(h, ours, marker=marker, color=colour, linewidth=0.9, label=f"{scheme}")
                axis.plot(
                    h, theirs, marker=marker, color=colour, fillstyle="none", linestyle=":", linewidth=0.9
                )
        for axis, text in zip(axes[0], ("violation (m)", "mean Newton iterations (–)"), strict=True):
            axis.set_xscale("log")
            axis.set_xlabel("step size $h$ (s)")
            axis.set_ylabel(text)
        axes[0, 0].set_yscale("log")
        axes[0, 1].set_ylim(0.0, None)
        axes[0, 0].axhline(1e-10, color=look.GREY, linewidth=0.9, linestyle="--")
        axes[0, 1].legend(loc="best")
        look.heading(drawing, list(runs.values()), "filled: ours; hollow, dotted: the paper's")
    return drawing


STUDY = Study(
    figures=("RR-8029 table 3",),
    title="Slider-crank: violations and iterations",
    look="The violation of Moreau-Jean falls with h; both projections keep it below their tolerance of "
    "1e-10 m (dashed), and need hardly any projection iterations to do so. A step that stays below the "
    "tolerance by itself is not projected.",
    differs="how iterations are counted is not printed. Ours: solves of the contact problem of a step, "
    "summed over its index sets; systems solved for multipliers; index sets that a step went through.",
    runs=RUNS,
    draw=_draw,
    quantities=_quantities,
    quick=QUICK,
    shortened="h = 1e-6 s (140,000 steps each) is left out",
)
