"""A rod hooked into a rotating ring (RR-8029 section 6.3)."""

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
class RingPendulum:
    """The top end of a free rod hangs in a ring that turns about its fixed axis.

    The paper gives no dimension but the ring's and says "a pendulum hung to a ring", with a contact at a
    point of the pendulum "in the interior of the ring" that first falls freely. We take that point, the hook,
    for the upper end of an otherwise free rod, above the bottom of the ring's inside, and the rod's centre of
    mass a length ``l`` below it. A uniform rod of that mass and inertia has l = sqrt(3 J/m) = 0.77 m, is
    dragged up the ring once and sticks for good; the stick and slip with sliding to either side that the
    paper tells of comes with l between 1.35 and 1.75 m, a rod that is heavier at its far end. Coordinates
    are the rod's centre (x, y), its angle phi and the ring's angle psi; the plane is the ring's, y upwards.
    With the hook P = (x - l sin phi, y + l cos phi) and s = |P|,

        gap = |s - (R + r/2)| - r/2

    is the distance from the ring between its radii R and R + r, negative in the thickness: as a program for
    solids computes it, so that a hook beyond the middle of the thickness is pushed out of the ring and lost
    (RR-8029, figure 20). It drifts there when frames are taken at the start of the step, as a contact found
    before the step has them: with frame = "end" the hook stays at the depth of its first step.
    With n = -+P/s (- inside) and t = (-n_y, n_x), u_N = n . v_P and
    u_T = t . (v_P - psi' s P^perp/s).

    Parameters
    ----------
    R, thickness : float
        Inner radius of the ring, and its thickness r.
    m, J : float
        Mass of the rod, and its moment of inertia about its centre.
    ring_inertia : float
        About the ring's axis; its mass does not matter.
    l : float
        From the hook to the rod's centre.
    mu, e : float
    g : float
        Acceleration of gravity, along -y.
    gap : float
        At the start, where the rod is upright and at rest.
    omega : float
        Angular velocity of the ring at the start.
    """

    R: float = field(default=1.0, metadata=LENGTH)
    thickness: float = field(default=2e-3, metadata=LENGTH)
    m: float = field(default=5.0, metadata=MASS)
    J: float = field(default=1.0, metadata=INERTIA)
    ring_inertia: float = field(default=0.8, metadata=INERTIA)
    l: float = field(default=1.5, metadata=LENGTH)
    mu: float = 0.3
    e: float = 0.0
    g: float = field(default=9.81, metadata=ACCELERATION)
    gap: float = field(default=1e-2, metadata=LENGTH)
    omega: float = field(default=10.0, metadata=RATE)

    def __post_init__(self) -> None:
        names = ("R", "thickness", "m", "J", "ring_inertia", "l", "gap")
        positive(**{name: getattr(self, name) for name in names})
        positive(**{"R - gap": self.R - self.gap})
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Four coordinates, one contact with friction."""
        p = [self.m, self.J, self.ring_inertia, self.m * self.g, self.l, self.R, self.thickness]
        start = np.array([0.0, self.gap - self.R - self.l, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, self.omega])
        return LagrangianSystem(
            n=4,
            contacts=1,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            potential=_potential,
            parameters=np.array(p),
            mu=self.mu,
            e=self.e,
            names=("x", "y", "rod angle", "ring angle"),
            angles=("rod angle", "ring angle"),
            contact_names=("hook",),
            start=start,
            length=self.thickness,
            wave_speed=max(abs(self.omega) * self.R, np.sqrt(self.g * self.R)),
        )


@njit(cache=True)
def _mass(q, p, M):
    M[...] = 0.0
    M[0, 0] = M[1, 1] = p[0]
    M[2, 2] = p[1]
    M[3, 3] = p[2]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = F[2] = F[3] = 0.0
    F[1] = -p[3]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[...] = 0.0
    C[...] = 0.0


@njit(cache=True)
def _potential(q, p):
    return p[3] * q[1]


@njit(cache=True)
def _hook(q, p):
    return q[0] - p[4] * np.sin(q[2]), q[1] + p[4] * np.cos(q[2])


@njit(cache=True)
def _gap(q, p, g):
    x, y = _hook(q, p)
    g[0] = abs(np.hypot(x, y) - p[5] - p[6] / 2.0) - p[6] / 2.0


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    x, y = _hook(q, p)
    s = np.hypot(x, y)
    side = 1.0 if s < p[5] + p[6] / 2.0 else -1.0
    # At the centre of the ring no direction is nearer than another.
    n_x, n_y = (-side * x / s, -side * y / s) if s > 0.0 else (-1.0, 0.0)
    for row in range(2):
        a, b = (n_x, n_y) if row == 0 else (-n_y, n_x)
        H[row, 0], H[row, 1] = a, b
        H[row, 2] = -p[4] * (a * np.cos(q[2]) + b * np.sin(q[2]))
    H[1, 3] = side * s
