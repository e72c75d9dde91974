"""The products with M, K and C that every step needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, identity, triu

from fem_contact.schemes.linear import product_kernels as kernels

FloatArray = NDArray[np.float64]
Unsigned = NDArray[np.uint32]


class Products:
    """(K q, K v, M v, C v) of a state and the like, in the layout that suits the matrices.

    Matrices that are made of 2 x 2 blocks (two dofs a node), those of M multiples of the identity, are
    kept by node; any others entry by entry.
    """

    def __init__(self, M: csr_matrix, K: csr_matrix, C: csr_matrix):
        upper_K, upper_M = _upper(K), _upper(M)
        blocks = _node_blocks(upper_K, upper_M)
        self._multiply: Callable[..., None]
        self._multiply_pairs: Callable[..., None]
        self._matrices: tuple[NDArray, ...]
        if blocks is not None:
            self._multiply, self._multiply_pairs = kernels.by_node, kernels.pairs_by_node
            self._matrices = blocks
        else:
            pattern = _pattern(upper_K, upper_M, identity(M.shape[0], format="csr"))
            values = (_values_on(pattern, upper_K), _values_on(pattern, upper_M))
            self._multiply, self._multiply_pairs = kernels.by_entry, kernels.pairs_by_entry
            self._matrices = (*unsigned(pattern), *values)
        C = C.copy()
        C.eliminate_zeros()
        self.damped = C.nnz > 0
        self._C = (*unsigned(C), C.data)

    def into(self, q: FloatArray, v: FloatArray, out: FloatArray) -> None:
        """out (4, n) = (K q, K v, M v, C v); the last is left at zero without damping."""
        self._multiply(*self._matrices, q, v, out)
        if self.damped:
            self.damp_into(v, out[3])

    def pairs_into(self, q: FloatArray, y: FloatArray, v: FloatArray, a: FloatArray, out: FloatArray) -> None:
        """out[:4] = (K q, K y, M v, M a)."""
        self._multiply_pairs(*self._matrices, q, y, v, a, out)

    def damp_into(self, v: FloatArray, out: FloatArray) -> None:
        """out = C v."""
        kernels.rows(*self._C, v, out)


def unsigned(matrix: csr_matrix) -> tuple[Unsigned, Unsigned]:
    """Row pointers and column indices of a CSR matrix as unsigned integers."""
    return matrix.indptr.astype(np.uint32), matrix.indices.astype(np.uint32)


def _upper(matrix: csr_matrix) -> csr_matrix:
    """Upper triangle, with the diagonal, of the symmetric part."""
    upper = triu(0.5 * (matrix + matrix.T), format="csr")
    upper.sort_indices()
    return upper


def _node_blocks(K: csr_matrix, M: csr_matrix) -> tuple[NDArray, ...] | None:
    """Row pointers, columns and (a, b, c, d, m) of upper 2 x 2 blocks, or None when M is not m I there."""
    n = K.shape[0]
    if n % 2:
        return None
    full = [A + triu(A, 1).T for A in (K, M)]
    pattern = _pattern(*(_by_node(A) for A in full), identity(n // 2, format="csr"))
    pattern = triu(pattern, format="csr")
    pattern.sort_indices()
    node = np.repeat(np.arange(n // 2), np.diff(pattern.indptr))
    entries = [(2 * node + i, 2 * pattern.indices.astype(np.int64) + j) for i in (0, 1) for j in (0, 1)]
    a, b, c, d = (_entries(full[0], *place) for place in entries)
    m, m_xy, m_yx, m_yy = (_entries(full[1], *place) for place in entries)
    if np.any(m_xy) or np.any(m_yx) or not np.array_equal(m, m_yy):
        return None
    return (*unsigned(pattern), np.ascontiguousarray(np.column_stack([a, b, c, d, m])))


def _by_node(matrix: csr_matrix) -> csr_matrix:
    """The pattern of a matrix in terms of nodes of two dofs."""
    coo = matrix.tocoo()
    shape = (matrix.shape[0] // 2, matrix.shape[1] // 2)
    return csr_matrix((np.ones(coo.nnz), (coo.row // 2, coo.col // 2)), shape)


def _pattern(*matrices: csr_matrix) -> csr_matrix:
    """The union of sparsity patterns, as a matrix of positive numbers."""
    total = sum(csr_matrix((np.ones(len(A.data)), A.indices, A.indptr), A.shape) for A in matrices)
    total = csr_matrix(total)
    total.sort_indices()
    return total


def _values_on(pattern: csr_matrix, matrix: csr_matrix) -> FloatArray:
    """Entries of a matrix at the places of a wider pattern."""
    row = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return _entries(matrix, row, pattern.indices)


def _entries(matrix: csr_matrix, row: NDArray, column: NDArray) -> FloatArray:
    """matrix[row, column], zero where nothing is stored."""
    matrix = csr_matrix(matrix)
    matrix.sum_duplicates()
    n = np.int64(matrix.shape[1])
    own = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr)) * n + matrix.indices
    wanted = np.asarray(row, np.int64) * n + column
    place = np.minimum(np.searchsorted(own, wanted), max(len(own) - 1, 0))
    if not len(own):
        return np.zeros(len(wanted))
    return np.where(own[place] == wanted, matrix.data[place], 0.0)
