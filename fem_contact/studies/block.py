"""HAL 04230941 figures 6 and 7: energy budget of the sliding PMMA block with two schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fem_contact.post.energy import energy_table
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSICAL = RunSpec("pmma_sliding_block", ("scheme.name=moreau-jean",))
FREMOND = RunSpec("pmma_sliding_block")
COARSE = ("mesh.size=2.5", "scheme.dt=2e-4")


def _draw(runs: Runs) -> Figure:
    from fem_contact.post.plots import FIGURES

    return FIGURES["budget"].draw(*runs.values())


def _quantities(runs: Runs) -> Sequence[Quantity]:
    rows = []
    for name, words in (("Moreau-Jean", "positive at some nodes"), ("Frémond", "never positive")):
        numbers = energy_table(runs[name])
        rows += [
            Quantity(f"steps with a positive friction work, {name}", words, numbers.positive_steps, "–"),
            Quantity(f"energy that friction created, {name}", None, numbers.positive_tangential, "mJ"),
            Quantity(
                f"largest residual / largest energy, {name}", "round-off", numbers.residual_relative, "–"
            ),
            Quantity(f"final energy, {name}", None, numbers.total_end, "mJ"),
        ]
    return rows


STUDY = Study(
    figures=("HAL 04230941 figure 6", "HAL 04230941 figure 7"),
    title="PMMA block sliding on a floor: Moreau-Jean (left) and Moreau-Jean-Frémond (right)",
    look="(c): in the classical scheme friction does positive work at some nodes; in the Frémond scheme "
    "it never does. (b): the works and the dissipation add up to the total energy in both, to round-off.",
    differs="the paper does not say whether its block is in plane stress or in plane strain; it is in "
    "plane stress here. The mesh is Gmsh's own of the same size.",
    runs={"Moreau-Jean": CLASSICAL, "Frémond": FREMOND},
    draw=_draw,
    quantities=_quantities,
    quick={"Moreau-Jean": CLASSICAL.also(*COARSE), "Frémond": FREMOND.also(*COARSE)},
    shortened="elements of 2.5 mm instead of 1 mm, h = 2e-4 ms instead of 1e-4 ms",
)
