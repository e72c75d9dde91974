"""Meshes from geometry, by way of Gmsh; the only module that imports it, and only when it meshes.

The same input gives the same mesh: options are fixed (Frontal-Delaunay, one thread, a fixed seed) and no
settings of the user's own Gmsh are read.
"""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_contact.errors import MeshError
from fem_contact.mesh.build import plane_mesh
from fem_contact.mesh.files import read_bytes
from fem_contact.mesh.geo_script import check_script, parameter_names, with_parameters
from fem_contact.mesh.gmsh_model import extract
from fem_contact.mesh.mesh import Mesh
from fem_contact.mesh.outline import DEFAULT_DIVISIONS, Outline, PlaneShape, Size
from fem_contact.mesh.shapes import Shape, make_shape, parse_shape

#: Gmsh options that a mesh is made with; a .geo script may set its own of Mesh and Geometry.
OPTIONS = {
    "General.Terminal": 0,
    "General.NumThreads": 1,
    "General.AbortOnError": 0,
    "Mesh.MaxNumThreads1D": 1,
    "Mesh.MaxNumThreads2D": 1,
    "Mesh.Algorithm": 6,
    "Mesh.RandomSeed": 1,
    "Mesh.ElementOrder": 1,
    "Mesh.RecombineAll": 0,
    "Mesh.MeshSizeFactor": 1,
    "Mesh.MeshSizeMin": 0,
    "Mesh.MeshSizeMax": 1e22,
    "Mesh.MeshSizeFromPoints": 1,
    "Mesh.MeshSizeFromCurvature": 0,
    "Mesh.MeshSizeExtendFromBoundary": 1,
}
#: More triangles than this, by the size asked for and the extent of the geometry, are taken for a slip.
MAX_TRIANGLES = 1e9
_MODEL = "fem_contact"


