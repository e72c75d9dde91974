"""The Jacobian H that turns velocities into relative velocities at the contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix

from fem_contact.contact.frames import tangents
from fem_contact.contact.pairs import Contacts, Side


def contact_jacobian(contacts: Contacts, dofs: int, dofs_per_node: int) -> csr_matrix:
    """H with u = H v, the normal component of each contact first, and R = H^T r.

    Rows: (N, T) of each contact for bodies in the plane (two dofs a node), N alone for bars (one dof
    a node, along x). FCLIB files store the transpose.

    Returns
    -------
    csr_matrix of shape (d*c, dofs), d = dofs_per_node.
    """
    axes = np.stack([contacts.normals, tangents(contacts.normals)], axis=1)[:, :dofs_per_node, :dofs_per_node]
    parts = [_side(contacts.body, axes, 1.0), _side(contacts.other, axes, -1.0)]
    rows, columns, values = (np.concatenate([p[i] for p in parts]) for i in range(3))
    shape = (dofs_per_node * contacts.count, dofs)
    jacobian = coo_matrix((values, (rows, columns)), shape=shape).tocsr()
    jacobian.eliminate_zeros()
    return jacobian


def _side(side: Side, axes: NDArray[np.float64], sign: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triplets of one side: entry (contact, direction; node, axis) = +-weight * axes."""
    c, d = axes.shape[:2]
    values = sign * side.weights[:, :, None, None] * axes[:, None]
    rows = np.broadcast_to((d * np.arange(c)[:, None] + np.arange(d))[:, None, :, None], values.shape)
    columns = np.broadcast_to((d * side.nodes[:, :, None] + np.arange(d))[:, :, None, :], values.shape)
    return rows.ravel(), columns.ravel(), values.ravel()
