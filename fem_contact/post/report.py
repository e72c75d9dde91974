"""Runs as a table of text, one column a run: what ``fem-contact show`` prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_contact.post import bar
from fem_contact.post.energy import ENERGIES, ROUND_OFF, WORKS, compare
from fem_contact.post.extras import extras
from fem_contact.post.material import has_material
from fem_contact.post.rigid import is_rigid, potential_name
from fem_contact.units import UNIT_LABELS

if TYPE_CHECKING:
    from fem_contact.record import Run


@dataclass(frozen=True)
class Row:
    """A line of a table: label, kind of quantity ("energy", "" for a plain number), one text a run."""

    label: str
    quantity: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """A titled group of rows."""

    title: str
    rows: tuple[Row, ...]


def report(runs: Sequence[Run], names: Sequence[str]) -> str:
    """The table of runs side by side, headed by ``names`` (usually their files)."""
    parts = sections(runs)
    units = {row.quantity: _unit(runs, row.quantity) for part in parts for row in part.rows}
    labels = max(len(row.label) for part in parts for row in part.rows) + 3
    unit_width = max(len(unit) for unit in units.values())
    widths = [
        max([len(name), *(len(row.values[i]) for part in parts for row in part.rows)]) + 2
        for i, name in enumerate(names)
    ]
    lines = [_line("", "", names, labels, unit_width, widths)]
    for part in parts:
        lines += ["", part.title]
        for row in part.rows:
            lines.append(_line("  " + row.label, units[row.quantity], row.values, labels, unit_width, widths))
    return "\n".join(lines)


def sections(runs: Sequence[Run]) -> list[Section]:
    """What the table says, before it is laid out."""
    parts = [_settings(runs), _energies(runs), _works(runs)]
    if any(_contacts(run) for run in runs):
        parts.append(_contact_works(runs))
        parts.append(_contact_numbers(runs))
        parts.append(_solver(runs))
    if any(extras(run) for run in runs):
        parts.append(_extras(runs))
    return parts


def _line(
    label: str, unit: str, values: Sequence[str], labels: int, unit_width: int, widths: Sequence[int]
) -> str:
    cells = "".join(value.rjust(width) for value, width in zip(values, widths, strict=True))
    return f"{label:<{labels}} {unit:<{unit_width}}{cells}".rstrip()


def _unit(runs: Sequence[Run], quantity: str) -> str:
    """Unit of a quantity; all of them when the runs differ."""
    known = [UNIT_LABELS.get(str(run.attrs.get("units", "")), {}).get(quantity, "") for run in runs]
    return " | ".join(dict.fromkeys(known)) if quantity else ""


def _contacts(run: Run) -> int:
    return int(np.asarray(run.steps.contact.p).shape[1])


def _number(value: Any, digits: int = 10) -> str:
    if isinstance(value, int | np.integer):
        return str(int(value))
    return "–" if value is None or math.isnan(value) else f"{float(value):.{digits}g}"


def _row(
    label: str, quantity: str, runs: Sequence[Run], value: Callable[[Run], Any], digits: int = 10
) -> Row:
    """A row from a function of a run that returns a text or a number."""
    values = (value(run) for run in runs)
    return Row(label, quantity, tuple(v if isinstance(v, str) else _number(v, digits) for v in values))


def _settings(runs: Sequence[Run]) -> Section:
    def mesh(run: Run) -> str:
        if run.mesh is None:
            return "none (rigid)"
        return f"{len(run.mesh.points)} nodes, {len(run.mesh.cells)} {run.mesh.element}"

    def coordinates(run: Run) -> str:
        return ", ".join(str(name) for name in run.attrs["coordinates"]) if is_rigid(run) else "–"

    def state(run: Run) -> str:
        done, asked = len(run.steps.t) - 1, run.attrs.get("steps")
        if run.complete:
            return "complete"
        return "unfinished" if asked is None else f"unfinished, {100.0 * done / int(asked):.1f} % done"

    rows = [
        _row("title", "", runs, lambda r: str(r.attrs.get("title", "")) or "–"),
        _row("scheme", "", runs, lambda r: r.scheme or "–"),
        _row("theta", "", runs, lambda r: r.attrs.get("theta")),
        _row("step h", "time", runs, lambda r: r.attrs.get("dt")),
        _row("steps", "", runs, lambda r: len(r.steps.t) - 1),
        _row("final time", "time", runs, lambda r: float(r.steps.t[-1])),
        _row("state", "", runs, state),
        _row("mesh", "", runs, mesh),
        *([_row("coordinates", "", runs, coordinates)] if any(map(is_rigid, runs)) else []),
        _row("contacts", "", runs, _contacts),
        _row("sampled fields", "", runs, lambda r: len(r.fields.t)),
        _row("made by version", "", runs, lambda r: r.version or "–"),
    ]
    return Section("Run", tuple(rows))


def _energies(runs: Sequence[Run]) -> Section:
    table = compare(runs)
    titles = {"elastic": " or ".join(dict.fromkeys(potential_name(run) for run in runs))}
    rows = [
        Row(f"{titles.get(name, name)}, {moment}", "energy", tuple(map(_number, table[f"{name}_{key}"])))
        for name in ENERGIES
        for moment, key in (("start", "start"), ("end", "end"), ("largest", "max"))
    ]
    return Section("Energy", tuple(rows))


def _works(runs: Sequence[Run]) -> Section:
    table = compare(runs)
    rows = [Row(name.replace("_", ", "), "energy", tuple(map(_number, table[name]))) for name in WORKS]
    rows.insert(1, Row("external, of it supports", "energy", tuple(map(_number, table["support"]))))
    rows += [
        Row("E(end) - E(0) - works", "energy", tuple(_number(v, 3) for v in table["mismatch_end"])),
        Row("largest |residual| of a step", "energy", tuple(_number(v, 3) for v in table["residual_max"])),
        Row("  over the largest energy", "", tuple(_number(v, 3) for v in table["residual_relative"])),
    ]
    return Section("Works, cumulated, and how the energy identity closes", tuple(rows))


def _contact_works(runs: Sequence[Run]) -> Section:
    table = compare(runs)

    def of(name: str, digits: int = 4) -> tuple[str, ...]:
        return tuple(_number(value, digits) for value in table[name])

    rows = (
        Row("largest tangential", "energy", of("tangential_max")),
        Row("  over the largest energy", "", of("tangential_relative")),
        Row("steps with a positive one", "", of("positive_steps")),
        Row("nodes with a positive one", "", of("positive_nodes")),
        Row("sum of the positive ones", "energy", of("positive_tangential")),
        Row("largest normal", "energy", of("normal_max")),
        Row("  over the largest energy", "", of("normal_relative")),
    )
    return Section(
        f"Work of one contact in one step (positive: above {ROUND_OFF:g} of the largest energy)", rows
    )


def _contact_numbers(runs: Sequence[Run]) -> Section:
    rows = [
        _row("deepest penetration", "length", runs, bar.violation, 4),
        _row("total normal impulse", "impulse", runs, lambda r: float(np.sum(r.steps.contact.p[:, :, 0]))),
    ]
    if any(run.mesh is not None and run.mesh.element == "bar2" for run in runs):
        rows += _bar_rows(runs)
    return Section("Contact", tuple(rows))


def _bar_rows(runs: Sequence[Run]) -> list[Row]:
    """Contact time, force and rebound, each followed by its exact value when the run tells the bar's data."""

    def exact(name: str) -> Callable[[Run], float | None]:
        return lambda run: getattr(bar.theory_of(run), name, None) if has_material(run) else None

    def rebound(run: Run) -> float | None:
        velocity = bar.rebound_velocity(run) if run.mesh is not None and len(run.fields.t) else None
        return None if velocity is None else float(np.linalg.norm(velocity))

    return [
        _row("contact time", "time", runs, bar.contact_time),
        _row("  exact, 2 L / c0", "time", runs, exact("contact_time")),
        _row("mean contact force", "force", runs, bar.mean_contact_force),
        _row("  exact, E S v0 / c0", "force", runs, exact("force")),
        _row("rebound speed of the centre of mass", "velocity", runs, rebound),
        _row("  exact, v0", "velocity", runs, exact("speed")),
    ]


