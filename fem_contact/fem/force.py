"""External forces as functions of time, split so that a step costs little."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.expressions import Expression

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FieldLoad:
    """A load f(t, x, y) read at points and spread over the dofs: P f(t, points).

    Attributes
    ----------
    P : sparse (n, k)
        Shape functions times quadrature weights, at the dofs that the load acts on.
    points : (k, 2)
    expression : Expression
    """

    P: Any
    points: FloatArray
    expression: Expression

    def at(self, t: float) -> FloatArray:
        """(n,) force at time t."""
        return self.P @ self.expression(t, self.points[:, 0], self.points[:, 1])


def _no_basis() -> FloatArray:
    return np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Force:
    """F(t) = constant + sum_j amplitudes[j](t) basis[j] + sum_i fields[i].at(t).

    Attributes
    ----------
    constant : (n,)
    basis : (m, n)
    amplitudes : tuple of m Expressions of t alone
    fields : tuple of FieldLoad
        Loads that depend on time and place.

    Raises
    ------
    ModelError
        When the shapes do not fit or an amplitude depends on x or y.
    """

    constant: FloatArray
    basis: FloatArray = field(default_factory=_no_basis)
    amplitudes: tuple[Expression, ...] = ()
    fields: tuple[FieldLoad, ...] = ()

    def __post_init__(self) -> None:
        constant = np.array(self.constant, dtype=np.float64)
        n, m = constant.size, len(self.amplitudes)
        basis = np.array(self.basis, dtype=np.float64)
        basis = basis.reshape(0, n) if not basis.size and not m else basis
        if constant.ndim != 1 or basis.shape != (m, n):
            raise ModelError(
                f"a force needs constant (n,) and basis ({m}, n), got {constant.shape}, {basis.shape}"
            )
        for amplitude in self.amplitudes:
            if amplitude.variables - {"t"}:
                raise ModelError(f"the amplitude '{amplitude}' of a force may depend on t only")
        for load in self.fields:
            if load.P.shape != (n, len(load.points)):
                raise ModelError(f"a field load needs P ({n}, {len(load.points)}), got {load.P.shape}")
        constant.setflags(write=False)
        basis.setflags(write=False)
        object.__setattr__(self, "constant", constant)
        object.__setattr__(self, "basis", basis)
        object.__setattr__(self, "amplitudes", tuple(self.amplitudes))
        object.__setattr__(self, "fields", tuple(self.fields))

    @classmethod
    def zero(cls, n: int) -> Force:
        """No force on n dofs."""
        return cls(np.zeros(n))

    @property
    def n(self) -> int:
        """Number of dofs."""
        return len(self.constant)

    @property
    def is_constant(self) -> bool:
        """Whether nothing of it depends on time."""
        return not self.amplitudes and not self.fields

    def amplitude_table(self, times: Any) -> FloatArray:
        """(len(times), m) values of the amplitudes."""
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        table = np.zeros((len(times), len(self.amplitudes)))
        for j, amplitude in enumerate(self.amplitudes):
            table[:, j] = amplitude(times)
        return table

    def fields_at(self, t: float) -> FloatArray:
        """(n,) sum of the field loads at time t."""
        total = np.zeros(self.n)
        for load in self.fields:
            total += load.at(t)
        return total

    def at(self, t: float) -> FloatArray:
        """(n,) force at time t."""
        total = self.constant + self.fields_at(t)
        for amplitude, row in zip(self.amplitudes, self.basis, strict=True):
            total += amplitude(t) * row
        return total

    def __add__(self, other: Force) -> Force:
        """Sum of two forces on the same dofs; equal amplitudes are merged."""
        if not isinstance(other, Force):
            return NotImplemented
        if self.n != other.n:
            raise ModelError(f"cannot add forces on {self.n} and {other.n} dofs")
        rows: dict[Expression, FloatArray] = {}
        for force in (self, other):
            for amplitude, row in zip(force.amplitudes, force.basis, strict=True):
                rows[amplitude] = rows[amplitude] + row if amplitude in rows else row
        return Force(
            self.constant + other.constant,
            np.array(list(rows.values())),
            tuple(rows),
            self.fields + other.fields,
        )

    def scaled(self, factor: float) -> Force:
        """The force times a number."""
        fields = tuple(replace(load, P=load.P * factor) for load in self.fields)
        return Force(factor * self.constant, factor * self.basis, self.amplitudes, fields)
