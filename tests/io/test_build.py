"""From a case to a system that can run: what is built, and what is refused with the place in the file."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_contact.errors import CaseError
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.io.build import build
from fem_contact.io.case import Case
from fem_contact.mesh.mesh import Mesh


def rectangle(nx: int = 4, ny: int = 3, width: float = 40.0, height: float = 25.0) -> Mesh:
    """A rectangle of triangles with the groups bottom, right, top, left (edges) and body (elements)."""
    x, y = np.meshgrid(np.linspace(0, width, nx + 1), np.linspace(0, height, ny + 1), indexing="ij")
    number = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
    a, b, c, d = (
        corner.ravel() for corner in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    )
    cells = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    mesh = Mesh(np.stack([x.ravel(), y.ravel()], 1), cells)
    sides = {"bottom": number[:, 0], "right": number[-1], "top": number[::-1, -1], "left": number[0, ::-1]}
    for name, nodes in sides.items():
        mesh = mesh.with_group(name, edges=np.stack([nodes[:-1], nodes[1:]], 1))
    mesh = mesh.with_group("body", elements=np.arange(len(cells))).with_group("nothing", nodes=[])
    return mesh.with_group("half", elements=np.arange(0, len(cells), 2))


def bar(n: int = 10, length: float = 1.0) -> Mesh:
    """A bar with the end groups left and right."""
    points = np.stack([np.linspace(0, length, n + 1), np.zeros(n + 1)], 1)
    cells = np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    return Mesh(points, cells, "bar2").with_group("left", nodes=[0]).with_group("right", nodes=[n])


BLOCK: dict[str, Any] = {
    "units": "mm-ms-g",
    "title": "block",
    "mesh": {"geo": "block.geo"},
    "body": {"E": 5750.0, "nu": 0.358, "density": 1.17e-3, "thickness": 15.0},
    "support": [{"group": "top", "y": -0.005}],
    "load": [
        {"gravity": [0.0, -1e-3]},
        {"group": "left", "traction": ["2*sign(sin(4*pi*t))", 0.0]},
    ],
    "contact": [{"group": "bottom", "mu": 0.5, "e": 0.0, "obstacle": {"kind": "plane"}}],
    "initial": {"kind": "preload"},
    "scheme": {"name": "moreau-jean-fremond", "dt": 1e-4, "t_end": 1.0},
    "output": {
        "every": 7,
        "checkpoint": 70,
        "probes": [{"name": "point", "point": [13.0, 11.0]}, {"name": "mean", "group": "left"}],
    },
}
BAR: dict[str, Any] = {
    "units": "SI",
    "mesh": {"file": "bar.msh"},
    "body": {"E": 210e9, "density": 7800.0, "area": 3e-4, "assumption": "bar"},
    "contact": [{"group": "left", "obstacle": {"kind": "plane", "point": [-1e-5, 0], "normal": [1, 0]}}],
    "initial": {"velocity": [-0.1, 0.0]},
    "scheme": {"name": "moreau-jean", "dt": 5e-7, "t_end": 1e-4},
}


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    data = copy.deepcopy(base)
    *tables, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    place: Any = data
    for part in tables:
        place = place.setdefault(part, {}) if isinstance(place, dict) else place[part]
    place[last] = value
    return data


def test_the_block() -> None:
    mesh = rectangle()
    model = build(Case.from_dict(BLOCK), mesh=mesh)
    system = model.system
    assert model.mesh is mesh
    assert model.material == Elastic(5750.0, 0.358, 1.17e-3, 15.0)
    assert (model.steps, model.dt, model.t_end) == (10_000, 1e-4, 10_000 * 1e-4)
    assert (model.every, model.checkpoint, model.on_failure) == (7, 70, "stop")
    assert (model.title, model.units) == ("block", "mm-ms-g")
    assert (system.n, system.contacts, system.dim) == (2 * len(mesh.points), 5, 2)
    np.testing.assert_array_equal(system.mu, 0.5)
    assert system.M.sum() == pytest.approx(2 * 1.17e-3 * 40 * 25 * 15, rel=1e-13)
    # t = 0: gravity alone, as sgn(sin 0) = 0; t = 1/8: the push of 2 MPa on 25 x 15 mm as well
    weight = 1.17e-3 * 40 * 25 * 15 * 1e-3
    start, later = system.force.at(0.0).reshape(-1, 2), system.force.at(0.125).reshape(-1, 2)
    np.testing.assert_allclose(start.sum(axis=0), [0.0, -weight], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(later.sum(axis=0), [2.0 * 25 * 15, -weight], rtol=1e-12)
    # preload: the top is pressed down, the floor nodes have not moved, all else is in equilibrium
    q, v = model.initial
    assert not v.any()
    np.testing.assert_array_equal(q.reshape(-1, 2)[mesh.group("top").nodes, 1], -0.005)
    np.testing.assert_array_equal(q.reshape(-1, 2)[mesh.group("bottom").nodes], 0.0)
    residual = (system.K @ q - system.force.at(0.0)).reshape(-1, 2)
    held = np.zeros(residual.shape, bool)
    held[mesh.group("bottom").nodes] = True
    held[mesh.group("top").nodes, 1] = True
    assert np.abs(residual[~held]).max() < 1e-9


def test_preload_without_loads() -> None:
    data = changed(BLOCK, "load.0.gravity", [0.0, -1.0])
    loaded = build(Case.from_dict(data), mesh=rectangle()).initial[0]
    data["initial"]["loads"] = False
    system = (model := build(Case.from_dict(data), mesh=rectangle())).system
    q = model.initial[0]
    assert np.abs(q - loaded).max() > 1e-6
    free = np.ones(system.n, bool)
    free[system.H.indices] = False
    free[system.motion.dofs] = False  # type: ignore[union-attr]
    assert np.abs((system.K @ q)[free]).max() < 1e-9


def test_probes_are_exact_for_linear_motion() -> None:
    mesh = rectangle()
    point, mean = build(Case.from_dict(BLOCK), mesh=mesh).probes
    x, y = mesh.points.T
    q = np.stack([1.0 + 2.0 * x - y, 3.0 - 0.5 * x + 4.0 * y], 1).ravel()
    assert (point.name, mean.name) == ("point", "mean")
    np.testing.assert_allclose(point.weights @ q, [1.0 + 26.0 - 11.0, 3.0 - 6.5 + 44.0], rtol=1e-13)
    left = mesh.group("left").nodes
    np.testing.assert_allclose(mean.weights @ q, q.reshape(-1, 2)[left].mean(axis=0), rtol=1e-13)


@pytest.mark.parametrize("point", [(0.0, 0.0), (40.0, 25.0), (20.0, 0.0), (10.0, 25.0 / 3.0)])
def test_a_probe_on_a_node_or_an_edge(point: tuple[float, float]) -> None:
    mesh = rectangle()
    data = changed(BLOCK, "output.probes", [{"name": "p", "point": list(point)}])
    (probe,) = build(Case.from_dict(data), mesh=mesh).probes
    np.testing.assert_allclose(probe.weights @ mesh.points.ravel(), point, atol=1e-13)


def test_the_bar() -> None:
    data = changed(
        BAR, "output.probes", [{"name": "p", "point": [0.33, 0.0]}, {"name": "tip", "group": "left"}]
    )
    model = build(Case.from_dict(data), mesh=bar())
    assert model.material == Rod(210e9, 7800.0, 3e-4)
    assert (model.system.n, model.system.contacts, model.system.dim, model.steps) == (11, 1, 1, 200)
    np.testing.assert_allclose(model.system.g0, [1e-5], rtol=1e-12)
    np.testing.assert_array_equal(model.initial[0], 0.0)
    np.testing.assert_array_equal(model.initial[1], -0.1)
    np.testing.assert_allclose(model.probes[0].weights @ model.mesh.points[:, 0], [0.33], rtol=1e-13)
    assert (model.probes[1].weights @ np.arange(11.0)).tolist() == [0.0]


def test_rest_and_damping_and_lumped_mass() -> None:
    data = changed(BLOCK, "body.damping", {"alpha": 0.5, "beta": 0.25})
    data["initial"] = {"kind": "rest"}
    consistent = build(Case.from_dict(data), mesh=rectangle())
    difference = consistent.system.C - (0.5 * consistent.system.M + 0.25 * consistent.system.K)
    assert abs(difference).max() < 1e-12 * abs(consistent.system.C).max()
    lumped = build(Case.from_dict(changed(data, "body.mass", "lumped")), mesh=rectangle())
    off_diagonal = lumped.system.M - lumped.system.M.multiply(np.eye(lumped.system.n))
    assert abs(off_diagonal).max() == 0.0
    assert abs(consistent.system.M - lumped.system.M).max() > 0.0
    q, v = lumped.initial
    assert np.unique(q).tolist() == [-0.005, 0.0]
    assert not v.any()


@pytest.mark.parametrize(
    ("load", "total"),
    [
        ({"group": "right", "pressure": 2.0}, (-2.0 * 25 * 15, 0.0)),
        ({"group": "top", "point_force": [1.0, 2.0]}, (5.0, 10.0)),
        ({"body_force": [1.0, "x"]}, (40 * 25 * 15.0, 20.0 * 40 * 25 * 15)),
        ({"group": "body", "body_force": [1.0, 0.0]}, (40 * 25 * 15.0, 0.0)),
        ({"group": "body", "gravity": [1.0, 0.0]}, (1.17e-3 * 40 * 25 * 15.0, 0.0)),
        ({"group": "half", "gravity": [1.0, 0.0]}, (1.17e-3 * 40 * 25 * 15.0 / 2, 0.0)),
        ({"group": "left", "traction": ["1 GPa", "y"]}, (1000.0 * 25 * 15, 12.5 * 25 * 15)),
    ],
)
def test_each_kind_of_load(load: dict[str, Any], total: tuple[float, float]) -> None:
    model = build(Case.from_dict(changed(BLOCK, "load", [load])), mesh=rectangle())
    np.testing.assert_allclose(
        model.system.force.at(0.0).reshape(-1, 2).sum(axis=0), total, rtol=1e-12, atol=1e-9
    )


REFUSED = [
    (
        "support.0.group",
        "roof",
        "[[support]] 1: the mesh has no group 'roof'; its groups are: body, bottom, half, left",
    ),
    (
        "load.1.group",
        "lft",
        "[[load]] 2, traction: the mesh has no group 'lft'; its groups are: body, bottom, half, left",
    ),
    (
        "contact.0.group",
        "floor",
        "[[contact]] 1: the mesh has no group 'floor'; its groups are: body, bottom, half, left",
    ),
    ("contact.0.group", "nothing", "[[contact]] 1: contact group 'nothing' has no nodes"),
    ("support.0.group", "nothing", "[[support]] 1: support of group 'nothing': the group has no nodes"),
    ("support.0.y", "1/t", "[[support]] 1: expression '1/t' is not finite at t = 0"),
    ("load.0.gravity", [0.0, "log(t)"], "[[load]] 1, gravity: expression 'log(t)' is not finite at t = 0"),
    (
        "contact.0.obstacle.point",
        [0.0, 0.5],
        "5 of the 5 nodes of contact group 'bottom' start below their obstacle",
    ),
    ("contact.0.obstacle.point", [0.0, 0.5], "the deepest by 0.5"),
    ("contact.0.group", "top", "cannot move along their contact normal"),
    ("scheme.dt", 0.3, "[scheme]: t_end = 1 is not a whole number of steps dt = 0.3"),
    ("scheme.dt", 1.3e-4, "[scheme]: t_end = 1 is not a whole number of steps dt = 0.00013"),
    ("scheme.dt", 3.0, "[scheme]: t_end = 1 is not a whole number of steps dt = 3"),
    ("scheme.dt", 1e-12, "[scheme]: t_end = 1 is 1e+12 steps of dt = 1e-12: too many"),
    ("scheme.dt", 5e-324, "too many"),
    ("body", BAR["body"], "[body] assumption: "),
    ("output.probes.0.point", [50.0, 0.0], "[[output.probes]] 1: the point [50, 0] is outside the body"),
    ("output.probes.0.point", [50.0, 0.0], "the nearest node is at [40, 0]"),
    ("output.probes.1.group", "nose", "[[output.probes]] 2: the mesh has no group 'nose'"),
    ("output.probes.1.group", "nothing", "[[output.probes]] 2: the group 'nothing' has no nodes"),
]


@pytest.mark.parametrize(("path", "value", "words"), REFUSED, ids=[f"{r[0]}={r[1]!r:.20}" for r in REFUSED])
def test_refusals(path: str, value: Any, words: str) -> None:
    data = changed(BLOCK, path, value)
    if path == "contact.0.group" and value == "top":
        data["contact"][0]["obstacle"] = {"kind": "plane", "point": [0, 25], "normal": [0, -1]}
    with pytest.raises(CaseError) as caught:
        build(Case.from_dict(data, name="block.toml"), mesh=rectangle())
    assert words in str(caught.value)
    assert str(caught.value).startswith("block.toml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            "contact.0.obstacle.normal",
            [0, 1],
            "[[contact]] 1: a bar moves along x: the normal of its obstacle",
        ),
        ("body", BLOCK["body"], "[body] assumption: "),
        (
            "output.probes",
            [{"name": "p", "point": [0.5, 0.1]}],
            "outside the body; the nearest node is at [0.5, 0]",
        ),
        (
            "output.probes",
            [{"name": "p", "point": [1.5, 0.0]}],
            "outside the body; the nearest node is at [1, 0]",
        ),
        ("support", [{"group": "left", "y": 0.0}], "[[support]] 1: "),
    ],
)
def test_refusals_of_a_bar(path: str, value: Any, words: str) -> None:
    with pytest.raises(CaseError) as caught:
        build(Case.from_dict(changed(BAR, path, value), name="bar.toml"), mesh=bar())
    assert words in str(caught.value)
    assert str(caught.value).startswith("bar.toml: ")


def test_preload_of_a_body_that_nothing_holds_is_refused() -> None:
    data = changed(changed(BLOCK, "support", []), "contact", [])
    with pytest.raises(
        CaseError, match=r"^case: \[initial\]: preload: the supports and contacts do not hold"
    ):
        build(Case.from_dict(data), mesh=rectangle())


def test_too_much_memory_between_checkpoints_is_refused() -> None:
    data = changed(BLOCK, "output", {"every": 1, "checkpoint": 10_000_000})
    data["scheme"]["dt"] = 1e-8
    with pytest.raises(CaseError, match=r"\[output\] checkpoint: the 10000000 steps .* GB of memory"):
        build(Case.from_dict(data), mesh=rectangle())


@pytest.mark.parametrize(
    ("dt", "t_end"), [(0.1, 0.3), (1e-4, 1.0), (5e-7, 7e-4), (1 / 3, 1.0), (0.1, 1.0000005)]
)
def test_a_whole_number_of_steps_up_to_rounding(dt: float, t_end: float) -> None:
    data = changed(BLOCK, "scheme", {"name": "moreau-jean", "dt": dt, "t_end": t_end})
    model = build(Case.from_dict(data), mesh=rectangle())
    assert model.steps == round(t_end / dt)
    assert math.isclose(model.t_end, t_end, rel_tol=1e-6)


@pytest.mark.parametrize("table", [{"geo": "x.geo"}, {"file": "x.msh"}, {"cad": "x.step", "size": 1.0}])
def test_a_missing_mesh_file_is_named(table: dict[str, Any], tmp_path: Path) -> None:
    (source, *_) = table
    with pytest.raises(CaseError) as caught:
        build(Case.from_dict(changed(BLOCK, "mesh", table), tmp_path, name="block.toml"))
    assert str(caught.value).startswith(f"block.toml: [mesh] {source}: there is no file '{table[source]}'")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a\x00b", "x" * 5000, ".", "~", "/dev/null", "/"])
def test_strange_mesh_paths(name: str, tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="there is no file") as caught:
        build(Case.from_dict(changed(BLOCK, "mesh", {"file": name}), tmp_path))
    assert len(str(caught.value)) < 400
