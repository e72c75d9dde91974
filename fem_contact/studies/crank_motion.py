"""RR-8029 figure 23: the motion of the slider-crank with the Moreau-Jean scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fem_contact.post.bar import violation
from fem_contact.post.plots import look
from fem_contact.studies._crank import revolutions, slider, spec
from fem_contact.studies._rigid import coordinate
from fem_contact.studies.base import Quantity, Runs, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(runs: Runs) -> Figure:
    (run,) = runs.values()
    turns = revolutions(run)
    _, y = slider(run)
    panels = (
        (coordinate(run, "crank", "v"), "crank's angular\nvelocity (rad/s)"),
        (coordinate(run, "rod", "v"), "rod's angular\nvelocity (rad/s)"),
        (1e3 * y, "slider's height (mm)"),
        (coordinate(run, "slider"), "slider's angle (rad)"),
    )
    with look.style():
        drawing, axes = look.figure(1, (1.7,) * len(panels), sharex=True)
        for axis, (values, text) in zip(axes[:, 0], panels, strict=True):
            look.line(axis, turns, values, color=look.BLUE)
            axis.set_ylabel(text)
        axes[-1, 0].set_xlabel("crank revolution (–)")
        look.heading(drawing, [run], f"moreau-jean, h = {float(run.attrs['dt']):g} s")
    return drawing


def _quantities(runs: Runs) -> Sequence[Quantity]:
    (run,) = runs.values()
    angle = float(np.abs(coordinate(run, "slider")).max())
    return (
        Quantity("violation", 1.119e-6 if float(run.attrs["dt"]) < 2e-6 else None, violation(run), "m"),
        Quantity("largest angle of the slider", "a pure translation", angle, "rad"),
        Quantity("revolutions in 0.14 s", 2.0, float(revolutions(run)[-1]), "–"),
    )


STUDY = Study(
    figures=("RR-8029 figure 23",),
    title="Slider-crank, Moreau-Jean: motion over two revolutions",
    look="The slider flies between the walls of its guide, 1 mm away on either side, strikes, bounces and "
    "then slides along one of them. It does not turn: the reactions at its corners have no moment about "
    "its centre.",
    differs="the text says h = 2e-6 s and the caption 1e-6 s, which is taken.",
    runs={"moreau-jean": spec("moreau-jean", 1e-6)},
    draw=_draw,
    quantities=_quantities,
    quick={"moreau-jean": spec("moreau-jean", 1e-5)},
    shortened="h = 1e-5 s instead of 1e-6 s",
)
