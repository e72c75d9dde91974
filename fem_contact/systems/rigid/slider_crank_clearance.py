"""The slider-crank by its bodies, with clearance in the crank pin (RR-8029 section 6.4.2, in the plane)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import LENGTH, contact_law, positive
from fem_contact.systems.rigid.slider_crank import SliderCrank

#: Corners of the slider, in the order of :class:`SliderCrank`; the contact of the pin comes after them.
CORNERS = 4


@dataclass(frozen=True)
class SliderCrankClearance(SliderCrank):
    """Three bodies by centre and angle, their pins as equalities; pin and bush of crank and rod as a contact.

    Newton and Euler's equations in the plane, M = diag(m1, m1, J1, m2, m2, J2, m3, m3, J3) and weight; the
    paper's model is in space, with quaternions and the same pins between cylinders. The centres of crank and
    rod are in their middles. Equalities hold the crank at the origin and the rod's far end at the slider's
    centre; with ``clearance`` = 0 two more hold its near end at the crank's, and the motion is that of
    :class:`SliderCrank`.

    Otherwise the crank carries a pin with centre P in a bush of the rod with centre B, wider by r =
    ``clearance``. With s = P - B,

        gap = r - |s|,   n = -s/|s|,   t = (-n_y, n_x),
        u_N = n . (v_P - v_B),   u_T = t . (v_P - v_B) - r_pin omega_1 + (r_pin + r) omega_2.

    Where the two are concentric every direction is as good as another, and n = (-1, 0) is taken: the gap is
    r there, so the contact carries nothing (gaps are not differentiable there all the same). The paper does
    not give the radius of the pin, of which only the friction's lever arm knows: the default is ours.

    At the start the pin is in the middle of its bush and both have the velocity of a perfect pin.

    Parameters
    ----------
    clearance : float
        r, the difference of the radii of bush and pin.
    pin_radius : float
    pin_e, pin_mu : float
        Restitution and friction between them.
    """

    clearance: float = field(default=5e-4, metadata=LENGTH)
    pin_radius: float = field(default=5e-3, metadata=LENGTH)
    pin_e: float = 0.0
    pin_mu: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(pin_radius=self.pin_radius)
        if self.clearance != 0.0:
            positive(clearance=self.clearance)
        contact_law(self.pin_mu, self.pin_e)

    def system(self) -> LagrangianSystem:
        """Nine coordinates; four joints and five contacts, or six and four without clearance."""
        loose = self.clearance > 0.0
        bodies = [self.m1, self.J1, self.m2, self.J2, self.m3, self.J3, self.g]
        sizes = [self.l1 / 2.0, self.l2 / 2.0, self.a, self.b, self.d / 2.0, self.clearance, self.pin_radius]
        corners = ("upper left", "upper right", "lower left", "lower right")
        return LagrangianSystem(
            n=9,
            contacts=CORNERS + loose,
            joints=4 if loose else 6,
            mass=_mass,
            force=_force,
            tangents=_tangents,
            gap=_gap,
            jacobian=_jacobian,
            joint=_joint,
            joint_jacobian=_joint_jacobian,
            potential=_potential,
            parameters=np.array(bodies + sizes),
            mu=[self.mu] * CORNERS + [self.pin_mu] * loose,
            e=[self.e] * CORNERS + [self.pin_e] * loose,
            names=tuple(f"{body} {x}" for body in ("crank", "rod", "slider") for x in ("x", "y", "angle")),
            angles=("crank angle", "rod angle", "slider angle"),
            contact_names=(*corners, *("pin",) * loose),
            start=self._start(),
            length=min(self.d / 2.0 - self.b, self.clearance or np.inf),
            wave_speed=max(abs(self.omega1) * self.l1, np.sqrt(self.g * self.l1)),
        )

    def _start(self) -> tuple[np.ndarray, np.ndarray]:
        """Aligned with the x axis; the velocities are those of perfect pins."""
        l1, l2 = self.l1, self.l2
        tip = l1 * self.omega1
        q = np.array([l1 / 2.0, 0.0, 0.0, l1 + l2 / 2.0, 0.0, 0.0, l1 + l2, 0.0, 0.0])
        v = np.zeros(9)
        v[1], v[2] = tip / 2.0, self.omega1
        v[4], v[5] = tip + self.omega2 * l2 / 2.0, self.omega2
        v[7] = tip + self.omega2 * l2
        return q, v


@njit(cache=True)
def _mass(q, p, M):
    M[...] = 0.0
    for body in range(3):
        k = 3 * body
        M[k, k] = M[k + 1, k + 1] = p[2 * body]
        M[k + 2, k + 2] = p[2 * body + 1]


@njit(cache=True)
def _force(t, q, v, p, F):
    for body in range(3):
        F[3 * body] = 0.0
        F[3 * body + 1] = -p[2 * body] * p[6]
        F[3 * body + 2] = 0.0


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[...] = 0.0
    C[...] = 0.0


@njit(cache=True)
def _potential(q, p):
    return p[6] * (p[0] * q[1] + p[2] * q[4] + p[4] * q[7])


@njit(cache=True)
def _joint(q, p, phi):
    """Crank at the origin, rod's far end at the slider's centre; near end at the crank's if there is room."""
    x, y = p[7] * np.cos(q[2]), p[7] * np.sin(q[2])
    a, b = p[8] * np.cos(q[5]), p[8] * np.sin(q[5])
    phi[0], phi[1] = q[0] - x, q[1] - y
    phi[2], phi[3] = q[3] + a - q[6], q[4] + b - q[7]
    if len(phi) == 6:
        phi[4], phi[5] = q[0] + x - q[3] + a, q[1] + y - q[4] + b