def _solver(runs: Sequence[Run]) -> Section:
    def iterations(run: Run) -> np.ndarray:
        return np.asarray(run.steps.solver.iterations, np.float64)[1:]

    rows = (
        _row(
            "iterations, mean",
            "",
            runs,
            lambda r: float(iterations(r).mean()) if iterations(r).size else None,
            4,
        ),
        _row("iterations, largest", "", runs, lambda r: int(iterations(r).max(initial=0.0))),
        _row("error, largest", "", runs, lambda r: float(np.max(r.steps.solver.error[1:], initial=0.0)), 3),
    )
    return Section("Cone solver, per step", rows)


def _extras(runs: Sequence[Run]) -> Section:
    """What the schemes record of their own; – for a run that has not the scalar."""
    recorded = [extras(run) for run in runs]
    rows = []
    for name in dict.fromkeys(name for scalars in recorded for name in scalars):
        values = [scalars.get(name, np.empty(0))[1:] for scalars in recorded]
        mean = (float(v.mean()) if v.size else None for v in values)
        largest = (float(np.abs(v).max()) if v.size else None for v in values)
        rows.append(Row(f"{name}, mean", "", tuple(_number(v, 4) for v in mean)))
        rows.append(Row(f"{name}, largest", "", tuple(_number(v, 4) for v in largest)))
    return Section("Of the scheme itself, per step", tuple(rows))
