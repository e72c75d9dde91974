"""Linear elastic materials: the plane ones and the rod."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError

FloatArray = NDArray[np.float64]


def _plane_stress(E: float, nu: float) -> FloatArray:
    return E / (1.0 - nu**2) * np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, (1.0 - nu) / 2.0]])


def _plane_strain(E: float, nu: float) -> FloatArray:
    a, b, c = 1.0 - nu, nu, (1.0 - 2.0 * nu) / 2.0
    return E / ((1.0 + nu) * (1.0 - 2.0 * nu)) * np.array([[a, b, 0.0], [b, a, 0.0], [0.0, 0.0, c]])


#: The matrix D(E, nu) of each plane assumption, sigma = D epsilon.
ASSUMPTIONS: dict[str, Callable[[float, float], FloatArray]] = {
    "plane-stress": _plane_stress,
    "plane-strain": _plane_strain,
}


def _positive(material: object, names: tuple[str, ...]) -> None:
    for name in names:
        value = _number(material, name)
        if value <= 0.0:
            raise ModelError(f"{name} must be positive, got {value:g}")


def _number(material: object, name: str) -> float:
    value = getattr(material, name)
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ModelError(f"{name} must be a number, got {value!r:.60}")
    if not math.isfinite(value):
        raise ModelError(f"{name} must be finite, got {value}")
    object.__setattr__(material, name, float(value))
    return float(value)


@dataclass(frozen=True)
class Elastic:
    """Isotropic linear elasticity of a plane body.

    Parameters
    ----------
    E : float
        Young's modulus (stress), positive.
    nu : float
        Poisson's ratio: -1 < nu <= 0.5 in plane stress, -1 < nu < 0.5 in plane strain.
    density : float
        Mass per volume, positive.
    thickness : float
        Positive; every matrix and load of the body is for this thickness.
    assumption : "plane-stress" or "plane-strain"

    Raises
    ------
    ModelError
        On a value outside these ranges.
    """

    E: float
    nu: float
    density: float
    thickness: float = 1.0
    assumption: str = "plane-stress"

    def __post_init__(self) -> None:
        _positive(self, ("E", "density", "thickness"))
        nu = _number(self, "nu")
        if self.assumption not in ASSUMPTIONS:
            known = " or ".join(f"'{name}'" for name in ASSUMPTIONS)
            raise ModelError(f"assumption must be {known}, got {self.assumption!r:.60}")
        if not -1.0 < nu <= 0.5:
            raise ModelError(f"nu must be in (-1, 0.5], got {nu:g}")
        if nu == 0.5 and self.assumption == "plane-strain":
            raise ModelError(
                "nu = 0.5 in plane strain is incompressible: its stiffness is infinite; "
                "take nu below 0.5 or plane stress"
            )

    @cached_property
    def D(self) -> FloatArray:
        """(3, 3) elasticity matrix: (s_xx, s_yy, s_xy) = D (e_xx, e_yy, 2 e_xy), in units of stress."""
        D = ASSUMPTIONS[self.assumption](self.E, self.nu)
        D.setflags(write=False)
        return D

    @property
    def section(self) -> float:
        """What turns an area of the mesh into a volume: the thickness."""
        return self.thickness

    @property
    def wave_speed(self) -> float:
        """Dilatational wave speed sqrt(D_11 / density).

        Plane stress: sqrt(E / (density (1 - nu^2))); plane strain:
        sqrt(E (1 - nu) / (density (1 + nu) (1 - 2 nu))).
        """
        return math.sqrt(float(self.D[0, 0]) / self.density)

    def out_of_plane(self, stress: FloatArray) -> FloatArray:
        """s_zz of in-plane stresses (..., 3): 0 in plane stress, nu (s_xx + s_yy) in plane strain."""
        nu = self.nu if self.assumption == "plane-strain" else 0.0
        return nu * (stress[..., 0] + stress[..., 1])


@dataclass(frozen=True)
class Rod:
    """A linear elastic rod along x.

    Parameters
    ----------
    E : float
        Young's modulus (stress), positive.
    density : float
        Mass per volume, positive.
    area : float
        Cross section, positive.

    Raises
    ------
    ModelError
        On a value that is not positive.
    """

    E: float
    density: float
    area: float

    def __post_init__(self) -> None:
        _positive(self, ("E", "density", "area"))

    @property
    def section(self) -> float:
        """What turns a length of the mesh into a volume: the area."""
        return self.area

    @property
    def wave_speed(self) -> float:
        """sqrt(E / density)."""
        return math.sqrt(self.E / self.density)

    def out_of_plane(self, stress: FloatArray) -> FloatArray:
        """s_zz of a rod: zero."""
        return np.zeros_like(stress[..., 0])
