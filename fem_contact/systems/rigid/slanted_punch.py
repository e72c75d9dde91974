"""A punch in the slanted slot of a cart: gamma(q) is the same everywhere (Asymptotic contact law)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import ACCELERATION, MASS, SPEED, at_least_zero, contact_law, positive


@dataclass(frozen=True)
class SlantedPunch:
    """A punch at (x, y) slides in a slot, at cot(alpha) = k, of a cart on a level rail; the ground is y = 0.

    The cart is at x - k y, and therefore

        M = [m1 + m2   -m1 k       ],   W = M^{-1},   W_NN = (m1 + m2)/D,   W_NT = m1 k/D,
            [-m1 k      m2 + m1 k^2]    D = m2 (m1 + m2 + m1 k^2),

    constant like the normal: gamma(q) has one sign, that of m1 + m2 - mu m1 |k|. With the default it is zero
    in exact arithmetic and in floating point, the second case of theorem 1: the Contact Dynamics operator
    either leaves the velocity of a tangential contact or stops the punch, and finds nothing in between
    however small the disturbance. (An example of ours: the paper gives none.)

    Parameters
    ----------
    m1, m2 : float
        Masses of cart and punch.
    k : float
        Cotangent of the slot's angle.
    mu, e : float
    g : float
        Acceleration of gravity, along -y.
    speed : float
        Of both at the start, along x, the punch on the ground.
    """

    m1: float = field(default=1.0, metadata=MASS)
    m2: float = field(default=1.0, metadata=MASS)
    k: float = 2.0
    mu: float = 1.0
    e: float = 0.0
    g: float = field(default=9.81, metadata=ACCELERATION)
    speed: float = field(default=1.0, metadata=SPEED)

    def __post_init__(self) -> None:
        positive(m1=self.m1, m2=self.m2, k=self.k)
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Two coordinates, one contact with friction."""
        m1, m2, k = self.m1, self.m2, self.k
        return LagrangianSystem(
            n=2,
            contacts=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array([m1 + m2, -m1 * k, m2 + m1 * k * k, m2 * self.g]),
            mu=self.mu,
            e=self.e,
            names=("x", "y"),
            contact_names=("punch",),
            start=(np.zeros(2), np.array([self.speed, 0.0])),
        )


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = p[0]
    M[0, 1] = M[1, 0] = p[1]
    M[1, 1] = p[2]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = 0.0
    F[1] = -p[3]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[...] = 0.0
    C[...] = 0.0


@njit(cache=True)
def _potential(q, p):
    return p[3] * q[1]


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[1]


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    H[0, 1] = H[1, 0] = 1.0
