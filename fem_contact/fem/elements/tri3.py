"""The linear triangle (constant strain), two displacements per node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError, ModelError
from fem_contact.fem.elements.base import LoadPoints
from fem_contact.fem.materials import Elastic
from fem_contact.fem.quadrature import LINE_2, TRIANGLE_3
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: int N_i N_j = area * this (consistent mass of a triangle with linear shape functions).
_MASS = (np.ones((3, 3)) + np.eye(3)) / 12.0
_SIDES = ((0, 1), (1, 2), (2, 0))


@dataclass(frozen=True)
class Tri3:
    """Three nodes, counter-clockwise; N = (1 - xi - eta, xi, eta); dofs (u_x, u_y) of each node in turn."""

    name: str = "tri3"
    nodes: int = 3
    dofs_per_node: int = 2
    dim: int = 2
    material: type = Elastic

    def measure(self, X: FloatArray) -> FloatArray:
        """(e,) areas; MeshError when a triangle is flat or clockwise."""
        a, b = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
        area = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        if not np.all(area > 0.0):
            bad = int(np.argmin(area > 0.0))
            raise MeshError(
                f"triangle {bad} has the area {area[bad]:g}: it is flat, or its nodes turn clockwise"
            )
        return area

    def shape(self, xi: FloatArray) -> FloatArray:
        """(g, 3) shape functions at the reference points xi (g, 2)."""
        return np.column_stack([1.0 - xi[:, 0] - xi[:, 1], xi[:, 0], xi[:, 1]])

    def gradients(self, X: FloatArray) -> FloatArray:
        """(e, 3, 2) constant gradients: grad N_i = (y_j - y_k, x_k - x_j) / (2 area), i, j, k cyclic."""
        opposite = X[:, [1, 2, 0]] - X[:, [2, 0, 1]]
        twice = 2.0 * self.measure(X)
        return np.stack([opposite[..., 1], -opposite[..., 0]], axis=-1) / twice[:, None, None]

    def strain_operator(self, X: FloatArray) -> FloatArray:
        """(e, 3, 6) matrix B: (e_xx, e_yy, 2 e_xy) = B q_e."""
        dN = self.gradients(X)
        B = np.zeros((len(X), 3, 6))
        B[:, 0, 0::2] = B[:, 2, 1::2] = dN[..., 0]
        B[:, 1, 1::2] = B[:, 2, 0::2] = dN[..., 1]
        return B

    def stress(self, strain: FloatArray, material: Elastic) -> FloatArray:
        """(..., 3) stresses D epsilon."""
        return strain @ material.D.T

    def stiffness(self, X: FloatArray, material: Elastic) -> FloatArray:
        """(e, 6, 6): K_e = thickness * area * B^T D B (one Gauss point, exact)."""
        B = self.strain_operator(X)
        volume = material.section * self.measure(X)
        K = volume[:, None, None] * (np.swapaxes(B, 1, 2) @ (material.D @ B))
        return 0.5 * (K + np.swapaxes(K, 1, 2))  # the product is symmetric up to rounding only

    def mass(self, X: FloatArray, material: Elastic) -> FloatArray:
        """(e, 6, 6): M_e = density * thickness * area / 12 (1 + delta_ij) (x) I_2."""
        masses = material.density * material.section * self.measure(X)
        return masses[:, None, None] * np.kron(_MASS, np.eye(2))

    def interior_points(self, mesh: Mesh, elements: IntArray) -> LoadPoints:
        """Three points in each triangle (degree 2)."""
        cells = mesh.cells[elements]
        X, N = mesh.points[cells], self.shape(TRIANGLE_3.points)
        g = len(N)
        return LoadPoints(
            nodes=np.repeat(cells, g, axis=0),
            N=np.tile(N, (len(cells), 1)),
            weights=(self.measure(X)[:, None] * TRIANGLE_3.weights).ravel(),
            points=np.einsum("gi,eid->egd", N, X).reshape(-1, 2),
        )

    def facet_points(self, mesh: Mesh, group: str) -> LoadPoints:
        """Two Gauss points on each edge of the group."""
        edges = _edges(mesh, group)
        X, s = mesh.points[edges], LINE_2.points[:, 0]
        N = np.column_stack([1.0 - s, s])
        d = X[:, 1] - X[:, 0]
        return LoadPoints(
            nodes=np.repeat(edges, len(s), axis=0),
            N=np.tile(N, (len(edges), 1)),
            weights=(np.hypot(d[:, 0], d[:, 1])[:, None] * LINE_2.weights).ravel(),
            points=np.einsum("gi,eid->egd", N, X).reshape(-1, 2),
        )

    def facet_normals(self, mesh: Mesh, group: str) -> FloatArray:
        """(k, 2) outward unit normals (dy, -dx)/length, each edge turned to have the body on its left."""
        edges = _edges(mesh, group)
        sides = np.concatenate([mesh.cells[:, side] for side in _SIDES])
        n = len(mesh.points)
        keys = sides.min(axis=1) * n + sides.max(axis=1)
        order = np.argsort(keys, kind="stable")
        wanted = edges.min(axis=1) * n + edges.max(axis=1)
        first = np.searchsorted(keys[order], wanted, side="left")
        owners = np.searchsorted(keys[order], wanted, side="right") - first
        if np.any(owners != 1):
            bad = int(np.argmax(owners != 1))
            where = "inside the body" if owners[bad] else "not the side of a triangle"
            raise ModelError(
                f"group '{group}': edge {edges[bad, 0]}-{edges[bad, 1]} is {where}, it has no normal"
            )
        oriented = mesh.points[sides[order[first]]]
        d = oriented[:, 1] - oriented[:, 0]
        normals = np.column_stack([d[:, 1], -d[:, 0]]) / np.hypot(d[:, 0], d[:, 1])[:, None]
        return np.repeat(normals, len(LINE_2.weights), axis=0)


def _edges(mesh: Mesh, group: str) -> IntArray:
    edges = mesh.group(group).edges
    if not len(edges):
        raise ModelError(f"group '{group}' has no edges: a traction or pressure needs a group of edges")
    return edges
