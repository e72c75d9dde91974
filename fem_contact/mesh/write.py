"""Meshes to files: Gmsh MSH 4.1 with physical groups, or VTU and XDMF with a 0/1 array for each group."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.boundary import edge_keys
from fem_contact.mesh.mesh import Mesh

IntArray = NDArray[np.int64]


def write_mesh(mesh: Mesh, path: str | Path) -> None:
    """Write a mesh; the extension chooses the format (.msh, .vtu or .xdmf).

    The file appears whole or not at all. Coordinates keep all their digits.

    Raises
    ------
    MeshError
        On another extension, or when the file cannot be written.
    """
    path = Path(path)
    try:
        writer = WRITERS[path.suffix.lower()]
    except KeyError:
        known = ", ".join(WRITERS)
        raise MeshError(f"cannot write {path}: the extension must be one of {known}") from None
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(
            suffix=path.suffix.lower(), prefix=f".{path.stem}-", dir=path.parent
        )
        os.close(handle)
        writer(mesh, Path(temporary))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes it private
        os.replace(temporary, path)
    except OSError as error:
        raise MeshError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def _parts(mesh: Mesh) -> tuple[list[IntArray], dict[str, list[NDArray[np.bool_]]]]:
    """Cells by dimension (points, edges, elements), and for each group which of them are its own.

    Points are written only for nodes of a group that none of its edges and elements has.
    """
    n = len(mesh.points)
    alone = {
        name: np.setdiff1d(g.nodes, np.concatenate([g.edges.ravel(), mesh.cells[g.elements].ravel()]))
        for name, g in mesh.groups.items()
    }
    points = np.unique(np.concatenate([np.empty(0, np.int64), *alone.values()]))
    every = np.concatenate([np.empty((0, 2), np.int64), *(g.edges for g in mesh.groups.values())])
    keys = edge_keys(every, n)
    edges = every[np.sort(np.unique(keys, return_index=True)[1])]
    member = {
        name: [
            np.isin(points, alone[name]),
            np.isin(edge_keys(edges, n), edge_keys(g.edges, n)),
            np.isin(np.arange(len(mesh.cells)), g.elements),
        ]
        for name, g in mesh.groups.items()
    }
    return [points.reshape(-1, 1), edges, mesh.cells], member


def _write_msh(mesh: Mesh, path: Path) -> None:
    """MSH 4.1, text. The cells that are in the same groups make up an entity, which carries their tags."""
    parts, member = _parts(mesh)
    dims = (0, 1, 1 if mesh.element == "bar2" else 2)
    kinds = (15, 1, 1 if mesh.element == "bar2" else 2)  # numbers of Gmsh: point, line, triangle
    tag = {name: i + 1 for i, name in enumerate(member)}
    in_dims = {
        name: sorted({d for d, m in zip(dims, masks, strict=True) if m.any()})
        for name, masks in member.items()
    }
    # a name used in two dimensions comes first: meshio finds it by the first tag of a cell only
    order = sorted(member, key=lambda name: (-len(in_dims[name]), tag[name]))
    entities: list[tuple[int, int, tuple[int, ...], IntArray]] = []  # dim, kind, physical tags, cells
    for part, (dim, kind, cells) in enumerate(zip(dims, kinds, parts, strict=True)):
        if len(cells):
            matrix = (
                np.array([member[name][part] for name in order], dtype=np.int8)
                .reshape(len(order), len(cells))
                .T
            )
            for row in np.unique(matrix, axis=0):
                chosen = tuple(tag[name] for name, is_in in zip(order, row, strict=True) if is_in)
                entities.append((dim, kind, chosen, cells[(matrix == row).all(axis=1)]))
    if all(chosen == () for _, _, chosen, _ in entities):
        names: list[str] = []
    else:
        names = [f'{d} {tag[name]} "{name}"' for d in range(3) for name in member if d in in_dims[name]]
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat"]
    if names:
        lines += ["$PhysicalNames", str(len(names)), *names, "$EndPhysicalNames"]
    lines += _entity_lines(mesh, entities) + _node_lines(mesh, entities) + _element_lines(entities)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entity_lines(mesh: Mesh, entities: list[tuple[int, int, tuple[int, ...], IntArray]]) -> list[str]:
    counts = [sum(e[0] == d for e in entities) for d in range(4)]
    lines = ["$Entities", " ".join(map(str, counts))]
    for d in range(3):
        for i, (_, _, tags, cells) in enumerate([e for e in entities if e[0] == d]):
            X = mesh.points[cells.ravel()]
            low, high = X.min(axis=0), X.max(axis=0)
            box = [*low, 0.0] if d == 0 else [*low, 0.0, *high, 0.0]
            corners = " ".join(f"{float(v):.17g}" for v in box)
            text = f"{i + 1} {corners} {' '.join(map(str, (len(tags), *tags)))}"
            lines.append(text if d == 0 else text + " 0")
    return [*lines, "$EndEntities"]


def _node_lines(mesh: Mesh, entities: list[tuple[int, int, tuple[int, ...], IntArray]]) -> list[str]:
    n = len(mesh.points)
    lines = ["$Nodes", f"1 {n} 1 {n}", f"{entities[-1][0]} 1 0 {n}"]
    lines += map(str, range(1, n + 1))
    lines += [f"{x:.17g} {y:.17g} 0" for x, y in mesh.points.tolist()]
    return [*lines, "$EndNodes"]


def _element_lines(entities: list[tuple[int, int, tuple[int, ...], IntArray]]) -> list[str]:
    total = sum(len(cells) for *_, cells in entities)
    lines = ["$Elements", f"{len(entities)} {total} 1 {total}"]
    seen = [0, 0, 0]
    number = 0
    for dim, kind, _, cells in entities:
        seen[dim] += 1
        lines.append(f"{dim} {seen[dim]} {kind} {len(cells)}")
        for cell in (cells + 1).tolist():
            number += 1
            lines.append(f"{number} {' '.join(map(str, cell))}")
    return [*lines, "$EndElements"]


def _write_meshio(mesh: Mesh, path: Path) -> None:
    """VTU or XDMF in one file, each group as an array of zeros and ones on cells, or on points."""
    from fem_contact.mesh.read import to_meshio

    parts, member = _parts(mesh)
    kind = "line" if mesh.element == "bar2" else "triangle"
    cells = [(kind, parts[2])] + ([("line", parts[1])] if len(parts[1]) else [])
    cell_data, point_data = {}, {}
    for name, (points, edges, elements) in member.items():
        if edges.any() or elements.any():
            cell_data[name] = [elements.astype(np.int32)] + ([edges.astype(np.int32)] if len(edges) else [])
        if points.any():
            point_data[name] = np.isin(np.arange(len(mesh.points)), parts[0][points]).astype(np.int32)
    X = np.column_stack([mesh.points, np.zeros(len(mesh.points))])
    to_meshio(path, X, cells, cell_data, point_data)


#: Extension -> function that writes the mesh to a path.
WRITERS: dict[str, Callable[[Mesh, Path], None]] = {
    ".msh": _write_msh,
    ".vtu": _write_meshio,
    ".xdmf": _write_meshio,
}
