"""Time-stepping schemes. One file and one line of ``SCHEMES`` each."""

from __future__ import annotations

from typing import Any

from fem_contact.schemes.base import SCALARS, Scheme, State, Stepper, StepReport
from fem_contact.schemes.theta import MoreauJean, MoreauJeanFremond

SCHEMES: dict[str, type[Any]] = {scheme.name: scheme for scheme in (MoreauJean, MoreauJeanFremond)}

__all__ = [
    "SCALARS",
    "SCHEMES",
    "MoreauJean",
    "MoreauJeanFremond",
    "Scheme",
    "State",
    "StepReport",
    "Stepper",
]
