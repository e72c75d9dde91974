"""The finite elements: one file each, registered by the name that a mesh carries."""

from __future__ import annotations

from fem_contact.errors import ModelError
from fem_contact.fem.elements.bar2 import Bar2
from fem_contact.fem.elements.base import Element, LoadPoints, check_material
from fem_contact.fem.elements.tri3 import Tri3
from fem_contact.mesh.mesh import Mesh

__all__ = ["ELEMENTS", "Bar2", "Element", "LoadPoints", "Tri3", "check_material", "element_of"]

#: Every element by name.
ELEMENTS: dict[str, Element] = {element.name: element for element in (Tri3(), Bar2())}


def element_of(mesh: Mesh) -> Element:
    """The element that a mesh is made of; ModelError when it is unknown or its cells have another width."""
    try:
        element = ELEMENTS[mesh.element]
    except KeyError:
        raise ModelError(
            f"unknown element '{mesh.element}'; known are: {', '.join(sorted(ELEMENTS))}"
        ) from None
    if mesh.cells.shape[1] != element.nodes:
        raise ModelError(
            f"element '{element.name}' has {element.nodes} nodes, the mesh gives {mesh.cells.shape[1]}"
        )
    return element
