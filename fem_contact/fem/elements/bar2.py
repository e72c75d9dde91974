"""The linear bar along x, one displacement per node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError, ModelError
from fem_contact.fem.elements.base import LoadPoints
from fem_contact.fem.materials import Rod
from fem_contact.fem.quadrature import LINE_2
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Bar2:
    """Two nodes on the x axis; N = (1 - xi, xi); one dof u_x per node (RR-8029, eq. 71)."""

    name: str = "bar2"
    nodes: int = 2
    dofs_per_node: int = 1
    dim: int = 1
    material: type = Rod

    def measure(self, X: FloatArray) -> FloatArray:
        """(e,) lengths; MeshError when a bar has none or leaves the x direction."""
        d = X[:, 1] - X[:, 0]
        length = abs(d[:, 0])
        if not np.all(length > 0.0):
            raise MeshError(f"bar {int(np.argmin(length > 0.0))} has no length along x")
        if np.any(abs(d[:, 1]) > 1e-12 * length):
            bad = int(np.argmax(abs(d[:, 1]) > 1e-12 * length))
            raise MeshError(f"bar {bad} does not lie along x: its nodes are {d[bad, 1]:g} apart in y")
        return length

    def shape(self, xi: FloatArray) -> FloatArray:
        """(g, 2) shape functions at the reference points xi (g, 1)."""
        return np.column_stack([1.0 - xi[:, 0], xi[:, 0]])

    def strain_operator(self, X: FloatArray) -> FloatArray:
        """(e, 3, 2) matrix B of e_xx = (u_2 - u_1)/(x_2 - x_1); a rod has no other strain in this model."""
        self.measure(X)
        B = np.zeros((len(X), 3, 2))
        B[:, 0, 1] = 1.0 / (X[:, 1, 0] - X[:, 0, 0])
        B[:, 0, 0] = -B[:, 0, 1]
        return B

    def stress(self, strain: FloatArray, material: Rod) -> FloatArray:
        """(..., 3) stresses (E e_xx, 0, 0)."""
        return strain * np.array([material.E, 0.0, 0.0])

    def stiffness(self, X: FloatArray, material: Rod) -> FloatArray:
        """(e, 2, 2): K_e = E S / l [[1, -1], [-1, 1]] (RR-8029, eq. 71)."""
        k = material.E * material.section / self.measure(X)
        return k[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])

    def mass(self, X: FloatArray, material: Rod) -> FloatArray:
        """(e, 2, 2): M_e = density S l / 6 [[2, 1], [1, 2]] (RR-8029, eq. 71)."""
        m = material.density * material.section * self.measure(X) / 6.0
        return m[:, None, None] * np.array([[2.0, 1.0], [1.0, 2.0]])

    def interior_points(self, mesh: Mesh, elements: IntArray) -> LoadPoints:
        """Two Gauss points in each bar (degree 3)."""
        cells = mesh.cells[elements]
        X, N = mesh.points[cells], self.shape(LINE_2.points)
        return LoadPoints(
            nodes=np.repeat(cells, len(N), axis=0),
            N=np.tile(N, (len(cells), 1)),
            weights=(self.measure(X)[:, None] * LINE_2.weights).ravel(),
            points=np.einsum("gi,eid->egd", N, X).reshape(-1, 2),
        )

    def facet_points(self, mesh: Mesh, group: str) -> LoadPoints:
        """The cross sections at the nodes of the group."""
        nodes = mesh.group(group).nodes
        if not len(nodes):
            raise ModelError(f"group '{group}' has no nodes: a traction or pressure on bars needs their ends")
        ones = np.ones(len(nodes))
        return LoadPoints(nodes=nodes[:, None], N=ones[:, None], weights=ones, points=mesh.points[nodes])

    def facet_normals(self, mesh: Mesh, group: str) -> FloatArray:
        """(k, 2) outward normals (+-1, 0) at the ends; ModelError on a node between two bars."""
        nodes = mesh.group(group).nodes
        bars = np.bincount(mesh.cells.ravel(), minlength=len(mesh.points))
        if np.any(bars[nodes] != 1):
            bad = int(nodes[np.argmax(bars[nodes] != 1)])
            raise ModelError(f"group '{group}': node {bad} is not the end of a bar, it has no normal")
        other = np.zeros(len(mesh.points), np.int64)
        other[mesh.cells[:, 0]], other[mesh.cells[:, 1]] = mesh.cells[:, 1], mesh.cells[:, 0]
        outward = np.sign(mesh.points[nodes, 0] - mesh.points[other[nodes], 0])
        return np.column_stack([outward, np.zeros(len(nodes))])
