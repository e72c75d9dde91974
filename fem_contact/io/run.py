"""The run file (HDF5) and the checkpoints that it is made from.

While a run is under way its rows lie beside the file to be, in ``RUN.h5.parts/``: a head (case, mesh,
contacts) and one part for each checkpoint, which also holds the state to go on from. A part is written
under another name, synced and renamed, so that whatever kills the program leaves whole parts only. At
the end the parts are joined into the run file, which therefore does not depend on how often the run was
interrupted, and removed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fem_contact.errors import RunFileError
from fem_contact.mesh.mesh import Group, Mesh
from fem_contact.record import Chunk, Run, nest
from fem_contact.schemes.base import State


def open_run(path: str | Path) -> Run:
    """Open a run, finished or not, for reading; arrays are read when first used.

    Raises
    ------
    RunFileError
        When there is no such run or the file is not one.
    """
    path = Path(path)
    if not path.exists():
        if _parts(path).is_dir():
            return _open_parts(path)
        raise RunFileError(f"{path}: there is no such run file")
    attrs, names = _look(path)
    flat = {name: partial(_read, path, name) for name in names if not name.startswith("mesh/")}
    mesh = partial(_read_mesh, path) if "mesh/points" in names else None
    return Run(nest(flat), attrs, mesh)


def is_finished(path: str | Path) -> bool:
    """Whether ``path`` holds a finished run; RunFileError when it is some other file."""
    path = Path(path)
    return path.exists() and bool(_look(path)[0].get("complete", False))


class RunWriter:
    """Writes a run: a sink for the time loop, with resume.

    Parameters
    ----------
    path : path of the run file
    attrs : mapping
        Root attributes (see :func:`fem_contact.timeloop.run_attributes`).
    contact : mapping of arrays
        The /contact group.
    mesh : Mesh or None
    """

    def __init__(
        self, path: str | Path, attrs: Mapping[str, Any], contact: Mapping[str, Any], mesh: Mesh | None
    ):
        self.path = Path(path)
        self.parts = _parts(self.path)
        self._attrs, self._contact, self._mesh = dict(attrs), dict(contact), mesh

    def begin(self) -> None:
        """Start afresh; what an earlier, unfinished run left beside the file is removed."""
        self.discard()
        try:
            self.parts.mkdir(parents=True)
        except OSError as error:
            raise RunFileError(f"{self.path}: cannot be written ({error.strerror})") from None
        _write_atomically(self.parts / "head.h5", self._write_head)

    def resume(self) -> State | None:
        """The state of the last checkpoint, or None when there is none.

        Raises
        ------
        RunFileError
            When the checkpoint belongs to another case, scheme or mesh.
        """
        files = _part_files(self.parts)
        if not files:
            return None
        self._check_head()
        with h5py.File(files[-1], "r") as file:
            return _read_state(file["state"])

    def write(self, chunk: Chunk) -> None:
        """Keep a chunk as a part, with its checkpoint."""
        first = chunk.state.k + 1 - chunk.rows
        _write_atomically(self.parts / f"steps-{first:012d}.h5", partial(_write_chunk, chunk))

    def finish(self, complete: bool) -> None:
        """Join the parts into the run file; they are removed when the run is complete."""
        _write_atomically(self.path, partial(self._join, complete))
        if complete:
            self.discard()

    def discard(self) -> None:
        """Remove the parts."""
        if self.parts.is_dir():
            shutil.rmtree(self.parts)

    def _write_head(self, file: h5py.File) -> None:
        for name, value in self._attrs.items():
            file.attrs[name] = value
        for name, array in self._contact.items():
            file[f"contact/{name}"] = array
        if self._mesh is not None:
            _write_mesh(file, self._mesh)

    def _check_head(self) -> None:
        with h5py.File(self.parts / "head.h5", "r") as file:
            for name, value in self._attrs.items():
                if name != "complete" and not np.array_equal(file.attrs.get(name), value):
                    raise RunFileError(
                        f"{self.path}: the checkpoint was made with another {name}; "
                        "resume with the same case and settings, or start again without --resume"
                    )
            points = file["mesh/points"][...] if "mesh" in file else None
        if (points is None) != (self._mesh is None) or (
            points is not None and self._mesh is not None and not np.array_equal(points, self._mesh.points)
        ):
            raise RunFileError(
                f"{self.path}: the checkpoint was made on another mesh; start again without --resume"
            )

    def _join(self, complete: bool, file: h5py.File) -> None:
        self._attrs["complete"] = complete
        self._write_head(file)
        parts = [h5py.File(name, "r") for name in _part_files(self.parts)]
        try:
            for group in ("steps", "fields"):
                for name in sorted(_datasets(parts[0][group])) if parts else ():
                    _concatenate(file, f"{group}/{name}", parts)
        finally:
            for part in parts:
                part.close()


def _parts(path: Path) -> Path:
    return path.with_name(path.name + ".parts")


def _part_files(parts: Path) -> list[Path]:
    """Parts in order; what comes after a gap is left out."""
    files, expected = [], 0
    for name in sorted(parts.glob("steps-*.h5")) if parts.is_dir() else []:
        first = int(name.stem.split("-")[1])
        if first != expected:
            break
        with h5py.File(name, "r") as file:
            expected = int(file["state"].attrs["k"]) + 1
        files.append(name)
    return files


def _write_atomically(path: Path, write: Callable[[h5py.File], None]) -> None:
    """Write a whole HDF5 file or none."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with h5py.File(temporary, "w") as file:
            write(file)
        with open(temporary, "rb") as handle:
            os.fsync(handle.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunFileError(f"{path}: cannot be written ({error})") from None


def _write_chunk(chunk: Chunk, file: h5py.File) -> None:
    for group, arrays in (("steps", chunk.steps), ("fields", chunk.fields)):
        for name, array in arrays.items():
            file[f"{group}/{name}"] = array
    state = file.create_group("state")
    state.attrs["k"], state.attrs["t"] = chunk.state.k, chunk.state.t
    for name in ("q", "v", "p"):
        state[name] = getattr(chunk.state, name)
    for name, array in chunk.state.extra.items():
        state[f"extra/{name}"] = array


def _read_state(group: h5py.Group) -> State:
    extra = {name: data[...] for name, data in group["extra"].items()} if "extra" in group else {}
    q, v, p = (group[name][...] for name in ("q", "v", "p"))
    return State(int(group.attrs["k"]), float(group.attrs["t"]), q, v, p, extra)


def _concatenate(file: h5py.File, name: str, parts: list[h5py.File]) -> None:
    """One dataset of the run file from its pieces, read one at a time."""
    pieces = [part[name] for part in parts]
    shape = (sum(len(piece) for piece in pieces), *pieces[0].shape[1:])
    joined = file.create_dataset(name, shape, pieces[0].dtype)
    row = 0
    for piece in pieces:
        if len(piece):
            joined[row : row + len(piece)] = piece[...]
        row += len(piece)


def _write_mesh(file: h5py.File, mesh: Mesh) -> None:
    file["mesh/points"], file["mesh/cells"] = mesh.points, mesh.cells
    file["mesh"].attrs["element"] = mesh.element
    groups = file.create_group("mesh/groups")
    for name, group in mesh.groups.items():
        place = groups.create_group(name.replace("/", "_"))
        place["nodes"], place["edges"], place["elements"] = group.nodes, group.edges, group.elements


def _read_mesh(path: Path) -> Mesh:
    with h5py.File(path, "r") as file:
        data = file["mesh"]
        groups = {
            name: Group(place["nodes"][...], place["edges"][...], place["elements"][...])
            for name, place in data["groups"].items()
        }
        return Mesh(data["points"][...], data["cells"][...], str(data.attrs["element"]), groups)


def _datasets(group: h5py.Group) -> list[str]:
    names: list[str] = []
    group.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    return names


def _look(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Root attributes and dataset names; RunFileError when it is not a run file."""
    try:
        with h5py.File(path, "r") as file:
            attrs = {name: _plain(value) for name, value in file.attrs.items()}
            names = _datasets(file)
    except OSError:
        raise RunFileError(f"{path}: this is not a run file, or it is damaged") from None
    if "scheme" not in attrs or "complete" not in attrs:
        raise RunFileError(f"{path}: this is an HDF5 file, but not a run file")
    return attrs, names


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _read(path: Path, name: str) -> Any:
    with h5py.File(path, "r") as file:
        return file[name][...]


def _open_parts(path: Path) -> Run:
    """A run that was cut off, from what its checkpoints hold."""
    parts = _part_files(_parts(path))
    head = _parts(path) / "head.h5"
    if not parts or not head.exists():
        raise RunFileError(f"{path}: the run was cut off before its first checkpoint")
    attrs, names = _look(head)
    contact = {name: partial(_read, head, name) for name in names if name.startswith("contact/")}
    rows: dict[str, Any] = {}
    with h5py.File(parts[0], "r") as file:
        for group in ("steps", "fields"):
            for name in _datasets(file[group]):
                rows[f"{group}/{name}"] = partial(_read_rows, parts, f"{group}/{name}")
    mesh = partial(_read_mesh, head) if "mesh/points" in names else None
    return Run(nest({**contact, **rows}), {**attrs, "complete": False}, mesh)


def _read_rows(parts: list[Path], name: str) -> Any:
    return np.concatenate([_read(part, name) for part in parts])
