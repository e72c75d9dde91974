"""A mass on a damped spring that strikes a wall where the spring is slack (RR-8029 example 2, eq. 8)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import at_least_zero, contact_law, one_number, positive

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LinearOscillator:
    """m dv + (c v + k q) dt = di, q >= 0, v+ = -e v-.

    The paper prints no numbers; the defaults are ours.

    Parameters
    ----------
    m : float
        Mass.
    c, k : float
        Damping (force over velocity) and stiffness (force over length).
    e : float
        Restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    c: float = 0.1
    k: float = 10.0
    e: float = 0.8

    def __post_init__(self) -> None:
        positive(m=self.m, k=self.k)
        at_least_zero(c=self.c)
        contact_law(0.0, self.e)

    def system(self) -> LagrangianSystem:
        """One coordinate (the distance to the wall), one frictionless contact."""
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
            damping=_damping,
            parameters=np.array([self.m, self.c, self.k]),
            e=self.e,
            names=("distance",),
            contact_names=("wall",),
            start=(np.ones(1), np.zeros(1)),
        )

    def exact(self, t: FloatArray, q0: FloatArray, v0: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The motion in closed form, (N, 1) each, where it oscillates, c^2 < 4 k m; see ``HasExact``.

        With a = c/(2 m), w = sqrt(k/m - a^2) the free motion is q = R exp(-a t) sin(w t + phase). The wall is
        at its zeros, the first at t_1 = (pi - phase)/w with speed s = R w exp(-a t_1). After an impact
        q = v_i/w exp(-a tau) sin(w tau), so that the next one is half a period pi/w later whatever v_i, and
        v_i = e^i s exp(-a (i - 1) pi/w): impacts never accumulate, and the spring, slack at the wall, never
        holds the mass against it (for e = 0 it stays there without a force).

        Raises
        ------
        ModelError
            When c^2 >= 4 k m, or (q0, v0) are not a distance >= 0 and a velocity.
        """
        distance, velocity = one_number(q0, v0)
        t = np.asarray(t, np.float64)
        a = 0.5 * self.c / self.m
        if not self.k / self.m > a * a:
            raise ModelError("the closed form is that of an oscillation, c^2 < 4 k m")
        w = float(np.sqrt(self.k / self.m - a * a))
        q, v = _free(t, distance, velocity, a, w)
        sine = (velocity + a * distance) / w
        first = (np.pi - np.arctan2(distance, sine)) / w
        speed = np.hypot(distance, sine) * w * np.exp(-a * first)
        landed = t >= first
        after = t[landed] - first
        half = np.pi / w
        before = np.floor(after / half)
        q[landed], v[landed] = _free(after - before * half, 0.0, 1.0, a, w)
        leaving = self.e ** (before + 1.0) * np.exp(-a * half * before) * speed
        q[landed] *= leaving
        v[landed] *= leaving
        return np.maximum(q, 0.0)[:, None], v[:, None]


def _free(t: FloatArray, q0: float, v0: float, a: float, w: float) -> tuple[FloatArray, FloatArray]:
    """q and v of q'' + 2 a q' + (a^2 + w^2) q = 0."""
    decay, s, c = np.exp(-a * t), np.sin(w * t), np.cos(w * t)
    q = decay * (q0 * c + (v0 + a * q0) / w * s)
    v = decay * (v0 * c - (a * v0 + (a * a + w * w) * q0) / w * s)
    return q, v


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = p[0]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = -p[1] * v[0] - p[2] * q[0]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[0, 0] = p[2]
    C[0, 0] = p[1]


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[0]


@njit(cache=True)
def _jacobian(q, p, H):
    H[0, 0] = 1.0


@njit(cache=True)
def _potential(q, p):
    return 0.5 * p[2] * q[0] ** 2


@njit(cache=True)
def _damping(t, q, v, p, F):
    F[0] = -p[1] * v[0]
