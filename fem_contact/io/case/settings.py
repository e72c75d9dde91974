"""Tables whose keys are the fields of a frozen dataclass: schemes, solvers, obstacles, shapes.

The dataclass is the only place that knows the parameters, their defaults and their ranges: a new scheme
in the registry needs no line here.
"""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from fem_contact.errors import FemContactError
from fem_contact.io.case.values import boolean, integer, kind_of, pair_of, quantity_in, text, units_of

#: Dimension of a field by its name, where the field's own ``metadata["dimension"]`` does not say it.
FIELD_DIMENSIONS = {
    "center": "length",
    "gap_tol": "length",
    "height": "length",
    "inner": "length",
    "length": "length",
    "outer": "length",
    "point": "length",
    "points": "length",
    "radius": "length",
    "tip_size": "length",
    "vertices": "length",
    "width": "length",
    "x": "length",
    "y": "length",
    "velocity_tol": "velocity",
}

#: Fields that may be infinite.
INFINITE = frozenset({"velocity_tol"})


class Table(BaseModel):
    """A table of a case file: frozen, and without keys that nobody asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            raise PydanticCustomError("not_a_table", "must be a table, not {kind}", {"kind": kind_of(data)})
        for key in data:
            if key not in cls.model_fields:
                allowed = f"{', '.join(cls.model_fields)}{did_you_mean(key, cls.model_fields)}"
                message = "unknown key '{key}'; allowed: " + _literal(allowed)
                raise PydanticCustomError("unknown_key", message, {"key": shorten(key)})
        return data


T = typing.TypeVar("T", bound=Table)


def _literal(message: str) -> typing.LiteralString:
    """A text of ours that goes into a message as it is."""
    return message.replace("{", "(").replace("}", ")")


def shorten(value: str, length: int = 40) -> str:
    """A text that fits into a message: one line, printable, not longer than ``length``."""
    value = "".join(c if c.isprintable() else "?" for c in value)
    return value if len(value) <= length else value[: length - 3] + "..."


#: What people write for a key, in lower case and without "_".
ALIASES = {
    "young": "E", "youngs": "E", "youngsmodulus": "E", "modulus": "E",
    "poisson": "nu", "poissonratio": "nu", "poissonsratio": "nu",
    "rho": "density", "depth": "thickness", "section": "area",
    "friction": "mu", "restitution": "e", "h": "dt", "step": "dt", "timestep": "dt",
    "t": "t_end", "duration": "t_end", "tolerance": "tol", "maxiter": "max_iter",
}  # fmt: skip


def did_you_mean(key: str, known: typing.Iterable[str]) -> str:
    """A hint at the nearest known name, or nothing."""
    names = list(known)
    meant = {alias: name for alias, name in ALIASES.items() if name in names}
    meant |= {name.lower(): name for name in names}
    key = key[:80].lower()
    found = [key] if key in meant else difflib.get_close_matches(key, list(meant), n=1, cutoff=0.6)
    found = found or [word for word in [key.replace("_", "")] if word in meant]
    return f" (did you mean '{meant[found[0]]}'?)" if found else ""


def choice(table: dict[str, Any], key: str, registry: Mapping[str, Any], what: str) -> Any:
    """The registry's object that ``table[key]`` names; a ValidationError listing the known names if none."""
    known = ", ".join(registry) or "none in this version"
    name = table.get(key)
    if isinstance(name, str) and name in registry:
        return registry[name]
    if key not in table:
        message = f"missing; known {what}s: {known}"
    elif not isinstance(name, str):
        message = f"the name of a {what} is a text, not {kind_of(name)}; known: {known}"
    else:
        message = f"unknown {what}; known: {known}{did_you_mean(name, registry)}"
    error = PydanticCustomError("bad_choice", _literal(message))
    raise ValidationError.from_exception_data(what, [{"type": error, "loc": (key,), "input": name}])


def settings_of(cls: type, base: type[T], data: dict[str, Any], info: ValidationInfo) -> tuple[T, Any]:
    """Read a table by ``base`` and the fields of ``cls``: the table, and the ``cls`` made of it.

    Raises
    ------
    ValidationError, ValueError
        As pydantic wants them from a validator.
    """
    table = settings_model(cls, base).model_validate(data, context=info.context)
    names = [f.name for f in dataclasses.fields(cls) if f.init and f.name in table.model_fields_set]
    try:
        return typing.cast(T, table), cls(**{name: getattr(table, name) for name in names})
    except FemContactError as error:
        raise ValueError(str(error)) from None


@lru_cache(maxsize=256)
def settings_model(cls: type, base: type[Table] = Table) -> type[Table]:
    """The pydantic model of a dataclass: the fields of ``base``, then those of ``cls``."""
    hints = typing.get_type_hints(cls)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if not field.init or field.name in base.model_fields:
            continue
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        reader = _reader(hints[field.name], field)
        info = FieldInfo() if required else FieldInfo(default=None)
        fields[field.name] = (Annotated[Any, BeforeValidator(reader)], info)
    return create_model(cls.__name__, __base__=base, **fields)


def _reader(hint: Any, field: dataclasses.Field[Any]) -> Callable[[object, ValidationInfo], Any]:
    """How a value of a type is read."""
    dimension = field.metadata.get("dimension", FIELD_DIMENSIONS.get(field.name))
    infinite = field.name in INFINITE
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = [option for option in typing.get_args(hint) if option is not type(None)]
    if dataclasses.is_dataclass(hint):
        nested = typing.cast(type, hint)
        return lambda value, info: settings_of(nested, Table, typing.cast(dict[str, Any], value), info)[1]
    simple: dict[Any, Callable[[object, ValidationInfo], Any]] = {
        float: lambda v, info: quantity_in(v, dimension, units_of(info), infinite=infinite),
        int: lambda v, info: integer(v),
        bool: lambda v, info: boolean(v),
        str: lambda v, info: text(v),
        tuple[float, float]: lambda v, info: pair_of(v, lambda c: quantity_in(c, dimension, units_of(info))),
    }
    if hint in simple:
        return simple[hint]
    if typing.get_origin(hint) is tuple and typing.get_args(hint)[1:] == (...,):
        item = typing.get_args(hint)[0]
        if item in simple:
            return lambda value, info: _items(value, lambda v: simple[item](v, info))
    raise TypeError(f"a case file cannot hold the field '{field.name}' of type {hint}")


def _items(value: object, read: Callable[[object], Any]) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list, not {kind_of(value)}")
    result = []
    for i, item in enumerate(value):
        try:
            result.append(read(item))
        except ValueError as error:
            raise ValueError(f"item {i + 1}: {error}") from None
    return tuple(result)
