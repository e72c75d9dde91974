"""What a run leaves behind: rows of every step, in chunks, and the tree that a reader sees.

The names are those of the run file (see :mod:`fem_contact.io.run`), whether a run is in memory or on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact._record_kernels import write_row
from fem_contact.mesh.mesh import Mesh
from fem_contact.schemes.base import SCALARS, State, StepReport

FloatArray = NDArray[np.float64]

#: Contact arrays of a step: name and whether it has one value a component.
CONTACT = (("gap", False), ("u", True), ("p", True), ("work_normal", False), ("work_tangential", False))


class Tree:
    """A nested group of arrays, read by attribute (``tree.energy.total``) or path (``tree["energy/total"]``).

    Leaves may be functions without arguments, called at first use: a run file is read as it is asked.
    """

    def __init__(self, data: Mapping[str, Any], path: str = ""):
        self._data = dict(data)
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            value = self._data[name]
        except KeyError:
            known = ", ".join(self._data) or "nothing"
            raise AttributeError(f"'{self._path or '/'}' has no '{name}'; it has: {known}") from None
        if isinstance(value, Mapping):
            value = Tree(value, f"{self._path}/{name}")
        elif callable(value):
            value = value()
        self._data[name] = value
        return value

    def __getitem__(self, path: str) -> Any:
        value: Any = self
        for part in path.strip("/").split("/"):
            try:
                value = value[part] if isinstance(value, Mapping) else getattr(value, part)
            except AttributeError as error:
                raise KeyError(str(error)) from None
        return value

    def __contains__(self, path: str) -> bool:
        try:
            self[path]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._data})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._data)})"


class Run(Tree):
    """A run, finished or not.

    Attributes
    ----------
    steps, contact, fields : Tree
        As in the run file: ``run.steps.energy.total``, ``run.contact.nodes``, ``run.fields.q``.
    mesh : Mesh or None
    attrs : dict
        Root attributes of the run file.
    """

    def __init__(
        self, data: Mapping[str, Any], attrs: Mapping[str, Any], mesh: Mesh | Callable[[], Mesh | None] | None
    ):
        super().__init__({**data, "mesh": mesh if callable(mesh) else (lambda: mesh)})
        self.attrs = dict(attrs)

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return str(self.attrs.get("scheme", ""))

    @property
    def complete(self) -> bool:
        """Whether the run reached its end."""
        return bool(self.attrs.get("complete", False))

    @property
    def case(self) -> str:
        """The whole case file as it was run (TOML), empty for a run made without one."""
        return str(self.attrs.get("case", ""))

    @property
    def version(self) -> str:
        """Version of the program that made the run."""
        return str(self.attrs.get("version", ""))


@dataclass
class Chunk:
    """Rows of consecutive steps, the samples of the fields among them, and the state they end in.

    Attributes
    ----------
    steps : mapping of path to array
        Without the leading ``steps/``; the first axis is the step.
    fields : mapping of path to array
        ``t`` (S,), ``q`` and ``v`` (S, dofs).
    state : State
        The checkpoint: stepping goes on from here.
    """

    steps: dict[str, NDArray[Any]]
    fields: dict[str, FloatArray]
    state: State

    @property
    def rows(self) -> int:
        """Number of steps in the chunk (row 0 of a run counts)."""
        return len(self.steps["t"])


class Sink(Protocol):
    """Where chunks go."""

    def write(self, chunk: Chunk) -> None:
        """Keep a chunk for good; its arrays are used again afterwards."""
        ...


@dataclass(frozen=True)
class Probe:
    """Weights that turn the dofs into one point's motion: q_probe = P q, P of shape (dofs_per_node, n)."""

    name: str
    weights: Any


