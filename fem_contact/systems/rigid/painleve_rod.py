"""A rod that slides with its tip on rough ground: Painlevé's paradox (Asymptotic contact law, section 1)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid import _plane_body as body
from fem_contact.systems.rigid.base import (
    ACCELERATION,
    LENGTH,
    MASS,
    SPEED,
    at_least_zero,
    contact_law,
    positive,
)


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
    g : float
        Acceleration of gravity, along -y.
    angle : float
        q3 at the start, in (0, pi/2).
    speed : float
        Of the rod at the start, along x.
    """

    m: float = field(default=1.0, metadata=MASS)
    l: float = field(default=1.0, metadata=LENGTH)
    mu: float = 2.0
    e: float = 0.0
    g: float = field(default=9.81, metadata=ACCELERATION)
    angle: float = 0.7853981633974483
    speed: float = field(default=-1.0, metadata=SPEED)

    def __post_init__(self) -> None:
        positive(m=self.m, l=self.l, angle=self.angle, **{"pi/2 - angle": np.pi / 2.0 - self.angle})
        at_least_zero(g=self.g)
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
            mass=body.mass,
            force=body.force,
            tangents=body.tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=body.potential,
            parameters=np.array([self.m, self.m * self.l**2 / 3.0, self.g, self.l]),
            mu=self.mu,
            e=self.e,
            names=("x", "y", "angle"),
            angles=("angle",),
            contact_names=("tip",),
            start=start,
            length=self.l,
            wave_speed=max(abs(self.speed), np.sqrt(self.g * self.l)),
        )


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[1] - p[3] * np.sin(q[2])


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    H[0, 1] = H[1, 0] = 1.0
    H[0, 2] = -p[3] * np.cos(q[2])
    H[1, 2] = p[3] * np.sin(q[2])
