"""Factors of a Newton matrix of the plane by blocks of contacts, against SuperLU and a product with A.

    python -m benchmarks.elimination

The contacts are those of disks that lie in staggered rows, a seventh of them open; the matrix is like one
that an interior point step factorises. Both have their order of elimination from an earlier matrix. Measured
in turns; medians.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, coo_matrix

from benchmarks.sweep import ratios
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.linear.plane_system import PlaneSystem
from fem_contact.solvers.linear.sparse_system import SparseSystem

FloatArray = NDArray[np.float64]


def packing(columns: int, rows: int) -> bsr_matrix:
    """A = H M^-1 H^T of disks of diameter 1 and mass 1 in staggered rows, a little out of place."""
    rng = np.random.default_rng(0)
    row, column = np.divmod(np.arange(columns * rows), columns)
    x = np.column_stack([column + 0.5 * (row % 2), 0.87 * row]) + 0.05 * rng.standard_normal((len(row), 2))
    i, j = np.nonzero(np.triu(np.linalg.norm(x[:, None] - x, axis=2) < 1.4, 1))
    closed = rng.random(len(i)) > 1.0 / 7.0
    i, j = i[closed], j[closed]
    n = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j], axis=1)[:, None]
    t, arm = np.column_stack([-n[:, 1], n[:, 0]]), np.full(len(i), -0.5)
    normal, tangential = np.column_stack([n, 0.0 * arm]), np.column_stack([t, arm])
    opposite = np.column_stack([-t, arm])
    entries = np.concatenate([normal, tangential, -normal, opposite]).ravel()
    k = np.arange(len(i))
    lines = np.repeat(np.concatenate([2 * k, 2 * k + 1, 2 * k, 2 * k + 1]), 3)
    places = (3 * np.concatenate([i, i, j, j])[:, None] + np.arange(3)).ravel()
    H = coo_matrix((entries, (lines, places)), shape=(2 * len(i), 3 * len(x))).tocsr()
    inverse = np.tile([1.0, 1.0, 8.0], len(x))
    matrix = (H.multiply(inverse) @ H.T).tocsr()
    return LocalProblem(matrix, np.zeros(2 * len(i)), np.zeros(len(i)), 2).A


def against_superlu(columns: int, rows: int) -> dict[str, float]:
    """Factors and a solution by blocks and by SuperLU, and a product."""
    A, rng = packing(columns, rows), np.random.default_rng(1)
    c = A.shape[0] // 2
    B = 10.0 ** rng.uniform(-3.0, 1.0, c)[:, None, None] * np.array([[1.0, 0.3], [0.3, 1.0]])
    C = np.tile(np.eye(2), (c, 1, 1))
    C[:, 0, 1] = rng.uniform(-1.0, 1.0, c)
    nothing, contacts, x = np.zeros(c), np.arange(c), rng.standard_normal(2 * c)
    blocks, scalars = PlaneSystem(A), SparseSystem(A, 2)

    def step(system: PlaneSystem | SparseSystem) -> FloatArray:
        solve = system.factor(B, C, nothing, contacts)
        assert solve is not None
        return solve(x)

    assert np.allclose(step(blocks), step(scalars), rtol=1e-6)
    mine, theirs, product = ratios(lambda: step(blocks), lambda: step(scalars), lambda: A @ x)
    return {
        "contacts": c,
        "blocks_ms": round(1e3 * mine, 2),
        "over_superlu": round(mine / theirs, 2),
        "over_a_product": round(mine / product, 1),
    }


def main() -> None:
    """Measure and print."""
    print(json.dumps([against_superlu(*size) for size in ((20, 20), (32, 32), (44, 44), (50, 50))], indent=2))


if __name__ == "__main__":
    main()
