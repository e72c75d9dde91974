"""Global matrices from element matrices."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from fem_contact.errors import ModelError
from fem_contact.fem.elements import check_material, element_of
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def element_dofs(mesh: Mesh) -> IntArray:
    """(e, m) dofs of each element, node by node: dof = dofs_per_node * node + axis."""
    per_node = element_of(mesh).dofs_per_node
    return (per_node * mesh.cells[:, :, None] + np.arange(per_node)).reshape(len(mesh.cells), -1)


def stiffness(mesh: Mesh, material: Elastic | Rod) -> csr_matrix:
    """Stiffness matrix K, (n, n), from K_e = int B^T D B dV.

    Symmetric bit by bit (``K == K.T`` exactly), with sorted indices. K and the consistent M share one
    sparsity pattern, in which zeros are kept.

    Raises
    ------
    ModelError, MeshError
        On a material of the wrong class for the element; on elements without a positive size.
    """
    element = element_of(mesh)
    check_material(element, material)
    return _assemble(mesh, element.stiffness(mesh.points[mesh.cells], material))


def mass(mesh: Mesh, material: Elastic | Rod, lumped: bool = False) -> csr_matrix:
    """Mass matrix M, (n, n), from M_e = int density N^T N dV; ``lumped`` puts each row sum on the diagonal.

    For the consistent one see :func:`stiffness`; the lumped one is diagonal. Errors as there.
    """
    element = element_of(mesh)
    check_material(element, material)
    blocks = element.mass(mesh.points[mesh.cells], material)
    if not lumped:
        return _assemble(mesh, blocks)
    n = element.dofs_per_node * len(mesh.points)
    rows = np.bincount(element_dofs(mesh).ravel(), blocks.sum(axis=2).ravel(), minlength=n)
    return diags(rows).tocsr()


def _assemble(mesh: Mesh, blocks: FloatArray) -> csr_matrix:
    """Sum of the element blocks (e, m, m) as CSR with sorted indices.

    Entries (i, j) and (j, i) add the same numbers in the same order, that of the elements: this is what keeps
    a sum of symmetric blocks symmetric bit by bit, which SciPy's own summing of duplicates does not promise.
    """
    dofs = element_dofs(mesh)
    m = dofs.shape[1]
    n = element_of(mesh).dofs_per_node * len(mesh.points)
    keys = np.repeat(dofs, m, axis=1).ravel() * n + np.tile(dofs, (1, m)).ravel()
    entries, place = np.unique(keys, return_inverse=True)
    data = np.bincount(place, blocks.ravel(), minlength=len(entries))
    indptr = np.searchsorted(entries, n * np.arange(n + 1))
    matrix = csr_matrix((data, entries % n, indptr), shape=(n, n))
    matrix.has_sorted_indices = True
    return matrix


def rayleigh(M: csr_matrix, K: csr_matrix, alpha: float, beta: float) -> csr_matrix:
    """Rayleigh damping C = alpha M + beta K (alpha in 1/time, beta in time).

    Raises
    ------
    ModelError
        When alpha or beta is negative or not finite.
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (math.isfinite(value) and value >= 0.0):
            raise ModelError(f"Rayleigh damping: {name} must be finite and not negative, got {value}")
    same = np.array_equal(M.indptr, K.indptr) and np.array_equal(M.indices, K.indices)
    if same:  # keeps the common pattern, which a sparse sum would prune
        return csr_matrix((alpha * M.data + beta * K.data, K.indices.copy(), K.indptr.copy()), shape=K.shape)
    return csr_matrix(alpha * M + beta * K)
