"""A case: everything that a run needs, read from TOML and validated."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import PlainValidator, PrivateAttr, ValidationError, model_validator

from fem_contact.errors import CaseError
from fem_contact.io.case import overrides as changes
from fem_contact.io.case.bundled import bundled_folder, find_case
from fem_contact.io.case.messages import problems
from fem_contact.io.case.settings import Table, shorten
from fem_contact.io.case.tables import (
    BodyTable,
    ContactTable,
    InitialTable,
    LoadTable,
    MeshTable,
    ModelChoice,
    OutputTable,
    SchemeChoice,
    SolverChoice,
    SupportTable,
    Tables,
    read_model,
    read_scheme,
    read_solver,
)
from fem_contact.io.case.values import Text
from fem_contact.units import UNIT_SYSTEMS

#: A case file is a page of text: what is longer is something else.
MAX_BYTES = 1_000_000


class Case(Table):
    """A validated case. Every number is a float in the unit system ``units``.

    Equal when everything that is computed from them is equal: the text may differ ("1 mm" and 1.0).

    Attributes
    ----------
    units : "mm-ms-g" or "SI"
    mesh, body, support, load, contact, model, initial, scheme, solver, output
        The tables of the file; ``model.settings``, ``scheme.settings`` and ``solver.settings`` are the rigid
        model, the scheme and the solver. A case has a mesh and a body, or a model.
    """

    units: Literal["mm-ms-g", "SI"]
    title: Text = ""
    description: Text = ""
    mesh: MeshTable | None = None
    body: BodyTable | None = None
    support: Tables[SupportTable] = ()
    load: Tables[LoadTable] = ()
    contact: Tables[ContactTable] = ()
    model: Annotated[ModelChoice, PlainValidator(read_model)] | None = None
    initial: InitialTable = InitialTable()
    scheme: Annotated[SchemeChoice, PlainValidator(read_scheme)]
    solver: Annotated[SolverChoice, PlainValidator(read_solver)]
    output: OutputTable = OutputTable()

    _text: str = PrivateAttr("")
    _data: dict[str, Any] = PrivateAttr(default_factory=dict)
    _base: Path = PrivateAttr(Path())
    _name: str = PrivateAttr("case")

    @model_validator(mode="after")
    def _body_or_model(self) -> Case:
        if self.model is None:
            for key in ("mesh", "body"):
                if getattr(self, key) is None:
                    raise ValueError(f"missing table [{key}] (a case has [mesh] and [body], or a [model])")
            if self.initial.kind == "state":
                raise ValueError(
                    "[initial] q and v are those of a [model]; a body has rest, preload, velocity"
                )
            return self
        for key in ("mesh", "body", "support", "load", "contact"):
            if getattr(self, key):
                raise ValueError(f"[{key}] has no meaning beside [model]: remove one of them")
        if "initial" in self.model_fields_set and self.initial.kind != "state":
            raise ValueError("[initial] of a [model] gives q, v or both")
        if self.output.probes:
            raise ValueError("[output] probes need a [mesh]; the coordinates of a [model] are in its fields")
        return self

    @property
    def text(self) -> str:
        """The whole case as TOML, as it is run (overrides made); reading it gives an equal case."""
        return self._text

    @property
    def base(self) -> Path:
        """The folder that relative paths start from."""
        return self._base

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Case) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        base: str | Path = ".",
        *,
        name: str = "case",
        overrides: Sequence[str] = (),
    ) -> Case:
        """A case from the tables as a dict, as a notebook builds it.

        Parameters
        ----------
        data : mapping
            As :func:`tomllib.loads` gives it; NumPy numbers and arrays, paths and tuples are taken as well.
        base : folder that relative paths start from
        overrides : "KEY=VALUE" texts, see :meth:`with_overrides`

        Raises
        ------
        CaseError
            Naming the key, what was found and what is allowed.
        """
        plain = _plain(data, name)
        changed = changes.apply(plain, overrides)
        return _validated(cls, changed, _dumped(changed, name), Path(base), name, overrides)

    @classmethod
    def from_text(
        cls, text: str, base: str | Path = ".", *, name: str = "case", overrides: Sequence[str] = ()
    ) -> Case:
        """A case from TOML text; errors as :meth:`from_dict`, and syntax errors with line and column."""
        data = _parsed(text, name)
        if overrides:
            data = changes.apply(data, overrides)
            text = _dumped(data, name)
        return _validated(cls, data, text, Path(base), name, overrides)

    def with_overrides(self, *overrides: str) -> Case:
        """A copy with changes such as ``"scheme.name=moreau-jean"`` or ``"contact.0.mu=0.3"``."""
        return Case.from_dict(self._data, self._base, name=self._name, overrides=overrides)

    def with_scheme(self, scheme: str) -> Case:
        """A copy with another scheme: its name, or a table such as ``{ name = "hht", alpha = 0.1 }``.

        dt and t_end stay, and so does each key of this case's [scheme] that the other scheme has too.

        Raises
        ------
        CaseError
            When the text is neither, there is no such scheme, or a key is not its own.
        """
        wanted = changes.parse(f"scheme={scheme}")[1]
        table = wanted if isinstance(wanted, dict) else {"name": wanted}
        name = table.get("name")
        data = changes.apply(self._data, [f"scheme.name={name}"] if isinstance(name, str) else [])
        return Case.from_dict({**data, "scheme": {**data["scheme"], **table}}, self._base, name=self._name)


def load_case(path: str | Path, overrides: Sequence[str] = ()) -> Case:
    """Read a case file (or a bundled case by its name) and validate it.

    Parameters
    ----------
    path : path or name
    overrides : texts such as ``"scheme.name=moreau-jean"``, ``"contact.0.mu=0.3"``

    Raises
    ------
    CaseError
        With one line that names the file and the key, what was found and what is allowed.
    """
    path = find_case(path)
    name = path.name if path.resolve().parent == bundled_folder().resolve() else str(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CaseError(f"{name}: too large for a case file ({path.stat().st_size} bytes)")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CaseError(f"{name}: not a text file (UTF-8)") from None
    except OSError as error:
        raise CaseError(f"{name}: cannot be read ({error.strerror})") from None
    return Case.from_text(text, path.parent, name=name, overrides=overrides)


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{name}: not valid TOML: {error}") from None
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"
        raise CaseError(f"{name}: not valid TOML: {why}") from None


def _dumped(data: dict[str, Any], name: str) -> str:
    import tomli_w

    try:
        return tomli_w.dumps(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise CaseError(f"{name}: cannot be written as TOML: {error}") from None


def _validated(
    cls: type[Case], data: dict[str, Any], text: str, base: Path, name: str, overrides: Sequence[str]
) -> Case:
    units = data.get("units")
    if not isinstance(units, str) or units not in UNIT_SYSTEMS:
        known = " or ".join(f'"{system}"' for system in UNIT_SYSTEMS)
        found = "missing key 'units'" if units is None else f"units = {shorten(repr(units))}"
        raise CaseError(f"{name}: {found}: must be {known}")
    try:
        case = cls.model_validate({"solver": {}, **data}, context={"units": units})
    except ValidationError as error:
        raise CaseError(_one_line(problems(error), name, overrides)) from None
    case._text, case._data, case._base, case._name = text, data, base, name
    return case


def _one_line(found: list[tuple[tuple[int | str, ...], str]], name: str, overrides: Sequence[str]) -> str:
    """The first error, from which override it comes if from one, and how many more there are."""
    loc, message = found[0]
    place = ".".join(str(part) for part in loc)
    culprits = [override for override in overrides if _made_by(override, place, message)]
    culprit = f"--set {shorten(culprits[-1])}: " if culprits else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{name}: {culprit}{message}{more}"


def _made_by(override: str, place: str, message: str) -> bool:
    """Whether an error at ``place`` comes from an override: at its key, or about its key in the table."""
    key = override.partition("=")[0].strip()
    table, _, leaf = key.rpartition(".")
    if place == key or place.startswith(f"{key}."):
        return True
    if key.startswith(f"{place}.") and message.startswith("unknown key"):
        return True
    return place == table and re.search(rf"\b{re.escape(leaf)}\b", message) is not None


def _plain(value: Any, name: str) -> Any:
    """Python and NumPy values as those of TOML."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item, name) for key, item in value.items() if item is not None}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item, name) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bool | int | float | str):
        return value
    text = getattr(value, "text", None)
    if isinstance(text, str):  # an Expression
        return text
    raise CaseError(f"{name}: a case cannot hold {shorten(repr(value))}, a {type(value).__name__}")
