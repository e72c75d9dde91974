"""How the error of a scheme falls with the step size: norms in time, fitted orders (RR-8029 figures 2, 3)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError, RunFileError

FloatArray = NDArray[np.float64]

#: Norms in time, in the order of the last axis of ``Convergence.errors``.
NORMS = ("uniform", "L1", "L2")

#: What the error is taken of, in the order of the middle axis of ``Convergence.errors``.
PARTS = ("q", "v")


def norms(error: FloatArray, h: float, per_node: int | None = None) -> FloatArray:
    """Uniform, L1 and L2 norm in time of an error at the points of a grid, (3,).

    With e_k the size of the error at t_k, k = 1 ... N (there is none at the start),

        uniform = max_k e_k,      L1 = h sum_k e_k,      L2 = (h sum_k e_k^2)^(1/2).

    An impact that is seen one step late makes an error of the size of the jump at one point of the grid: of
    order 0 in the uniform norm of v, 1 in L1, 1/2 in L2.

    Parameters
    ----------
    error : (N+1, n) float
        Row 0 is the start.
    h : float
        Distance of the points (time).
    per_node : int or None
        Coordinates of a node. e_k is the root of the mean over the nodes of their squared errors, which does
        not depend on how fine a mesh is; all coordinates are one node when left out.
    """
    error = np.asarray(error, np.float64)
    nodes = 1.0 if per_node is None else error.shape[1] / per_node
    size = np.linalg.norm(error[1:], axis=1) / np.sqrt(nodes)
    return np.array([size.max(initial=0.0), h * size.sum(), np.sqrt(h * (size**2).sum())])


def fit_order(h: FloatArray, error: FloatArray) -> tuple[float, float]:
    """Order p and constant c of error = c h^p, by least squares of the logarithms over all step sizes.

    Errors that are zero or not finite have no logarithm and are left out; NaN when fewer than two remain.
    """
    h, error = np.asarray(h, np.float64), np.asarray(error, np.float64)
    usable = np.isfinite(error) & (error > 0.0)
    if np.count_nonzero(usable) < 2:
        return np.nan, np.nan
    slope, offset = np.polyfit(np.log(h[usable]), np.log(error[usable]), 1)
    return float(slope), float(np.exp(offset))


@dataclass(frozen=True, eq=False)
class Convergence:
    """Errors of one scheme over step sizes.

    Attributes
    ----------
    label : str
        The scheme.
    dt : (m,) float
        Step sizes, the largest first (time).
    errors : (m, 2, 3) float
        ``PARTS`` by ``NORMS``.
    reference : str
        What the runs are compared with.
    units : str
        Unit system.
    """

    label: str
    dt: FloatArray
    errors: FloatArray
    reference: str
    units: str = ""

    def order(self, part: str, norm: str) -> float:
        """Fitted order of a part in a norm, NaN where the errors have none."""
        return fit_order(self.dt, self.series(part, norm))[0]

    def series(self, part: str, norm: str) -> FloatArray:
        """(m,) errors of a part in a norm."""
        return np.asarray(self.errors[:, PARTS.index(part), NORMS.index(norm)])


def table(result: Convergence) -> list[list[str]]:
    """Header, a row a step size, and the fitted orders, as texts."""
    columns = [(part, norm) for part in PARTS for norm in NORMS]
    rows = [["h", *(f"{part}, {norm}" for part, norm in columns)]]
    for i, h in enumerate(result.dt):
        rows.append([f"{h:g}", *(f"{result.series(*column)[i]:.3e}" for column in columns)])
    orders = [result.order(*column) for column in columns]
    rows.append(["order", *("–" if np.isnan(order) else f"{round(order, 3) + 0.0:.3f}" for order in orders)])
    return rows


def plain(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A table of texts as lines; all but the first ``left`` columns to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def markdown(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """A table of texts in Markdown; all but the first ``left`` columns to the right."""
    clean = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    rule = ["---" if i < left else "---:" for i in range(len(rows[0]))]
    return [f"| {' | '.join(row)} |" for row in (clean[0], rule, *clean[1:])]


def write_tables(results: Sequence[Convergence], title: str, stem: Path) -> tuple[Path, Path]:
    """Write ``stem``.md (tables as they are read) and ``stem``.csv (all digits), and return their paths."""
    pages = [f"# {title}", ""]
    for result in results:
        pages += [f"## {result.label}", "", f"Error against {result.reference}.", ""]
        pages += [*markdown(table(result)), ""]
    columns = [f"{part}_{norm}" for part in PARTS for norm in NORMS]
    rows: list[list[Any]] = [["scheme", "dt", *columns]]
    for result in results:
        for h, errors in zip(result.dt, result.errors, strict=True):
            rows.append([result.label, repr(float(h)), *(repr(float(e)) for e in errors.ravel())])
    text, numbers = stem.with_suffix(".md"), stem.with_suffix(".csv")
    try:
        text.write_text("\n".join(pages), encoding="utf-8")
        with open(numbers, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    except OSError as error:
        raise RunFileError(f"{stem}: the tables cannot be written ({error.strerror})") from None
    return text, numbers


def common_error(
    t: FloatArray, x: FloatArray, reference_t: FloatArray, reference_x: FloatArray
) -> FloatArray:
    """Difference of two series at the times of the first, which must be times of the second as well.

    Raises
    ------
    ModelError
        When they are not.
    """
    spacing = reference_t[1] - reference_t[0]
    index = np.rint(t / spacing).astype(np.int64)
    if index[-1] >= len(reference_t) or np.abs(reference_t[index] - t).max() > 1e-6 * spacing:
        raise ModelError("the two runs share no grid: one step size must be a multiple of the other")
    return np.asarray(x - reference_x[index])
