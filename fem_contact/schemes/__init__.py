"""Time-stepping schemes: one file each, one line of :mod:`fem_contact.schemes.registry` each."""

from __future__ import annotations

from fem_contact.schemes.base import SCALARS, Scheme, State, Stepper, StepReport
from fem_contact.schemes.registry import SCHEMES
from fem_contact.schemes.theta import MoreauJean, MoreauJeanFremond, MoreauJeanVariant

__all__ = [
    "SCALARS",
    "SCHEMES",
    "MoreauJean",
    "MoreauJeanFremond",
    "MoreauJeanVariant",
    "Scheme",
    "State",
    "StepReport",
    "Stepper",
]
