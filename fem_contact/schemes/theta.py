"""The theta family on linear systems: Moreau-Jean, Moreau-Jean-Frémond and the variant of Moreau-Jean.

All weight the forces by theta and the velocity that moves the positions by theta_q. With
Mhat = M + h theta C + h^2 theta theta_q K constant and factored once,

    v_free  = v_k + Mhat^{-1} [h F_{k+theta} - h C v_k - h K q_k - h^2 theta K v_k]
    v_{k+1} = v_free + Mhat^{-1} H^T p,      q_{k+1} = q_k + h v_{k+theta_q}

where theta_q = theta in the first two (Acary & Collins-Craft, HAL 04230941, eq. 52 and 63) and 1/2 in the
variant (Acary, RR-8602, eq. 31). The local problem is -(w + mu |w_T| n) in N_K(p), w = A p + b,
W = H Mhat^{-1} H^T:

    Moreau-Jean and variant   w = u_{k+1} + (e u_{N,k}, 0)                         A = W
    Frémond                   w = u_{k+theta} + ((theta (1 + e) - 1) u_{N,k}, 0)   A = theta W

Every step closes (HAL 04230941 eq. 56 for theta_q = theta, RR-8602 eq. 92 for theta_q = 1/2)

    dE = (1/2 - theta_q) |dv|_M^2 + (1/2 - theta) |dq|_K^2 + u_{k+theta_q} . p
         + h v_{k+theta_q} . F_{k+theta} - h v_{k+theta_q} . C v_{k+theta},

the last two being the work of the loads and of damping.

On a Lagrangian system the same law ends a Newton iteration, see
:mod:`fem_contact.schemes.lagrangian.lagrangian_stepper`.

With 1/2 <= theta <= 1/(1 + e) no Frémond contact does positive work (eq. 78-80); in Moreau-Jean the
tangential part (eq. 62) can be positive. The variant's impulses do the normal work
u_{N,k+1/2} p_N = (1 - e) u_{N,k} p_N / 2 <= 0 whatever theta and e are: without friction it dissipates for
every theta >= 1/2.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning, ModelError
from fem_contact.schemes.base import Stepper
from fem_contact.schemes.linear.linear_stepper import ContactWeights
from fem_contact.schemes.linear.theta_stepper import ThetaStepper
from fem_contact.schemes.newton import FRAMES, RESTITUTIONS, Newton
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem


@dataclass(frozen=True)
class ThetaScheme:
    """Settings shared by the family.

    Parameters
    ----------
    theta : float
        Weight of the forces, in [0, 1]; the scheme is known to dissipate for
        1/2 <= theta <= 1/(1 + e_max), the variant for 1/2 <= theta.
    activation : Activation
        Which contacts take part in a step.
    newton : Newton
        How the iterations of a step end, on systems that are not linear.
    frame : "end" or "start"
        Where in the step the contact frames H(q) are taken, on systems that are not linear.
    restitution : "own" or "frame"
        The velocity u_N,k that e multiplies, on systems that are not linear. "own": H(q_k) v_k, as the step
        before left it (RR-8029 eq. 28). "frame": measured in the frame of the step like all others, so that
        the normal work of an impact is (1 - theta (1 + e)) u_N,k p_N exactly. The two differ by O(h) where
        a contact moves along something curved; with e > 0 "frame" then lets it bounce by that much for ever,
        with "own" it comes to rest.
    """

    theta: float = 0.5
    activation: Activation = field(default_factory=Activation)
    newton: Newton = field(default_factory=Newton)
    frame: str = "end"
    restitution: str = "own"

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.theta) and 0.0 <= self.theta <= 1.0):
            raise ModelError(f"theta = {self.theta!r}: it must be in [0, 1]")
        if self.frame not in FRAMES:
            raise ModelError(f"frame = {self.frame!r}: it must be one of {', '.join(FRAMES)}")
        if self.restitution not in RESTITUTIONS:
            allowed = ", ".join(RESTITUTIONS)
            raise ModelError(f"restitution = {self.restitution!r}: it must be one of {allowed}")

    @property
    def theta_q(self) -> float:
        """Weight of the velocity in q_{k+1} = q_k + h v_{k+theta_q}."""
        return self.theta

    def weights(self) -> ContactWeights:
        """How the scheme poses its local problem."""
        raise NotImplementedError

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor Mhat, form W (on a linear system), and return the stepper.

        Warns
        -----
        FemContactWarning
            When theta leaves the bounds of a proved dissipation.

        Raises
        ------
        ModelError
            When h is not positive or Mhat not positive definite.
        """
        self._warn_bounds(system)
        if isinstance(system, LinearSystem):
            return ThetaStepper(system, h, self.theta, self.theta_q, self.activation, self.weights(), solver)
        # Imported here: its kernels are of no use to a linear system.
        from fem_contact.schemes.lagrangian.lagrangian_stepper import LagrangianThetaStepper, Weights

        weights = Weights(self.theta, self.theta_q, self.weights(), own=self.restitution == "own")
        return LagrangianThetaStepper(system, h, weights, self.activation, self.newton, self.frame, solver)

    def _warn_bounds(self, system: System) -> None:
        e = float(system.e.max(initial=0.0))
        if not 0.5 <= self.theta <= 1.0 / (1.0 + e):
            warnings.warn(
                f"{self.name}: theta = {self.theta:g} leaves 1/2 <= theta <= 1/(1+e) = {1.0 / (1.0 + e):g} "
                f"({self.source}): the scheme may create energy",
                FemContactWarning,
                stacklevel=3,
            )


