"""Unit systems of a case and the conversion of quantities such as "5.75 GPa" into them.

``mm-ms-g`` is a consistent system: with mm, ms and g, forces are in N, stresses in MPa and energies in mJ.
A quantity is read by a short pattern before pint sees its unit: pint would evaluate any arithmetic in it. The
conversion is done in exact fractions and rounded once, so that "5.75 GPa" is the number 5750.0 of a case file
written in MPa, to the last digit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from fem_contact.errors import UnitError

MAX_LENGTH = 60


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity: its unit in each unit system and an example to show in messages."""

    name: str
    units: MappingProxyType[str, str]
    example: str


def _dimension(name: str, mm_ms_g: str, si: str, example: str) -> tuple[str, Dimension]:
    return name, Dimension(name, MappingProxyType({"mm-ms-g": mm_ms_g, "SI": si}), example)


#: Every kind of quantity that a case file or a plot knows.
DIMENSIONS: dict[str, Dimension] = dict(
    [
        _dimension("length", "mm", "m", "40 mm"),
        _dimension("area", "mm^2", "m^2", "314.16 mm^2"),
        _dimension("time", "ms", "s", "1e-4 ms"),
        _dimension("frequency", "1/ms", "1/s", "20 1/s"),
        _dimension("mass", "g", "kg", "5 g"),
        _dimension("moment of inertia", "g mm^2", "kg m^2", "7.4e-5 kg m^2"),
        _dimension("density", "g/mm^3", "kg/m^3", "1170 kg/m^3"),
        _dimension("velocity", "mm/ms", "m/s", "0.1 m/s"),
        _dimension("acceleration", "mm/ms^2", "m/s^2", "-9.81 m/s^2"),
        _dimension("force", "N", "N", "12 N"),
        _dimension("force per volume", "N/mm^3", "N/m^3", "1e4 N/m^3"),
        _dimension("stress", "MPa", "Pa", "5.75 GPa"),
        _dimension("energy", "mJ", "J", "3 mJ"),
        _dimension("impulse", "N ms", "N s", "0.1 N s"),
    ]
)

#: Names of the unit systems.
UNIT_SYSTEMS = ("mm-ms-g", "SI")

#: Label of each kind of quantity in each system, for plots: ``UNIT_LABELS["SI"]["energy"] == "J"``.
UNIT_LABELS: dict[str, dict[str, str]] = {
    system: {name: dimension.units[system] for name, dimension in DIMENSIONS.items()}
    for system in UNIT_SYSTEMS
}

_NUMBER = r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,3})?"
_FACTOR = r"[A-Za-zµμ][A-Za-z_]{0,23}(?:(?:\^|\*\*)[+-]?[1-9])?"
_UNIT = rf"(?:1 ?/ ?)?{_FACTOR}(?: ?[*/ ] ?{_FACTOR}){{0,5}}"
_QUANTITY = re.compile(rf"({_NUMBER}) ?({_UNIT})")
_SIGNS = str.maketrans({"²": "^2", "³": "^3", "·": "*", "\u00a0": " "})


def is_quantity(text: str) -> bool:
    """Whether a text has the form NUMBER UNIT, such as "2 MPa" (an expression such as "2*t" has not)."""
    return _split(text) is not None


def convert(text: str, dimension: str, system: str) -> float:
    """The number of ``text`` in a unit system.

    Parameters
    ----------
    text : str
        NUMBER UNIT, for instance "1170 kg/m^3"; units are joined by ``*``, ``/`` or a space, exponents
        are single digits.
    dimension : str
        A key of ``DIMENSIONS``, for instance "density".
    system : "mm-ms-g" or "SI"

    Raises
    ------
    UnitError
        When the text has another form, the unit is unknown or of another dimension, or the number is
        not finite. The message names the text, the dimension and an example.
    """
    expected = _expected(dimension, system)
    shown = repr(text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "...")
    parts = _split(text)
    if parts is None:
        raise UnitError(f"{shown} is not a number with a unit; {expected}")
    number, unit = parts
    try:
        factor = _factor(unit, dimension, system)
    except UnitError as error:
        raise UnitError(f"{shown}: {error}; {expected}") from None
    try:
        value = float(Fraction(number) * factor)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise UnitError(f"{shown} is too large a number; {expected}")
    return value


def _split(text: str) -> tuple[str, str] | None:
    text = text.strip().translate(_SIGNS)
    match = _QUANTITY.fullmatch(text) if len(text) <= MAX_LENGTH else None
    return (match[1], match[2]) if match else None


def _expected(name: str, system: str) -> str:
    dimension = DIMENSIONS[name]
    article = "an" if name[0] in "aeiou" else "a"
    unit = dimension.units[system]
    return f"expected {article} {name} such as '{dimension.example}', or a number in {unit}"


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


@lru_cache(maxsize=1024)
def _factor(unit: str, dimension: str, system: str) -> Fraction:
    """What one ``unit`` is worth in the unit of the system, exactly."""
    import pint

    registry = _registry()
    try:
        found = registry.parse_units(unit)
        target = registry.parse_units(DIMENSIONS[dimension].units[system])
        if found.dimensionality != target.dimensionality:
            raise UnitError(f"'{unit}' is not a unit of {dimension}")
        return Fraction(registry.Quantity(Fraction(1), found).to(target).magnitude)
    except pint.UndefinedUnitError as error:
        unknown = error.unit_names if isinstance(error.unit_names, str) else unit
        raise UnitError(f"unknown unit '{unknown}'") from None
    except (pint.PintError, ValueError, TypeError, ArithmeticError):
        raise UnitError(f"the unit '{unit}' cannot be converted") from None
