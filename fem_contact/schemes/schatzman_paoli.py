"""The Schatzman-Paoli scheme: a law in positions, impacts over two or three steps (RR-8029 eq. 20-22).

With the discrete velocity w_{k+1} = (q_{k+1} - q_k)/h, eq. 20 is

    M (w_{k+1} - w_k) = h F(t_{k+theta}, q_{k+theta}, v_{k+theta}) + H^T p,    v_{k+1} = (w_k + w_{k+1})/2

where p is an impulse (the report's p is h times ours), M = M(q_{k+1}), and the law is one of the weighted
position of each contact, g_e = g((q_{k+1} + e q_{k-1})/(1 + e)), where its H is taken too:

    0 <= g_e _|_ p_N >= 0.

For e = 0 no gap is ever negative; for e > 0 they are, by O(h) within an impact.

Since v_{k+1} is the mean of w_k and w_{k+1}, the kinetic energy of w has an honest identity: with
T = 1/2 w . M w as "energy/kinetic",

    dE = h v_{k+1} . F_loads + h v_{k+1} . F_damp + (H v_{k+1}) . p + W_num,
    W_num = dV + h v_{k+1} . F_pot + 1/2 w_k . (M(q_{k+1}) - M(q_k)) w_k,

with F_pot and V those of springs and weight: on a linear system W_num = dV - h v_{k+1} . K q_{k+theta}.

Ours, the report being silent: the start is q_{-1} = q_0 - h v_0; friction obeys Coulomb's law in the
tangential part of u_{k+1} = H v_{k+1}, so that -(z + mu |z_T| n) in N_K(p) for
z = ((1 + e) g_e/(2 h), u_T), whose matrix H Mhat^{-1} H^T/2 is symmetric; joints hold in positions,
phi(q_{k+1}) = 0.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fem_contact.errors import FemContactWarning, ModelError
from fem_contact.schemes.base import Stepper
from fem_contact.schemes.newton import Newton
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem


@dataclass(frozen=True)
class SchatzmanPaoli:
    """Contact constraints on positions, restitution through the position before (RR-8029 eq. 20-22).

    Parameters
    ----------
    theta : float
        In [0, 1], where in the step forces are taken: 0 is the explicit central difference, from 1/2 on no
        step is too large for linear forces. All theta > 0 damp vibrations by a factor 1 + O(h^2) a step.
    newton : Newton
        How the iterations of a step end, on systems that are not linear.
    """

    theta: float = 0.5
    newton: Newton = field(default_factory=Newton)

    name: ClassVar[str] = "schatzman-paoli"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.theta) and 0.0 <= self.theta <= 1.0):
            raise ModelError(f"theta = {self.theta!r}: it must be in [0, 1]")

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor Mhat = M + h theta C/2 + h^2 theta K, form its W (on a linear system), return the stepper.

        Warns
        -----
        FemContactWarning
            When theta < 1/2: (1 + a theta) z^2 - (2 - a (1 - theta)) z + 1 = 0 with a = (h omega)^2, eq. 20
            on a spring, has its roots in the unit disc for a (1 - 2 theta) <= 4 only.

        Raises
        ------
        ModelError
            When h is not positive or Mhat not positive definite.
        """
        if not (np.isfinite(h) and h > 0.0):
            raise ModelError(f"dt = {h!r}: the step must be a positive number")
        if self.theta < 0.5:
            warnings.warn(
                f"{self.name}: theta = {self.theta:g} < 1/2: a vibration of frequency omega grows unless "
                f"h omega (1 - 2 theta)^(1/2) <= 2 (RR-8029 eq. 20 on a linear spring)",
                FemContactWarning,
                stacklevel=2,
            )
        if isinstance(system, LinearSystem):
            from fem_contact.schemes.schatzman.schatzman_linear import LinearSchatzmanStepper

            return LinearSchatzmanStepper(system, h, self, solver)
        from fem_contact.schemes.schatzman.schatzman_lagrangian import LagrangianSchatzmanStepper

        return LagrangianSchatzmanStepper(system, h, self, solver)
