"""How good a mesh is: the shape of its triangles, its smallest edge, the time a wave takes to cross it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.boundary import smallest_edge
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]


def areas(mesh: Mesh) -> FloatArray:
    """(e,) areas of triangles (lengths of bars)."""
    X = mesh.points[mesh.cells]
    a = X[:, 1] - X[:, 0]
    if mesh.element == "bar2":
        return np.hypot(a[:, 0], a[:, 1])
    b = X[:, 2] - X[:, 0]
    return np.asarray(0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))


def quality(mesh: Mesh) -> FloatArray:
    """(e,) quality of each element in (0, 1].

    For a triangle of area A with edges l1, l2, l3

        q = 4 sqrt(3) A / (l1^2 + l2^2 + l3^2),

    1 when it is equilateral, 0 when it is flat. A bar has the quality 1.
    """
    if mesh.element == "bar2":
        return np.ones(len(mesh.cells))
    X = mesh.points[mesh.cells]
    squares = ((X - np.roll(X, 1, axis=1)) ** 2).sum(axis=(1, 2))
    return np.asarray(4.0 * math.sqrt(3.0) * areas(mesh) / squares)


@dataclass(frozen=True)
class GroupSize:
    """Numbers of nodes, edges and elements of a group."""

    nodes: int
    edges: int
    elements: int


@dataclass(frozen=True)
class MeshSummary:
    """What there is to say about a mesh in a few lines; ``str(summary)`` is those lines.

    Attributes
    ----------
    nodes, elements : int
    element : str
        Name of the element.
    groups : mapping of str to GroupSize
    area : float
        Sum of the areas (lengths of bars).
    min_quality, mean_quality : float
        See :func:`quality`.
    smallest_edge : float
    crossing_time : float or None
        Smallest edge divided by the wave speed, when that is known: the time step below which the mesh
        resolves waves as well as it can.
    """

    nodes: int
    elements: int
    element: str
    groups: Mapping[str, GroupSize]
    area: float
    min_quality: float
    mean_quality: float
    smallest_edge: float
    crossing_time: float | None = None

    def __str__(self) -> str:
        rows = [
            ("nodes", f"{self.nodes}"),
            ("elements", f"{self.elements} ({self.element})"),
            ("length" if self.element == "bar2" else "area", f"{self.area:.6g}"),
            ("quality", f"min {self.min_quality:.3f}, mean {self.mean_quality:.3f}"),
            ("smallest edge", f"{self.smallest_edge:.6g}"),
        ]
        if self.crossing_time is not None:
            rows.append(("a wave crosses it in", f"{self.crossing_time:.6g}"))
        rows.append(("groups", "" if self.groups else "none"))
        lines = [f"{name:<22}{value}".rstrip() for name, value in rows]
        wide = max((len(name) for name in self.groups), default=0)
        for name, size in self.groups.items():
            lines.append(
                f"  {name:<{wide}}  {size.nodes} nodes, {size.edges} edges, {size.elements} elements"
            )
        return "\n".join(lines)


def summary(mesh: Mesh, wave_speed: float | None = None) -> MeshSummary:
    """Counts, groups, quality and smallest edge of a mesh.

    Parameters
    ----------
    mesh : Mesh
    wave_speed : float, optional
        In the unit system of the mesh; gives the time a wave takes to cross the smallest edge.

    Raises
    ------
    MeshError
        When the wave speed is not a positive finite number.
    """
    if wave_speed is not None and not (math.isfinite(wave_speed) and wave_speed > 0.0):
        raise MeshError(f"the wave speed must be positive and finite, got {wave_speed:g}")
    q = quality(mesh)
    shortest = smallest_edge(mesh)
    return MeshSummary(
        nodes=len(mesh.points),
        elements=len(mesh.cells),
        element=mesh.element,
        groups={
            name: GroupSize(len(group.nodes), len(group.edges), len(group.elements))
            for name, group in mesh.groups.items()
        },
        area=float(areas(mesh).sum()),
        min_quality=float(q.min()),
        mean_quality=float(q.mean()),
        smallest_edge=shortest,
        crossing_time=None if wave_speed is None else shortest / wave_speed,
    )