@dataclass(frozen=True)
class MoreauJean(ThetaScheme):
    """Moreau-Jean: Newton's impact law and Coulomb friction in u_{k+1} (HAL 04230941 eq. 52-53)."""

    name: ClassVar[str] = "moreau-jean"
    source: ClassVar[str] = "RR-8602 eq. 45"

    def weights(self) -> ContactWeights:
        """A = W, b = u_free + (e u_{N,k}, 0)."""
        return ContactWeights(weight=1.0, slope=1.0, offset=0.0)


@dataclass(frozen=True)
class MoreauJeanFremond(ThetaScheme):
    """Moreau-Jean-Frémond: Newton's impact law, Coulomb friction in u_{k+theta} (HAL 04230941 eq. 63-64).

    theta = 0 is refused: u_{k+theta} = u_k would not depend on the impulse. The law has one velocity u_k,
    measured in the frame of the step: restitution has no other choice.
    """

    restitution: str = "frame"

    name: ClassVar[str] = "moreau-jean-fremond"
    source: ClassVar[str] = "HAL 04230941 eq. 78"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.theta == 0.0:
            raise ModelError(
                "moreau-jean-fremond: theta = 0 leaves the impulse undetermined, "
                "its law is written in u_{k+theta} = u_k; choose 0 < theta <= 1"
            )
        if self.restitution != "frame":
            raise ModelError(
                f'moreau-jean-fremond: restitution = "{self.restitution}": its law has one velocity u_k, '
                'measured in the frame of the step; choose "frame"'
            )

    def weights(self) -> ContactWeights:
        """A = theta W, b = theta u_free + (1 - theta) u_k + ((theta (1 + e) - 1) u_{N,k}, 0)."""
        return ContactWeights(weight=self.theta, slope=self.theta, offset=self.theta - 1.0)


@dataclass(frozen=True)
class MoreauJeanVariant(ThetaScheme):
    """Moreau-Jean with q_{k+1} = q_k + h (v_k + v_{k+1})/2 (RR-8602 eq. 31).

    It is Newmark's scheme with 2 beta = gamma = theta, and dissipates for theta >= 1/2 whatever the
    restitution (eq. 92), where Moreau-Jean needs theta <= 1/(1 + e).
    """

    name: ClassVar[str] = "moreau-jean-variant"
    source: ClassVar[str] = "RR-8602 eq. 92"

    @property
    def theta_q(self) -> float:
        """Always 1/2."""
        return 0.5

    def weights(self) -> ContactWeights:
        """A = W, b = u_free + (e u_{N,k}, 0)."""
        return ContactWeights(weight=1.0, slope=1.0, offset=0.0)

    def _warn_bounds(self, system: System) -> None:
        if self.theta < 0.5:
            warnings.warn(
                f"{self.name}: theta = {self.theta:g} is below 1/2 ({self.source}): "
                "the scheme may create energy",
                FemContactWarning,
                stacklevel=3,
            )
