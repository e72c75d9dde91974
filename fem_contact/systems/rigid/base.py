"""What a rigid model is, and the checks that models share."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fem_contact.errors import ModelError
from fem_contact.systems.lagrangian import LagrangianSystem


class RigidModel(Protocol):
    """Physical parameters that make a system."""

    def system(self) -> LagrangianSystem:
        """The system, at its usual start."""
        ...


def positive(**values: float) -> None:
    """Raise ModelError unless each is a positive number."""
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} = {value!r}: it must be a positive number")


def contact_law(mu: float, e: float) -> None:
    """Raise ModelError unless mu >= 0 and e in [0, 1]."""
    if not (np.isfinite(mu) and mu >= 0.0):
        raise ModelError(f"mu = {mu!r}: it must be a number >= 0")
    if not (np.isfinite(e) and 0.0 <= e <= 1.0):
        raise ModelError(f"e = {e!r}: it must be in [0, 1]")
