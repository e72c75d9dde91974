"""Kane's double pendulum, whose lower tip strikes a rough table (Kane 1984, cited in HAL 04230941)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import at_least_zero, contact_law, positive


@dataclass(frozen=True)
class KanePendulum:
    """Two uniform rods hinged to each other and to a fixed point above a table; q = (alpha, beta).

    The angles of the upper and lower rod are measured from the downward vertical. With a = l1, b = l2 the
    tip is at (a sin alpha + b sin beta, height - a cos alpha - b cos beta), x from the hinge and y from the
    table, and

        M = [[(m1/3 + m2) a^2, m2 a b/2 cos(alpha - beta)], [sym., m2 b^2/3]]
        H = [[a sin alpha, b sin beta], [a cos alpha, b cos beta]],    the tangent being +x.

    Newton's impact law with Coulomb friction in the velocity after the impact can leave the pendulum with
    more energy than it had: the friction that opposes the sliding afterwards, or stops it, pushes along the
    sliding before, and its work (u_T- + u_T+)/2 p_T can be positive (HAL 04230941 eq. 44 and below).

    The paper cites the example without numbers: the parameters and the start are ours, equal rods of 1 m at
    20 and 30 degrees, turning slowly. The classical law nearly triples their kinetic energy.

    Parameters
    ----------
    m1, m2 : float
        Masses of the upper and lower rod.
    l1, l2 : float
        Their lengths.
    height : float
        Of the fixed hinge above the table.
    g : float
        Acceleration of gravity.
    mu, e : float
        Friction and restitution.
    """

    m1: float = field(default=1.0, metadata={"dimension": "mass"})
    m2: float = field(default=1.0, metadata={"dimension": "mass"})
    l1: float = field(default=1.0, metadata={"dimension": "length"})
    l2: float = field(default=1.0, metadata={"dimension": "length"})
    height: float = field(default=1.8058, metadata={"dimension": "length"})
    g: float = field(default=9.81, metadata={"dimension": "acceleration"})
    mu: float = 0.5
    e: float = 0.7

    def __post_init__(self) -> None:
        positive(m1=self.m1, m2=self.m2, l1=self.l1, l2=self.l2, height=self.height)
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Two coordinates, one contact with friction."""
        numbers = [self.m1, self.m2, self.l1, self.l2, self.height, self.g]
        return LagrangianSystem(
            n=2,
            contacts=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array(numbers),
            mu=self.mu,
            e=self.e,
            names=("alpha", "beta"),
            angles=("alpha", "beta"),
            contact_names=("tip",),
            start=(np.radians([20.0, 30.0]), np.array([-0.1, -0.2])),
            length=self.l1,
        )


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = (p[0] / 3.0 + p[1]) * p[2] ** 2
    M[0, 1] = M[1, 0] = 0.5 * p[1] * p[2] * p[3] * np.cos(q[0] - q[1])
    M[1, 1] = p[1] * p[3] ** 2 / 3.0


@njit(cache=True)
def _force(t, q, v, p, F):
    turning = 0.5 * p[1] * p[2] * p[3] * np.sin(q[0] - q[1])
    F[0] = -turning * v[1] ** 2 - (0.5 * p[0] + p[1]) * p[5] * p[2] * np.sin(q[0])
    F[1] = turning * v[0] ** 2 - 0.5 * p[1] * p[5] * p[3] * np.sin(q[1])


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    half = 0.5 * p[1] * p[2] * p[3]
    s, c = half * np.sin(q[0] - q[1]), half * np.cos(q[0] - q[1])
    K[0, 1], K[1, 0] = -c * v[1] ** 2, -c * v[0] ** 2
    K[0, 0] = -K[0, 1] + (0.5 * p[0] + p[1]) * p[5] * p[2] * np.cos(q[0])
    K[1, 1] = -K[1, 0] + 0.5 * p[1] * p[5] * p[3] * np.cos(q[1])
    C[0, 0] = C[1, 1] = 0.0
    C[0, 1], C[1, 0] = 2.0 * s * v[1], -2.0 * s * v[0]


@njit(cache=True)
def _gap(q, p, g):
    g[0] = p[4] - p[2] * np.cos(q[0]) - p[3] * np.cos(q[1])


@njit(cache=True)
def _jacobian(q, p, H):
    H[0, 0], H[0, 1] = p[2] * np.sin(q[0]), p[3] * np.sin(q[1])
    H[1, 0], H[1, 1] = p[2] * np.cos(q[0]), p[3] * np.cos(q[1])


@njit(cache=True)
def _potential(q, p):
    upper = p[4] - 0.5 * p[2] * np.cos(q[0])
    lower = p[4] - p[2] * np.cos(q[0]) - 0.5 * p[3] * np.cos(q[1])
    return p[5] * (p[0] * upper + p[1] * lower)
