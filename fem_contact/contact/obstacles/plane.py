"""A rigid half-plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.contact.obstacles.base import FloatArray, as_point, unit_vector


@dataclass(frozen=True)
class Plane:
    """The half-plane behind a line: g(x) = n . (x - point).

    Parameters
    ----------
    point : (2,) float
        A point of the line (length).
    normal : (2,) float
        Any non-zero vector from the obstacle to the body; kept as a unit vector.
    """

    point: tuple[float, float] = (0.0, 0.0)
    normal: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_point(self.point, "plane point"))
        object.__setattr__(self, "normal", unit_vector(self.normal, "plane normal"))

    def gap(self, points: FloatArray) -> FloatArray:
        """g = n . (x - point), shape (k,)."""
        return (points - np.array(self.point)) @ np.array(self.normal)

    def normals(self, points: FloatArray) -> FloatArray:
        """The same n at every point, shape (k, 2)."""
        return np.tile(np.array(self.normal), (len(points), 1))
