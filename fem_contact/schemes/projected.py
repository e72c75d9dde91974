"""Projected schemes: Moreau-Jean whose positions keep off the obstacles (Acary, RR-8029 sections 4 and 5).

    M(q_{k+theta}) (v' - v) = h F_{k+theta} + H'^T p + G'^T lambda
    q' = q + h v_{k+theta} + N (H'_N^T tau + G'^T sigma)                                         (eq. 28, 59)

with Newton's impact law and Coulomb's friction in u' = H' v' for the contacts of an index set, as in
Moreau-Jean, 0 <= g(q') _|_ tau >= 0, and, where a system has joints, G' v' = 0 and phi(q') = 0. H' and G'
are those at q'. F_{k+theta} sees the position with its shift.

The identity of Moreau-Jean (HAL 04230941 eq. 56) stays true with the shift s = q' - q - h v_{k+theta}: on a
linear system

    dE = h v_{k+theta} . F - h v_{k+theta} . C v_{k+theta} + u_{k+theta} . p + s . K q_{k+theta}
         + (1/2 - theta) [|dv|_M^2 + |dq|_K^2],

where s . F counts as work of the loads, as it does on the way from q to q', and s . (K q_{k+theta} - F), the
work of the projection, is part of the numerical one ("work/projection" records it by itself).

The report's slips: in eq. 45 and 48 K (q_k - q^n + ...) has the wrong sign and h theta v^n is missing; for
the blocks of eq. 54 see :mod:`fem_contact.schemes.projections.contact_problems`; eq. 57 lacks Mhat^{-1}
before the stiffness and has its sign turned; eq. 58 and 60 leave out g(q_k + h v_{k+theta}).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fem_contact.errors import ModelError
from fem_contact.schemes.base import Stepper
from fem_contact.schemes.linear.linear_stepper import ContactWeights
from fem_contact.schemes.projections.projection import ProjectionSettings
from fem_contact.schemes.theta import ThetaScheme
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem

#: How impulses and shift are solved for: one after the other (eq. 57-58), or together (eq. 53).
IMPLEMENTATIONS = ("coupled", "decoupled")
#: N: the identity, or Mhat^{-1} as for velocities (eq. 59-60).
METRICS = ("identity", "mass")
#: Gaps that the direct scheme activates contacts by: eq. 61 (with ``activation``) or 62.
FORECASTS = ("explicit", "free-position")


@dataclass(frozen=True)
class ProjectedScheme(ThetaScheme):
    """Settings that both schemes share, beside those of the theta family.

    Parameters
    ----------
    implementation : "coupled" or "decoupled"
        Either ends in the same step. Decoupled iterations forget that the shift changes the elastic forces;
        on a stiff finite-element mesh they converge for small steps only.
    metric : "identity" or "mass"
        N, what turns the multipliers tau into a shift of the coordinates. With the identity a contact node
        is moved alone, with N = Mhat^{-1} as an impulse would move it.
    violation_tol : float or None
        Largest penetration (and error of a joint) at the end of a step; a step that stays below it by itself
        is not shifted. None stands for 1e-12 of the system's length.
    """

    implementation: str = "coupled"
    metric: str = "identity"
    violation_tol: float | None = field(default=None, metadata={"dimension": "length"})

    source: ClassVar[str] = "RR-8602 eq. 45"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, allowed in (("implementation", IMPLEMENTATIONS), ("metric", METRICS)):
            check_choice(self.name, name, getattr(self, name), allowed)
        if self.frame != "end":
            raise ModelError(
                f'{self.name}: frame = {self.frame!r}: gaps are kept at the end of the step, choose "end"'
            )
        tol = self.violation_tol
        if tol is not None and not (np.isfinite(tol) and tol >= 0.0):
            raise ModelError(f"violation_tol = {tol!r}: it must be a number >= 0")

    @property
    def combined(self) -> bool:
        """Whether index sets grow as in algorithm 2."""
        raise NotImplementedError

    def weights(self) -> ContactWeights:
        """Those of Moreau-Jean."""
        return ContactWeights(weight=1.0, slope=1.0, offset=0.0)

    def resolved(self, system: System) -> ProjectionSettings:
        """Tolerances that were left open set from the scales of the system."""
        gap_tol = self.activation.resolved(system.length, system.wave_speed).gap_tol
        assert gap_tol is not None
        tol = 1e-12 * system.length if self.violation_tol is None else float(self.violation_tol)
        return ProjectionSettings(self.combined, self.implementation == "coupled", gap_tol, tol, self.newton)

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor Mhat, form W and the matrices of the projection (on a linear system); return the stepper.

        Warns
        -----
        FemContactWarning
            When theta leaves the bounds 1/2 <= theta <= 1/(1 + e_max) that Moreau-Jean dissipates within.

        Raises
        ------
        ModelError
            When h is not positive or Mhat not positive definite.
        """
        self._warn_bounds(system)
        if isinstance(system, LinearSystem):
            from fem_contact.schemes.projections.projected_linear import LinearProjectedStepper

            return LinearProjectedStepper(system, h, self, solver)
        from fem_contact.schemes.projections.projected_lagrangian import LagrangianProjectedStepper

        return LagrangianProjectedStepper(system, h, self, solver)


@dataclass(frozen=True)
class DirectProjected(ProjectedScheme):
    """Algorithm 1 of RR-8029: positions are projected whatever the velocities do.

    A contact whose gap closes within the step is shifted back even where the forecast did not make it
    active. That can bring in as much energy as the impact takes out: with the explicit forecast a ball never
    comes to rest (section 4.5, chatter), with the free-position one it does.

    Parameters
    ----------
    forecast : "explicit" or "free-position"
        A contact is active by ``activation``, gbar = g_k + gamma h u_N,k (eq. 61), or where
        gbar = g_k + h (theta u_N,free + (1 - theta) u_N,k) <= gap_tol (eq. 62).
    """

    forecast: str = "explicit"

    name: ClassVar[str] = "direct-projected"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "forecast", self.forecast, FORECASTS)

    @property
    def combined(self) -> bool:
        """No."""
        return False


@dataclass(frozen=True)
class CombinedProjected(ProjectedScheme):
    """Algorithm 2 of RR-8029: only active contacts are projected, and those that a step closes are activated.

    The step is solved for index sets that grow, from the empty one, by the contacts that end it with
    g <= gap_tol (eq. 66; of ``activation`` only gap_tol counts), until none does. Contacts of the set with
    p_N > 0 end at g = 0, tau of either sign; the others at g >= 0 (eq. 68). Since neither may lead to a
    solution, a contact whose p_N keeps losing its sign over the shift is in the end only kept from g < 0.
    """

    name: ClassVar[str] = "combined-projected"

    @property
    def combined(self) -> bool:
        """Yes."""
        return True


def check_choice(scheme: str, name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise ModelError unless a setting is one of the texts allowed."""
    if value not in allowed:
        raise ModelError(f"{scheme}: {name} = {value!r}: it must be one of {', '.join(allowed)}")
