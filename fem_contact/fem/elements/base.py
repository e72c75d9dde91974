"""What an element has to offer, and the points at which loads are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LoadPoints:
    """Quadrature points of a load, k of them, each seen by f nodes.

    A load s per volume or per facet area gives node nodes[k, i] the share
    section * N[k, i] * weights[k] * s(points[k]).

    Attributes
    ----------
    nodes : (k, f) int
    N : (k, f)
        Shape functions there.
    weights : (k,)
        Quadrature weights times the length or area of the facet or element (one for a point).
    points : (k, 2)
        Coordinates.
    """

    nodes: IntArray
    N: FloatArray
    weights: FloatArray
    points: FloatArray


class Element(Protocol):
    """A finite element; every method works on the e elements of a mesh at once.

    X is (e, nodes, 2), the coordinates of the nodes of each element, and m = nodes * dofs_per_node. The dof
    of a node and an axis is ``dofs_per_node * node + axis``. A new element (T6, Q4, Tet4) is one file with a
    class like this and one line in :data:`fem_contact.fem.elements.ELEMENTS`.
    """

    @property
    def name(self) -> str:
        """The name that a mesh carries."""
        ...

    @property
    def nodes(self) -> int:
        """Nodes per element."""
        ...

    @property
    def dofs_per_node(self) -> int:
        """Displacement components of a node."""
        ...

    @property
    def dim(self) -> int:
        """Dimension of the reference element."""
        ...

    @property
    def material(self) -> type:
        """The material class it is made of; it has ``section`` and ``density``."""
        ...

    def measure(self, X: FloatArray) -> FloatArray:
        """(e,) area or length; MeshError when one is not positive."""
        ...

    def shape(self, xi: FloatArray) -> FloatArray:
        """(g, nodes) shape functions at the reference points xi (g, dim)."""
        ...

    def strain_operator(self, X: FloatArray) -> FloatArray:
        """(e, 3, m) matrix B of the mean strain: (e_xx, e_yy, 2 e_xy) = B q_e."""
        ...

    def stress(self, strain: FloatArray, material: Any) -> FloatArray:
        """(..., 3) stresses (s_xx, s_yy, s_xy) of strains (..., 3)."""
        ...

    def stiffness(self, X: FloatArray, material: Any) -> FloatArray:
        """(e, m, m) stiffness matrices, symmetric bit by bit."""
        ...

    def mass(self, X: FloatArray, material: Any) -> FloatArray:
        """(e, m, m) consistent mass matrices, symmetric bit by bit."""
        ...

    def interior_points(self, mesh: Mesh, elements: IntArray) -> LoadPoints:
        """Points for a load per volume on those elements, exact for a linear load."""
        ...

    def facet_points(self, mesh: Mesh, group: str) -> LoadPoints:
        """Points for a load per area on the facets of a group, exact for a linear load."""
        ...

    def facet_normals(self, mesh: Mesh, group: str) -> FloatArray:
        """(k, 2) outward unit normals at ``facet_points``; ModelError on a facet inside the body."""
        ...


def check_material(element: Element, material: object) -> None:
    """ModelError unless the material is of the class that the element is made of."""
    if not isinstance(material, element.material):
        raise ModelError(
            f"element '{element.name}' is made of {element.material.__name__}, got {type(material).__name__}"
        )
