"""From mesh, material, supports, loads and contacts to a :class:`LinearSystem`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import vstack

from fem_contact.contact.jacobian import contact_jacobian
from fem_contact.contact.pairs import Contacts
from fem_contact.errors import ModelError
from fem_contact.fem.assembly import mass, rayleigh, stiffness
from fem_contact.fem.elements import ELEMENTS
from fem_contact.fem.force import Force
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.supports import Support, prescribe
from fem_contact.mesh.boundary import smallest_edge
from fem_contact.mesh.mesh import Mesh
from fem_contact.systems.linear import LinearSystem


def assemble_body(
    mesh: Mesh,
    material: Elastic | Rod,
    *,
    supports: Sequence[Support] = (),
    force: Force | None = None,
    contacts: Sequence[Contacts] = (),
    alpha: float = 0.0,
    beta: float = 0.0,
    lumped: bool = False,
) -> LinearSystem:
    """The elastic body as a linear system, C = alpha M + beta K.

    Parameters
    ----------
    mesh, material
        What the body is made of.
    supports, force, contacts
        How it is held and loaded, and where it may touch.
    alpha, beta : float
        Rayleigh damping (1/time, time), not negative.
    lumped : bool
        Diagonal mass matrix instead of the consistent one.

    Raises
    ------
    ModelError
        When a contact starts below its obstacle or its normal direction is held by a support.
    """
    per_node = ELEMENTS[mesh.element].dofs_per_node
    dofs = per_node * len(mesh.points)
    M, K = mass(mesh, material, lumped), stiffness(mesh, material)
    motion = prescribe(mesh, supports) if supports else None
    merged = _merge(contacts, dofs, per_node)
    length = float(smallest_edge(mesh))
    for group in contacts:
        _check_start(group, length)
    system = LinearSystem(
        M=M,
        K=K,
        C=rayleigh(M, K, alpha, beta),
        force=Force.zero(dofs) if force is None else force,
        motion=motion,
        dim=per_node,
        length=length,
        wave_speed=float(material.wave_speed),
        mesh=mesh,
        material=material,
        dofs_per_node=per_node,
        **merged,
    )
    _check_free_normals(system)
    return system


def _merge(contacts: Sequence[Contacts], dofs: int, per_node: int) -> dict:
    if not contacts:
        return {}
    joined = {name: np.concatenate([getattr(c, name) for c in contacts]) for name in ("normals", "mu", "e")}
    nodes = np.concatenate([c.body.nodes[:, 0] for c in contacts])
    H = vstack([contact_jacobian(c, dofs, per_node) for c in contacts]).tocsr()
    return {"H": H, "g0": np.concatenate([c.gap for c in contacts]), "contact_nodes": nodes, **joined}


def _check_start(contacts: Contacts, length: float) -> None:
    below = contacts.gap < -1e-9 * length
    if np.any(below):
        raise ModelError(
            f"{np.count_nonzero(below)} of the {contacts.count} nodes of contact group '{contacts.names[0]}' "
            f"start below their obstacle, the deepest by {-contacts.gap.min():.6g}: "
            "move the mesh or the obstacle"
        )


def _check_free_normals(system: LinearSystem) -> None:
    """A contact can only push a node whose normal motion is free."""
    free = np.ones(system.n, bool)
    if system.motion is not None:
        free[system.motion.dofs] = False
    reach = abs(system.H[:: system.dim]) @ free.astype(float)
    held = np.flatnonzero(reach == 0.0)
    if len(held):
        nodes = ", ".join(str(i) for i in system.contact_nodes[held[:5]])
        more = ", ..." if len(held) > 5 else ""
        raise ModelError(
            f"{len(held)} contact nodes (nodes {nodes}{more}) cannot move along their contact normal "
            "(a support holds them, or the normal is across a bar): "
            "take them out of the contact group or free that direction"
        )