@dataclass
class Recorder:
    """Collects step reports into chunks of fixed size."""

    contacts: int
    dim: int
    dofs: int
    capacity: int
    every: int
    probes: tuple[Probe, ...] = ()
    extras: tuple[str, ...] = ()
    _rows: int = field(default=0, init=False)
    _samples: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        size, c, d = self.capacity, self.contacts, self.dim
        self._t = np.empty(size)
        self._scalars = np.empty((size, len(SCALARS)))
        self._extra = np.empty((size, len(self.extras)))
        self._iterations = np.empty(size, np.int64)
        shapes = {name: (size, c, d) if vector else (size, c) for name, vector in CONTACT}
        self._contact = {name: np.empty(shape) for name, shape in shapes.items()}
        self._active = np.empty((size, c), np.bool_)
        samples = size // self.every + 2
        self._fields = {
            "t": np.empty(samples),
            "q": np.empty((samples, self.dofs)),
            "v": np.empty((samples, self.dofs)),
        }
        self._probed = {probe.name: np.empty((2, size, probe.weights.shape[0])) for probe in self.probes}

    def add(self, state: State, report: StepReport) -> None:
        """The row of a step (or of the start)."""
        row, contact = self._rows, self._contact
        self._t[row] = state.t
        self._iterations[row] = report.iterations
        write_row(
            row,
            (report.scalars, self._scalars),
            (report.active, self._active),
            (report.u, report.p, contact["u"], contact["p"]),
            (report.gap, report.work_normal, report.work_tangential),
            (contact["gap"], contact["work_normal"], contact["work_tangential"]),
        )
        if self.extras:
            self._extra[row] = report.extra
        for probe in self.probes:
            values = self._probed[probe.name]
            values[0, row], values[1, row] = probe.weights @ state.q, probe.weights @ state.v
        if state.k % self.every == 0:
            sample = self._samples
            self._fields["t"][sample] = state.t
            self._fields["q"][sample], self._fields["v"][sample] = state.q, state.v
            self._samples += 1
        self._rows += 1

    @property
    def full(self) -> bool:
        """Whether the next row needs a new chunk."""
        return self._rows == self.capacity

    @property
    def rows(self) -> int:
        """Rows collected since the last chunk."""
        return self._rows

    def take(self, state: State) -> Chunk:
        """The rows so far as a chunk (views, good until the next ``add``), and start anew."""
        rows, samples = self._rows, self._samples
        steps: dict[str, NDArray[Any]] = {"t": self._t[:rows]}
        steps.update({name: self._scalars[:rows, i] for i, name in enumerate(SCALARS)})
        steps.update({name: self._extra[:rows, i] for i, name in enumerate(self.extras)})
        steps["solver/iterations"] = self._iterations[:rows]
        steps.update({f"contact/{name}": array[:rows] for name, array in self._contact.items()})
        steps["contact/active"] = self._active[:rows]
        for name, values in self._probed.items():
            steps[f"probes/{name}/q"], steps[f"probes/{name}/v"] = values[0, :rows], values[1, :rows]
        fields = {name: array[:samples] for name, array in self._fields.items()}
        self._rows = self._samples = 0
        return Chunk(steps, fields, state)


class MemorySink:
    """Keeps the chunks in memory."""

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []

    def write(self, chunk: Chunk) -> None:
        """Keep a copy."""
        steps = {name: array.copy() for name, array in chunk.steps.items()}
        fields = {name: array.copy() for name, array in chunk.fields.items()}
        self._chunks.append(Chunk(steps, fields, chunk.state.copy()))

    def tree(self) -> dict[str, Any]:
        """All rows as the nested groups ``steps`` and ``fields``."""
        steps = {n: np.concatenate([c.steps[n] for c in self._chunks]) for n in self._chunks[0].steps}
        fields = {n: np.concatenate([c.fields[n] for c in self._chunks]) for n in self._chunks[0].fields}
        return {"steps": nest(steps), "fields": nest(fields)}


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """{"a/b": x} as {"a": {"b": x}}."""
    tree: dict[str, Any] = {}
    for path, value in flat.items():
        *groups, leaf = path.split("/")
        place = tree
        for group in groups:
            place = place.setdefault(group, {})
        place[leaf] = value
    return tree
