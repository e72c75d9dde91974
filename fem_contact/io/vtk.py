"""Fields of a run for ParaView: XDMF with HDF5, or a series of VTU files with a PVD index.

Every sampled instant holds, at the nodes, ``displacement``, ``velocity`` and ``contact_force`` (p / h of
the step that ended there), three components each, and per element the in-plane stresses and the von Mises
stress when the run knows its material. Coordinates are those of the undeformed mesh: use ParaView's *Warp By
Vector* with ``displacement``.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import RunFileError
from fem_contact.fem.recover import stress, von_mises
from fem_contact.post.material import has_material, material_of

if TYPE_CHECKING:
    from fem_contact.mesh.mesh import Mesh
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: Cell types of the elements: VTK's number and XDMF's name.
CELL_TYPES = {"tri3": (5, "Triangle"), "bar2": (3, "Polyline")}

#: VTK's names of NumPy types.
VTK_TYPES = {"float64": "Float64", "int64": "Int64", "uint8": "UInt8"}


@dataclass(frozen=True)
class Snapshot:
    """Fields at one instant: time, values at the nodes (n, 3) and per element (e,)."""

    t: float
    points: Mapping[str, FloatArray]
    cells: Mapping[str, FloatArray]


def export(run: Run, path: str | Path) -> list[Path]:
    """Write the sampled fields of a run in the format that the extension names; returns the files written.

    Parameters
    ----------
    path : .xdmf or .pvd
        ``OUT.xdmf`` comes with its numbers in ``OUT.fields.h5``, ``OUT.pvd`` with one VTU file an instant in
        the folder ``OUT``. The index is written last, so that it never names a file that is not there.

    Raises
    ------
    RunFileError
        When the extension is unknown, the run has no mesh or no sampled field, or a file cannot be written.
    """
    path = Path(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise RunFileError(f"{path}: fields are exported as {' or '.join(WRITERS)}, not '{path.suffix}'")
    if run.mesh is None:
        raise RunFileError("the run has no mesh, so that there are no fields to export")
    if not len(run.fields.t):
        raise RunFileError("the run has no sampled fields (output.every) to export")
    if run.mesh.element not in CELL_TYPES:
        known = ", ".join(CELL_TYPES)
        raise RunFileError(
            f"the mesh is made of '{run.mesh.element}'; elements that can be exported: {known}"
        )
    try:
        return writer(run, run.mesh, path)
    except OSError as error:
        raise RunFileError(f"{path}: cannot be written ({error.strerror or error})") from None


def snapshots(run: Run) -> Iterator[Snapshot]:
    """The sampled instants of a run with all their fields."""
    mesh, t = run.mesh, np.asarray(run.steps.t, np.float64)
    material = material_of(run) if has_material(run) else None
    times, q, v = (np.asarray(getattr(run.fields, name), np.float64) for name in ("t", "q", "v"))
    for i, time in enumerate(times):
        step = int(np.argmin(np.abs(t - time)))
        points = {
            "displacement": _vectors(mesh, q[i]),
            "velocity": _vectors(mesh, v[i]),
            "contact_force": _contact_force(run, step),
        }
        cells: dict[str, FloatArray] = {}
        if material is not None:
            sigma = stress(mesh, material, q[i])
            cells = {f"stress_{name}": sigma[:, j] for j, name in enumerate(("xx", "yy", "xy"))}
            cells["von_mises"] = von_mises(mesh, material, sigma)
        yield Snapshot(float(time), points, cells)


def _vectors(mesh: Mesh, dofs: FloatArray) -> FloatArray:
    """(n, 3) vectors from the dofs of the nodes, the missing components zero."""
    vectors = np.zeros((len(mesh.points), 3))
    per_node = dofs.reshape(len(mesh.points), -1)
    vectors[:, : per_node.shape[1]] = per_node
    return vectors


def _contact_force(run: Run, step: int) -> FloatArray:
    """(n, 3) contact forces p / h of a step at the nodes, in global axes; zero at the start."""
    forces = np.zeros((len(run.mesh.points), 3))
    if step == 0 or not len(run.contact.nodes):
        return forces
    t = run.steps.t
    p = np.asarray(run.steps.contact.p[step], np.float64) / float(t[step] - t[step - 1])
    n = np.asarray(run.contact.normals, np.float64)
    world = p[:, :1] * n
    if p.shape[1] == 2:
        world = world + p[:, 1:2] * np.stack([n[:, 1], -n[:, 0]], axis=1)
    for axis in (0, 1):
        np.add.at(forces[:, axis], np.asarray(run.contact.nodes), world[:, axis])
    return forces


def _coordinates(mesh: Mesh) -> FloatArray:
    return np.column_stack([mesh.points, np.zeros(len(mesh.points))])


def _write_tree(root: ET.Element, path: Path) -> None:
    """Write an XML document, whole or not at all."""
    ET.indent(root)
    temporary = path.with_name(f".{path.name}.tmp")
    ET.ElementTree(root).write(temporary, encoding="utf-8", xml_declaration=True)
    os.replace(temporary, path)


def _write_pvd(run: Run, mesh: Mesh, path: Path) -> list[Path]:
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    root = ET.Element("VTKFile", type="Collection", version="0.1", byte_order="LittleEndian")
    collection = ET.SubElement(root, "Collection")
    written = []
    for i, snapshot in enumerate(snapshots(run)):
        file = folder / f"{folder.name}_{i:05d}.vtu"
        _write_tree(_vtu(mesh, snapshot), file)
        written.append(file)
        name = f"{folder.name}/{file.name}"
        ET.SubElement(collection, "DataSet", timestep=repr(snapshot.t), group="", part="0", file=name)
    _write_tree(root, path)
    return [path, *written]


def _vtu(mesh: Mesh, snapshot: Snapshot) -> ET.Element:
    """The document of one instant: an unstructured grid with its arrays in base64."""
    root = ET.Element(
        "VTKFile", type="UnstructuredGrid", version="1.0", byte_order="LittleEndian", header_type="UInt64"
    )
    count, width = mesh.cells.shape
    grid = ET.SubElement(root, "UnstructuredGrid")
    time = ET.SubElement(grid, "FieldData")
    _data_array(time, "TimeValue", np.array([snapshot.t])).set("NumberOfTuples", "1")
    piece = ET.SubElement(grid, "Piece", NumberOfPoints=str(len(mesh.points)), NumberOfCells=str(count))
    _data_array(ET.SubElement(piece, "Points"), "Points", _coordinates(mesh))
    cells = ET.SubElement(piece, "Cells")
    _data_array(cells, "connectivity", mesh.cells.ravel())
    _data_array(cells, "offsets", width * np.arange(1, count + 1))
    _data_array(cells, "types", np.full(count, CELL_TYPES[mesh.element][0], np.uint8))
    for tag, fields in (("PointData", snapshot.points), ("CellData", snapshot.cells)):
        place = ET.SubElement(piece, tag)
        for name, values in fields.items():
            _data_array(place, name, values)
    return root


def _data_array(parent: ET.Element, name: str, values: NDArray[Any]) -> ET.Element:
    """Append an array: its size in bytes (UInt64) and its bytes, little-endian, encoded together."""
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    attributes = {"type": VTK_TYPES[values.dtype.name], "Name": name, "format": "binary"}
    if values.ndim == 2:
        attributes["NumberOfComponents"] = str(values.shape[1])
    element = ET.SubElement(parent, "DataArray", attributes)
    header = np.array([little.nbytes], "<u8").tobytes()
    element.text = base64.b64encode(header + little.tobytes()).decode("ascii")
    return element


def _write_xdmf(run: Run, mesh: Mesh, path: Path) -> list[Path]:
    import h5py

    data = path.with_name(f"{path.stem}.fields.h5")
    temporary = data.with_name(f".{data.name}.tmp")
    root = ET.Element("Xdmf", Version="3.0")
    domain = ET.SubElement(root, "Domain")
    series = ET.SubElement(domain, "Grid", Name="run", GridType="Collection", CollectionType="Temporal")
    with h5py.File(temporary, "w") as file:
        file["points"], file["cells"] = _coordinates(mesh), mesh.cells
        for i, snapshot in enumerate(snapshots(run)):
            grid = ET.SubElement(series, "Grid", Name=f"step {i}", GridType="Uniform")
            ET.SubElement(grid, "Time", Value=repr(snapshot.t))
            _xdmf_mesh(grid, mesh, file, data.name)
            for center, fields in (("Node", snapshot.points), ("Cell", snapshot.cells)):
                for name, values in fields.items():
                    file[f"{i:05d}/{name}"] = values
                    kind = "Vector" if values.ndim == 2 else "Scalar"
                    place = ET.SubElement(grid, "Attribute", Name=name, AttributeType=kind, Center=center)
                    _data_item(place, file[f"{i:05d}/{name}"], data.name)
    os.replace(temporary, data)
    _write_tree(root, path)
    return [path, data]


def _xdmf_mesh(grid: ET.Element, mesh: Mesh, file: Any, name: str) -> None:
    count, width = mesh.cells.shape
    kind = CELL_TYPES[mesh.element][1]
    topology = ET.SubElement(
        grid, "Topology", TopologyType=kind, NumberOfElements=str(count), NodesPerElement=str(width)
    )
    _data_item(topology, file["cells"], name)
    _data_item(ET.SubElement(grid, "Geometry", GeometryType="XYZ"), file["points"], name)


def _data_item(parent: ET.Element, dataset: Any, file: str) -> None:
    """Append a reference to a dataset of the HDF5 file beside the document."""
    kind = "Int" if dataset.dtype.kind == "i" else "Float"
    size = " ".join(map(str, dataset.shape))
    item = ET.SubElement(parent, "DataItem", DataType=kind, Precision="8", Dimensions=size, Format="HDF")
    item.text = f"{file}:{dataset.name}"


#: What writes each extension.
WRITERS: dict[str, Callable[[Run, Mesh, Path], list[Path]]] = {".xdmf": _write_xdmf, ".pvd": _write_pvd}
