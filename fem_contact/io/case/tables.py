"""The tables of a case file, one frozen model each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, ValidationInfo, field_validator, model_validator

from fem_contact.errors import ModelError
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.io.case.settings import Table, choice, settings_of
from fem_contact.io.case.values import (
    Component,
    Count,
    Flag,
    NotNegative,
    Number,
    Text,
    component,
    components,
    kind_of,
    quantities,
    quantity,
    quantity_in,
    units_of,
)

T = TypeVar("T")


class KindTable(Table):
    """A table whose ``kind`` is a name of a registry and whose other keys are the fields of what it names."""

    kind: Text


def _from_registry(value: object, what: str, registry: dict[str, Any], info: ValidationInfo) -> Any:
    """The object that a table such as { kind = "plane", point = [0, 0] } describes."""
    if not isinstance(value, dict):
        example = f'{{ kind = "{next(iter(registry))}", ... }}'
        raise ValueError(f"must be a table such as {example}, not {kind_of(value)}")
    return settings_of(choice(value, "kind", registry, what), KindTable, value, info)[1]


def _obstacle(value: object, info: ValidationInfo) -> Any:
    from fem_contact.contact.obstacles import OBSTACLES

    return _from_registry(value, "obstacle", OBSTACLES, info)


def _shape(value: object, info: ValidationInfo) -> Any:
    from fem_contact.mesh.shapes import SHAPES

    return _from_registry(value, "shape", SHAPES, info)


def _parameters(value: object, info: ValidationInfo) -> dict[str, float]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table such as {{ height = 20.0 }}, not {kind_of(value)}")
    result = {}
    for name, item in value.items():
        try:
            result[name] = quantity_in(item, "length", units_of(info))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return result


class MeshTable(Table):
    """[mesh]: exactly one of ``geo``, ``cad``, ``file`` (paths) and ``shape``; ``size`` of the elements.

    ``parameters`` gives other values to the constants of a .geo script: { height = 20.0, nx = 40 }.
    """

    geo: Text | None = None
    cad: Text | None = None
    file: Text | None = None
    shape: Annotated[Any, BeforeValidator(_shape)] = None
    size: Annotated[float, quantity("length", positive=True)] | None = None
    parameters: Annotated[dict[str, float], BeforeValidator(_parameters)] | None = None

    @property
    def source(self) -> str:
        """Which of the four is given."""
        return next(key for key in ("geo", "cad", "file", "shape") if getattr(self, key) is not None)

    @model_validator(mode="after")
    def _one_source(self) -> MeshTable:
        given = [key for key in ("geo", "cad", "file", "shape") if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"needs exactly one of geo, cad, file, shape; it has {found}")
        if self.file is not None and self.size is not None:
            raise ValueError("size has no meaning for a mesh that is read from a file: remove it")
        if self.parameters is not None and self.geo is None:
            raise ValueError("parameters are those of a .geo script: remove them, or give geo")
        return self


class DampingTable(Table):
    """damping: Rayleigh, C = alpha M + beta K."""

    alpha: Annotated[float, quantity("frequency", negative=False)] = 0.0
    beta: Annotated[float, quantity("time", negative=False)] = 0.0


class BodyTable(Table):
    """[body]: what the body is made of."""

    E: Annotated[float, quantity("stress", positive=True)]
    nu: Number | None = None
    density: Annotated[float, quantity("density", positive=True)]
    thickness: Annotated[float, quantity("length", positive=True)] | None = None
    area: Annotated[float, quantity("area", positive=True)] | None = None
    assumption: Literal["plane-stress", "plane-strain", "bar"] = "plane-stress"
    damping: DampingTable = DampingTable()
    mass: Literal["consistent", "lumped"] = "consistent"

    @cached_property
    def material(self) -> Elastic | Rod:
        """The material, in the units of the case."""
        if self.assumption == "bar":
            assert self.area is not None
            return Rod(self.E, self.density, self.area)
        assert self.nu is not None
        thickness = 1.0 if self.thickness is None else self.thickness
        return Elastic(self.E, self.nu, self.density, thickness, self.assumption)

    @model_validator(mode="after")
    def _whole(self) -> BodyTable:
        bar = self.assumption == "bar"
        for key in ("nu", "thickness") if bar else ("area",):
            if getattr(self, key) is not None:
                assumed = f'assumption = "{self.assumption}"'
                raise ValueError(f"key '{key}' has no meaning with {assumed}: remove it")
        for key in ("area",) if bar else ("nu",):
            if getattr(self, key) is None:
                raise ValueError(f"missing key '{key}' (assumption = \"{self.assumption}\")")
        try:
            _ = self.material
        except ModelError as error:
            raise ValueError(str(error)) from None
        return self


class SupportTable(Table):
    """[[support]]: a group held at a displacement in x, in y or in both."""

    group: Text
    x: Annotated[Component, component("length")] | None = None
    y: Annotated[Component, component("length")] | None = None

    @model_validator(mode="after")
    def _some_direction(self) -> SupportTable:
        if self.x is None and self.y is None:
            raise ValueError("give x, y or both: the displacement that the group is held at (0 to fix it)")
        return self


#: Keys of a [[load]] that say what it is, and whether it needs a group (else the whole body is meant).
LOADS = {"traction": True, "pressure": True, "point_force": True, "body_force": False, "gravity": False}


class LoadTable(Table):
    """[[load]]: one of traction, pressure, point_force (each with a group), body_force and gravity."""

    group: Text | None = None
    traction: Annotated[tuple[Component, Component], components("stress")] | None = None
    pressure: Annotated[Component, component("stress")] | None = None
    point_force: Annotated[tuple[Component, Component], components("force")] | None = None
    body_force: Annotated[tuple[Component, Component], components("force per volume")] | None = None
    gravity: Annotated[tuple[Component, Component], components("acceleration")] | None = None

    @property
    def kind(self) -> str:
        """Which load it is."""
        return next(key for key in LOADS if getattr(self, key) is not None)

    @model_validator(mode="after")
    def _one_kind(self) -> LoadTable:
        given = [key for key in LOADS if getattr(self, key) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"needs exactly one of {', '.join(LOADS)}; it has {found}")
        if LOADS[given[0]] and self.group is None:
            raise ValueError(f"missing key 'group', the part of the mesh that the {given[0]} acts on")
        return self


class ContactTable(Table):
    """[[contact]]: the nodes of a group against an obstacle, with Coulomb friction and restitution."""

    group: Text
    mu: NotNegative = 0.0
    e: NotNegative = 0.0
    obstacle: Annotated[Any, BeforeValidator(_obstacle)]

    @field_validator("e")
    @classmethod
    def _at_most_one(cls, e: float) -> float:
        if e > 1.0:
            raise ValueError("must be in [0, 1]")
        return e


class InitialTable(Table):
    """[initial]: "rest", "preload" (static equilibrium, contact nodes held) or a velocity of a body; q and v,
    the coordinates and velocities in the order and the units of the case, of a rigid model."""

    kind: Literal["rest", "preload", "velocity", "state"] = "rest"
    velocity: Annotated[tuple[float, float], quantities("velocity")] | None = None
    loads: Flag | None = None
    q: tuple[Number, ...] | None = None
    v: tuple[Number, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _implied_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and "kind" not in data:
            if "velocity" in data:
                return {**data, "kind": "velocity"}
            if "q" in data or "v" in data:
                return {**data, "kind": "state"}
        return data

    @model_validator(mode="after")
    def _whole(self) -> InitialTable:
        if (self.kind == "velocity") != (self.velocity is not None):
            what = "missing key 'velocity'" if self.kind == "velocity" else "key 'velocity' has no meaning"
            raise ValueError(f'{what} with kind = "{self.kind}"')
        for key in ("q", "v"):
            if self.kind != "state" and getattr(self, key) is not None:
                raise ValueError(f'key \'{key}\' has no meaning with kind = "{self.kind}", only with "state"')
        if self.loads is not None and self.kind != "preload":
            raise ValueError(f'key \'loads\' has no meaning with kind = "{self.kind}", only with "preload"')
        return self


@dataclass(frozen=True)
class ModelChoice:
    """[model] as read: the kind, and the model, an object of ``MODELS``."""

    kind: str
    settings: Any


def read_model(value: object, info: ValidationInfo) -> ModelChoice:
    """[model], by the registry of rigid models."""
    from fem_contact.systems.rigid import MODELS

    if not isinstance(value, dict):
        raise ValueError(f"must be a table, not {kind_of(value)}")
    table, settings = settings_of(choice(value, "kind", MODELS, "model"), KindTable, value, info)
    return ModelChoice(table.kind, settings)


class SchemeTable(Table):
    """[scheme]: the keys that every scheme has; the others are the fields of the scheme itself."""

    name: Text
    dt: Annotated[float, quantity("time", positive=True)]
    t_end: Annotated[float, quantity("time", positive=True)]


@dataclass(frozen=True)
class SchemeChoice:
    """[scheme] as read: step size, final time (time) and the scheme, an object of ``SCHEMES``."""

    name: str
    dt: float
    t_end: float
    settings: Any


class SolverTable(Table):
    """[solver]: the keys that every solver has; the others are the fields of the solver itself."""

    name: Text = "auto"
    on_failure: Literal["stop", "continue"] = "stop"
    dump: tuple[Count, ...] = ()  # steps whose contact problems are saved


@dataclass(frozen=True)
class SolverChoice:
    """[solver] as read: what to do when it fails, steps whose problems are saved, and the solver, an
    object of ``SOLVERS``."""

    name: str
    on_failure: str
    dump: tuple[int, ...]
    settings: Any


def read_scheme(value: object, info: ValidationInfo) -> SchemeChoice:
    """[scheme], by the registry of schemes."""
    from fem_contact.schemes import SCHEMES

    if not isinstance(value, dict):
        raise ValueError(f"must be a table, not {kind_of(value)}")
    table, settings = settings_of(choice(value, "name", SCHEMES, "scheme"), SchemeTable, value, info)
    return SchemeChoice(table.name, table.dt, table.t_end, settings)


def read_solver(value: object, info: ValidationInfo) -> SolverChoice:
    """[solver], by the registry of solvers."""
    from fem_contact.solvers import SOLVERS

    if not isinstance(value, dict):
        raise ValueError(f"must be a table, not {kind_of(value)}")
    value = {"name": SolverTable.model_fields["name"].default, **value}
    table, settings = settings_of(choice(value, "name", SOLVERS, "solver"), SolverTable, value, info)
    return SolverChoice(table.name, table.on_failure, table.dump, settings)


class ProbeTable(Table):
    """[[output.probes]]: a point of the body, or a group (the mean of its nodes), recorded at every step."""

    name: Text
    point: Annotated[tuple[float, float], quantities("length")] | None = None
    group: Text | None = None

    @model_validator(mode="after")
    def _one_place(self) -> ProbeTable:
        if (self.point is None) == (self.group is None):
            raise ValueError("needs exactly one of point, group")
        if "/" in self.name or self.name in (".", ".."):
            raise ValueError("the name of a probe has no '/' and is not '.' or '..'")
        return self


def _tables(value: object, info: ValidationInfo) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"is a list of tables, written [[{info.field_name}]]; it is {kind_of(value)}")
    return tuple(value)


Tables = Annotated[tuple[T, ...], BeforeValidator(_tables)]


class OutputTable(Table):
    """[output]: steps between samples of the fields, steps between checkpoints, probes."""

    every: Count | None = None  # 100 steps for a body, every step for a rigid model
    checkpoint: Count = 1000
    probes: Tables[ProbeTable] = ()

    @model_validator(mode="after")
    def _different_names(self) -> OutputTable:
        names = [probe.name for probe in self.probes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two probes are called '{twice[0]}'")
        return self
