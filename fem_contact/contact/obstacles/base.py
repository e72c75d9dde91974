"""What an obstacle must offer: the signed distance to it and the direction away from it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError

FloatArray = NDArray[np.float64]


class Obstacle(Protocol):
    """A fixed rigid obstacle in the plane.

    An obstacle is a frozen dataclass whose fields are the keys of the case file's ``obstacle`` table.
    """

    def gap(self, points: FloatArray) -> FloatArray:
        """Signed distance g of points (k, 2) to the obstacle, shape (k,): positive when open."""
        ...

    def normals(self, points: FloatArray) -> FloatArray:
        """Unit normals n = grad g at points (k, 2), shape (k, 2): from the obstacle to the body."""
        ...


def as_point(value: object, name: str) -> tuple[float, float]:
    """Two finite numbers as a tuple; ModelError naming ``name`` otherwise."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array([])
    if array.shape != (2,) or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} must be two finite numbers [x, y], got {value!r}")
    return float(array[0]), float(array[1])


def unit_vector(value: object, name: str) -> tuple[float, float]:
    """``value`` divided by its length; ModelError naming ``name`` when it is zero or not a vector."""
    x, y = as_point(value, name)
    length = float(np.hypot(x, y))
    if length == 0.0:
        raise ModelError(f"{name} must not be the zero vector")
    return x / length, y / length
