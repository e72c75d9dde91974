"""A stick whose lower end strikes a rough floor (HAL 04230941 section 5.1, figure 1)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numba import njit

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid import _plane_body as body
from fem_contact.systems.rigid.base import at_least_zero, contact_law, positive


@dataclass(frozen=True)
class ImpactingStick:
    """A uniform rod by its centre and its angle to the vertical, q = (x, y, gamma).

    The end that touches is C = (x + l/2 sin gamma, y - l/2 cos gamma), I = m l^2/12; g_N = y_C and

        u_N = y' + l/2 sin(gamma) gamma',    u_T = -(x' + l/2 cos(gamma) gamma'),

    the tangent being -x. The paper gives neither C nor I, and calls the angle gamma in its text and theta
    under its figure. With its values, the defaults here, the sliding turns round in the first impact.

    Parameters
    ----------
    m, l : float
        Mass and length.
    g : float
        Acceleration of gravity.
    mu, e : float
        Friction and restitution.
    """

    m: float = field(default=1.0, metadata={"dimension": "mass"})
    l: float = field(default=1.0, metadata={"dimension": "length"})
    g: float = field(default=10.0, metadata={"dimension": "acceleration"})
    mu: float = 0.01
    e: float = 1.0

    def __post_init__(self) -> None:
        positive(m=self.m, l=self.l)
        at_least_zero(g=self.g)
        contact_law(self.mu, self.e)

    def system(self) -> LagrangianSystem:
        """Three coordinates, one contact with friction; it starts as in the paper."""
        m, l = self.m, self.l
        angle = np.pi / 4.0
        return LagrangianSystem(
            n=3,
            contacts=1,
            mass=body.mass,
            force=body.force,
            tangents=body.tangents,
            potential=body.potential,
            gap=_gap,
            jacobian=_jacobian,
            parameters=np.array([m, m * l * l / 12.0, self.g, l]),
            mu=self.mu,
            e=self.e,
            names=("x", "y", "gamma"),
            angles=("gamma",),
            contact_names=("C",),
            start=(
                np.array([0.5 * l * np.sin(angle), 0.5 * l * np.cos(angle) + 0.01 * l, angle]),
                np.array([-0.5, 0.1, 0.1]),
            ),
            length=l,
        )


@njit(cache=True)
def _gap(q, p, g):
    g[0] = q[1] - 0.5 * p[3] * np.cos(q[2])


@njit(cache=True)
def _jacobian(q, p, H):
    H[...] = 0.0
    H[0, 1], H[0, 2] = 1.0, 0.5 * p[3] * np.sin(q[2])
    H[1, 0], H[1, 2] = -1.0, -0.5 * p[3] * np.cos(q[2])
