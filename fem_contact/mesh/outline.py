"""What plane shapes are made of: curves, outlines, and the checks that all shapes share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError

FloatArray = NDArray[np.float64]
Size = float | Sequence[float] | None

#: Elements along the longest side of a shape whose size is not given.
DEFAULT_DIVISIONS = 20
_POSITIVE = {"width", "height", "radius", "inner", "outer", "length"}


@dataclass(frozen=True)
class Curve:
    """A line from point ``start`` to point ``end``, or an arc (less than half a turn) about ``centre``."""

    start: int
    end: int
    group: str
    centre: int | None = None


@dataclass(frozen=True)
class Outline:
    """The border of a plane body, walked with the body on the left.

    Attributes
    ----------
    points : (n, 2) float
    sizes : (n,) float
        Edge length wanted at each point.
    curves : tuple of Curve
    """

    points: FloatArray
    sizes: FloatArray
    curves: tuple[Curve, ...]


class Checked:
    """Parameters are finite numbers; lengths are positive."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            if f.type == "float":
                object.__setattr__(self, f.name, number(getattr(self, f.name), f"{self.name}: {f.name}"))
                if f.name in _POSITIVE and getattr(self, f.name) <= 0.0:
                    raise MeshError(f"{self.name}: {f.name} must be positive, got {getattr(self, f.name):g}")
        if getattr(self, "arc", "down") not in ("down", "up"):
            raise MeshError(f"{self.name}: arc must be 'down' or 'up', got {self.arc!r:.60}")  # type: ignore[attr-defined]


class PlaneShape(Checked):
    """A shape given by its outline."""

    def outline(self, size: Size = None) -> Outline:
        """The border with its sizes (by default a twentieth of the longest extent)."""
        raise NotImplementedError

    def _outline(self, points: Sequence[tuple[float, float]], curves: Sequence[Curve], size: Size) -> Outline:
        X = np.array(points, dtype=np.float64)
        if size is None:
            size = float(np.ptp(X, axis=0).max()) / DEFAULT_DIVISIONS
        return Outline(X, sizes_at(size, len(X), self.name), tuple(curves))


def number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise MeshError(f"{what} must be a number, got {value!r:.60}")
    if not math.isfinite(value):
        raise MeshError(f"{what} must be finite, got {value}")
    return float(value)


def sizes_at(size: Size, n: int, name: str) -> FloatArray:
    """(n,) mesh sizes out of one for all or a list; the points after the list (centres) take its last."""
    values = [size] if isinstance(size, int | float | np.integer | np.floating) else list(size or [])
    numbers = np.array([number(value, f"{name}: size") for value in values])
    if len(numbers) not in (1, n):
        raise MeshError(f"{name}: size must be one number or {n} of them, got {len(numbers)}")
    if not (numbers > 0.0).all():
        raise MeshError(f"{name}: size must be positive, got {numbers.min():g}")
    return np.full(n, numbers[0]) if len(numbers) == 1 else numbers
