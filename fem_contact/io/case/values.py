"""Types of the values of a case file: numbers, quantities with a unit, vectors, expressions.

Each validator refuses what it does not know in words that make sense behind "file: [table] key = value:".
The unit system of the case comes in through pydantic's context, ``{"units": "mm-ms-g"}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from fem_contact.errors import ExpressionError, UnitError
from fem_contact.expressions import Expression
from fem_contact.units import UNIT_LABELS, convert, is_quantity

Component = float | Expression


def units_of(info: ValidationInfo) -> str:
    """The unit system of the case that is being read."""
    return str((info.context or {})["units"])


def number(value: object, *, infinite: bool = False) -> float:
    """A finite number (or infinity, where that is allowed); no text, no true/false."""
    if isinstance(value, str):
        raise ValueError("must be a plain number, without quotes or a unit")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {kind_of(value)}")
    try:
        result = float(value)
    except OverflowError:
        raise ValueError("is too large a number") from None
    if math.isnan(result) or (math.isinf(result) and not infinite):
        raise ValueError("must be a finite number")
    return result


def integer(value: object) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"must be a whole number, not {kind_of(value)}")
    if abs(value) > 10**12:
        raise ValueError("is too large a number")
    return value


def boolean(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {kind_of(value)}")
    return value


def text(value: object) -> str:
    """A text that is not empty."""
    if not isinstance(value, str):
        raise ValueError(f"must be a text in quotes, not {kind_of(value)}")
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def kind_of(value: object) -> str:
    """What a TOML value is, in words."""
    if isinstance(value, bool):
        return "true/false"
    if isinstance(value, dict):
        return "a table"
    names = {int: "a whole number", float: "a decimal number", str: "a text", list: "a list", tuple: "a list"}
    return names.get(type(value), f"a {type(value).__name__}")


def quantity_in(value: object, dimension: str | None, units: str, *, infinite: bool = False) -> float:
    """A number, or a text with a unit of the dimension; a plain number where the dimension is None."""
    if isinstance(value, str) and dimension is not None:
        try:
            return convert(value, dimension, units)
        except UnitError as error:
            raise ValueError(str(error)) from None
    return number(value, infinite=infinite)


def component_in(value: object, dimension: str, units: str) -> Component:
    """A number, a text with a unit, or an expression in t, x, y (in the units of the case)."""
    if isinstance(value, str) and not is_quantity(value):
        try:
            return Expression(value)
        except ExpressionError as error:
            allowed = f"a number or expression in {UNIT_LABELS[units][dimension]}, or a number with a unit"
            raise ValueError(f"{error}; give {allowed}") from None
    return quantity_in(value, dimension, units)


def pair_of(value: object, read: Callable[[object], Any]) -> tuple[Any, Any]:
    """A list of two, each read by ``read``."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of two, [x, y], not {kind_of(value)}")
    if len(value) != 2:
        raise ValueError(f"must be a list of two, [x, y], not of {len(value)}")
    result = []
    for axis, item in zip("xy", value, strict=True):
        try:
            result.append(read(item))
        except ValueError as error:
            raise ValueError(f"{axis} component: {error}") from None
    return result[0], result[1]


def quantity(dimension: str, *, positive: bool = False, negative: bool = True) -> BeforeValidator:
    """Validator of one number of a dimension; ``positive``: > 0; ``negative=False``: >= 0."""

    def read(value: object, info: ValidationInfo) -> float:
        result = quantity_in(value, dimension, units_of(info))
        if positive and result <= 0.0:
            raise ValueError("must be positive")
        if not negative and result < 0.0:
            raise ValueError("must not be negative")
        return result

    return BeforeValidator(read)


def quantities(dimension: str | None) -> BeforeValidator:
    """Validator of [x, y], two numbers of a dimension."""
    return BeforeValidator(lambda v, info: pair_of(v, lambda c: quantity_in(c, dimension, units_of(info))))


def component(dimension: str) -> BeforeValidator:
    """Validator of a number, quantity or expression."""
    return BeforeValidator(lambda v, info: component_in(v, dimension, units_of(info)))


def components(dimension: str) -> BeforeValidator:
    """Validator of [x, y], each a number, quantity or expression."""
    return BeforeValidator(lambda v, info: pair_of(v, lambda c: component_in(c, dimension, units_of(info))))


def _not_negative(value: object) -> float:
    result = number(value)
    if result < 0.0:
        raise ValueError("must not be negative")
    return result


def _from_one(value: object) -> int:
    result = integer(value)
    if result < 1:
        raise ValueError("must be at least 1")
    return result


Number = Annotated[float, BeforeValidator(number)]
NotNegative = Annotated[float, BeforeValidator(_not_negative)]
Count = Annotated[int, BeforeValidator(_from_one)]
Text = Annotated[str, BeforeValidator(text)]
Flag = Annotated[bool, BeforeValidator(boolean)]
