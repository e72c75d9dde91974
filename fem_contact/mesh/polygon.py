"""Polygons: reading vertices, and refusing sides that cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.outline import number

FloatArray = NDArray[np.float64]


def vertex_pairs(vertices: object) -> tuple[tuple[float, float], ...]:
    """Vertices as pairs of finite numbers; MeshError naming the first that is not."""
    try:
        pairs = [tuple(vertex) for vertex in vertices]  # type: ignore[attr-defined]
    except TypeError:
        raise MeshError(f"polygon: vertices must be a list of pairs [x, y], got {vertices!r:.60}") from None
    for i, pair in enumerate(pairs):
        if len(pair) != 2:
            raise MeshError(f"polygon: vertex {i + 1} must be a pair [x, y], got {list(pair)!r:.60}")
    return tuple((number(x, "polygon: x"), number(y, "polygon: y")) for x, y in pairs)


def check_simple(X: FloatArray) -> None:
    """Sides must have a length and must not cross or touch each other."""
    n = len(X)
    ends = [(X[i], X[(i + 1) % n]) for i in range(n)]
    for i, (p, q) in enumerate(ends):
        if np.array_equal(p, q):
            raise MeshError(f"polygon: vertices {i + 1} and {(i + 1) % n + 1} are the same point")
    for i in range(n):
        for j in range(i + 1, n):
            (p, q), (r, s) = ends[i], ends[j]
            if j == i + 1 or (i == 0 and j == n - 1):
                a, corner, b = (p, q, s) if j == i + 1 else (q, p, r)
                u, v = a - corner, b - corner
                bad = _cross(u, v) == 0.0 and float(u @ v) > 0.0
            else:
                bad = (
                    _cross(q - p, r - p) * _cross(q - p, s - p) <= 0.0
                    and (_cross(s - r, p - r) * _cross(s - r, q - r) <= 0.0)
                    and bool(
                        (np.maximum(p, q) >= np.minimum(r, s)).all()
                        and (np.maximum(r, s) >= np.minimum(p, q)).all()
                    )
                )
            if bad:
                raise MeshError(f"polygon: sides {i + 1} and {j + 1} cross or touch each other")


def _cross(u: FloatArray, v: FloatArray) -> float:
    return float(u[0] * v[1] - u[1] * v[0])
