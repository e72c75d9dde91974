"""Runs made by hand, small enough that every number of the post-processing is known."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.fem.materials import Elastic, Rod
from fem_contact.mesh.mesh import Mesh
from fem_contact.record import Run

WORKS = ("external", "damping", "contact_normal", "contact_tangential", "numerical")


def rectangle(columns: int = 4, rows: int = 2, width: float = 4.0, height: float = 2.0) -> Mesh:
    """A grid of right-angled triangles, nodes by rows from the bottom left, with the group "bottom"."""
    x, y = np.meshgrid(np.linspace(0, width, columns + 1), np.linspace(0, height, rows + 1))
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    cells = []
    for j in range(rows):
        for i in range(columns):
            a = j * (columns + 1) + i
            b, c, d = a + 1, a + columns + 2, a + columns + 1
            cells += [[a, b, c], [a, c, d]]
    mesh = Mesh(points, np.array(cells))
    bottom = np.arange(columns + 1)
    return mesh.with_group("bottom", edges=np.stack([bottom[:-1], bottom[1:]], axis=1))


def assemble_run(
    t, energies, works, contact, *, residual=None, fields=None, mesh=None, contact_group=None, **attrs
) -> Run:
    """A run from its arrays: kinetic and elastic energies, a work dict, a contact dict."""
    t = np.asarray(t, float)
    rows, c = len(t), contact["p"].shape[1]
    kinetic, elastic = (np.asarray(e, float) for e in energies)
    total = kinetic + elastic
    works = {name: np.asarray(works.get(name, np.zeros(rows)), float) for name in WORKS}
    if residual is None:
        residual = np.concatenate([[0.0], np.diff(total)]) - sum(works.values())
    empty = np.zeros((rows, c))
    steps = {
        "t": t,
        "energy": {"kinetic": kinetic, "elastic": elastic, "total": total},
        "work": {**works, "support": 0.5 * works["external"]},
        "residual": np.asarray(residual, float),
        "solver": {"iterations": np.arange(rows), "error": np.full(rows, 1e-12)},
        "contact": {
            "gap": empty,
            "u": np.zeros_like(contact["p"]),
            "work_normal": empty,
            "work_tangential": empty,
            **contact,
        },
    }
    nodes = np.arange(c)
    group = {"nodes": nodes, "mu": np.full(c, 0.5), "e": np.zeros(c), "normals": np.tile([0.0, 1.0], (c, 1))}
    fields = fields or {"t": np.empty(0), "q": np.empty((0, 0)), "v": np.empty((0, 0))}
    attrs = {
        "scheme": "moreau-jean",
        "complete": True,
        "units": "mm-ms-g",
        "title": "a test",
        "theta": 0.5,
        **attrs,
    }
    attrs.setdefault("dt", float(t[1] - t[0]) if rows > 1 else 1.0)
    return Run({"steps": steps, "contact": {**group, **(contact_group or {})}, "fields": fields}, attrs, mesh)


def make_block(steps: int = 40, positive: bool = True, **attrs) -> Run:
    """Five bottom nodes of a 4 x 2 mm block: open, stick, slip +, slip - and one that changes.

    Every step does 0.5 mJ of external work; friction takes 0.1 mJ at nodes 2 and 3 and, when ``positive``,
    gives 0.02 mJ back at node 4 in every tenth step. The identity closes.
    """
    mesh = rectangle()
    rows, c = steps + 1, 5
    t = 0.01 * np.arange(rows)
    p = np.zeros((rows, c, 2))
    p[1:, 1:, 0] = 2.0
    p[1:, 1, 1] = 0.3
    p[1:, 2, 1] = -1.0  # mu p_N = 1 along -t: the body slides along +t
    p[1:, 3, 1] = 1.0
    p[1::2, 4, 1] = 1.0
    tangential = np.zeros((rows, c))
    tangential[1:, 2:4] = -0.1
    if positive:
        tangential[10::10, 4] = 0.02
    external = np.full(rows, 0.5)
    external[0] = 0.0
    total = 3.0 + np.cumsum(external + tangential.sum(axis=1))
    kinetic = 0.25 * total
    q = np.zeros((3, 2 * len(mesh.points)))
    q[:, ::2] = np.array([0.0, 0.5e-3, 1e-3])[:, None] * mesh.points[:, 0]  # uniform strain in x
    v = np.zeros_like(q)
    v[:, ::2] = 1.5
    fields = {"t": t[[0, steps // 2, steps]], "q": q, "v": v}
    material = Elastic(E=2000.0, nu=0.25, density=1e-3, thickness=3.0)
    works = {"external": external, "contact_tangential": tangential.sum(axis=1)}
    contact = {"p": p, "work_tangential": tangential, "gap": np.zeros((rows, c))}
    return assemble_run(
        t,
        (kinetic, total - kinetic),
        works,
        contact,
        fields=fields,
        mesh=mesh,
        **{"material": repr(material), **attrs},
    )


def make_bar(steps: int = 40) -> Run:
    """A bar of E = 4, rho = 1, S = 3, L = 2 at speed 0.5: contact time 2, force 3; flies 0.5, bounces at 2.5.

    With c0 = 2, h = 0.1: in contact during steps 6 to 25, p_N = 0.3 each; gap -0.01 there.
    """
    mesh = Mesh(
        np.stack([np.linspace(0, 2, 5), np.zeros(5)], axis=1),
        np.array([[0, 1], [1, 2], [2, 3], [3, 4]]),
        "bar2",
    )
    t = 0.1 * np.arange(steps + 1)
    inside = (np.arange(steps + 1) >= 6) & (np.arange(steps + 1) <= 25)
    p = np.where(inside, 0.3, 0.0)[:, None, None]
    gap = np.where(t < 0.5, 0.25 - 0.5 * t, np.where(inside, -0.01, 0.5 * np.maximum(t - 2.5, 0.0)))[:, None]
    u = np.where(t < 0.55, -0.5, np.where(inside, 0.0, 0.5))[:, None, None]
    samples = np.arange(0, steps + 1, 10)
    speed = np.where(t[samples] < 1.5, -0.5, 0.5)
    v = np.repeat(speed[:, None], 5, axis=1)
    v[1:, 4] += 0.08  # one end wobbles: the centre of mass sees an eighth of it
    fields = {"t": t[samples], "q": np.cumsum(v, axis=0), "v": v}
    kinetic = np.full(steps + 1, 0.5 * 1.0 * 3.0 * 2.0 * 0.25)
    rod = Rod(E=4.0, density=1.0, area=3.0)
    return assemble_run(
        t,
        (kinetic, 0 * kinetic),
        {},
        {"p": p, "gap": gap, "u": u},
        fields=fields,
        mesh=mesh,
        units="SI",
        dofs_per_node=1,
        material=repr(rod),
        contact_group={"mu": np.zeros(1), "normals": np.array([[1.0, 0.0]])},
    )


@pytest.fixture
def block() -> Run:
    """A block whose friction creates energy at one node."""
    return make_block()


@pytest.fixture
def bar() -> Run:
    """An ideal impacting bar."""
    return make_bar()


@pytest.fixture(name="make_block")
def make_block_fixture():
    """Maker of blocks with other lengths and attributes."""
    return make_block


@pytest.fixture(name="assemble_run")
def assemble_run_fixture():
    """Maker of runs from arrays."""
    return assemble_run


@pytest.fixture(name="rectangle")
def rectangle_fixture():
    """Maker of structured meshes."""
    return rectangle
