"""Vectorised helpers on the product of Coulomb cones K = {r : |r_T| <= mu r_N}, normal component first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem, project

FloatArray = NDArray[np.float64]

__all__ = [
    "block_norms",
    "contact_scale",
    "natural_map",
    "project",
    "shifted",
    "spectral_bound",
    "tangential_norms",
]


def block_norms(x: FloatArray, d: int) -> FloatArray:
    """|x_i|_2 of each contact's block, shape (c,)."""
    return np.asarray(np.linalg.norm(np.reshape(x, (-1, d)), axis=1))


def tangential_norms(x: FloatArray, d: int) -> FloatArray:
    """|x_T|_2 of each contact, shape (c,); zero where d = 1."""
    return np.asarray(np.linalg.norm(np.reshape(x, (-1, d))[:, 1:], axis=1))


def shifted(w: FloatArray, mu: FloatArray, d: int) -> FloatArray:
    """w + mu |w_T| n, the velocity that lies in the dual cone at a solution (De Saxcé and Feng, 1998)."""
    result = np.array(w, dtype=np.float64).ravel()
    result[::d] += mu * tangential_norms(result, d)
    return result


def natural_map(r: FloatArray, w: FloatArray, mu: FloatArray, d: int) -> FloatArray:
    """r - P_K(r - (w + mu |w_T| n)), shape (d*c,); zero exactly at a solution."""
    return np.asarray(r - project(r - shifted(w, mu, d), mu, d))


def contact_scale(problem: LocalProblem, weights: FloatArray | float = 1.0) -> FloatArray:
    """Mean diagonal entry of D A D over each contact, D = diag(weights); shape (c,), in 1/mass; never zero.

    One number a contact: scaling a contact as a whole leaves the projection on its cone as it is.
    """
    diagonal = np.abs(problem.A.diagonal() * weights**2).reshape(problem.contacts, problem.d).mean(axis=1)
    largest = diagonal.max(initial=0.0)
    floor = 1e-8 * largest if largest > 0.0 else 1.0
    return np.asarray(np.maximum(diagonal, floor))


def spectral_bound(A: Any, scale: FloatArray, d: int, rounds: int = 12) -> float:
    """Estimate, from above, of the largest eigenvalue of S^(-1/2) A S^(-1/2) with S = diag(scale).

    Power iteration; the largest length met, enlarged by a tenth.
    """
    root = 1.0 / np.sqrt(np.repeat(scale, d))
    x = 1.0 + 0.1 * np.cos(np.arange(len(root), dtype=np.float64))
    size = 0.0
    for _ in range(rounds):
        length = float(np.linalg.norm(x))
        if length == 0.0:
            break
        x = root * (A @ (root * (x / length)))
        size = max(size, float(np.linalg.norm(x)))
    return 1.1 * size if size > 0.0 else 1.0
