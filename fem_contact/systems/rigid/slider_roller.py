"""A slider that falls on a roller driven by a torque (RR-8029 figure 8 and the text around it)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import at_least_zero, contact_law, positive


@dataclass(frozen=True)
class SliderRoller:
    """A slider guided vertically over a roller that turns about a fixed axis, q = (z, phi).

    z is the height of the slider above the top of the roller, phi the angle of the roller, clockwise:
    its top then moves along +x, and with the tangent +x the slider moves over it at u_T = -R phi'.

        m z'' = -m g + r_N,    I phi'' = Gamma - R r_T,    I = M R^2/2,    g_N = z

    Friction holds the roller where |Gamma| <= mu m g R. The paper prints "less than mu m g", a torque beside
    a force: R is missing. It gives no numbers and no inertia; a solid cylinder of mass M is ours, and so are
    the defaults, in which the torque is half of what friction can hold.

    Parameters
    ----------
    m, M : float
        Mass of the slider and of the roller.
    R : float
        Radius of the roller.
    torque : float
        Gamma (force times length).
    g : float
        Acceleration of gravity.
    mu, e : float
        Friction and restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    M: float = field(default=1.0, metadata={"dimension": "mass"})
    R: float = field(default=0.1, metadata={"dimension": "length"})
    torque: float = field(default=0.1962, metadata={"dimension": "energy"})
    g: float = field(default=9.81, metadata={"dimension": "acceleration"})
    mu: float = 0.4
    e: float = 0.5

    def __post_init__(self) -> None:
        positive(m=self.m, M=self.M, R=self.R)
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Two coordinates, one contact with friction; the slider starts at rest at z = R, the roller too."""
        inertia = 0.5 * self.M * self.R**2
        return LagrangianSystem(
            n=2,
            contacts=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            loads=_loads,
            parameters=np.array([self.m, inertia, self.R, self.g, self.torque]),
            mu=self.mu,
            e=self.e,
            names=("z", "phi"),
            angles=("phi",),
            contact_names=("top",),
            start=(np.array([self.R, 0.0]), np.zeros(2)),
            length=self.R,
        )


@njit(cache=True)
def _mass(q, p, M):
    M[...] = 0.0
    M[0, 0], M[1, 1] = p[0], p[1]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0], F[1] = -p[0] * p[3], p[4]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[...] = 0.0
    C[...] = 0.0


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[0]


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    H[0, 0], H[1, 1] = 1.0, -p[2]


@njit(cache=True)
def _potential(q, p):
    return p[0] * p[3] * q[0]


@njit(cache=True)
def _loads(t, q, v, p, F):
    F[0], F[1] = 0.0, p[4]
