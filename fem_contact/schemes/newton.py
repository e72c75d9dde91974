"""How a step on a nonlinear system is iterated, and in which frames its contacts are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.errors import ModelError

#: Where in a step the contact frames H(q) may be taken.
FRAMES = ("end", "start")

#: Approach velocities that restitution may refer to.
RESTITUTIONS = ("own", "frame")


@dataclass(frozen=True)
class Newton:
    """Settings of the Newton iterations of a step; linear systems do not iterate.

    Attributes
    ----------
    tol : float
        Imbalance of momentum over the largest impulse in it (RR-8029 section 4.3.2), and change of the
        contact velocities between two iterations over the largest velocity.
    max_iter : int
        A step that needs more stops the run.
    """

    tol: float = 1e-12
    max_iter: int = 50

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tol) and self.tol > 0.0):
            raise ModelError(f"newton tol = {self.tol!r}: it must be a positive number")
        if self.max_iter < 1:
            raise ModelError(f"newton max_iter = {self.max_iter!r}: it must be at least 1")
