"""Loads on the groups of a mesh, as forces on its dofs.

A load's components are numbers, texts or Expressions in t, x, y; a bar takes a single component, or a pair
whose second is 0. The distribution of a load over the nodes is consistent with the shape functions,
F_i = int N_i s dA or int N_i b dV, integrated exactly for loads that are linear in x and y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_contact.errors import ModelError
from fem_contact.expressions import Expression, as_expression
from fem_contact.fem.elements import Element, LoadPoints, check_material, element_of
from fem_contact.fem.force import FieldLoad, Force
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
Component = float | str | Expression
Components = Component | Sequence[Component]


def traction(mesh: Mesh, material: Elastic | Rod, group: str, components: Components) -> Force:
    """Force per area (s_x, s_y) on the edges of a group, times the thickness; on bars, times their area.

    Raises
    ------
    ModelError
        When the group has no edges (bars: no nodes) or the components do not suit the element.
    MeshError
        When there is no such group.
    """
    element = _element(mesh, material)
    where = f"traction on group '{group}'"
    at = element.facet_points(mesh, group)
    return _vector_load(mesh, element, at, _components(components, element, where), material.section)


def pressure(mesh: Mesh, material: Elastic | Rod, group: str, p: Component) -> Force:
    """Pressure p on the edges of a group: the traction -p n, n the outward normal, so p > 0 pushes inwards.

    Raises
    ------
    ModelError
        As for :func:`traction`, and when an edge of the group is inside the body.
    """
    element = _element(mesh, material)
    at = element.facet_points(mesh, group)
    normals = element.facet_normals(mesh, group)
    P = sum(
        _distribution(mesh, element, at, axis, -material.section * normals[:, axis])
        for axis in range(element.dofs_per_node)
    )
    return _scalar_load(csr_matrix(P), at.points, as_expression(p))


def body_force(mesh: Mesh, material: Elastic | Rod, group: str | None, components: Components) -> Force:
    """Force per volume (b_x, b_y) on the elements of a group, or on the whole body (None).

    Raises
    ------
    ModelError
        When the group has no elements or a component makes no sense.
    """
    return _volume_load(mesh, material, group, components, 1.0, "body force")


def gravity(mesh: Mesh, material: Elastic | Rod, components: Components, group: str | None = None) -> Force:
    """Force per mass (g_x, g_y), an acceleration: the body force density * g."""
    return _volume_load(mesh, material, group, components, material.density, "gravity")


def point_force(mesh: Mesh, group: str, components: Components) -> Force:
    """The force (F_x, F_y) on every node of a group (the whole of it on each node).

    Raises
    ------
    ModelError
        When the group has no nodes or a component makes no sense.
    """
    element = element_of(mesh)
    nodes = mesh.group(group).nodes
    where = f"point force on group '{group}'"
    if not len(nodes):
        raise ModelError(f"{where}: the group has no nodes")
    ones = np.ones(len(nodes))
    at = LoadPoints(nodes[:, None], ones[:, None], ones, mesh.points[nodes])
    return _vector_load(mesh, element, at, _components(components, element, where), 1.0)


def _element(mesh: Mesh, material: Elastic | Rod) -> Element:
    element = element_of(mesh)
    check_material(element, material)
    return element


def _volume_load(
    mesh: Mesh, material: Elastic | Rod, group: str | None, components: Components, factor: float, what: str
) -> Force:
    element = _element(mesh, material)
    where = what if group is None else f"{what} on group '{group}'"
    elements = np.arange(len(mesh.cells)) if group is None else mesh.group(group).elements
    if not len(elements):
        raise ModelError(f"{where}: the group has no elements")
    at = element.interior_points(mesh, elements)
    return _vector_load(mesh, element, at, _components(components, element, where), factor * material.section)


def _components(components: Components, element: Element, where: str) -> tuple[Expression, ...]:
    """One Expression per dof of a node."""
    single = isinstance(components, int | float | str | Expression | np.number)
    values = [as_expression(value) for value in ([components] if single else components)]  # type: ignore[union-attr]
    needed = element.dofs_per_node
    if len(values) > needed == 1 and all(v.is_constant and v(0.0) == 0.0 for v in values[1:]):
        values = values[:1]
    if len(values) != needed:
        want = "two components [x, y]" if needed == 2 else "its component along x (and 0 along y)"
        raise ModelError(f"{where}: element '{element.name}' takes {want}, got {len(values)} components")
    return tuple(values)


def _distribution(
    mesh: Mesh, element: Element, at: LoadPoints, axis: int, scale: float | FloatArray
) -> csr_matrix:
    """P (n, k) with P[dof(node, axis), k] = scale * weights[k] * N[k, node]."""
    k, f = at.nodes.shape
    values = (scale * at.weights)[:, None] * at.N
    rows = element.dofs_per_node * at.nodes + axis
    n = element.dofs_per_node * len(mesh.points)
    return csr_matrix((values.ravel(), (rows.ravel(), np.repeat(np.arange(k), f))), shape=(n, k))


def _vector_load(
    mesh: Mesh, element: Element, at: LoadPoints, values: tuple[Expression, ...], scale: float
) -> Force:
    total = Force.zero(element.dofs_per_node * len(mesh.points))
    for axis, expression in enumerate(values):
        total = total + _scalar_load(_distribution(mesh, element, at, axis, scale), at.points, expression)
    return total


def _scalar_load(P: csr_matrix, points: FloatArray, expression: Expression) -> Force:
    """P f as the cheapest kind of force: f without t is constant, f(t) an amplitude, else a field."""
    n, k = P.shape
    if "t" not in expression.variables:
        return Force(P @ expression(np.zeros(k), points[:, 0], points[:, 1]))
    if expression.variables == {"t"}:
        return Force(np.zeros(n), (P @ np.ones(k))[None, :], (expression,))
    return Force(np.zeros(n), fields=(FieldLoad(P, points, expression),))
