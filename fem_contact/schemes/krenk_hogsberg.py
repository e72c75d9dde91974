"""The Krenk-Hogsberg scheme with contact; see :mod:`fem_contact.schemes.newmark`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fem_contact.schemes.generalized_alpha import GeneralizedAlpha


@dataclass(frozen=True)
class KrenkHogsberg(GeneralizedAlpha):
    """Nonsmooth Krenk-Hogsberg generalized-alpha (RR-8602 section 4.3, eq. 27 with eq. 32).

    Damping and loads are weighted as inertia is: the algorithmic energy dissipates for any loads and damping
    under eq. 75 (Proposition 2), and the price is first order where there is damping or the loads vary
    (second otherwise, gamma as in eq. 28). Its settings are those of
    :class:`~fem_contact.schemes.generalized_alpha.GeneralizedAlpha`; alpha_m = 0 is the HHT scheme of
    Hilber, Hughes and Taylor (1977).
    """

    name: ClassVar[str] = "krenk-hogsberg"
    loads_as_inertia: ClassVar[bool] = True
