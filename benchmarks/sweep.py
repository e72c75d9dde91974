"""One Gauss-Seidel sweep against reading A once, dense and in sparse blocks.

    python -m benchmarks.sweep

Dense: time of a sweep in which every contact changes over that of one NumPy product A @ r, and of the plain
loop that the sweeps themselves use for products. Sparse: over one SciPy product. Measured in turns; medians.
Small dense sweeps and plain products are repeated within compiled code, as a solver repeats them: the call
from Python would take as long as a sweep over 40 contacts. NumPy's products include their calls.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix

from fem_contact.problems._kernels import block_multiply_add, multiply_add
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.gauss_seidel import block_sweep_kernels as block_kernels
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels

ROUNDS = 15


def chain(contacts: int, d: int, neighbours: int = 6) -> LocalProblem:
    """Diagonally dominant sparse blocks, each contact coupled to ``neighbours`` others, all sliding."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(contacts), neighbours)
    columns = (rows + np.tile(np.arange(1, neighbours + 1), contacts)) % contacts
    blocks = 0.05 * rng.standard_normal((len(rows), d, d))
    diagonal = np.broadcast_to(2.0 * np.eye(d), (contacts, d, d))
    i = np.concatenate([rows, columns, np.arange(contacts)])
    j = np.concatenate([columns, rows, np.arange(contacts)])
    data = np.concatenate([blocks, blocks.transpose(0, 2, 1), diagonal])
    order = np.lexsort((j, i))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=contacts))])
    A = bsr_matrix((data[order], j[order], indptr), shape=(d * contacts, d * contacts))
    b = rng.standard_normal(d * contacts)
    b[::d] = -1.0 - np.abs(b[::d])
    return LocalProblem(A, b, np.full(contacts, 0.3), d)


def seconds(function: Callable[[], object], least: float = 0.02) -> float:
    """Seconds of one call, over at least ``least`` seconds of calls."""
    calls, elapsed = 0, 0.0
    started = time.perf_counter()
    while elapsed < least:
        function()
        calls += 1
        elapsed = time.perf_counter() - started
    return elapsed / calls


def ratios(*functions: Callable[[], object]) -> NDArray[np.float64]:
    """Median seconds of each, measured in turns."""
    for function in functions:
        function()  # compiled and in the cache
    return np.median([[seconds(f) for f in functions] for _ in range(ROUNDS)], axis=0)


@njit
def repeated_sweeps(times, A, At, b, mu, d, order, r, w, old):
    """So many first sweeps from r = 0."""
    for _ in range(times):
        r[:] = 0.0
        w[:] = b
        kernels.sweep(A, At, mu, d, 1.0, order, False, r, w, old)


@njit
def repeated_products(times, A, r, b, w):
    """So many times w = A r + b."""
    for _ in range(times):
        multiply_add(A, r, b, w)


def dense_sweep(contacts: int, d: int) -> dict[str, float]:
    """A sweep in which all contacts change, on a dense matrix."""
    problem = chain(contacts, d)
    A, b, mu = problem.dense(), problem.b, problem.mu
    At = np.ascontiguousarray(A.T)
    order, old, w = np.arange(contacts), np.empty(3), np.empty(len(b))
    r, out = np.zeros(len(b)), np.empty(len(b))

    times = 1 + 200_000 // A.size
    swept, numpy_product, loop = ratios(
        lambda: repeated_sweeps(times, A, At, b, mu, d, order, r, w, old),
        lambda: np.dot(A, r, out=out),
        lambda: repeated_products(times, A, r, b, out),
    ) / np.array([times, 1, times])
    return {
        "sweep_us": round(1e6 * swept, 1),
        "over_numpy_product": round(swept / numpy_product, 2),
        "over_plain_product": round(swept / loop, 2),
    }


def sparse_sweep(contacts: int, d: int) -> dict[str, float]:
    """A sweep in which all contacts change, on sparse blocks."""
    problem = chain(contacts, d)
    A, b, mu = problem.A, problem.b, problem.mu
    diagonal, order, old = np.empty(contacts, np.int64), np.arange(contacts), np.empty(3)
    block_kernels.diagonal_blocks(A.indptr, A.indices, diagonal)
    r, out, stale = np.zeros(len(b)), np.empty(len(b)), np.ones(contacts, dtype=np.bool_)
    arrays = A.indptr, A.indices, A.data

    def sweep() -> None:
        r[:] = 0.0
        block_kernels.block_sweep(*arrays, b, mu, diagonal, True, 1.0, order, False, r, stale, old)

    swept, scipy_product, loop = ratios(sweep, lambda: A @ r, lambda: block_multiply_add(*arrays, r, b, out))
    return {
        "sweep_us": round(1e6 * swept, 1),
        "ns_per_contact": round(1e9 * swept / contacts),
        "over_scipy_product": round(swept / scipy_product, 2),
        "over_plain_product": round(swept / loop, 2),
    }


def main() -> None:
    """Measure and print."""
    result = {f"dense c={c} d={d}": dense_sweep(c, d) for c, d in ((300, 1), (40, 2), (300, 2), (600, 3))}
    result |= {f"sparse c={c} d={d}": sparse_sweep(c, d) for c, d in ((7000, 2), (2000, 3))}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
