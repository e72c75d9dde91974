"""What a residual is made of, contact by contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ProblemError
from fem_contact.problems.local import LocalProblem, project, status

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ResidualParts:
    """How far each contact is from its law; all arrays have shape (c,).

    With v = w + mu |w_T| n the law is: r in K, v in the dual cone K*, r . v = 0 (Acary & Collins-Craft,
    HAL 04230941, section 4).

    Attributes
    ----------
    fault : |r - P_K(r - v)|; the residual is its norm over all contacts, over 1 + |b|
    primal : distance of r from K
    dual : distance of v from K*
    complementarity : |r . v|
    status : OPEN, STICK or SLIP, see :func:`fem_contact.problems.status`
    """

    fault: FloatArray
    primal: FloatArray
    dual: FloatArray
    complementarity: FloatArray
    status: NDArray[np.int64]

    @property
    def worst(self) -> int:
        """The contact of the largest fault; -1 without contacts."""
        return int(np.argmax(self.fault)) if len(self.fault) else -1


def residual_parts(problem: LocalProblem, r: FloatArray) -> ResidualParts:
    """The parts of the residual of r. ProblemError when r has not the shape of b."""
    r = np.asarray(r, dtype=np.float64).ravel()
    if r.shape != problem.b.shape:
        raise ProblemError(f"r has shape {r.shape}, expected {problem.b.shape}")
    mu, shape = problem.mu, (problem.contacts, problem.d)
    v = problem.velocity(r)
    v[:: problem.d] += mu * np.linalg.norm(v.reshape(shape)[:, 1:], axis=1)

    def size(x: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(x.reshape(shape), axis=1))

    return ResidualParts(
        fault=size(r - project(r - v, mu, problem.d)),
        primal=size(r - project(r, mu, problem.d)),
        # Moreau: v = P_K*(v) - P_K(-v).
        dual=size(project(-v, mu, problem.d)),
        complementarity=np.abs((r * v).reshape(shape).sum(axis=1)),
        status=status(problem, r),
    )