@njit(cache=True)
def _joint_jacobian(q, p, G):
    G[...] = 0.0
    x, y = p[7] * np.cos(q[2]), p[7] * np.sin(q[2])
    a, b = p[8] * np.cos(q[5]), p[8] * np.sin(q[5])
    G[0, 0] = G[1, 1] = 1.0
    G[0, 2], G[1, 2] = y, -x
    G[2, 3] = G[3, 4] = 1.0
    G[2, 5], G[3, 5] = -b, a
    G[2, 6] = G[3, 7] = -1.0
    if len(G) == 6:
        G[4, 0] = G[5, 1] = 1.0
        G[4, 2], G[5, 2] = -y, x
        G[4, 3] = G[5, 4] = -1.0
        G[4, 5], G[5, 5] = -b, a


@njit(cache=True)
def _offset(q, p):
    """s = P - B."""
    x = q[0] + p[7] * np.cos(q[2]) - q[3] + p[8] * np.cos(q[5])
    y = q[1] + p[7] * np.sin(q[2]) - q[4] + p[8] * np.sin(q[5])
    return x, y


@njit(cache=True)
def _gap(q, p, g):
    s, c = p[9] * np.sin(q[8]), p[10] * np.cos(q[8])
    g[0] = p[11] - q[7] - c + s
    g[1] = p[11] - q[7] - c - s
    g[2] = p[11] + q[7] - c - s
    g[3] = p[11] + q[7] - c + s
    if len(g) == 5:
        x, y = _offset(q, p)
        g[4] = p[12] - np.hypot(x, y)


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    s, c = np.sin(q[8]), np.cos(q[8])
    for k in range(4):
        side = -1.0 if k < 2 else 1.0
        x, y = (-p[9] if k % 2 == 0 else p[9]), -side * p[10]
        H[2 * k, 7] = side
        H[2 * k, 8] = side * (x * c - y * s)
        H[2 * k + 1, 6] = 1.0
        H[2 * k + 1, 8] = -x * s - y * c
    if len(H) == 10:
        _pin(q, p, H[8:])


@njit(cache=True)
def _pin(q, p, H):
    x, y = _offset(q, p)
    length = np.hypot(x, y)
    n_x, n_y = (-x / length, -y / length) if length > 0.0 else (-1.0, 0.0)
    for row in range(2):
        a, b = (n_x, n_y) if row == 0 else (-n_y, n_x)
        H[row, 0], H[row, 1] = a, b
        H[row, 2] = p[7] * (b * np.cos(q[2]) - a * np.sin(q[2]))
        H[row, 3], H[row, 4] = -a, -b
        H[row, 5] = p[8] * (b * np.cos(q[5]) - a * np.sin(q[5]))
    H[1, 2] -= p[13]
    H[1, 5] += p[13] + p[12]
