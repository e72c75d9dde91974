"""Asymptotic contact law and tangential indeterminacy, theorem 1: distances of the sets A and A_eps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post import tangential
from fem_contact.post.convergence import fit_order
from fem_contact.post.plots import look
from fem_contact.studies.base import Quantity, Runs, Study
from fem_contact.systems.rigid.base import RigidModel
from fem_contact.systems.rigid.painleve_rod import PainleveRod
from fem_contact.systems.rigid.slanted_punch import SlantedPunch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RADII = np.logspace(-1.0, -4.0, 7)
SAMPLES = 4000

#: Name -> (model, what the theorem says of d_H(A, A_eps)).
MODELS: dict[str, tuple[RigidModel, str]] = {
    "rod, γ(q) < 0": (PainleveRod(mu=2.0), "falls"),
    "rod, γ(q) = 0, γ > 0 nearby": (PainleveRod(mu=PainleveRod.critical_friction(np.pi / 4.0)), "falls"),
    "punch, γ = 0 everywhere": (SlantedPunch(), "stays"),
}

Found = Mapping[str, tangential.Study]


def _evaluate(runs: Runs) -> Found:
    found = {}
    for name, (model, _) in MODELS.items():
        system = model.system()
        q, v = system.start
        found[name] = tangential.theorem_study(system, q, v, RADII, samples=SAMPLES)
    return found


def _draw(found: Found) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(found), (3.0,), sharey=True)
        for axis, study in zip(axes[0], found.values(), strict=True):
            eps = [row.eps for row in study.rows]
            both = ([row.to_set for row in study.rows], [row.to_ends for row in study.rows])
            texts = (r"$d_H(A, A_\epsilon)$", r"$d_H(\{u^-, \tilde u\}, A_\epsilon)$")
            for values, text, colour, mark in zip(
                both, texts, (look.BLUE, look.VERMILION), "os", strict=True
            ):
                size = 7.0 if mark == "o" else 4.0
                axis.loglog(
                    eps, values, f"{mark}-", color=colour, fillstyle="none", markersize=size, label=text
                )
            axis.loglog(eps, eps, "--", color=look.GREY, linewidth=0.9, label=r"$\epsilon$")
            axis.set_xlabel(r"radius $\epsilon$")
            axis.set_title(f"γ(q) = {study.gamma:.2g}", fontsize=8.5, loc="right")
        for axis, name in zip(axes[0], found, strict=True):
            look.column_title(axis, name)
        axes[0, 0].set_ylabel("Hausdorff distance")
        axes[0, 0].legend(loc="lower right")
        text = f"Theorem 1, {SAMPLES} samples for each radius"
        drawing.suptitle(text, fontsize=10.5, x=0.01, ha="left")
    return drawing


def _quantities(found: Found) -> Sequence[Quantity]:
    rows = []
    for name, study in found.items():
        words = MODELS[name][1]
        eps = np.array([row.eps for row in study.rows])
        to_set = np.array([row.to_set for row in study.rows])
        to_ends = np.array([row.to_ends for row in study.rows])
        rows += [
            Quantity(
                f"order of d_H(A, A_eps), eps >= 3e-3, {name}", words, fit_order(eps[:4], to_set[:4])[0], "–"
            ),
            Quantity(f"d_H(A, A_eps) at eps = 1e-4, {name}", words, float(to_set[-1]), "–"),
            Quantity(f"d_H({{u-, u~}}, A_eps) at eps = 1e-4, {name}", None, float(to_ends[-1]), "–"),
        ]
    return rows


STUDY = Study(
    figures=("Asymptotic contact law, theorem 1",),
    title="The operator of Contact Dynamics and the indeterminacy of a tangential contact",
    look="A holds the velocities that Coulomb's law allows after a tangential contact, A_eps what the "
    "operator makes of all states within eps. Where gamma(q) < 0, or gamma(q) = 0 with positive values "
    "nearby, their distance falls like eps: the plurality of solutions is found in the limit. Where gamma "
    "= 0 everywhere it stays at half the length of the segment A, of which only the ends are found.",
    differs="the paper has no example; the rod is Painlevé's, the punch in a slanted slot is ours. A_eps "
    "is sampled, so that the last points of the middle panel are bounded by the number of samples.",
    evaluate=_evaluate,
    draw=_draw,
    quantities=_quantities,
)
