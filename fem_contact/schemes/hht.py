"""The Hilber-Hughes-Taylor scheme with contact; see :mod:`fem_contact.schemes.newmark`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from fem_contact.contact.activation import Activation
from fem_contact.schemes.newmark import NewmarkScheme, optimal_beta
from fem_contact.schemes.newmarks.newmark_parameters import NewmarkParameters


@dataclass(frozen=True)
class HHT(NewmarkScheme):
    """Nonsmooth HHT as published in Hughes (1987): RR-8602 eq. 27 with alpha_m = 0, alpha_f = alpha (eq. 77).

    Parameters
    ----------
    alpha : float
        In [0, 1/3]; 0 is Newmark's scheme, larger values damp high frequencies more.
    beta, gamma : float or None
        None stands for the second-order values gamma = 1/2 + alpha (eq. 28) and beta = (gamma + 1/2)^2 / 4
        (eq. 29), which is (1 + alpha)^2 / 4.
    activation : Activation
        Which contacts take part in a step (eq. 26).

    Raises
    ------
    ModelError
        When alpha is not in [0, 1/3], or beta or gamma is negative.
    """

    alpha: float = 0.1
    beta: float | None = None
    gamma: float | None = None
    activation: Activation = field(default_factory=Activation)

    name: ClassVar[str] = "hht"
    conditions: ClassVar[str] = "2 beta >= gamma >= 1/2 and 0 <= alpha <= gamma - 1/2 <= 1/2"
    source: ClassVar[str] = "RR-8602 eq. 82"

    def __post_init__(self) -> None:
        self.check(alpha=self.alpha, beta=self.beta, gamma=self.gamma)

    def parameters(self) -> NewmarkParameters:
        """nu = 1/2, eta = alpha."""
        gamma = 0.5 + self.alpha if self.gamma is None else self.gamma
        beta = optimal_beta(gamma) if self.beta is None else self.beta
        return NewmarkParameters(0.0, self.alpha, beta, gamma)
