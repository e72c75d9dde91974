"""A rigid disk, or the rigid surrounding of a round hole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.contact.obstacles.base import FloatArray, as_point
from fem_contact.errors import ModelError


@dataclass(frozen=True)
class Circle:
    """A disk that the body stays out of, or (``inside``) a hole that it stays in.

    Outside: g = |x - center| - radius, n = (x - center)/|x - center|.
    Inside:  g = radius - |x - center|, n = -(x - center)/|x - center|.

    Parameters
    ----------
    center : (2,) float
        Centre (length).
    radius : float
        Radius (length), positive.
    inside : bool
        True when the body is inside the circle.

    Raises
    ------
    ModelError
        On a radius that is not positive, and by :meth:`normals` for a point at the centre.
    """

    center: tuple[float, float]
    radius: float
    inside: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", as_point(self.center, "circle center"))
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise ModelError(f"circle radius must be a positive number, got {self.radius!r}")

    def gap(self, points: FloatArray) -> FloatArray:
        """Signed distance, shape (k,)."""
        distance = np.hypot(*(points - np.array(self.center)).T)
        return self.radius - distance if self.inside else distance - self.radius

    def normals(self, points: FloatArray) -> FloatArray:
        """Radial unit vectors, shape (k, 2)."""
        radial = points - np.array(self.center)
        distance = np.hypot(*radial.T)
        if np.any(distance == 0.0):
            raise ModelError("a contact node lies at the centre of a circle obstacle: it has no normal there")
        radial = radial / distance[:, None]
        return -radial if self.inside else radial
