"""Taking a mesh out of a Gmsh model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.build import RawGroup

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_PARTS = ("nodes", "edges", "elements")
_POINT, _LINE, _TRIANGLE = 15, 1, 2  # element types of Gmsh


def extract(gmsh: Any, source: str, whole: bool) -> tuple[FloatArray, IntArray, dict[str, RawGroup]]:
    """Points, triangles and physical groups of the current model."""
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    tags = np.asarray(tags, dtype=np.int64)
    order = np.argsort(tags)  # the order of creation, whatever the storage
    row = np.full(int(tags.max(initial=0)) + 1, -1, dtype=np.int64)
    row[tags[order]] = np.arange(len(tags))
    points = np.asarray(coordinates, dtype=np.float64).reshape(-1, 3)[order]
    physical = gmsh.model.getPhysicalGroups()
    surfaces = sorted(
        {int(tag) for d, p in physical if d == 2 for tag in gmsh.model.getEntitiesForPhysicalGroup(2, p)}
    )
    if not surfaces or whole:
        surfaces = [tag for _, tag in gmsh.model.getEntities(2)]
    if not surfaces:
        raise MeshError(f"{source}: the geometry has no surface to mesh")
    cells, first, offset = [], {}, 0
    for tag in surfaces:
        block = row[_entity(gmsh, 2, tag, source)]
        first[tag] = np.arange(offset, offset + len(block))
        offset += len(block)
        cells.append(block)
    groups: dict[str, RawGroup] = {}
    for dim, number in physical:
        if dim > 2:
            continue
        group = groups.setdefault(_group_name(gmsh, dim, number, physical), RawGroup())
        for tag in gmsh.model.getEntitiesForPhysicalGroup(dim, number):
            tag = int(tag)
            members = first[tag] if dim == 2 else row[_entity(gmsh, dim, tag, source)]
            getattr(group, _PARTS[dim]).append(members.ravel() if dim == 0 else members)
    return points, np.concatenate(cells), groups


def _entity(gmsh: Any, dim: int, tag: int, source: str) -> IntArray:
    """(m, dim + 1) node tags of the cells of one entity; only points, lines and triangles are let through."""
    kind = (_POINT, _LINE, _TRIANGLE)[dim]
    types, _, nodes = gmsh.model.mesh.getElements(dim, tag)
    for other, found in zip(types, nodes, strict=True):
        if other != kind:
            name, _, _, per_cell, *_ = gmsh.model.mesh.getElementProperties(other)
            raise MeshError(
                f"{source}: 3-node triangles are needed, the mesh has {len(found) // per_cell} {name} cells"
            )
    found = [np.asarray(n, dtype=np.int64) for n in nodes]
    return np.concatenate([np.empty(0, np.int64), *found]).reshape(-1, dim + 1)


def _group_name(gmsh: Any, dim: int, number: int, physical: list[tuple[int, int]]) -> str:
    """The name of a physical group, or its number (see :mod:`fem_contact.mesh.read`)."""
    name = str(gmsh.model.getPhysicalName(dim, number))
    if name:
        return name
    nameless = [d for d, p in physical if p == number and d <= 2 and not gmsh.model.getPhysicalName(d, p)]
    return str(number) if len(nameless) < 2 else f"{_PARTS[dim]}-{number}"
