"""From what pydantic found wrong to one line: file, table, key, value, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from fem_contact.io.case.settings import shorten

#: Tables that are written [[name]] in the file.
LISTS = ("support", "load", "contact")

#: Where a key is in the file: ("contact", 0, "mu").
Loc = tuple[int | str, ...]


def key_text(loc: Sequence[int | str]) -> str:
    """("contact", 0, "obstacle", "radius") as "[[contact]] 1, obstacle.radius"."""
    if not loc:
        return ""
    head, rest = str(loc[0]), list(loc[1:])
    if head in LISTS and rest and isinstance(rest[0], int):
        table = f"[[{head}]] {rest[0] + 1}"
        return ", ".join(filter(None, [table, _dotted(rest[1:])]))
    if head == "output" and len(rest) >= 2 and rest[0] == "probes" and isinstance(rest[1], int):
        table = f"[[output.probes]] {rest[1] + 1}"
        return ", ".join(filter(None, [table, _dotted(rest[2:])]))
    if head in ("units", "title", "description"):
        return head
    table = f"[[{head}]]" if head in LISTS else f"[{head}]"
    return " ".join(filter(None, [table, _dotted(rest)]))


def _dotted(loc: Iterable[int | str]) -> str:
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in loc)


def toml_value(value: object) -> str:
    """A value as the file writes it, short; nothing for tables and lists of tables."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{shorten(value)}"'
    if isinstance(value, int | float):
        return shorten(_number_text(value))
    if not isinstance(value, list | tuple) or len(value) > 3:
        return ""
    items = [toml_value(item) for item in value]
    return f"[{', '.join(items)}]" if all(items) else ""


def _number_text(value: float) -> str:
    if isinstance(value, int) and abs(value) > 10**30:
        return "a number of more than 30 digits"
    return repr(value)


def problems(error: ValidationError) -> list[tuple[Loc, str]]:
    """Each error as (place of the key in the file, the words behind "file: ")."""
    return [_problem(e) for e in error.errors(include_url=False)]


def _problem(error: Any) -> tuple[Loc, str]:
    loc: Loc = tuple(part for part in error["loc"])
    kind = error["type"]
    if kind == "missing":
        if len(loc) == 1:
            return loc, f"missing {'key' if loc[0] == 'units' else 'table'} {key_text(loc)}"
        return loc, f"{key_text(loc[:-1])}: missing key '{loc[-1]}'"
    if kind == "unknown_key":
        return (*loc, error["ctx"]["key"]), _join(key_text(loc), error["msg"])
    if kind == "literal_error":
        where = f"{key_text(loc)} = {toml_value(error['input'])}"
        return loc, _join(where, f"must be {error['ctx']['expected']}")
    if kind == "value_error":
        message = str(error["ctx"]["error"])
    else:
        message = error["msg"]
    shown = toml_value(error["input"])
    given = error["input"]
    quoted = isinstance(given, str) and repr(given) in message
    where = key_text(loc)
    if shown and not quoted:
        where = f"{where} = {shown}"
    return loc, _join(where, message)


def _join(where: str, message: str) -> str:
    return f"{where}: {message}" if where else message
