"""HAL 04230941 figures 2 and 3: the impacting stick with Moreau-Jean and with Frémond's law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.plots import look
from fem_contact.record import Run
from fem_contact.studies._rigid import coordinate, energies, rise, series, titles
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = ("x", "y", "gamma")
SYMBOLS = ("x", "y", "γ")


def impacts(run: Run) -> list[int]:
    """Steps with an impulse."""
    return [int(k) for k in np.flatnonzero(np.asarray(run.steps.contact.p)[:, 0, 0] > 0.0)]


def _panels(column: Sequence[Axes], run: Run) -> None:
    times, t, contact = np.asarray(run.fields.t), np.asarray(run.steps.t), run.steps.contact
    series(column[0], times, {s: coordinate(run, n) for s, n in zip(SYMBOLS, NAMES, strict=True)})
    series(column[1], times, {f"{s}′": coordinate(run, n, "v") for s, n in zip(SYMBOLS, NAMES, strict=True)})
    u, p = np.asarray(contact.u)[:, 0], np.asarray(contact.p)[:, 0]
    series(column[2], t, {"$u_N$": u[:, 0], "$u_T$": u[:, 1]})
    series(column[3], t, {"$p_N$": p[:, 0], "$p_T$": p[:, 1]})
    works = {"normal": contact.work_normal, "tangential": contact.work_tangential}
    series(column[4], t, {name: 1e3 * np.asarray(work)[:, 0] for name, work in works.items()})
    energies(column[5], run)


def _draw(runs: Runs) -> Figure:
    texts = ("position", "velocity", "contact velocity", "impulse", "work of a step\n(1e-3)", "energy")
    with look.style():
        drawing, axes = look.figure(len(runs), (1.6,) * len(texts), sharex="col", sharey="row")
        for column, run in zip(axes.T, runs.values(), strict=True):
            _panels(column, run)
            column[-1].set_xlabel("time $t$ (–)")
        titles(axes[0], list(runs))
        for row, text, letter in zip(axes, texts, "abcdef", strict=True):
            row[0].set_ylabel(f"({letter}) {text}")
            row[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        look.heading(drawing, list(runs.values()), "dimensionless, h = 1e-4")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, run in runs.items():
        work = np.asarray(run.steps.contact.work_tangential)[:, 0]
        words = "positive" if name == "moreau-jean" else "not positive"
        hits = impacts(run)
        rows.append(Quantity(f"impacts, {name}", 2, len(hits), "–"))
        rows.append(Quantity(f"friction work at the first impact, {name}", words, float(work[hits[0]]), "–"))
        normal = np.abs(np.asarray(run.steps.contact.work_normal)).max()
        rows.append(Quantity(f"largest |normal work|, {name}", "0 (e = 1)", float(normal), "–"))
        rows.append(Quantity(f"largest rise of the energy in a step, {name}", None, rise(run), "–"))
    return rows


STUDY = Study(
    figures=("HAL 04230941 figure 2", "HAL 04230941 figure 3"),
    title="Impacting stick: Moreau-Jean (left) and Moreau-Jean-Frémond (right)",
    look="(e): at the first impact the sliding turns round, and in the classical scheme friction then "
    "does positive work; in the Frémond scheme it never does. The normal impulses do no net work, since e "
    "= 1.",
    runs={
        name: RunSpec("impacting_stick", (settings(name, 1e-4, 0.2, theta=0.5, restitution="frame"),))
        for name in ("moreau-jean", "moreau-jean-fremond")
    },
    draw=_draw,
    quantities=_quantities,
)
