"""A slider-crank whose slider has clearance in its guide (RR-8029 section 6.4.1), in minimal coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import (
    ACCELERATION,
    INERTIA,
    LENGTH,
    MASS,
    RATE,
    at_least_zero,
    contact_law,
    positive,
)


@dataclass(frozen=True)
class SliderCrank:
    """Crank, rod and slider by their angles to the x axis; the corners of the slider meet two walls.

    The crank turns about the origin, its end carries the rod, and the rod's end the centre of the slider,
    at (l1 cos q1 + l2 cos q2, l1 sin q1 + l2 sin q2). Crank and rod have their centres in their middles.
    With B = (m2/2 + m3) l1 l2,

            [J1 + (m1/4 + m2 + m3) l1^2   B cos(q1 - q2)              0 ]
        M = [B cos(q1 - q2)               J2 + (m2/4 + m3) l2^2       0 ]
            [0                            0                           J3]

        F1 = -B sin(q1 - q2) v2^2 - (m1/2 + m2 + m3) g l1 cos q1
        F2 =  B sin(q1 - q2) v1^2 - (m2/2 + m3) g l2 cos q2,        F3 = 0.

    The walls are at y = -d/2 and y = d/2. Corners 1 and 2 (left, right) meet the upper one and 3 and 4
    (left, right) the lower one; +x is the tangent at each. Two corners of a wall say less than four
    equations about three coordinates: their friction is not unique, only its sum is.

    The defaults are table 2 of RR-8029, which prints "m2" and "J_x,2" for the slider's m3 and J_x,3. It asks
    for d = 2 b + 2 c. Its J2 is three times that of a uniform rod, m2 l2^2 / 12 = 2.97e-4; J1 is that of one.

    Parameters
    ----------
    l1, l2 : float
        Lengths of crank and rod.
    a, b : float
        Half length and half height of the slider.
    d : float
        Distance of the walls.
    m1, m2, m3, J1, J2, J3 : float
        Masses, and moments of inertia about the centres of mass.
    g : float
        Acceleration of gravity, along -y.
    e, mu : float
        Restitution and friction at the corners.
    omega1, omega2 : float
        Angular velocities at the start, where all three are aligned with the x axis.
    """

    l1: float = field(default=0.153, metadata=LENGTH)
    l2: float = field(default=0.306, metadata=LENGTH)
    a: float = field(default=0.05, metadata=LENGTH)
    b: float = field(default=0.025, metadata=LENGTH)
    d: float = field(default=0.052, metadata=LENGTH)
    m1: float = field(default=0.038, metadata=MASS)
    m2: float = field(default=0.038, metadata=MASS)
    m3: float = field(default=0.076, metadata=MASS)
    J1: float = field(default=7.4e-5, metadata=INERTIA)
    J2: float = field(default=8.9e-4, metadata=INERTIA)
    J3: float = field(default=2.7e-6, metadata=INERTIA)
    g: float = field(default=9.81, metadata=ACCELERATION)
    e: float = 0.4
    mu: float = 0.01
    omega1: float = field(default=150.0, metadata=RATE)
    omega2: float = field(default=-75.0, metadata=RATE)

    def __post_init__(self) -> None:
        names = ("l1", "l2", "a", "b", "m1", "m2", "m3", "J1", "J2", "J3")
        positive(**{name: getattr(self, name) for name in names})
        positive(**{"d - 2 b": self.d - 2.0 * self.b})
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Three angles, four contacts with friction."""
        m, l1, l2 = self.m2 / 2.0 + self.m3, self.l1, self.l2
        parameters = [
            self.J1 + (self.m1 / 4.0 + self.m2 + self.m3) * l1**2,
            m * l1 * l2,
            self.J2 + (self.m2 / 4.0 + self.m3) * l2**2,
            self.J3,
            (self.m1 / 2.0 + self.m2 + self.m3) * self.g * l1,
            m * self.g * l2,
            *(l1, l2, self.a, self.b, self.d / 2.0),
        ]
        return LagrangianSystem(
            n=3,
            contacts=4,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array(parameters),
            mu=self.mu,
            e=self.e,
            names=("crank", "rod", "slider"),
            angles=("crank", "rod", "slider"),
            contact_names=("upper left", "upper right", "lower left", "lower right"),
            start=(np.zeros(3), np.array([self.omega1, self.omega2, 0.0])),
            length=self.d / 2.0 - self.b,
            wave_speed=max(abs(self.omega1) * l1, np.sqrt(self.g * l1)),
        )


@njit(cache=True)
def _mass(q, p, M):
    M[...] = 0.0
    M[0, 0] = p[0]
    M[0, 1] = M[1, 0] = p[1] * np.cos(q[0] - q[1])
    M[1, 1] = p[2]
    M[2, 2] = p[3]


@njit(cache=True)
def _force(t, q, v, p, F):
    s = p[1] * np.sin(q[0] - q[1])
    F[0] = -s * v[1] * v[1] - p[4] * np.cos(q[0])
    F[1] = s * v[0] * v[0] - p[5] * np.cos(q[1])
    F[2] = 0.0


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[...] = 0.0
    C[...] = 0.0
    s, c = p[1] * np.sin(q[0] - q[1]), p[1] * np.cos(q[0] - q[1])
    K[0, 0] = c * v[1] * v[1] - p[4] * np.sin(q[0])
    K[0, 1] = -c * v[1] * v[1]
    K[1, 0] = -c * v[0] * v[0]
    K[1, 1] = c * v[0] * v[0] - p[5] * np.sin(q[1])
    C[0, 1] = 2.0 * s * v[1]
    C[1, 0] = -2.0 * s * v[0]


@njit(cache=True)
def _potential(q, p):
    return p[4] * np.sin(q[0]) + p[5] * np.sin(q[1])


@njit(cache=True)
def _gap(q, p, g):
    y = p[6] * np.sin(q[0]) + p[7] * np.sin(q[1])
    s, c = p[8] * np.sin(q[2]), p[9] * np.cos(q[2])
    g[0] = p[10] - y - c + s
    g[1] = p[10] - y - c - s
    g[2] = p[10] + y - c - s
    g[3] = p[10] + y - c + s


@njit(cache=True)
def _jacobian(q, p, H):
    """Corner k is at the slider's centre + (x_k, y_k) turned by q3; walls push along (0, side)."""
    s, c = np.sin(q[2]), np.cos(q[2])
    for k in range(4):
        side = -1.0 if k < 2 else 1.0
        x, y = (-p[8] if k % 2 == 0 else p[8]), -side * p[9]
        H[2 * k, 0] = side * p[6] * np.cos(q[0])
        H[2 * k, 1] = side * p[7] * np.cos(q[1])
        H[2 * k, 2] = side * (x * c - y * s)
        H[2 * k + 1, 0] = -p[6] * np.sin(q[0])
        H[2 * k + 1, 1] = -p[7] * np.sin(q[1])
        H[2 * k + 1, 2] = -x * s - y * c
