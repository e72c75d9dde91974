"""Contacts as pairs of sides.

A contact joins two sides, each a weighted sum of node positions. The side of a fixed obstacle has no
nodes, so a body against an obstacle and a body against a body are one and the same thing here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.obstacles import Obstacle
from fem_contact.errors import ModelError
from fem_contact.mesh.mesh import Mesh


@dataclass(frozen=True)
class Side:
    """One side of c contacts: the point x = sum_j weights[:, j] * x(nodes[:, j]).

    Attributes
    ----------
    nodes : (c, k) int
    weights : (c, k) float
    """

    nodes: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def of_nodes(cls, nodes: NDArray[np.int64]) -> Side:
        """Contacts that are nodes themselves."""
        return cls(nodes.reshape(-1, 1), np.ones((len(nodes), 1)))

    @classmethod
    def fixed(cls, count: int) -> Side:
        """The side of a fixed obstacle."""
        return cls(np.empty((count, 0), np.int64), np.empty((count, 0)))


@dataclass(frozen=True)
class Contacts:
    """c contacts between a body side and another side.

    Attributes
    ----------
    body, other : Side
        n points from ``other`` to ``body``.
    gap : (c,) float
        Gap g of the undeformed mesh (length), positive when open.
    normals : (c, 2) float
        Unit normals n.
    mu, e : (c,) float
        Friction and restitution coefficients.
    """

    body: Side
    other: Side
    gap: NDArray[np.float64]
    normals: NDArray[np.float64]
    mu: NDArray[np.float64]
    e: NDArray[np.float64]
    names: tuple[str, ...] = field(default=())

    @property
    def count(self) -> int:
        """Number of contacts c."""
        return len(self.gap)


def node_contacts(mesh: Mesh, group: str, obstacle: Obstacle, law: ContactLaw) -> Contacts:
    """Contacts of every node of a group against a rigid obstacle.

    The gap is linearised about the undeformed mesh, g(q) = g0 + n . u with constant n, as in the
    linear framework of Acary & Collins-Craft (HAL 04230941), section 5.2; exact for a plane.

    Raises
    ------
    MeshError, ModelError
        When there is no such group or it has no nodes.
    """
    nodes = mesh.group(group).nodes
    if not len(nodes):
        raise ModelError(f"contact group '{group}' has no nodes")
    points = mesh.points[nodes]
    ones = np.ones(len(nodes))
    return Contacts(
        body=Side.of_nodes(nodes),
        other=Side.fixed(len(nodes)),
        gap=obstacle.gap(points),
        normals=obstacle.normals(points),
        mu=law.mu * ones,
        e=law.e * ones,
        names=(group,) * len(nodes),
    )
