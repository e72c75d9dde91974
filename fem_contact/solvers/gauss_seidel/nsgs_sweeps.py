"""Sweeps of one problem in batches, dense or in sparse blocks, and the status that they arrive at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.gauss_seidel import block_sweep_kernels as block_kernels
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels
from fem_contact.solvers.gauss_seidel.status_solve import solve_on_status, status_at
from fem_contact.solvers.nsgs import NSGS, PreparedNSGS, begin_order

__all__ = ["solve_on_status", "status_at", "sweeps_of"]

FloatArray = NDArray[np.float64]
Run = Callable[[FloatArray, int, float], int]


def sweeps_of(settings: NSGS, problem: LocalProblem, few: bool) -> Run:
    """``run(r, sweeps, tol)``: up to so many sweeps on r, in place; returns how many were made.

    ``few``: with the compiled exact finish, on a dense matrix.
    """
    if problem.sparse and not few:
        return _block_sweeps(settings, problem)
    A, mu = problem.dense(), problem.mu
    prepared = PreparedNSGS(settings, problem.contacts, problem.d, exact=few)
    prepared.start(A, problem.contacts)
    return lambda r, sweeps, tol: prepared.sweep(A, problem.b, mu, r, sweeps, tol)


def _block_sweeps(settings: NSGS, problem: LocalProblem) -> Run:
    """Sweeps on sparse blocks. Their change tells when to look: it is about the residual when contacts
    hardly couple, and larger than it, or smaller, when they do."""
    A, b, mu = problem.A, problem.b, problem.mu
    count = problem.contacts
    diagonal, order = np.empty(count, np.int64), np.empty(count, np.int64)
    stale, old = np.ones(count, dtype=np.bool_), np.empty(3)
    state, seed = np.empty(kernels.STATE), np.empty(1, np.uint64)
    skipping = bool(block_kernels.diagonal_blocks(A.indptr, A.indices, diagonal))
    begin_order(order, seed, settings.seed)
    kernels.start(settings.relaxation, state, diagonal[:0])
    scale = 1.0 + float(np.linalg.norm(b))
    eagerness = 1.0

    def run(r: FloatArray, sweeps: int, tol: float) -> int:
        nonlocal eagerness
        stale[:] = True
        small = eagerness * tol * scale
        made, change = block_kernels.block_gauss_seidel(
            A.indptr,
            A.indices,
            A.data,
            b,
            mu,
            diagonal,
            skipping,
            small,
            sweeps,
            settings.symmetric,
            settings.shuffle,
            r,
            state,
            seed,
            order,
            stale,
            old,
        )
        if change <= small:
            eagerness *= 0.25  # looked too early if the watch is not content with this
        return int(made)

    return run
