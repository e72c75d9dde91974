"""Contact laws: Coulomb friction and Newton restitution, as two numbers a contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.errors import ModelError


@dataclass(frozen=True)
class ContactLaw:
    """Friction coefficient mu >= 0 and restitution coefficient e in [0, 1] of a group of contacts."""

    mu: float = 0.0
    e: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mu) and self.mu >= 0.0):
            raise ModelError(f"friction coefficient mu = {self.mu!r}: it must be a number >= 0")
        if not (np.isfinite(self.e) and 0.0 <= self.e <= 1.0):
            raise ModelError(f"restitution coefficient e = {self.e!r}: it must be in [0, 1]")
