"""What a rigid model is, and the checks that models share."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]

#: Metadata of fields: what a number of a case file may have a unit of.
LENGTH, MASS, INERTIA = ({"dimension": name} for name in ("length", "mass", "moment of inertia"))
SPEED, ACCELERATION, RATE = ({"dimension": name} for name in ("velocity", "acceleration", "frequency"))


class RigidModel(Protocol):
    """Physical parameters that make a system."""

    def system(self) -> LagrangianSystem:
        """The system, at its usual start."""
        ...


@runtime_checkable
class HasExact(Protocol):
    """A model whose motion is known in closed form, for whoever measures the error of a scheme."""

    def exact(self, t: FloatArray, q0: FloatArray, v0: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The motion of ``system()`` from (q0, v0) at t = 0, impacts included.

        Parameters
        ----------
        t : (N,) times >= 0, in any order
        q0, v0 : (n,) an admissible start; where a contact is closed and v0 closes it, it strikes at t = 0

        Returns
        -------
        q, v : (N, n)
            v is the right limit: at an impact, the velocity after it.

        Raises
        ------
        ModelError
            When the closed form does not cover these parameters or this start.
        """
        ...


def positive(**values: float) -> None:
    """Raise ModelError unless each is a positive number."""
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} = {value!r}: it must be a positive number")


def contact_law(mu: float, e: float) -> None:
    """Raise ModelError unless mu >= 0 and e in [0, 1]."""
    at_least_zero(mu=mu)
    if not (np.isfinite(e) and 0.0 <= e <= 1.0):
        raise ModelError(f"e = {e!r}: it must be in [0, 1]")


def at_least_zero(**values: float) -> None:
    """Raise ModelError unless each is a number >= 0."""
    for name, value in values.items():
        if not (np.isfinite(value) and value >= 0.0):
            raise ModelError(f"{name} = {value!r}: it must be a number >= 0")


def one_number(q0: FloatArray, v0: FloatArray) -> tuple[float, float]:
    """Position and velocity of a system of one coordinate over a floor at zero, for a closed form.

    Raises
    ------
    ModelError
        When they are not one finite number each, or q0 is below the floor.
    """
    q, v = np.asarray(q0, np.float64).ravel(), np.asarray(v0, np.float64).ravel()
    if q.shape != (1,) or v.shape != (1,) or not (np.isfinite(q[0]) and np.isfinite(v[0])):
        raise ModelError("q0 and v0 must be one finite number each")
    if q[0] < 0.0:
        raise ModelError(f"q0 = {q[0]:g}: the motion starts at or above the floor, q0 >= 0")
    return abs(float(q[0])), float(v[0])  # abs: -0.0 becomes 0.0
