"""From a case to everything a run needs: mesh, system, initial state, scheme, solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.pairs import Contacts, node_contacts
from fem_contact.errors import CaseError, FemContactError, ModelError
from fem_contact.fem import loads
from fem_contact.fem.elements import ELEMENTS, check_material, element_of
from fem_contact.fem.force import Force
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.supports import Support, prescribe
from fem_contact.io.case import Case
from fem_contact.io.case.tables import ContactTable, MeshTable, ProbeTable
from fem_contact.mesh.mesh import Mesh
from fem_contact.record import Probe
from fem_contact.schemes.base import Scheme
from fem_contact.solvers.base import Solver
from fem_contact.systems.body import assemble_body
from fem_contact.systems.initial import moving, preload, rest, usual_start
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import step_count

FloatArray = NDArray[np.float64]
Initial = tuple[FloatArray, FloatArray]

#: A run of more steps is taken for a slip of the pen.
MAX_STEPS = 100_000_000

#: A shape of more elements too: no mesher would come back from it.
MAX_ELEMENTS = 10_000_000

#: The rows between two checkpoints are kept in memory (bytes).
MAX_CHUNK = 4e9


@dataclass(frozen=True, eq=False)
class Model:
    """A case that is ready to run.

    Attributes
    ----------
    case : Case
    mesh : Mesh or None
    material : Elastic, Rod or None
        None for a rigid model.
    system : LinearSystem or LagrangianSystem
    scheme, solver : frozen settings, members of ``SCHEMES`` and ``SOLVERS``
    initial : (q, v), each (n,)
    dt : float
        Step h (time).
    steps : int
    every, checkpoint : int
        Steps between samples of the fields, and between checkpoints.
    probes : tuple of Probe
    on_failure : "stop" or "continue"
    dump : frozenset of int
        Steps whose contact problems are saved.
    title, units : str
    """

    case: Case
    mesh: Mesh | None
    material: Elastic | Rod | None
    system: System
    scheme: Scheme
    solver: Solver
    initial: Initial
    dt: float
    steps: int
    every: int
    checkpoint: int
    probes: tuple[Probe, ...]
    on_failure: str
    dump: frozenset[int]
    title: str
    units: str

    @property
    def t_end(self) -> float:
        """Final time N h."""
        return self.steps * self.dt


def build(case: Case, *, mesh: Mesh | None = None) -> Model:
    """Mesh, assemble and initialise a case, or make its rigid model.

    Parameters
    ----------
    case : Case
    mesh : Mesh or None
        Used in place of the mesh that the case describes; without a meaning for a rigid model.

    Raises
    ------
    CaseError
        Naming the file and the table: a group that the mesh does not have, a contact that starts below its
        obstacle, a body that is not held, a time that is not a whole number of steps.
    """
    with at(case, "[scheme]"):
        steps = _steps(case)
    parts = _body(case, mesh) if case.model is None else _rigid(case)
    output, every = case.output, case.output.every
    if every is None:
        every = 100 if case.model is None else 1
    with at(case, "[output] checkpoint"):
        _check_memory(parts.system, min(output.checkpoint, steps), every)
    return Model(
        case=case,
        mesh=parts.mesh,
        material=parts.material,
        system=parts.system,
        scheme=case.scheme.settings,
        solver=case.solver.settings,
        initial=parts.initial,
        dt=case.scheme.dt,
        steps=steps,
        every=every,
        checkpoint=output.checkpoint,
        probes=parts.probes,
        on_failure=case.solver.on_failure,
        dump=frozenset(case.solver.dump),
        title=case.title,
        units=case.units,
    )


class Parts(NamedTuple):
    """What a body and a rigid model have in common."""

    mesh: Mesh | None
    material: Elastic | Rod | None
    system: System
    initial: Initial
    probes: tuple[Probe, ...]


def _body(case: Case, mesh: Mesh | None) -> Parts:
    """A finite-element body."""
    assert case.body is not None
    mesh = make_mesh(case) if mesh is None else mesh
    material = case.body.material
    with at(case, "[body] assumption"):
        check_material(element_of(mesh), material)
    system = _system(case, mesh, material)
    with at(case, "[initial]"):
        initial = INITIAL[case.initial.kind](case, system)
    probes = []
    for i, table in enumerate(case.output.probes):
        with at(case, f"[[output.probes]] {i + 1}"):
            probes.append(make_probe(mesh, table))
    return Parts(mesh, material, system, initial, tuple(probes))


def _rigid(case: Case) -> Parts:
    """A rigid model, where it says that it starts or where [initial] does."""
    assert case.model is not None
    with at(case, "[model]"):
        system = case.model.settings.system()
    q, v = usual_start(system)
    with at(case, "[initial]"):
        for name, array, given in (("q", q, case.initial.q), ("v", v, case.initial.v)):
            if given is None:
                continue
            if len(given) != system.n:
                names = ", ".join(system.names)
                raise ModelError(f"{name} has {len(given)} values, the model {system.n} coordinates: {names}")
            array[...] = given
    return Parts(None, None, system, (q, v), ())


@contextmanager
def at(case: Case, key: str) -> Iterator[None]:
    """Say in which file and under which key an error arose."""
    try:
        yield
    except CaseError:
        raise
    except FemContactError as error:
        raise CaseError(f"{case.name}: {key}: {error}") from error


def make_mesh(case: Case) -> Mesh:
    """The mesh of a case; relative paths start from the folder of the case file.

    Raises
    ------
    CaseError
        When the file is missing or cannot be meshed or read.
    """
    if case.mesh is None:
        raise CaseError(f"{case.name}: a rigid model has no mesh")
    source = case.mesh.source
    with at(case, f"[mesh] {source}"):
        return MESHES[source](case.mesh, case.base)


def _path(base: Path, text: str) -> Path:
    path = base / text
    try:
        found = path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise ModelError(f"there is no file {text!r:.200} (paths start from the folder of the case file)")
    return path


def _geo(table: MeshTable, base: Path) -> Mesh:
    from fem_contact.mesh.generate import mesh_geo

    return mesh_geo(_path(base, str(table.geo)), table.size, **(table.parameters or {}))


def _cad(table: MeshTable, base: Path) -> Mesh:
    from fem_contact.mesh.generate import mesh_cad

    return mesh_cad(_path(base, str(table.cad)), table.size)


def _file(table: MeshTable, base: Path) -> Mesh:
    from fem_contact.mesh.read import read_mesh

    return read_mesh(_path(base, str(table.file)))


def _shape(table: MeshTable, base: Path) -> Mesh:
    from fem_contact.mesh.generate import mesh_shape

    shape, size = table.shape, table.size
    if hasattr(shape, "outline"):
        outline = shape.outline(size)
        count = np.prod(np.ptp(outline.points, axis=0) / outline.sizes.max())
    else:
        count = shape.elements or (shape.length / size if size else 1.0)
    if not count <= MAX_ELEMENTS:
        raise ModelError(f"about {count:.3g} elements: too many; take a larger size or fewer elements")
    return mesh_shape(shape, size)


#: How each key of [mesh] becomes a mesh.
MESHES: dict[str, Callable[[MeshTable, Path], Mesh]] = {
    "geo": _geo,
    "cad": _cad,
    "file": _file,
    "shape": _shape,
}


def _steps(case: Case) -> int:
    scheme = case.scheme
    if scheme.t_end / scheme.dt > MAX_STEPS:
        count = scheme.t_end / scheme.dt
        raise ModelError(f"t_end = {scheme.t_end:g} is {count:.3g} steps of dt = {scheme.dt:g}: too many")
    return step_count(scheme.dt, scheme.t_end)


def _system(case: Case, mesh: Mesh, material: Elastic | Rod) -> LinearSystem:
    supports = []
    for i, held in enumerate(case.support):
        with at(case, f"[[support]] {i + 1}"):
            supports.append(Support(held.group, held.x, held.y))
            motion = prescribe(mesh, supports[-1:])
            motion.values(0.0), motion.rates(0.0)
    force = Force.zero(ELEMENTS[mesh.element].dofs_per_node * len(mesh.points))
    for i, load in enumerate(case.load):
        with at(case, f"[[load]] {i + 1}, {load.kind}"):
            one = FORCES[load.kind](mesh, material, load.group, getattr(load, load.kind))
            one.at(0.0)
            force = force + one
    contacts = []
    for i, contact in enumerate(case.contact):
        with at(case, f"[[contact]] {i + 1}"):
            contacts.append(_contacts(mesh, contact))
    body = case.body
    assert body is not None
    with at(case, "the body and its contacts"):
        return assemble_body(
            mesh,
            material,
            supports=supports,
            force=force,
            contacts=contacts,
            alpha=body.damping.alpha,
            beta=body.damping.beta,
            lumped=body.mass == "lumped",
        )


Forces = Callable[[Mesh, Elastic | Rod, Any, Any], Force]

#: How each kind of [[load]] becomes a force, from its group and its value.
FORCES: dict[str, Forces] = {
    "traction": loads.traction,
    "pressure": loads.pressure,
    "point_force": lambda mesh, material, group, value: loads.point_force(mesh, group, value),
    "body_force": loads.body_force,
    "gravity": lambda mesh, material, group, value: loads.gravity(mesh, material, value, group),
}


def _contacts(mesh: Mesh, table: ContactTable) -> Contacts:
    contacts = node_contacts(mesh, table.group, table.obstacle, ContactLaw(table.mu, table.e))
    if ELEMENTS[mesh.element].dofs_per_node == 1 and np.any(np.abs(contacts.normals[:, 0]) < 1.0 - 1e-12):
        raise ModelError("a bar moves along x: the normal of its obstacle must be [1, 0] or [-1, 0]")
    return contacts


def _preload(case: Case, system: LinearSystem) -> Initial:
    return preload(system, loads=case.initial.loads is not False)


def _moving(case: Case, system: LinearSystem) -> Initial:
    assert case.initial.velocity is not None
    return moving(system, case.initial.velocity)


#: How each kind of [initial] becomes (q, v).
INITIAL: dict[str, Callable[[Case, LinearSystem], Initial]] = {
    "rest": lambda case, system: rest(system),
    "preload": _preload,
    "velocity": _moving,
}


def make_probe(mesh: Mesh, table: ProbeTable) -> Probe:
    """A probe of a point (interpolated in the element that holds it) or of a group (the mean of its nodes).

    Raises
    ------
    ModelError
        When the point is outside the body or the group has no nodes.
    """
    if table.point is not None:
        nodes, weights = _locate(mesh, np.array(table.point))
    else:
        nodes = mesh.group(str(table.group)).nodes
        if not len(nodes):
            raise ModelError(f"the group '{table.group}' has no nodes")
        weights = np.full(len(nodes), 1.0 / len(nodes))
    d = ELEMENTS[mesh.element].dofs_per_node
    columns = d * nodes[None, :] + np.arange(d)[:, None]
    rows = np.repeat(np.arange(d), len(nodes))
    matrix = csr_matrix((np.tile(weights, d), (rows, columns.ravel())), shape=(d, d * len(mesh.points)))
    return Probe(table.name, matrix)


def _locate(mesh: Mesh, point: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """The element that holds a point and the point's barycentric coordinates in it."""
    dim = mesh.cells.shape[1] - 1
    if dim > 2:
        raise ModelError(f"a probe point needs bars or triangles, not '{mesh.element}': name a group instead")
    corners = mesh.points[mesh.cells][:, :, :dim]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    inner = np.linalg.solve(edges, (point[:dim] - corners[:, 0])[..., None])[..., 0]
    coordinates = np.concatenate([1.0 - inner.sum(axis=1, keepdims=True), inner], axis=1)
    best = int(np.argmax(coordinates.min(axis=1)))
    off_axis = dim == 1 and not np.isclose(point[1], mesh.points[:, 1].mean())
    if coordinates[best].min() < -1e-6 or off_axis:
        near = mesh.points[np.argmin(np.hypot(*(mesh.points - point).T))]
        raise ModelError(
            f"the point [{point[0]:g}, {point[1]:g}] is outside the body; "
            f"the nearest node is at [{near[0]:g}, {near[1]:g}]"
        )
    weights = np.clip(coordinates[best], 0.0, 1.0)
    return mesh.cells[best], weights / weights.sum()


def _check_memory(system: System, chunk: int, every: int) -> None:
    per_step = 16 + system.contacts * (4 + 2 * system.dim)
    size = 8.0 * (chunk * per_step + (chunk // every + 2) * 2 * system.n)
    if size > MAX_CHUNK:
        raise ModelError(
            f"the {chunk} steps between two checkpoints need {size / 1e9:.3g} GB of memory: "
            "lower checkpoint, or raise every"
        )
