"""Which contacts take part in a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.errors import ModelError


@dataclass(frozen=True)
class Activation:
    """A contact is active when g_k + gamma h u_N,k <= gap_tol and u_N,k <= velocity_tol.

    With gamma = 1 and both tolerances zero this is the index set of Acary & Collins-Craft
    (HAL 04230941) eq. 55, which drops a closed contact as soon as round-off makes its velocity
    positive; the tolerances keep it.

    Attributes
    ----------
    gamma : float
        How many steps ahead the gap is forecast, in [0, 2] (RR-8029 eq. 61).
    gap_tol : float or None
        Length; None stands for 1e-9 of the smallest edge of the mesh.
    velocity_tol : float or None
        Velocity; None stands for 5e-12 of the wave speed, infinity for no test of the velocity.
    """

    gamma: float = 1.0
    gap_tol: float | None = None
    velocity_tol: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.gamma <= 2.0:
            raise ModelError(f"activation gamma = {self.gamma!r}: it must be in [0, 2]")
        for name, value in (("gap_tol", self.gap_tol), ("velocity_tol", self.velocity_tol)):
            if value is not None and not value >= 0.0:
                raise ModelError(f"activation {name} = {value!r}: it must be >= 0")

    def resolved(self, length: float, wave_speed: float) -> Activation:
        """The same with the tolerances that were left open set from the scales of the system."""
        return Activation(
            self.gamma,
            1e-9 * length if self.gap_tol is None else float(self.gap_tol),
            5e-12 * wave_speed if self.velocity_tol is None else float(self.velocity_tol),
        )

    def active(self, gap: np.ndarray, u_N: np.ndarray, h: float) -> np.ndarray:
        """Mask of the active contacts, shape (c,), for a resolved activation."""
        assert self.gap_tol is not None
        assert self.velocity_tol is not None
        return (gap + self.gamma * h * u_N <= self.gap_tol) & (u_N <= self.velocity_tol)
