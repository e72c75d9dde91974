"""A rigid obstacle bounded by straight segments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fem_contact.contact.obstacles.base import FloatArray, as_point
from fem_contact.errors import ModelError


@dataclass(frozen=True)
class Polyline:
    """A directed chain of segments with free space, and the body, on its left.

    A floor is drawn from left to right. The chain is closed when its last point repeats the first.
    g is the distance to the nearest segment, negative on the right; at a convex corner n points from
    the corner to the node.

    Parameters
    ----------
    points : (m, 2) float
        At least two points (length); neighbours must differ, and no segment may run back over the
        one before (left and right would be the same place).

    Raises
    ------
    ModelError
        On points that break these rules.
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        try:
            points = tuple(as_point(p, f"polyline point {i + 1}") for i, p in enumerate(self.points))
        except TypeError:
            raise ModelError(f"polyline points must be a list of [x, y], got {self.points!r}") from None
        if len(points) < 2:
            raise ModelError(f"a polyline needs at least 2 points, got {len(points)}")
        for i, (a, b) in enumerate(pairwise(points)):
            if a == b:
                raise ModelError(f"polyline points {i + 1} and {i + 2} coincide at {list(a)}")
        object.__setattr__(self, "points", points)
        self._refuse_folds()

    def gap(self, points: FloatArray) -> FloatArray:
        """Signed distance, shape (k,)."""
        return self._nearest(points)[0]

    def normals(self, points: FloatArray) -> FloatArray:
        """Unit normals of the nearest segment, or from the nearest corner, shape (k, 2)."""
        return self._nearest(points)[1]

    def _refuse_folds(self) -> None:
        side = np.diff(np.array(self.points), axis=0)
        side /= np.hypot(*side.T)[:, None]
        following = np.roll(side, -1, axis=0) if self._closed else side[1:]
        for i, (a, b) in enumerate(zip(side, following, strict=False)):
            if np.hypot(*(a + b)) < 1e-12:
                corner = list(self.points[i + 1])
                raise ModelError(f"the polyline turns back on itself at {corner}: it has no left side there")

    @property
    def _closed(self) -> bool:
        return self.points[0] == self.points[-1]

    def _nearest(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        chain = np.array(self.points)
        start, side = chain[:-1], np.diff(chain, axis=0)
        length = np.hypot(*side.T)
        left = np.stack([-side[:, 1], side[:, 0]], axis=1) / length[:, None]
        along = np.einsum("ksi,si->ks", points[:, None] - start, side) / length**2
        foot = start + np.clip(along, 0.0, 1.0)[..., None] * side
        distance = np.hypot(*np.moveaxis(points[:, None] - foot, 2, 0))
        nearest = np.argmin(distance, axis=1)
        rows = np.arange(len(points))
        offset, distance = points - foot[rows, nearest], distance[rows, nearest]
        corner = self._corner_normal(left, nearest, along[rows, nearest])
        sign = np.where(np.einsum("ki,ki->k", offset, corner) >= 0.0, 1.0, -1.0)
        # Inside a segment the offset is the segment's own normal up to round-off; use the exact one.
        inside = (along[rows, nearest] > 0.0) & (along[rows, nearest] < 1.0)
        on_line = inside | (distance <= 1e-14 * length[nearest])
        radial = offset / np.where(distance > 0.0, distance, 1.0)[:, None]
        normal = np.where(inside[:, None], left[nearest], corner)
        normal = np.where(on_line[:, None], normal, sign[:, None] * radial)
        return sign * distance, normal

    def _corner_normal(self, left: FloatArray, nearest: np.ndarray, along: FloatArray) -> FloatArray:
        """Left normal at the foot: the segment's own, or the mean of two at a shared corner (its
        sign tells inside from outside there, where a single segment's would not)."""
        count = len(left)
        other = np.where(along <= 0.0, nearest - 1, np.where(along >= 1.0, nearest + 1, nearest))
        other = other % count if self._closed else np.clip(other, 0, count - 1)
        mean = left[nearest] + left[other]
        return mean / np.hypot(*mean.T)[:, None]
