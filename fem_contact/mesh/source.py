"""One entry for every kind of mesh source: a mesh file, a geometry, a shape."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fem_contact.errors import MeshError
from fem_contact.mesh.files import is_there
from fem_contact.mesh.generate import mesh_cad, mesh_geo, mesh_shape
from fem_contact.mesh.mesh import Mesh
from fem_contact.mesh.outline import Size
from fem_contact.mesh.read import read_mesh
from fem_contact.mesh.shapes import SHAPES, Shape

#: Extensions of CAD files.
CAD = (".step", ".stp", ".brep")


def load_mesh(spec: str | Path | Mapping[str, Any] | Shape, size: Size = None) -> Mesh:
    """The mesh of a source.

    Parameters
    ----------
    spec : path, str, mapping or shape
        A ``.geo`` script, a CAD file (.step, .stp, .brep), a mesh file, or a shape as
        :func:`fem_contact.mesh.generate.mesh_shape` takes it.
    size : float or list of float, optional
        Edge length; makes no sense for a mesh file.

    Raises
    ------
    MeshError
        When the source cannot be used; see :func:`mesh_geo`, :func:`mesh_cad`, :func:`mesh_shape`,
        :func:`read_mesh`.
    """
    if not isinstance(spec, str | Path):
        return mesh_shape(spec, size)
    text = str(spec)
    if isinstance(spec, str) and text.partition(":")[0].strip() in SHAPES:
        return mesh_shape(text, size)
    path = Path(spec)
    extension = path.suffix.lower()
    if extension == ".geo" or extension in CAD:
        if size is not None and not isinstance(size, int | float):
            raise MeshError(f"{path}: the size of a geometry is one number, got {size!r:.60}")
        return mesh_geo(path, size) if extension == ".geo" else mesh_cad(path, size)
    if size is not None:
        raise MeshError(
            f"{path}: a mesh file has its size already; a size can be given for a geometry or a shape"
        )
    if not extension and not is_there(path):
        shapes = ", ".join(SHAPES)
        raise MeshError(f"'{text}' is neither a file nor a shape; the shapes are: {shapes}")
    return read_mesh(path)
