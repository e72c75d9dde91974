"""A block that comes to rest on its two lower corners (RR-8029 example 3, eq. 9-10, figures 1(c) and 9)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid import _plane_body as body
from fem_contact.systems.rigid.base import at_least_zero, contact_law, positive


@dataclass(frozen=True)
class RockingBlock:
    """A rectangle by its centre and its angle, q = (x, y, theta), over a floor at y = 0.

        g_A = y - l/2 cos(theta) + L/2 sin(theta)        A = (x + l/2 sin(theta) + L/2 cos(theta), g_A)
        g_B = y - l/2 cos(theta) - L/2 sin(theta)        B = (x + l/2 sin(theta) - L/2 cos(theta), g_B)

    and I = m (l^2 + L^2)/12: upright, L is the width of the base and l the height. The paper's
    equations are without friction; ``mu`` adds it, the tangent being +x.

    The paper (section 5.3) calls L the length and l the thickness, yet has l = 1.5 m and L = 1 m: by eq. 9 a
    block that stands upright. Its start, y = 1 m and theta = 0.2 rad, is above the floor, with l and L
    exchanged as well. Its "y0 = 0.0 m/s" and "theta0 = 0.2 rad/s" are the velocities, their dots lost. It
    does not print g: 9.81 m/s^2, as in its other examples.

    Parameters
    ----------
    m : float
        Mass.
    l, L : float
        Height and width of the block at theta = 0.
    g : float
        Acceleration of gravity.
    mu, e : float
        Friction and restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    l: float = field(default=1.5, metadata={"dimension": "length"})
    L: float = field(default=1.0, metadata={"dimension": "length"})
    g: float = field(default=9.81, metadata={"dimension": "acceleration"})
    mu: float = 0.0
    e: float = 0.5

    def __post_init__(self) -> None:
        positive(m=self.m, l=self.l, L=self.L)
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Three coordinates, the contacts A and B; with the default sizes it starts as in the paper."""
        m, l, L = self.m, self.l, self.L
        return LagrangianSystem(
            n=3,
            contacts=2,
            mass=body.mass,
            force=body.force,
            tangents=body.tangents,
            potential=body.potential,
            gap=_gap,
            jacobian=_jacobian,
            parameters=np.array([m, m * (l * l + L * L) / 12.0, self.g, l, L]),
            mu=self.mu,
            e=self.e,
            names=("x", "y", "theta"),
            angles=("theta",),
            contact_names=("A", "B"),
            start=(np.array([0.0, l / 1.5, 0.2]), np.array([0.0, 0.0, 0.2])),
            length=min(l, L),
        )


@njit(cache=True)
def _gap(q, p, g):
    middle, half = q[1] - 0.5 * p[3] * np.cos(q[2]), 0.5 * p[4] * np.sin(q[2])
    g[0], g[1] = middle + half, middle - half


@njit(cache=True)
def _jacobian(q, p, H):
    s, c = np.sin(q[2]), np.cos(q[2])
    H[...] = 0.0
    H[0, 1] = H[2, 1] = H[1, 0] = H[3, 0] = 1.0
    for row, side in ((0, 1.0), (2, -1.0)):
        H[row, 2] = 0.5 * (p[3] * s + side * p[4] * c)
        H[row + 1, 2] = 0.5 * (p[3] * c - side * p[4] * s)
