"""Strains and stresses from displacements, and their averages at the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.fem.assembly import element_dofs
from fem_contact.fem.elements import check_material, element_of
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]


def strain(mesh: Mesh, material: Elastic | Rod, q: Any) -> FloatArray:
    """(..., e, 3) strains (e_xx, e_yy, 2 e_xy) of displacements q (..., n), the mean over each element.

    Bars give (e_xx, 0, 0): the model knows nothing of a rod's lateral strain.
    """
    element = element_of(mesh)
    check_material(element, material)
    B = element.strain_operator(mesh.points[mesh.cells])
    return np.einsum("eij,...ej->...ei", B, np.asarray(q, dtype=np.float64)[..., element_dofs(mesh)])


def stress(mesh: Mesh, material: Elastic | Rod, q: Any) -> FloatArray:
    """(..., e, 3) stresses (s_xx, s_yy, s_xy) of displacements q (..., n), the mean over each element."""
    return element_of(mesh).stress(strain(mesh, material, q), material)


def nodal(mesh: Mesh, values: Any) -> FloatArray:
    """(n, ...) averages at the nodes of element values (e, ...), weighted by area (bars: by length).

    v_i = sum_e A_e v_e / sum_e A_e over the elements at node i; NaN at a node that belongs to none.
    """
    values = np.asarray(values, dtype=np.float64)
    weights = element_of(mesh).measure(mesh.points[mesh.cells])
    k, n = mesh.cells.shape[1], len(mesh.points)
    nodes = mesh.cells.ravel()
    total = np.bincount(nodes, np.repeat(weights, k), minlength=n)
    columns = values.reshape(len(values), -1).T
    sums = [np.bincount(nodes, np.repeat(weights * column, k), minlength=n) for column in columns]
    with np.errstate(invalid="ignore"):
        means = np.array(sums) / total
    return means.T.reshape((n, *values.shape[1:]))


def von_mises(mesh: Mesh, material: Elastic | Rod, stress: Any) -> FloatArray:
    """(..., e) von Mises stress of stresses (..., e, 3).

    s_vM^2 = ((s_xx - s_yy)^2 + (s_yy - s_zz)^2 + (s_zz - s_xx)^2)/2 + 3 s_xy^2, where s_zz is 0 in plane
    stress and nu (s_xx + s_yy) in plane strain.
    """
    check_material(element_of(mesh), material)
    s = np.asarray(stress, dtype=np.float64)
    xx, yy, xy = s[..., 0], s[..., 1], s[..., 2]
    zz = material.out_of_plane(s)
    return np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * xy**2)
