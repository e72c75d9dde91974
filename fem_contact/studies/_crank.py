"""What the studies of the slider-crank share (RR-8029 section 6.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.record import Run
from fem_contact.studies._rigid import EXPLICIT, coordinate
from fem_contact.studies.base import RunSpec, settings

FloatArray = NDArray[np.float64]

#: Two revolutions of the crank take about this long (s).
T_END = 0.14

#: Tolerances of RR-8029 table 2.
NEWTON = {"tol": 1e-10}
VIOLATION = 1e-10

#: Lengths of crank and rod, and clearance of the slider (m): RR-8029 table 2.
L1, L2, CLEARANCE = 0.153, 0.306, 0.001

SCHEMES: dict[str, dict[str, Any]] = {
    "moreau-jean": {"activation": EXPLICIT},
    "direct-projected": {"activation": EXPLICIT, "violation_tol": VIOLATION},
    "combined-projected": {"violation_tol": VIOLATION},
}


def spec(scheme: str, h: float, case: str = "slider_crank") -> RunSpec:
    """A run over two revolutions, its fields at most 14,000 times.

    The slider can rest on a wall as in the paper, whose eq. 28 takes the approach velocity as the step before
    has left it. With restitution = "frame" it would bounce on by O(h).
    """
    every = max(1, round(T_END / h) // 14_000)
    more = {"theta": 0.5, "newton": NEWTON, **SCHEMES[scheme]}
    table = settings(scheme, h, T_END, **more)
    return RunSpec(case, (table, f"output.every={every}", "output.checkpoint=20000"))


def revolutions(run: Run, crank: str = "crank") -> FloatArray:
    """(S,) revolutions of the crank at the sampled instants."""
    return coordinate(run, crank) / (2.0 * np.pi)


def revolutions_by_step(run: Run, crank: str = "crank") -> FloatArray:
    """(N+1,) the same at every step, interpolated between the samples."""
    return np.interp(run.steps.t, run.fields.t, revolutions(run, crank))


def slider(run: Run) -> tuple[FloatArray, FloatArray]:
    """(S,) x and y of the slider's centre in minimal coordinates (length)."""
    crank, rod = coordinate(run, "crank"), coordinate(run, "rod")
    return L1 * np.cos(crank) + L2 * np.cos(rod), L1 * np.sin(crank) + L2 * np.sin(rod)
