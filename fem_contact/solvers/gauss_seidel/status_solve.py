"""Exact solve on a status in the plane with sparse or LAPACK factors, for problems of many contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import csc_matrix, csr_matrix, eye
from scipy.sparse.linalg import splu

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels
from fem_contact.solvers.gauss_seidel import status_kernels as status_kernels

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Share of the mean diagonal that is added to it, so that the factors of a singular matrix exist.
SHIFT = 1e-8


def status_at(problem: LocalProblem, r: FloatArray) -> IntArray:
    """Face of K that r - (w + mu |w_T| n) projects to, contact by contact; d = 1 or 2."""
    status = np.full(problem.contacts, -1, dtype=np.int64)
    kernels.classify(r, problem.velocity(r), problem.mu, problem.d, True, status)
    return status


def solve_on_status(
    problem: LocalProblem, status: IntArray, r: FloatArray, corrections: int = 5
) -> FloatArray:
    """The impulses that a status leads to, the status corrected while contacts contradict it.

    A correction of r is solved for, with a small shift of the diagonal whose effect is iterated away:
    where the status is singular (reactions that balance each other) the part of r that nothing
    determines stays as it is.
    """
    status = status.copy()
    mu, d = problem.mu, problem.d
    zero_w = 1e-14 * np.abs(problem.b).max(initial=0.0)
    trial = r
    for _ in range(corrections):
        trial = _corrected(problem, status, r)
        if not np.all(np.isfinite(trial)):
            break
        if status_kernels.revise_status(trial, problem.velocity(trial), mu, d, zero_w, status) == 0:
            break
    return trial


def _corrected(problem: LocalProblem, status: IntArray, r: FloatArray) -> FloatArray:
    """r with w zero on the rows of the status, by the least correction."""
    r = r.copy()
    mu, d = problem.mu, problem.d
    status_kernels.put_on_faces(mu, d, status, r)
    closed = status != status_kernels.OPEN
    mask = np.zeros((problem.contacts, d), dtype=bool)
    mask[:, 0] = closed
    if d == 2:
        mask[:, 1] = status == status_kernels.STICK
    rows = np.flatnonzero(mask.ravel())
    if not len(rows):
        return r
    # dr = P x: a slipping contact's tangential impulse follows its normal one.
    entries, unknowns = np.ones(len(rows)), rows
    columns = np.arange(len(rows))
    if d == 2:
        side = np.where(status == status_kernels.SLIP_PLUS, 1.0, -1.0) * mu
        sliding = np.flatnonzero(closed & (status != status_kernels.STICK))
        unknowns = np.concatenate([rows, 2 * sliding + 1])
        columns = np.concatenate([columns, np.searchsorted(rows, 2 * sliding)])
        entries = np.concatenate([entries, side[sliding]])
    P = csr_matrix((entries, (unknowns, columns)), shape=(len(r), len(rows)))
    B = csr_matrix(problem.A)[rows] @ P if problem.sparse else problem.A[rows] @ P
    factor = _factor(B)
    x = np.zeros(len(rows))
    fault = -problem.velocity(r)[rows]
    left = np.linalg.norm(fault)
    target = 1e-15 * left
    for _ in range(12):
        step = factor(fault - B @ x)
        after = np.linalg.norm(fault - B @ (x + step))
        if not after < left:
            break
        x += step
        if after <= target or after > 0.9 * left:
            break
        left = after
    r = r + P @ x
    status_kernels.put_on_faces(mu, d, status, r)
    return r


def _factor(B: csr_matrix | FloatArray) -> Callable[[FloatArray], FloatArray]:
    """x = (B + shift)^-1 y as a function of y."""
    shift = SHIFT * float(np.abs(B.diagonal()).mean())
    size = B.shape[0]
    if isinstance(B, np.ndarray):
        factors = lu_factor(B + shift * np.eye(size), check_finite=False)
        return lambda y: lu_solve(factors, y, check_finite=False)
    try:
        sparse = splu(csc_matrix(B + shift * eye(size)), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1)
    except RuntimeError:  # exactly singular all the same
        return lambda y: np.zeros_like(y)
    return lambda y: sparse.solve(y)
