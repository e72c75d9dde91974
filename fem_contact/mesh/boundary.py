"""Edges and the boundary of a mesh, with outward normals.

An edge is a pair of nodes. The boundary edges are the sides of exactly one triangle; they are given in the
order of that triangle, so that the body is on their left and the outward unit normal of an edge (dx, dy) of
length l is n = (dy, -dx)/l.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def sides(cells: IntArray) -> IntArray:
    """(3e, 2) sides of triangles in their own order, row 3i + j being side j of triangle i."""
    return np.asarray(cells)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)


def edge_keys(edges: IntArray, n: int) -> IntArray:
    """(m,) numbers that are equal for the same edge in either direction, n being the number of nodes."""
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    return edges.min(axis=1) * n + edges.max(axis=1)


def unique_edges(mesh: Mesh) -> IntArray:
    """(m, 2) every edge of the mesh once (for bars: the bars themselves)."""
    edges = sides(mesh.cells) if mesh.element == "tri3" else mesh.cells
    first = np.unique(edge_keys(edges, len(mesh.points)), return_index=True)[1]
    return np.asarray(edges[first])


def edge_lengths(mesh: Mesh) -> FloatArray:
    """(m,) lengths of the edges of :func:`unique_edges`, in the same order."""
    edges = unique_edges(mesh)
    d = mesh.points[edges[:, 1]] - mesh.points[edges[:, 0]]
    return np.hypot(d[:, 0], d[:, 1])


def smallest_edge(mesh: Mesh) -> float:
    """Length of the shortest edge (for bars: of the shortest bar)."""
    return float(edge_lengths(mesh).min())


def boundary_edges(mesh: Mesh) -> IntArray:
    """(m, 2) sides of exactly one triangle, the body on their left; holes included.

    Raises
    ------
    MeshError
        On a mesh of bars, whose boundary is made of nodes.
    """
    if mesh.element != "tri3":
        raise MeshError(f"a mesh of '{mesh.element}' elements has no boundary edges")
    every = sides(mesh.cells)
    _, first, count = np.unique(edge_keys(every, len(mesh.points)), return_index=True, return_counts=True)
    return np.asarray(every[np.sort(first[count == 1])])


def match_boundary(mesh: Mesh, edges: IntArray) -> tuple[IntArray, BoolArray]:
    """Edges turned to have the body on their left, and which of them are on the boundary.

    Returns
    -------
    edges : (m, 2) int
        Those on the boundary turned as in :func:`boundary_edges`, the others as given.
    found : (m,) bool
    """
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    border = boundary_edges(mesh)
    keys = edge_keys(border, len(mesh.points))
    order = np.argsort(keys)
    wanted = edge_keys(edges, len(mesh.points))
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found = keys[order][place] == wanted
    edges[found] = border[order[place[found]]]
    return edges, found


def outward_normals(mesh: Mesh, edges: IntArray) -> FloatArray:
    """(m, 2) outward unit normals of boundary edges, whichever way these are given.

    Raises
    ------
    MeshError
        Naming the first edge that is not on the boundary.
    """
    oriented, found = match_boundary(mesh, edges)
    if not found.all():
        a, b = oriented[np.argmin(found)]
        raise MeshError(f"edge {a}-{b} is not on the boundary of the mesh, it has no outward normal")
    d = mesh.points[oriented[:, 1]] - mesh.points[oriented[:, 0]]
    return np.column_stack([d[:, 1], -d[:, 0]]) / np.hypot(d[:, 0], d[:, 1])[:, None]


def edges_between(mesh: Mesh, nodes: IntArray) -> IntArray:
    """(m, 2) boundary edges that have both ends among ``nodes``."""
    member = np.zeros(len(mesh.points), dtype=bool)
    member[np.asarray(nodes, dtype=np.int64)] = True
    border = boundary_edges(mesh)
    return np.asarray(border[member[border].all(axis=1)])