def mesh_geo(path: str | Path, size: float | None = None, **parameters: float) -> Mesh:
    """Mesh a Gmsh ``.geo`` script.

    Physical groups become groups. When there are physical surfaces the body is made of them, otherwise of all
    surfaces. The script is checked first (see :mod:`fem_contact.mesh.geo_script`) and runs as a copy, so
    that no options file beside it is read.

    Parameters
    ----------
    path : path of the script
    size : float, optional
        Takes the place of the constant ``lc`` of the script, be it in ``DefineConstant[ lc = 1 ]`` or set by
        ``lc = 1;``. In a script without ``lc`` it is the size everywhere: the sizes at the points of the
        script are then left aside, and a size field of the script still refines.
    **parameters : float
        Values for other constants of the script, for instance ``width=50``.

    Raises
    ------
    MeshError
        When the script is missing, refused, has an error, has no such parameter or gives no plane triangles.
    """
    path = Path(path)
    text = _script(path)
    check_script(text, path)
    values = {name: _finite(value, f"{path}: {name}") for name, value in parameters.items()}
    uniform = None
    if size is not None:
        size = _positive_size(size, path)
        if "lc" in parameter_names(text, path):
            values["lc"] = size
        else:
            uniform = size
    text = with_parameters(text, path, values)

    def build(gmsh: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "fem_contact_geometry.geo"
            copy.write_text(text, encoding="utf-8")
            gmsh.open(str(copy))
        gmsh.model.geo.synchronize()
        _check_size(gmsh, size, str(path))
        if uniform is not None:
            gmsh.option.setNumber("Mesh.MeshSizeFromPoints", 0)
            gmsh.option.setNumber("Mesh.MeshSizeMax", uniform)

    return _mesh(build, str(path))


def mesh_cad(path: str | Path, size: float | None = None) -> Mesh:
    """Mesh the plane faces of a ``.step``, ``.stp`` or ``.brep`` file.

    Groups: ``body``, and ``edge-i`` for the i-th curve of the file. Lengths of STEP files are in millimetres.

    Parameters
    ----------
    path : path of the file
    size : float, optional
        Edge length; by default a twentieth of the longest extent.

    Raises
    ------
    MeshError
        When the file is missing or cannot be read, or holds a solid, no face, or faces that are not in one
        plane of constant z.
    """
    path = Path(path)
    content = read_bytes(path, "geometry")
    wanted = None if size is None else _positive_size(size, path)

    def build(gmsh: Any) -> None:
        gmsh.option.setString("Geometry.OCCTargetUnit", "MM")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / f"fem_contact_geometry{path.suffix.lower()}"
            copy.write_bytes(content)
            gmsh.model.occ.importShapes(str(copy))
        gmsh.model.occ.synchronize()
        if gmsh.model.getEntities(3):
            raise MeshError(f"{path}: the geometry is a solid, a plane face is needed")
        faces = [tag for _, tag in gmsh.model.getEntities(2)]
        if not faces:
            raise MeshError(f"{path}: the geometry has no face")
        box = gmsh.model.getBoundingBox(-1, -1)
        extent = max(box[i + 3] - box[i] for i in range(3))
        _check_size(gmsh, wanted, str(path))
        gmsh.option.setNumber("Mesh.MeshSizeFromPoints", 0)
        gmsh.option.setNumber("Mesh.MeshSizeMax", wanted or extent / DEFAULT_DIVISIONS)
        gmsh.model.addPhysicalGroup(2, faces, name="body")
        for i, (_, tag) in enumerate(gmsh.model.getEntities(1)):
            gmsh.model.addPhysicalGroup(1, [tag], name=f"edge-{i + 1}")

    return _mesh(build, str(path))


def mesh_outline(outline: Outline, source: str = "shape") -> Mesh:
    """Mesh the inside of an outline; its curves give the groups, all triangles the group ``body``."""

    def build(gmsh: Any) -> None:
        geo = gmsh.model.geo
        points = [
            geo.addPoint(x, y, 0.0, h)
            for (x, y), h in zip(outline.points.tolist(), outline.sizes.tolist(), strict=True)
        ]
        tags: dict[str, list[int]] = {}
        loop = []
        for curve in outline.curves:
            a, b = points[curve.start], points[curve.end]
            tag = geo.addLine(a, b) if curve.centre is None else geo.addCircleArc(a, points[curve.centre], b)
            tags.setdefault(curve.group, []).append(tag)
            loop.append(tag)
        surface = geo.addPlaneSurface([geo.addCurveLoop(loop)])
        geo.synchronize()
        _check_size(gmsh, float(outline.sizes.max()), source)
        for name, curves in tags.items():
            gmsh.model.addPhysicalGroup(1, curves, name=name)
        gmsh.model.addPhysicalGroup(2, [surface], name="body")

    return _mesh(build, source)


def mesh_shape(spec: Shape | Mapping[str, Any] | str, size: Size = None) -> Mesh:
    """Mesh a built-in shape.

    Parameters
    ----------
    spec : shape, mapping or str
        A shape of :mod:`fem_contact.mesh.shapes`, a mapping such as ``{"kind": "disk", "radius": 2.0}``,
        or a text such as ``"rectangle:width=40,height=25"``.
    size : float or list of float, optional
        Edge length; for a polygon it may be a list, one for each vertex.

    Raises
    ------
    MeshError
        On an unknown shape or parameter, a value out of range, or a mesher that fails.
    """
    if isinstance(spec, str):
        spec = parse_shape(spec)
    elif isinstance(spec, Mapping):
        parameters = dict(spec)
        name = parameters.pop("kind", None)
        if not isinstance(name, str):
            raise MeshError("a shape needs its name under 'kind'")
        spec = make_shape(name, parameters)
    # What is more than an outline (bars) meshes itself.
    return mesh_outline(spec.outline(size)) if isinstance(spec, PlaneShape) else spec.mesh(size)


def open_msh(path: str | Path) -> Mesh:
    """Read a Gmsh ``.msh`` file with Gmsh itself.

    For what meshio cannot hold: files with some cells in a physical group and some in none.
    """
    path = Path(path)

    def build(gmsh: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "fem_contact_mesh.msh"
            shutil.copyfile(path, copy)
            gmsh.open(str(copy))

    return _mesh(build, str(path), whole=True)


def _mesh(build: Callable[[Any], None], source: str, whole: bool = False) -> Mesh:
    """Build a geometry in a model of its own, mesh it and take the mesh out."""
    with _session() as gmsh:
        try:
            build(gmsh)
            _raise_logged(gmsh, source)
            if not len(gmsh.model.mesh.getElements(2)[0]):
                gmsh.model.mesh.generate(2)
            _raise_logged(gmsh, source)
            points, triangles, groups = extract(gmsh, source, whole)
        except MeshError:
            raise
        except Exception as error:  # Gmsh raises plain Exception
            raise MeshError(f"{source}: {_clean(gmsh.logger.getLastError() or str(error))}") from None
    return plane_mesh(points, triangles, groups, source, warn_orphans=whole)


@contextlib.contextmanager
def _session() -> Iterator[Any]:
    """Gmsh with an empty model; a caller who uses Gmsh too finds his model and options again."""
    gmsh = _import_gmsh()
    outer = bool(gmsh.isInitialized())
    if outer:
        current = gmsh.model.getCurrent()
        before = set(gmsh.model.list())
        options = {name: gmsh.option.getNumber(name) for name in OPTIONS}
    else:
        gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        for name, value in OPTIONS.items():
            gmsh.option.setNumber(name, value)
        gmsh.model.add(_MODEL)
        gmsh.logger.start()
        yield gmsh
    finally:
        gmsh.logger.stop()
        if outer:
            for name in set(gmsh.model.list()) - before:
                gmsh.model.setCurrent(name)
                gmsh.model.remove()
            gmsh.model.setCurrent(current)
            for name, value in options.items():
                gmsh.option.setNumber(name, value)
        else:
            gmsh.finalize()


def _import_gmsh() -> Any:
    try:
        import gmsh
    except (ImportError, OSError) as error:
        raise MeshError(
            f"Gmsh cannot be loaded ({_clean(str(error))}); install the Python package gmsh and the "
            "libraries it needs (Debian: libglu1-mesa libxrender1 libxcursor1 libxft2 libxinerama1), "
            "or give a mesh file"
        ) from None
    return gmsh


def _check_size(gmsh: Any, size: float | None, source: str) -> None:
    """Refuse a size that would fill the memory: a bounding box of area A holds about 4 A/(sqrt(3) size^2)."""
    if size is None:
        return
    box = gmsh.model.getBoundingBox(-1, -1)
    count = (box[3] - box[0]) * (box[4] - box[1]) / size * (4.0 / math.sqrt(3.0)) / size
    if count > MAX_TRIANGLES:
        raise MeshError(f"{source}: the size {size:g} is too small, it would make some {count:.0e} triangles")


def _raise_logged(gmsh: Any, source: str) -> None:
    """Gmsh goes on after some errors and only logs them."""
    errors = [line for line in gmsh.logger.get() if line.startswith("Error")]
    if errors:
        raise MeshError(f"{source}: {_clean(errors[0].removeprefix('Error').lstrip(': '))}")


def _clean(message: str) -> str:
    """One line, without the path of the temporary copy."""
    line = re.sub(r"'?[^' ]*fem_contact_(geometry|mesh)\.\w+'?,? ?", "", " ".join(message.split()))
    return line[:300] or "Gmsh failed without a message"


def _script(path: Path) -> str:
    content = read_bytes(path, "geometry")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if "\0" in text:
        raise MeshError(f"{path} is not a .geo script: it is binary")
    return text


def _finite(value: float, what: str) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not math.isfinite(value)
    ):
        raise MeshError(f"{what} must be a finite number, got {value!r:.60}")
    return float(value)


def _positive_size(size: float, path: Path) -> float:
    size = _finite(size, f"{path}: size")
    if size <= 0.0:
        raise MeshError(f"{path}: size must be positive, got {size:g}")
    return size
