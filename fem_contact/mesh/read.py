"""Meshes from files, by way of meshio; the only module that imports it.

Names. Gmsh physical groups keep their names; a physical tag without a name becomes a group named by its
number ("3"), or "edges-3", "elements-3", "nodes-3" when the tag is used in several dimensions. Sets of
elements (Abaqus ELSET) and of nodes (NSET) keep their names; a set of nodes also gets the boundary edges
between two of its nodes, so that it can carry a traction. In formats without names, an array of zeros and
ones on the cells or the points is a group of its own name (this is how
:func:`fem_contact.mesh.write.write_mesh` stores groups in VTU and XDMF), and the arrays of :data:`TAGS` are
tags.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import MeshError
from fem_contact.mesh.build import RawGroup, plane_mesh
from fem_contact.mesh.files import read_bytes
from fem_contact.mesh.mesh import Mesh

IntArray = NDArray[np.int64]

#: Integer arrays on cells that formats use for the number of the group.
TAGS = ("gmsh:physical", "medit:ref", "cell_tags", "su2:tag", "nastran:ref")
_DIMENSIONS = {"vertex": 0, "line": 1, "triangle": 2}
_PARTS = ("nodes", "edges", "elements")


def read_mesh(path: str | Path) -> Mesh:
    """Read a plane mesh of 3-node triangles in any format of meshio.

    Triangles are turned counter-clockwise, nodes of no triangle are dropped (with a warning). Meshes with a
    constant third coordinate are accepted.

    Parameters
    ----------
    path : path of the file
        The format follows from its extension: .msh (Gmsh 2.2, 4.0, 4.1), .vtu, .vtk, .xdmf, .inp (Abaqus),
        .bdf, .med, .mesh, ...

    Raises
    ------
    MeshError
        Naming the file, when it cannot be read, holds other cells than triangles (and the lines and points
        that make up groups), is not plane or has flat, repeated or overlapping triangles.
    """
    path = Path(path)
    data = _read_file(path)
    if data is None:
        from fem_contact.mesh.generate import open_msh

        return open_msh(path)
    triangles, groups = _gather(data, path)
    return plane_mesh(data.points, triangles, groups, str(path))


def _read_file(path: Path) -> Any:
    """What meshio makes of a file; every way in which it can fail becomes a MeshError.

    None for what Gmsh itself must read: files in which some cells are in a physical group and some in none,
    and the short-lived MSH 4.0; meshio fails on both.
    """
    content = read_bytes(path, "mesh")
    _check_whole(content, path)
    printed = io.StringIO()
    try:
        with _silence(printed):
            import meshio

            gmsh = content.lstrip().startswith(b"$") and path.suffix.lower() == ".msh"
            data = meshio.read(path, file_format="gmsh" if gmsh else None)
    except (Exception, SystemExit) as error:  # readers raise anything, and meshio.read leaves by sys.exit
        old = re.match(rb"\$MeshFormat\s+4(\.0)?\s", content)
        partly = content.startswith(b"$MeshFormat") and "gmsh:physical" in str(error)
        if path.suffix.lower() == ".msh" and (old or partly):
            return None
        raise MeshError(f"cannot read mesh file {path}: {_reason(error, printed.getvalue(), path)}") from None
    if path.suffix.lower() == ".msh":
        data.info = _physical_names(content)
    else:
        data.info = {}
    return data


def _check_whole(content: bytes, path: Path) -> None:
    """A Gmsh file that stops in the middle of a section can look whole to a reader."""
    if path.suffix.lower() != ".msh":
        return
    for section in (b"PhysicalNames", b"Entities", b"Nodes", b"Elements"):
        if b"$" + section in content and not re.search(rb"\$End" + section + rb"\b", content):
            raise MeshError(
                f"cannot read mesh file {path}: section ${section.decode()} has no end, the file is cut off"
            )


@contextlib.contextmanager
def _silence(printed: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _reason(error: BaseException, printed: str, path: Path) -> str:
    """One line out of what was raised and printed."""
    if "Could not deduce file format" in str(error):
        return f"unknown extension '{path.suffix}'; use .msh, .vtu, .xdmf, .inp or another format of meshio"
    text = printed.split("Error: Couldn't read file")[0]  # what meshio.read prints before it leaves
    if type(error).__module__.startswith("meshio"):
        text = str(error)
    elif not isinstance(error, SystemExit):  # a reader that stumbled
        text = f"{type(error).__name__} {error}"
    text = " ".join(text.split())[:200]
    return f"its content is not that of a '{path.suffix}' file" + (f" ({text})" if text else "")


def _physical_names(content: bytes) -> dict[tuple[int, int], str]:
    """(dimension, tag) -> name, from the section $PhysicalNames of a Gmsh file (text in binary files too)."""
    found = re.search(rb"\$PhysicalNames(.*?)\$EndPhysicalNames", content, re.DOTALL)
    rows = (
        re.findall(r'^\s*(\d)\s+(\d+)\s+"(.*)"\s*$', found[1].decode("utf-8", "replace"), re.M)
        if found
        else []
    )
    return {(int(dim), int(tag)): name for dim, tag, name in rows}


def _gather(data: Any, path: Path) -> tuple[IntArray, dict[str, RawGroup]]:
    """All triangles, and the groups in the numbering of the file."""
    counts: dict[str, int] = {}
    for block in data.cells:
        if len(block.data):
            counts[block.type] = counts.get(block.type, 0) + len(block.data)
    _check_types(counts, path)
    groups = {name: RawGroup() for name in data.info.values()}  # in the order of the file
    tagged: dict[tuple[int, int], list[tuple[int, IntArray]]] = {}
    triangles: list[IntArray] = []
    offset = 0
    for i, block in enumerate(data.cells):
        if block.type not in _DIMENSIONS:
            continue
        dim, cells = _DIMENSIONS[block.type], np.asarray(block.data, dtype=np.int64)
        members = (cells.ravel(), cells, offset + np.arange(len(cells)))[dim]
        for name, rows in _named_rows(data, i, len(cells)):
            getattr(groups.setdefault(name, RawGroup()), _PARTS[dim]).append(members[rows])
        for tag, rows in _tagged_rows(data, i):
            tagged.setdefault((dim, tag), []).append((dim, members[rows]))
        if dim == 2:
            triangles.append(cells)
            offset += len(cells)
    _name_tags(tagged, data.info, groups)
    _point_groups(data, groups)
    return np.concatenate(triangles), groups


def _check_types(counts: dict[str, int], path: Path) -> None:
    plain = set(_DIMENSIONS)
    if counts.get("triangle") and set(counts) <= plain:
        return
    have = ", ".join(f"{n} {kind}" for kind, n in counts.items()) or "no"
    raise MeshError(
        f"{path}: only 3-node triangles (with lines and points) can be used, the mesh has {have} cells"
    )


def _named_rows(data: Any, i: int, size: int) -> Iterator[tuple[str, IntArray]]:
    """Sets of cells, and arrays of zeros and ones, of block i."""
    for name, blocks in data.cell_sets.items():
        if not name.startswith("gmsh:") and len(blocks) == len(data.cells) and blocks[i] is not None:
            rows = np.asarray(blocks[i]).ravel().astype(np.int64)
            if len(rows):
                yield name, rows
    for name, arrays in data.cell_data.items():
        if name not in TAGS and ":" not in name and _is_mask(np.concatenate([np.ravel(a) for a in arrays])):
            rows = np.flatnonzero(arrays[i])
            if np.ndim(arrays[i]) == 1 and len(arrays[i]) == size and len(rows):
                yield name, rows


def _is_mask(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "iub" and len(values) > 0 and bool(np.isin(values, (0, 1)).all())


def _tagged_rows(data: Any, i: int) -> Iterator[tuple[int, IntArray]]:
    """The tags of block i; zero means no tag."""
    for key in TAGS:
        if key in data.cell_data:
            tags = np.asarray(data.cell_data[key][i]).ravel()
            for tag in np.unique(tags[tags != 0]):
                yield int(tag), np.flatnonzero(tags == tag)
            return


def _name_tags(
    tagged: dict[tuple[int, int], list[tuple[int, IntArray]]],
    names: dict[tuple[int, int], str],
    groups: dict[str, RawGroup],
) -> None:
    """Add the tagged cells under their names, or under their number."""
    for (dim, tag), parts in tagged.items():
        several = sum((d, tag) in tagged and (d, tag) not in names for d in range(3)) > 1
        number = f"{_PARTS[dim]}-{tag}" if several else str(tag)
        group = groups.setdefault(names.get((dim, tag), number), RawGroup())
        for d, members in parts:
            getattr(group, _PARTS[d]).append(members)


def _point_groups(data: Any, groups: dict[str, RawGroup]) -> None:
    """Sets of nodes, joined by boundary edges; arrays of zeros and ones on the points."""
    for name, nodes in data.point_sets.items():
        group = groups.setdefault(name, RawGroup())
        group.nodes.append(np.asarray(nodes, dtype=np.int64).ravel())
        group.join = True
    for name, values in data.point_data.items():
        values = np.asarray(values)
        if ":" not in name and values.ndim == 1 and _is_mask(values):
            groups.setdefault(name, RawGroup()).nodes.append(np.flatnonzero(values))


def to_meshio(
    path: Path,
    points: NDArray[np.float64],
    cells: list[tuple[str, IntArray]],
    cell_data: dict[str, list[NDArray[Any]]],
    point_data: dict[str, NDArray[Any]],
) -> None:
    """Write arrays with meshio, in one file whatever the format."""
    with _silence(io.StringIO()):
        import meshio

        options = {"data_format": "XML"} if path.suffix.lower() == ".xdmf" else {}
        meshio.Mesh(points, cells, cell_data=cell_data, point_data=point_data).write(path, **options)
