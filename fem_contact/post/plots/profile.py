"""Performance profiles: which solver is fastest, and how often the others are how much slower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fem_contact.post.plots.look import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    style,
)

FloatArray = NDArray[np.float64]

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, GREY)
DASHES = ("-", "--", "-.", ":")
#: Times below this (seconds) count as this: the clock tells them apart no longer.
SHORTEST = 1e-5


def performance_profile(times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """rho_s(tau) = share of the problems with t_ps <= tau min_s t_ps.

    Dolan and More (2002, "Benchmarking optimization software with performance profiles").

    Parameters
    ----------
    times : (problems, solvers) float
        Infinite where a solver failed. A problem that none solved counts against all.

    Returns
    -------
    tau : (k,) float
        The ratios at which a profile rises, from 1.
    rho : (k, solvers) float
    """
    times = np.maximum(np.asarray(times, dtype=np.float64), SHORTEST)
    best = times.min(axis=1, initial=np.inf, keepdims=True)
    ratios = np.where(np.isfinite(times), times / np.where(np.isfinite(best), best, 1.0), np.inf)
    tau = np.unique(np.append(ratios[np.isfinite(ratios)], 1.0))
    rho = (ratios[None, :, :] <= tau[:, None, None]).sum(axis=1) / max(len(times), 1)
    return tau, rho


def profile_figure(solvers: Sequence[str], times: FloatArray, title: str = "") -> Figure:
    """The profiles of all solvers as steps, the ratio of times on a logarithmic axis.

    Parameters
    ----------
    solvers : names, one a column of ``times``
    times : (problems, solvers) float, infinite where a solver failed
    title : str
        What a problem had to meet to count as solved.
    """
    tau, rho = performance_profile(times)
    solved = np.isfinite(times).sum(axis=0)
    end = max(10.0, 1.15 * tau[-1])
    with style():
        drawing = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = drawing.subplots()
        for k, name in enumerate(solvers):
            axes.step(
                np.append(tau, end),
                np.append(rho[:, k], rho[-1, k]),
                where="post",
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k // len(COLOURS) % len(DASHES)],
                label=f"{name} ({solved[k]} of {len(times)})",
            )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set_xlim(1.0, end)
        axes.set_ylim(0.0, 1.03)
        axes.set_xlabel("time over that of the fastest solver")
        axes.set_ylabel("share of the problems solved")
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), title="solved")
        drawing.suptitle(
            f"Performance profile: {title}" if title else "Performance profile", x=0.01, ha="left"
        )
    return drawing
