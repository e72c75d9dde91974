"""A rod that slides with its tip on rough ground: Painlevé's paradox (Asymptotic contact law, section 1)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import contact_law, positive
from fem_contact.systems.rigid.slider_crank import LENGTH, MASS


@dataclass(frozen=True)
class PainleveRod:
    """A uniform rod by its centre (x, y) and its angle q3 to the ground; its lower tip touches y = 0.

    With the tip at (x - l cos q3, y - l sin q3), J = m l^2/3 and H at the tip,

        W_NN = (1 + 3 cos^2 q3)/m,   W_NT = -3 sin q3 cos q3/m,   W_TT = (1 + 3 sin^2 q3)/m,

    so that a tip that slides towards -x (the rod being pushed) and is pressed on with friction mu is pulled
    down by its own reaction where W_NN + mu W_NT < 0: mu > (1 + 3 cos^2 q3)/(3 sin q3 cos q3) >= 4/3, the
    least at tan q3 = 2. That is gamma(q) < 0 in the theorem of the paper; see :meth:`critical_friction` for
    gamma(q) = 0. As gamma depends on q3 it then changes sign nearby, unless mu = 4/3 at tan q3 = 2.

    Parameters
    ----------
    m, l : float
        Mass and half the length.
    mu, e : float
    gravity : float
    angle : float
        q3 at the start, in (0, pi/2).
    speed : float
        Of the rod at the start, along x.
    """

    m: float = field(default=1.0, metadata=MASS)
    l: float = field(default=1.0, metadata=LENGTH)
    mu: float = 2.0
    e: float = 0.0
    gravity: float = field(default=9.81, metadata={"dimension": "acceleration"})
    angle: float = 0.7853981633974483
    speed: float = field(default=-1.0, metadata={"dimension": "velocity"})

    def __post_init__(self) -> None:
        positive(m=self.m, l=self.l, angle=self.angle, **{"pi/2 - angle": np.pi / 2.0 - self.angle})
        contact_law(self.mu, self.e)

    @staticmethod
    def critical_friction(angle: float) -> float:
        """The mu that makes gamma(q) = 0: (1 + 3 cos^2 q3)/(3 sin q3 cos q3)."""
        s, c = np.sin(angle), np.cos(angle)
        return float((1.0 + 3.0 * c * c) / (3.0 * s * c))

    def system(self) -> LagrangianSystem:
        """Three coordinates, one contact with friction."""
        start = np.array([0.0, self.l * np.sin(self.angle), self.angle]), np.array([self.speed, 0.0, 0.0])
        return LagrangianSystem(
            n=3,
            contacts=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array([self.m, self.m * self.l**2 / 3.0, self.m * self.gravity, self.l]),
            mu=self.mu,
            e=self.e,
            names=("x", "y", "angle"),
            contact_names=("tip",),
            start=start,
            length=self.l,
            wave_speed=max(abs(self.speed), np.sqrt(abs(self.gravity) * self.l)),
        )


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = M[1, 1] = p[0]
    M[2, 2] = p[1]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = F[2] = 0.0
    F[1] = -p[2]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    pass  # K and C come as zeros and stay so: the weight is constant


@njit(cache=True)
def _potential(q, p):
    return p[2] * q[1]


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[1] - p[3] * np.sin(q[2])


@njit(cache=True)
def _jacobian(q, p, H):
    H[0, 1] = H[1, 0] = 1.0
    H[0, 2] = -p[3] * np.cos(q[2])
    H[1, 2] = p[3] * np.sin(q[2])
