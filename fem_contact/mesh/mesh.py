"""The mesh that every other part of the program uses: points, cells and named groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def _indices(values: object, columns: int | None = None) -> IntArray:
    array = np.asarray(values, dtype=np.int64)
    if columns is not None:
        array = array.reshape(-1, columns)
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class Group:
    """A named part of a mesh.

    Attributes
    ----------
    nodes : (k,) int
        Every node of the group, sorted, without repetition (those of its edges and elements too).
    edges : (m, 2) int
        Its edges as pairs of nodes; empty for a group of nodes only.
    elements : (l,) int
        Its elements as rows of ``mesh.cells``.
    """

    nodes: IntArray
    edges: IntArray = field(default_factory=lambda: _indices([], 2))
    elements: IntArray = field(default_factory=lambda: _indices([]))

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", _indices(np.unique(np.asarray(self.nodes, dtype=np.int64))))
        object.__setattr__(self, "edges", _indices(self.edges, 2))
        object.__setattr__(self, "elements", _indices(self.elements))


@dataclass(frozen=True)
class Mesh:
    """Points, cells and named groups; immutable.

    Attributes
    ----------
    points : (n, 2) float
        Coordinates, in the length unit of the case. Bars lie along x (y = 0).
    cells : (e, k) int
        Nodes of each element, positively oriented (counter-clockwise triangles).
    element : str
        Name of the element in :mod:`fem_contact.fem.elements` ("tri3", "bar2").
    groups : mapping of str to Group

    Raises
    ------
    MeshError
        On arrays of the wrong shape or cells that point outside ``points``.
    """

    points: FloatArray
    cells: IntArray
    element: str = "tri3"
    groups: Mapping[str, Group] = field(default_factory=dict)

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise MeshError(f"mesh points must have shape (n, 2), got {points.shape}")
        cells = np.array(self.cells, dtype=np.int64)
        if cells.ndim != 2 or not len(cells):
            raise MeshError(f"mesh cells must have shape (e, k) with e > 0, got {cells.shape}")
        if cells.min() < 0 or cells.max() >= len(points):
            raise MeshError(f"mesh cells name nodes outside 0..{len(points) - 1}")
        points.setflags(write=False)
        cells.setflags(write=False)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def group(self, name: str) -> Group:
        """The group of that name; MeshError naming the groups there are when it is missing."""
        try:
            return self.groups[name]
        except KeyError:
            known = ", ".join(sorted(self.groups)) or "none"
            raise MeshError(f"the mesh has no group '{name}'; its groups are: {known}") from None

    def with_group(
        self, name: str, nodes: object = None, edges: object = None, elements: object = None
    ) -> Mesh:
        """A copy with one more group, made of nodes, edges (pairs of nodes) or elements."""
        edge_array = _indices([] if edges is None else edges, 2)
        element_array = _indices([] if elements is None else elements)
        parts = [edge_array.ravel(), self.cells[element_array].ravel()]
        if nodes is not None:
            parts.append(_indices(nodes))
        group = Group(np.concatenate(parts), edge_array, element_array)
        return replace(self, groups={**self.groups, name: group})
