"""A ball on a line that gravity throws on a floor (RR-8029 example 1, eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.base import contact_law, one_number, positive

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class BouncingBall:
    """m dv = m f dt + di, q >= 0, v+ = -e v-.

    With f = -2, e = 1/2 and a start at rest at q = 1 the impacts accumulate at t = 3 exactly.

    Parameters
    ----------
    m : float
        Mass.
    f : float
        Acceleration of the free ball, negative downwards.
    e : float
        Restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    f: float = field(default=-2.0, metadata={"dimension": "acceleration"})
    e: float = 0.5

    def __post_init__(self) -> None:
        positive(m=self.m)
        contact_law(0.0, self.e)

    def system(self) -> LagrangianSystem:
        """One coordinate (the height), one frictionless contact."""
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
            parameters=np.array([self.m, self.f]),
            e=self.e,
            names=("height",),
            contact_names=("floor",),
            start=(np.ones(1), np.zeros(1)),
        )

    def rest_time(self, q0: float, v0: float) -> float:
        """When the impacts of a ball from (q0, v0) accumulate, infinity for e = 1: see ``exact``."""
        first, speed = self._first_impact(q0, v0)
        return first + (2.0 * self.e * speed / (-self.f * (1.0 - self.e)) if self.e < 1.0 else np.inf)

    def exact(self, t: FloatArray, q0: FloatArray, v0: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The motion in closed form, (N, 1) each, for f < 0; see ``HasExact``.

        With a = -f the first impact is at t_1 = (v0 + s)/a, at the speed s = sqrt(v0^2 + 2 a q0). The ball
        leaves the i-th one (i = 1, 2, ...) at e^i s and is back after 2 e^i s/a: a geometric series, so that
        for e < 1 the impacts accumulate at t_rest = t_1 + d, d = 2 e s/(a (1 - e)), and t_rest - t_i =
        d e^(i - 1). At t < t_rest the last impact is therefore i = 1 + floor(log((t_rest - t)/d)/log(e)); for
        e = 1 it is i = 1 + floor((t - t_1) a/(2 s)). The flight from there is a parabola; after t_rest the
        ball stays on the floor.

        Raises
        ------
        ModelError
            When f >= 0, or (q0, v0) are not a height >= 0 and a velocity.
        """
        height, velocity = one_number(q0, v0)
        t = np.asarray(t, np.float64)
        first, speed = self._first_impact(height, velocity)
        q, v = height + velocity * t + 0.5 * self.f * t**2, velocity + self.f * t
        landed = t >= first
        since, leaving = self._last_impact(t[landed] - first, speed)
        q[landed] = np.maximum(leaving * since + 0.5 * self.f * since**2, 0.0)
        v[landed] = leaving + self.f * since
        return q[:, None], v[:, None]

    def _first_impact(self, q0: float, v0: float) -> tuple[float, float]:
        """Its time and its speed; without cancellation for either sign of v0."""
        if not self.f < 0.0:
            raise ModelError(f"f = {self.f:g}: the closed form is that of a ball that falls, f < 0")
        speed = float(np.sqrt(v0**2 - 2.0 * self.f * q0))
        return (2.0 * q0 / (speed - v0) if v0 < 0.0 else (v0 + speed) / -self.f), speed

    def _last_impact(self, after: FloatArray, speed: float) -> tuple[FloatArray, FloatArray]:
        """Time since the last impact and the velocity it left, at times after the first; zero at rest."""
        since, leaving = np.zeros_like(after), np.zeros_like(after)
        if self.e == 1.0 and speed > 0.0:
            flight = 2.0 * speed / -self.f
            return after % flight, np.full_like(after, speed)
        if self.e == 0.0 or speed == 0.0:
            return since, leaving
        d = 2.0 * self.e * speed / (-self.f * (1.0 - self.e))
        bouncing = after < d
        left = d - after[bouncing]
        before = np.floor(np.log(left / d) / np.log(self.e))
        since[bouncing] = np.maximum(d * self.e**before - left, 0.0)
        leaving[bouncing] = self.e ** (before + 1.0) * speed
        return since, leaving


@njit(cache=True)
def _mass(q, p, M):
    M[0, 0] = p[0]


@njit(cache=True)
def _force(t, q, v, p, F):
    F[0] = p[0] * p[1]


@njit(cache=True)
def _tangents(t, q, v, p, K, C):
    K[0, 0] = 0.0
    C[0, 0] = 0.0


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[0]


@njit(cache=True)
def _jacobian(q, p, H):
    H[0, 0] = 1.0


@njit(cache=True)
def _potential(q, p):
    return -p[0] * p[1] * q[0]
