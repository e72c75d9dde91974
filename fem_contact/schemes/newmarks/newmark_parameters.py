"""The numbers that tell the schemes of the Newmark family apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NewmarkParameters:
    """Weights of the equation of motion of a step (RR-8602 eq. 32, 61) and of Newmark's relations (27f, 27g).

    Attributes
    ----------
    alpha_m, alpha_f : float
        Weights of inertia and of stiffness at t_k; those at t_{k+1} are 1 - alpha_m and 1 - alpha_f.
    beta, gamma : float
    loads_as_inertia : bool
        Whether damping and loads are weighted as inertia (eq. 32) rather than as stiffness (eq. 61).
    """

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    loads_as_inertia: bool = False

    @property
    def nu(self) -> float:
        """Time scale of the filter over h, 1/2 - alpha_m (eq. 57)."""
        return 0.5 - self.alpha_m

    @property
    def eta(self) -> float:
        """Strength of the filter, alpha_f - alpha_m (eq. 57)."""
        return self.alpha_f - self.alpha_m

    @property
    def load_weight(self) -> float:
        """Weight of damping and loads at t_{k+1}."""
        return 1.0 - (self.alpha_m if self.loads_as_inertia else self.alpha_f)

    @property
    def filters_forces(self) -> bool:
        """Whether damping and loads are filtered as well as stiffness (eq. 59 rather than eq. 52)."""
        return self.eta != 0.0 and not self.loads_as_inertia

    @property
    def filters(self) -> int:
        """Vectors that are filtered: none, (q, K q) or (q, K q, C v, F)."""
        if self.eta == 0.0:
            return 0
        return 4 if self.filters_forces else 2
