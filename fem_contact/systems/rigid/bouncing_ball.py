"""A ball on a line that gravity throws on a floor (RR-8029 example 1, eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import contact_law, positive


@dataclass(frozen=True)
class BouncingBall:
    """m dv = m f dt + di, q >= 0, v+ = -e v-.

    With f = -2, e = 1/2 and a start at rest at q = 1 the impacts accumulate at t = 3 exactly.

    Parameters
    ----------
    m : float
        Mass.
    f : float
        Acceleration of the free ball, negative downwards.
    e : float
        Restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    f: float = field(default=-2.0, metadata={"dimension": "acceleration"})
    e: float = 0.5

    def __post_init__(self) -> None:
        positive(m=self.m)
        contact_law(0.0, self.e)

    def system(self) -> LagrangianSystem:
        """One coordinate (the height), one frictionless contact."""
        return LagrangianSystem(
            n=1,
            contacts=1,
            dim=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array([self.m, self.f]),
            e=self.e,
            names=("height",),
            contact_names=("floor",),
            start=(np.ones(1), np.zeros(1)),
        )


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = p[0]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = p[0] * p[1]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[0, 0] = 0.0
    C[0, 0] = 0.0


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[0]


@njit(cache=True)
def _jacobian(q, p, H):
    H[0, 0] = 1.0


@njit(cache=True)
def _potential(q, p):
    return -p[0] * p[1] * q[0]
