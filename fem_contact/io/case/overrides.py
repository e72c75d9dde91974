"""Changes to a case from the command line: ``scheme.name=moreau-jean``, ``contact.0.mu=0.3``."""

from __future__ import annotations

import copy
import dataclasses
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fem_contact.errors import CaseError, FemContactWarning
from fem_contact.io.case.settings import Table, shorten

MAX_LENGTH = 2000
_KEY = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,9}")


def _schemes() -> tuple[Mapping[str, Any], type[Table]]:
    from fem_contact.io.case.tables import SchemeTable
    from fem_contact.schemes import SCHEMES

    return SCHEMES, SchemeTable


def _solvers() -> tuple[Mapping[str, Any], type[Table]]:
    from fem_contact.io.case.tables import SolverTable
    from fem_contact.solvers import SOLVERS

    return SOLVERS, SolverTable


#: Keys that choose what the other keys of their table mean: where the choices are, and the keys all have.
CHOICES: dict[tuple[str, ...], Callable[[], tuple[Mapping[str, Any], type[Table]]]]
CHOICES = {("scheme", "name"): _schemes, ("solver", "name"): _solvers}


def parse(override: str) -> tuple[tuple[str, ...], Any]:
    """("scheme", "name"), "moreau-jean" from "scheme.name=moreau-jean".

    The value is TOML (``0.3``, ``[1, 0]``, ``{ gamma = 0.5 }``); what is not TOML is a text, if it does not
    start like a list, table or quoted text.
    """
    shown = shorten(override)
    key, equals, value = override.partition("=")
    key, value = key.strip(), value.strip()
    if not equals or not value:
        raise CaseError(f"--set {shown}: write KEY=VALUE, for instance scheme.name=moreau-jean")
    if not _KEY.fullmatch(key):
        examples = "scheme.dt or contact.0.mu"
        raise CaseError(f"--set {shown}: '{shorten(key)}' is not a key; keys look like {examples}")
    if len(value) > MAX_LENGTH or not value.isprintable():
        raise CaseError(f"--set {shown}: the value must be one line of at most {MAX_LENGTH} characters")
    try:
        return tuple(key.split(".")), tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        if value[0] in "[{\"'":
            raise CaseError(f"--set {shown}: the value cannot be read as TOML") from None
        return tuple(key.split(".")), value


def apply(data: dict[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """A copy of ``data`` with the overrides made, in their order.

    Another name of a scheme or solver leaves out what the file says of the old one only, with a warning.

    Raises
    ------
    CaseError
        When an override cannot be read or goes through something that is not a table.
    """
    result = copy.deepcopy(data)
    for override in overrides:
        path, value = parse(override)
        if path in CHOICES:
            _leave_out(data.get(path[0]), result, path[0], value)
        _put(result, path, value, shorten(override))
    return result


def _leave_out(given: object, result: dict[str, Any], table: str, name: object) -> None:
    """Drop from ``result[table]`` the keys of the file that mean nothing to what is now called ``name``."""
    if not isinstance(given, dict) or not isinstance(name, str) or given.get("name") == name:
        return
    registry, base = CHOICES[table, "name"]()
    if name not in registry:
        return
    known = {*base.model_fields, *(field.name for field in dataclasses.fields(registry[name]))}
    dropped = [key for key in given if key not in known and key in result[table]]
    for key in dropped:
        del result[table][key]
    if dropped:
        keys = ", ".join(dropped)
        warnings.warn(
            f"[{table}] {keys} of the case file: without a meaning for {name}, left out",
            FemContactWarning,
            stacklevel=5,
        )


def _put(data: dict[str, Any], path: tuple[str, ...], value: Any, shown: str) -> None:
    place: Any = data
    for depth, part in enumerate(path):
        last = depth == len(path) - 1
        before = ".".join(path[:depth])
        if isinstance(place, list):
            if not part.isdecimal() or int(part) >= len(place):
                allowed = f"0 to {len(place) - 1}" if place else "none, the list is empty"
                raise CaseError(f"--set {shown}: '{before}' is a list, its items are numbered {allowed}")
            key: Any = int(part)
        elif isinstance(place, dict):
            key = part
            if not last:
                place.setdefault(key, {})
        else:
            raise CaseError(f"--set {shown}: '{before}' is a value, it has no key '{part}'")
        if last:
            place[key] = value
        else:
            place = place[key]
