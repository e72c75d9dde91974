"""The energy budget of a run: cumulated works, how the identity closes, one table for many runs.

Every step of a run closes (Acary & Collins-Craft, HAL 04230941, eq. 56)

    E_{k+1} - E_k = W_ext + W_damp + W_num + u_{N,k+theta} . p_N + u_{T,k+theta} . p_T + residual,

and the functions here sum that identity over the steps. Energies and works are in the run's unit of
energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: Energies of a state, under the run file's names.
ENERGIES = ("kinetic", "elastic", "total")

#: Works of a step whose sum is the change of the total energy, under the run file's names.
WORKS = ("external", "damping", "contact_normal", "contact_tangential", "numerical")

#: When positive works are counted, those of one contact and step below this share of the largest energy are
#: taken for round-off: the energies themselves are only known to about 2e-16 of their size.
ROUND_OFF = 1e-15


def energy_scale(run: Run) -> float:
    """Largest energy of the run, over time and |kinetic|, |elastic|, |total|: what "relative" refers to."""
    energy = run.steps.energy
    sizes = [np.abs(np.asarray(getattr(energy, name))) for name in ENERGIES]
    return float(max(np.max(size, initial=0.0) for size in sizes))


def cumulated_works(run: Run) -> dict[str, FloatArray]:
    """Sum of each work from the start to every step, (N+1,) each, zero at the start."""
    return {name: np.cumsum(np.asarray(getattr(run.steps.work, name), np.float64)) for name in WORKS}


def budget(run: Run) -> FloatArray:
    """E_0 plus all cumulated works, (N+1,): what the total energy must be."""
    works = cumulated_works(run)
    return float(run.steps.energy.total[0]) + np.sum(list(works.values()), axis=0)


def mismatch(run: Run) -> FloatArray:
    """Total energy minus :func:`budget`, (N+1,): the residuals added up, round-off when the identity holds.

    NaN for schemes that have no identity and therefore record NaN among their works or as their residual.
    """
    difference = np.asarray(run.steps.energy.total, np.float64) - budget(run)
    lost = np.isnan(np.asarray(run.steps.residual, np.float64))
    return np.where(np.cumsum(lost) > 0, np.nan, difference)


@dataclass(frozen=True)
class EnergyTable:
    """The energy budget of one run in numbers; see :func:`energy_table`.

    Attributes
    ----------
    kinetic_start, kinetic_end, kinetic_max, ... : float
        Energies at the start and at the end and the largest of the run.
    external, damping, contact_normal, contact_tangential, numerical : float
        Works cumulated over the run.
    support : float
        The part of ``external`` that the support reactions did (NaN where it was not recorded).
    scale : float
        Largest energy (:func:`energy_scale`).
    residual_max, residual_relative : float
        Largest |residual| of a step, and the same over ``scale`` (NaN for a scheme without an identity).
    mismatch_end : float
        Total energy minus start minus works, at the end.
    positive_steps, positive_nodes : int
        Steps, and contacts, with a positive tangential work (above ``ROUND_OFF * scale``).
    positive_tangential : float
        Sum of all positive tangential works: the energy that friction created.
    tangential_max, tangential_relative, normal_max, normal_relative : float
        Largest (signed) tangential and normal work of one contact and step, absolute and over ``scale``;
        NaN without contacts.
    """

    kinetic_start: float
    kinetic_end: float
    kinetic_max: float
    elastic_start: float
    elastic_end: float
    elastic_max: float
    total_start: float
    total_end: float
    total_max: float
    external: float
    support: float
    damping: float
    contact_normal: float
    contact_tangential: float
    numerical: float
    scale: float
    residual_max: float
    residual_relative: float
    mismatch_end: float
    positive_steps: int
    positive_nodes: int
    positive_tangential: float
    tangential_max: float
    tangential_relative: float
    normal_max: float
    normal_relative: float


def energy_table(run: Run) -> EnergyTable:
    """The energy budget of a run in numbers."""
    scale = energy_scale(run)
    values: dict[str, float] = {"scale": scale}
    for name in ENERGIES:
        series = np.asarray(getattr(run.steps.energy, name))
        values[f"{name}_start"], values[f"{name}_end"] = float(series[0]), float(series[-1])
        values[f"{name}_max"] = float(series.max())
    values |= {name: float(series[-1]) for name, series in cumulated_works(run).items()}
    support = getattr(run.steps.work, "support", None)
    values["support"] = np.nan if support is None else float(np.sum(np.asarray(support)))
    values["residual_max"] = _largest_residual(run)
    values["residual_relative"] = _relative(values["residual_max"], scale)
    values["mismatch_end"] = float(mismatch(run)[-1])
    return EnergyTable(**values, **_contact_numbers(run, scale))  # type: ignore[arg-type]


def compare(runs: Sequence[Run]) -> dict[str, tuple[float, ...]]:
    """The tables of several runs side by side: quantity -> one value a run, in the order of the runs."""
    tables = [energy_table(run) for run in runs]
    return {f.name: tuple(getattr(table, f.name) for table in tables) for f in fields(EnergyTable)}


def _largest_residual(run: Run) -> float:
    residual = np.abs(np.asarray(run.steps.residual, np.float64)[1:])
    if not residual.size:
        return 0.0
    return float(np.max(residual))  # NaN when any step has none


def _relative(value: float, scale: float) -> float:
    return value / scale if scale > 0.0 else np.nan


def _contact_numbers(run: Run, scale: float) -> dict[str, float]:
    tangential = np.asarray(run.steps.contact.work_tangential, np.float64)[1:]
    normal = np.asarray(run.steps.contact.work_normal, np.float64)[1:]
    positive = tangential > ROUND_OFF * scale
    largest_T = float(tangential.max()) if tangential.size else np.nan
    largest_N = float(normal.max()) if normal.size else np.nan
    return {
        "positive_steps": int(np.count_nonzero(positive.any(axis=1))),
        "positive_nodes": int(np.count_nonzero(positive.any(axis=0))),
        "positive_tangential": float(tangential[positive].sum()),
        "tangential_max": largest_T,
        "tangential_relative": _relative(largest_T, scale),
        "normal_max": largest_N,
        "normal_relative": _relative(largest_N, scale),
    }
