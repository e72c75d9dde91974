"""From the points, triangles and sets that a file or a mesher gives to a checked plane :class:`Mesh`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fem_contact.errors import FemContactWarning, MeshError
from fem_contact.mesh.boundary import edge_keys, edges_between, match_boundary, sides
from fem_contact.mesh.mesh import Group, Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: A triangle is flat when its area is below this part of its longest edge squared (rounding of the
#: coordinates, not shape: such a triangle has the quality 1e-12).
FLAT = 1e-12


@dataclass
class RawGroup:
    """Parts of a group as they are gathered, in the numbering of the source.

    ``nodes`` are single nodes, ``edges`` pairs, ``elements`` rows of the triangles. With ``join`` the
    boundary edges between two nodes of the group belong to it as well.
    """

    nodes: list[IntArray] = field(default_factory=list)
    edges: list[IntArray] = field(default_factory=list)
    elements: list[IntArray] = field(default_factory=list)
    join: bool = False


def plane_mesh(
    points: ArrayLike,
    triangles: ArrayLike,
    groups: Mapping[str, RawGroup],
    source: str,
    *,
    warn_orphans: bool = True,
) -> Mesh:
    """A mesh of positively oriented triangles without orphan nodes.

    Parameters
    ----------
    points : (n, 2) or (n, 3) float
        With three columns the third must be constant over the nodes in use.
    triangles : (e, 3) int
    groups : mapping of str to RawGroup
        A group of which no node is left is dropped.
    source : str
        What errors begin with, usually the file.
    warn_orphans : bool
        Warn when nodes that belong to no triangle are dropped.

    Raises
    ------
    MeshError
        On a mesh that is not plane, on coordinates that are not finite and on triangles that are flat,
        repeated or overlapping, each named by its number. Numbers count from 0 in the order of the source.

    Warns
    -----
    FemContactWarning
        Saying how many orphan nodes were dropped.
    """
    X = np.asarray(points, dtype=np.float64)
    cells = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    if X.ndim != 2 or X.shape[1] not in (2, 3):
        raise MeshError(f"{source}: points need 2 or 3 coordinates, found an array of shape {X.shape}")
    if not len(cells):
        raise MeshError(f"{source}: the mesh has no triangles")
    if cells.min() < 0 or cells.max() >= len(X):
        raise MeshError(f"{source}: triangles name nodes that do not exist")
    used = np.zeros(len(X), dtype=bool)
    used[cells] = True
    _check_points(X, used, source)
    cells = _oriented(X[:, :2], cells, source)
    cells, new_row = _without_repeats(cells, groups, source)
    _check_overlap(cells, len(X), source)
    orphans = int(len(X) - used.sum())
    if orphans and warn_orphans:
        text = (
            "1 node belongs to no triangle and was"
            if orphans == 1
            else f"{orphans} nodes belong to no triangle and were"
        )
        warnings.warn(f"{source}: {text} dropped", FemContactWarning, stacklevel=3)
    new_node = np.where(used, np.cumsum(used) - 1, -1)
    bare = Mesh(X[used][:, :2], new_node[cells])
    built = {name: _group(bare, raw, new_node, new_row) for name, raw in groups.items()}
    return Mesh(bare.points, bare.cells, groups={name: g for name, g in built.items() if len(g.nodes)})


def _check_points(X: FloatArray, used: NDArray[np.bool_], source: str) -> None:
    finite = np.isfinite(X).all(axis=1) | ~used
    if not finite.all():
        raise MeshError(f"{source}: node {int(np.argmin(finite))} has coordinates that are not finite")
    if X.shape[1] == 3:
        z = X[used, 2]
        extent = float(np.ptp(X[used], axis=0).max())
        if np.ptp(z) > 1e-9 * extent:
            raise MeshError(
                f"{source}: not a plane mesh, z goes from {z.min():g} to {z.max():g}; it must be constant"
            )


def _oriented(X: FloatArray, cells: IntArray, source: str) -> IntArray:
    """Clockwise triangles turned; flat ones refused."""
    P = X[cells]
    a, b = P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]
    area = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    longest = ((P - np.roll(P, 1, axis=1)) ** 2).sum(axis=2).max(axis=1)
    flat = np.abs(area) <= FLAT * longest
    if flat.any():
        bad = int(np.argmax(flat))
        nodes = ", ".join(map(str, cells[bad]))
        raise MeshError(f"{source}: element {bad} (nodes {nodes}) has zero area; numbers count from 0")
    cells = cells.copy()
    turned = area < 0.0
    cells[turned] = cells[turned][:, [0, 2, 1]]
    return cells


def _without_repeats(
    cells: IntArray, groups: Mapping[str, RawGroup], source: str
) -> tuple[IntArray, IntArray]:
    """Cells once each, and the new row of each old one.

    A format with a single tag per element (MSH 2.2) repeats a triangle for each group it is in: copies of
    which every one is in a group, and no two in the same, are one element. Any other repetition is an
    error.
    """
    keys = np.sort(cells, axis=1)
    _, first, inverse, count = np.unique(
        keys, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    inverse = inverse.ravel()
    if (count == 1).all():
        return cells, np.arange(len(cells))
    grouped = np.zeros(len(cells), dtype=bool)
    clash = np.zeros(len(cells), dtype=bool)
    for raw in groups.values():
        rows = np.unique(np.concatenate([np.empty(0, np.int64), *raw.elements]).astype(np.int64))
        grouped[rows] = True
        clash[rows] |= np.bincount(inverse[rows], minlength=len(first))[inverse[rows]] > 1
    bad = (count[inverse] > 1) & (clash | ~grouped)
    if bad.any():
        a, b = np.flatnonzero(inverse == inverse[np.argmax(bad)])[:2]
        nodes = ", ".join(map(str, cells[a]))
        raise MeshError(
            f"{source}: elements {a} and {b} are the same triangle (nodes {nodes}); numbers count from 0"
        )
    kept = np.sort(first)
    rank = np.empty(len(cells), dtype=np.int64)
    rank[kept] = np.arange(len(kept))
    return cells[kept], rank[first[inverse]]


def _check_overlap(cells: IntArray, n: int, source: str) -> None:
    """Two positive triangles on the same side of one edge overlap."""
    directed = sides(cells)
    keys = directed[:, 0] * n + directed[:, 1]
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(same):
        a, b = order[same[0]], order[same[0] + 1]
        edge = "-".join(map(str, directed[a]))
        raise MeshError(
            f"{source}: elements {a // 3} and {b // 3} overlap, both are on the same side of edge {edge}; "
            "numbers count from 0"
        )


def _group(bare: Mesh, raw: RawGroup, new_node: IntArray, new_row: IntArray) -> Group:
    """A group in the new numbering: edges once each, those of the boundary with the body on their left."""
    none = np.empty(0, dtype=np.int64)
    nodes = new_node[np.concatenate([none, *raw.nodes]).astype(np.int64)]
    edges = new_node[np.concatenate([none.reshape(0, 2), *raw.edges]).astype(np.int64)]
    edges = edges[(edges >= 0).all(axis=1)]
    elements = np.unique(new_row[np.concatenate([none, *raw.elements]).astype(np.int64)])
    nodes = nodes[nodes >= 0]
    if raw.join:
        edges = np.concatenate([edges, edges_between(bare, nodes)])
    if len(edges):
        first = np.unique(edge_keys(edges, len(bare.points)), return_index=True)[1]
        edges = match_boundary(bare, edges[np.sort(first)])[0]
    return Group(np.concatenate([nodes, edges.ravel(), bare.cells[elements].ravel()]), edges, elements)
