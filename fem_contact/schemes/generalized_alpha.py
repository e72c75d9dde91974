"""The generalized-alpha scheme with contact; see :mod:`fem_contact.schemes.newmark`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.schemes.newmark import NewmarkScheme, optimal_beta
from fem_contact.schemes.newmarks.newmark_parameters import NewmarkParameters

#: Spectral radius at infinite frequency where nothing is said.
RHO_INF = 0.8


@dataclass(frozen=True)
class GeneralizedAlpha(NewmarkScheme):
    """Nonsmooth generalized-alpha (RR-8602 eq. 27, equation of motion 61; Chung & Hulbert, 1993).

    Its algorithmic energy is only known to dissipate under constant loads and without damping (eq. 69), when
    eq. 75 holds.

    Parameters
    ----------
    rho_inf : float or None
        Spectral radius at infinite frequency, in [0, 1]: 1 damps nothing, 0 all of it in one step. It gives
        alpha_m = (2 rho_inf - 1)/(rho_inf + 1) and alpha_f = rho_inf/(rho_inf + 1) (eq. 29); 0.8 when neither
        it nor these are given.
    alpha_m, alpha_f : float or None
        The weights themselves, in [-1, 1/2] and [0, 1/2], both or none.
    beta, gamma : float or None
        None stands for gamma = 1/2 + alpha_f - alpha_m (eq. 28) and beta = (gamma + 1/2)^2 / 4 (eq. 29).
    activation : Activation
        Which contacts take part in a step (eq. 26).

    Raises
    ------
    ModelError
        When a value is out of its range, rho_inf and the weights are both given, or one weight only.
    """

    rho_inf: float | None = None
    alpha_m: float | None = None
    alpha_f: float | None = None
    beta: float | None = None
    gamma: float | None = None
    activation: Activation = field(default_factory=Activation)

    name: ClassVar[str] = "generalized-alpha"
    conditions: ClassVar[str] = (
        "2 beta >= gamma >= 1/2 and 0 <= alpha_f - alpha_m <= gamma - 1/2 <= 1/2 - alpha_m"
    )
    source: ClassVar[str] = "RR-8602 eq. 75"
    loads_as_inertia: ClassVar[bool] = False

    def __post_init__(self) -> None:
        given = [name for name in ("alpha_m", "alpha_f") if getattr(self, name) is not None]
        if self.rho_inf is not None and given:
            raise ModelError(
                f"{self.name}: give rho_inf or alpha_m and alpha_f, not {given[0]} beside rho_inf"
            )
        if len(given) == 1:
            raise ModelError(f"{self.name}: give alpha_m and alpha_f both, not {given[0]} alone")
        self.check(
            rho_inf=self.rho_inf,
            alpha_m=self.alpha_m,
            alpha_f=self.alpha_f,
            beta=self.beta,
            gamma=self.gamma,
        )

    def parameters(self) -> NewmarkParameters:
        """Weights by eq. 29 unless given, gamma by eq. 28 and beta by eq. 29 where they are open."""
        rho = RHO_INF if self.rho_inf is None else self.rho_inf
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        if self.alpha_m is not None and self.alpha_f is not None:
            alpha_m, alpha_f = self.alpha_m, self.alpha_f
        gamma = 0.5 + alpha_f - alpha_m if self.gamma is None else self.gamma
        beta = optimal_beta(gamma) if self.beta is None else self.beta
        return NewmarkParameters(alpha_m, alpha_f, beta, gamma, self.loads_as_inertia)
