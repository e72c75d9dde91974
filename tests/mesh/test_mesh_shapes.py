"""Built-in shapes: closed-form areas and lengths, groups that make up the border, outward normals."""

import math

import numpy as np
import pytest

from fem_contact.errors import MeshError
from fem_contact.mesh import boundary_edges, edge_lengths, mesh_shape, outward_normals, smallest_edge, summary
from fem_contact.mesh.boundary import edges_between
from fem_contact.mesh.mesh import Mesh
from fem_contact.mesh.quality import areas, quality
from fem_contact.mesh.shapes import SHAPES, make_shape, parse_shape

PLANE = [
    ("rectangle:width=4,height=2.5,x=-1,y=3", {"bottom", "right", "top", "left"}),
    ("disk:radius=2,x=1", {"boundary"}),
    ("half-disk:radius=2", {"flat", "arc"}),
    ("half-disk:radius=2,arc=up,tip_size=0.05", {"flat", "arc"}),
    ("half-annulus:inner=1,outer=2,x=3", {"flat", "inner", "outer"}),
    ("half-annulus:inner=1,outer=2,arc=up", {"flat", "inner", "outer"}),
    ("polygon:vertices=0 0 4 0 4 3", {"side-1", "side-2", "side-3"}),
    (
        "polygon:vertices=0 0 0 2 1 1 2 2 2 0,sides=left up down right floor",
        {"left", "up", "down", "right", "floor"},
    ),
]


def length(mesh, edges):
    d = mesh.points[edges[:, 1]] - mesh.points[edges[:, 0]]
    return np.hypot(d[:, 0], d[:, 1])


@pytest.mark.parametrize(("spec", "sides"), PLANE)
def test_the_sides_make_up_the_border(spec, sides):
    mesh = mesh_shape(spec)
    assert set(mesh.groups) == sides | {"body"}
    border = {tuple(edge) for edge in boundary_edges(mesh).tolist()}
    groups = [tuple(edge) for name in sides for edge in mesh.group(name).edges.tolist()]
    assert len(groups) == len(set(groups)) == len(border)
    assert set(groups) == border  # oriented alike, the body on the left
    assert mesh.group("body").elements.tolist() == list(range(len(mesh.cells)))
    for name in sides:
        assert np.array_equal(mesh.group(name).nodes, np.unique(mesh.group(name).edges))


@pytest.mark.parametrize(("spec", "sides"), PLANE)
def test_normals_point_outwards(spec, sides):
    mesh = mesh_shape(spec)
    edges = boundary_edges(mesh)
    n, l = outward_normals(mesh, edges), length(mesh, edges)
    assert np.allclose(np.hypot(n[:, 0], n[:, 1]), 1.0, rtol=0, atol=1e-14)
    assert np.abs((l[:, None] * n).sum(axis=0)).max() < 1e-12  # a closed border
    middle = mesh.points[edges].mean(axis=1)
    assert (l * (middle * n).sum(axis=1)).sum() == pytest.approx(
        2.0 * areas(mesh).sum(), rel=1e-12
    )  # divergence
    assert np.array_equal(outward_normals(mesh, edges[:, ::-1]), n)
    owner = {
        tuple(sorted(e)): i for i, c in enumerate(mesh.cells.tolist()) for e in (c[:2], c[1:], [c[0], c[2]])
    }
    centre = mesh.points[mesh.cells[[owner[tuple(sorted(e))] for e in edges.tolist()]]].mean(axis=1)
    assert np.all(((middle - centre) * n).sum(axis=1) > 0.0)


@pytest.mark.parametrize(
    ("spec", "area", "lengths"),
    [
        ("rectangle:width=4,height=2.5", 10.0, {"bottom": 4.0, "right": 2.5, "top": 4.0, "left": 2.5}),
        ("polygon:vertices=0 0 4 0 4 3", 6.0, {"side-1": 4.0, "side-2": 3.0, "side-3": 5.0}),
        ("polygon:vertices=4 3 4 0 0 0", 6.0, {"side-1": 3.0, "side-2": 4.0, "side-3": 5.0}),
        ("polygon:vertices=0 0 4 0 4 3,sides=a b a", 6.0, {"a": 9.0, "b": 3.0}),
    ],
)
def test_straight_shapes_are_exact(spec, area, lengths):
    mesh = mesh_shape(spec, 0.5)
    assert areas(mesh).sum() == pytest.approx(area, rel=1e-13)
    for name, expected in lengths.items():
        assert length(mesh, mesh.group(name).edges).sum() == pytest.approx(expected, rel=1e-13)


def test_a_rectangle_has_its_sides_where_it_should():
    mesh = mesh_shape({"kind": "rectangle", "width": 4, "height": 2.5, "x": -1.0, "y": 3.0}, 0.5)
    for name, axis, value, normal in [
        ("bottom", 1, 3.0, (0, -1)),
        ("right", 0, 3.0, (1, 0)),
        ("top", 1, 5.5, (0, 1)),
        ("left", 0, -1.0, (-1, 0)),
    ]:
        assert np.all(mesh.points[mesh.group(name).nodes, axis] == value)
        assert np.allclose(outward_normals(mesh, mesh.group(name).edges), normal, rtol=0, atol=1e-14)


R, r = 2.0, 1.0
ROUND = [
    ("disk:radius=2", math.pi * R**2, 2.0, {"boundary": 2 * math.pi * R}),
    ("half-disk:radius=2", math.pi * R**2 / 2, 2.0, {"arc": math.pi * R}),
    (
        "half-annulus:inner=1,outer=2",
        math.pi * (R**2 - r**2) / 2,
        4.0,  # edges of equal length on both arcs: what one loses in h^2 the other gains
        {"inner": math.pi * r, "outer": math.pi * R},
    ),
]


@pytest.mark.parametrize(("spec", "area", "area_rate", "lengths"), ROUND)
def test_round_shapes_converge(spec, area, area_rate, lengths):
    errors = []
    for size in (0.4, 0.1):
        mesh = mesh_shape(spec, size)
        sums = {name: length(mesh, mesh.group(name).edges).sum() for name in lengths}
        assert all(sums[name] < lengths[name] for name in lengths)  # chords
        errors.append([abs(areas(mesh).sum() - area), *(lengths[name] - sums[name] for name in lengths)])
    rates = np.log(np.array(errors[0]) / errors[1]) / np.log(4.0)
    assert np.all(np.abs(rates - [area_rate, *[2.0] * len(lengths)]) < 0.1), rates
    assert np.all(np.array(errors[1]) < 0.01)


def test_arcs_lie_on_their_circles_on_the_right_side():
    for arc, sign in (("down", -1.0), ("up", 1.0)):
        mesh = mesh_shape(f"half-annulus:inner=1,outer=2,x=3,y=5,arc={arc}")
        for name, radius in (("inner", 1.0), ("outer", 2.0)):
            d = mesh.points[mesh.group(name).nodes] - [3.0, 5.0]
            assert np.allclose(np.hypot(d[:, 0], d[:, 1]), radius, rtol=1e-12)
            assert np.all(sign * d[:, 1] > -1e-12)
        assert np.abs(mesh.points[mesh.group("flat").nodes, 1] - 5.0).max() < 1e-12
        half = mesh_shape(f"half-disk:radius=2,y=2,arc={arc}")
        tip = mesh.points[:, 1].min() if arc == "down" else mesh.points[:, 1].max()
        assert tip == pytest.approx(5.0 + 2.0 * sign, abs=1e-12)
        assert np.hypot(*(half.points - [0.0, 2.0 + 2.0 * sign]).T).min() < 1e-12  # a node at the tip


def mean_edge_near(mesh, point, radius):
    X = mesh.points[mesh.cells]
    near = np.hypot(*(X.mean(axis=1) - point).T) < radius
    assert near.any()
    return np.sqrt(areas(mesh)[near] * 4.0 / math.sqrt(3.0)).mean()


def test_sizes_at_vertices_grade_the_mesh():
    mesh = mesh_shape(
        {"kind": "polygon", "vertices": [[0, 0], [10, 0], [10, 10], [0, 10]]}, [0.2, 2.0, 2.0, 2.0]
    )
    assert mean_edge_near(mesh, (0, 0), 0.5) < 0.35
    assert mean_edge_near(mesh, (10, 10), 3.0) > 1.2
    tip = mesh_shape("half-disk:radius=2,tip_size=0.02", 0.2)
    assert mean_edge_near(tip, (0, -2), 0.05) < 0.04
    assert mean_edge_near(tip, (0, 0), 0.3) > 0.12


@pytest.mark.parametrize("spec", [spec for spec, _ in PLANE] + ["line:length=3"])
def test_the_same_shape_gives_the_same_mesh(spec):
    a, b = mesh_shape(spec), mesh_shape(spec)
    assert np.array_equal(a.points, b.points)
    assert np.array_equal(a.cells, b.cells)
    assert a.groups.keys() == b.groups.keys()


def test_lines():
    mesh = mesh_shape("line:length=3,elements=6,x=-1")
    assert mesh.element == "bar2"
    assert np.array_equal(mesh.points, np.column_stack([np.linspace(-1, 2, 7), np.zeros(7)]))
    assert mesh.cells.tolist() == [[i, i + 1] for i in range(6)]
    assert mesh.group("left").nodes.tolist() == [0]
    assert mesh.group("right").nodes.tolist() == [6]
    assert mesh.group("body").elements.tolist() == list(range(6))
    assert smallest_edge(mesh) == 0.5
    assert len(mesh_shape("line:length=1", 0.1).cells) == 10  # not 11 by rounding
    assert len(mesh_shape("line:length=1", 0.3).cells) == 4
    assert len(mesh_shape("line:length=1", 5.0).cells) == 1
    with pytest.raises(MeshError, match="elements are too many"):
        mesh_shape("line:length=1", 5e-324)
    with pytest.raises(MeshError, match="'bar2' elements has no boundary edges"):
        boundary_edges(mesh)


def test_lines_need_no_gmsh(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gmsh", None)
    assert len(mesh_shape("line:length=1").cells) == 20
    with pytest.raises(MeshError, match=r"Gmsh cannot be loaded .* libglu1-mesa"):
        mesh_shape("disk:radius=1")


def test_the_border_of_a_mesh_with_a_hole():
    """A ring of eight triangles about a square hole: two closed loops, the inner one clockwise."""
    outer = [[0, 0], [3, 0], [3, 3], [0, 3]]
    inner = [[1, 1], [2, 1], [2, 2], [1, 2]]
    cells = [[i, (i + 1) % 4, 4 + i] for i in range(4)] + [
        [(i + 1) % 4, 4 + (i + 1) % 4, 4 + i] for i in range(4)
    ]
    mesh = Mesh(np.array(outer + inner), np.array(cells))
    edges = {tuple(edge) for edge in boundary_edges(mesh).tolist()}
    assert edges == {(0, 1), (1, 2), (2, 3), (3, 0), (5, 4), (6, 5), (7, 6), (4, 7)}
    normals = outward_normals(mesh, np.array([[0, 1], [4, 5], [6, 5]]))
    assert np.array_equal(normals, [[0, -1], [0, 1], [-1, 0]])
    assert areas(mesh).sum() == 8.0
    assert {tuple(edge) for edge in edges_between(mesh, np.array([0, 1, 4, 5])).tolist()} == {(0, 1), (5, 4)}
    assert len(edge_lengths(mesh)) == 16
    assert smallest_edge(mesh) == 1.0
    with pytest.raises(MeshError, match="edge 0-4 is not on the boundary"):
        outward_normals(mesh, np.array([[0, 1], [0, 4]]))


def test_quality_is_the_formula():
    h = math.sqrt(3.0) / 2.0
    equilateral = Mesh(np.array([[0, 0], [1, 0], [0.5, h]]), np.array([[0, 1, 2]]))
    assert quality(equilateral)[0] == pytest.approx(1.0, rel=1e-15)
    right = Mesh(np.array([[0, 0], [1, 0], [0, 1]]), np.array([[0, 1, 2]]))
    assert quality(right)[0] == pytest.approx(math.sqrt(3.0) / 2.0, rel=1e-15)
    flat = Mesh(np.array([[0, 0], [1, 0], [0.5, 1e-6]]), np.array([[0, 1, 2]]))
    assert quality(flat)[0] == pytest.approx(4.0 * math.sqrt(3.0) * 0.5e-6 / 1.5, rel=1e-9)
    assert quality(mesh_shape("line:length=1")).tolist() == [1.0] * 20


def test_summary():
    mesh = mesh_shape("rectangle:width=4,height=2", 0.5)
    s = summary(mesh, wave_speed=2.0)
    assert (s.nodes, s.elements, s.element) == (len(mesh.points), len(mesh.cells), "tri3")
    assert (s.groups["left"].nodes, s.groups["left"].edges, s.groups["left"].elements) == (5, 4, 0)
    assert s.min_quality == quality(mesh).min() <= s.mean_quality <= 1.0
    assert s.smallest_edge == edge_lengths(mesh).min()
    assert s.crossing_time == s.smallest_edge / 2.0
    assert summary(mesh).crossing_time is None
    assert "a wave crosses it in" in str(s)
    assert "a wave crosses it in" not in str(summary(mesh))
    assert "left    5 nodes, 4 edges, 0 elements" in str(s)
    for bad in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(MeshError, match="wave speed must be positive"):
            summary(mesh, bad)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cube:width=1", "unknown shape 'cube'; the shapes are: rectangle, disk, half-disk"),
        (
            "rectangle:width=4",
            "rectangle: the parameter 'height' is missing; its parameters are: width, height, x, y",
        ),
        ("rectangle:width=4,heigth=2", "rectangle: unknown parameter 'heigth'; its parameters are"),
        ("rectangle:width=4,width=5", "'width' is given twice"),
        ("rectangle:width", "'width' is not of the form name=value"),
        ("rectangle:width=four,height=1", "rectangle: width must be a number, got 'four'"),
        ("rectangle:width=-4,height=1", "rectangle: width must be positive, got -4"),
        ("rectangle:width=nan,height=1", "rectangle: width must be finite, got nan"),
        ("disk:radius=0", "disk: radius must be positive"),
        ("half-disk:radius=1,arc=left", "half-disk: arc must be 'down' or 'up', got 'left'"),
        ("half-disk:radius=1,tip_size=-1", "tip_size must be positive"),
        ("half-annulus:inner=2,outer=1", r"half-annulus: inner \(2\) must be smaller than outer \(1\)"),
        ("polygon:vertices=0 0 1 0", "at least 3 vertices are needed, got 2"),
        ("polygon:vertices=0 0 1 0 1", "even number of coordinates"),
        ("polygon:vertices=0 0 1 0 1 0", "polygon: vertices 2 and 3 are the same point"),
        ("polygon:vertices=0 0 1 1 1 0 0 1", "polygon: sides 1 and 3 cross or touch"),
        ("polygon:vertices=0 0 2 0 1 0", "polygon: sides 1 and 2 cross or touch"),
        ("polygon:vertices=0 0 4 0 4 4 2 0 0 4", "polygon: sides 1 and 3 cross or touch"),
        ("polygon:vertices=0 0 1 0 1 1,sides=a b", "3 vertices need 3 names of sides, got 2"),
        ("polygon:vertices=0 0 1 0 1 1,sides=a b body", "'body' is the group of the elements"),
        ("line:length=1,elements=2.5", "elements must be a whole number"),
        ("line:length=1,elements=-2", "elements must be a whole number"),
        ("line:length=1,elements=1e12", "line: 1e[+]12 elements are too many, at most 1e[+]07"),
    ],
)
def test_shapes_refuse_what_makes_no_sense(spec, message):
    with pytest.raises(MeshError, match=message):
        mesh_shape(spec)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0.0, "rectangle: size must be positive, got 0"),
        (-1.0, "must be positive"),
        (math.nan, "must be finite"),
        ([1.0, 2.0], "rectangle: size must be one number or 4 of them, got 2"),
        ([1.0, 1.0, 1.0, -1.0], "must be positive, got -1"),
        ("big", "size must be a number"),
        (1e-6, "the size 1e-06 is too small, it would make some 2e[+]13 triangles"),
        (1e-300, "the size 1e-300 is too small"),
    ],
)
def test_sizes_refuse_what_makes_no_sense(size, message):
    with pytest.raises(MeshError, match=message):
        mesh_shape("rectangle:width=4,height=2", size)


def test_mappings_need_a_kind_and_vertices_are_pairs():
    with pytest.raises(MeshError, match="a shape needs its name under 'kind'"):
        mesh_shape({"width": 1.0, "height": 2.0})
    with pytest.raises(MeshError, match=r"polygon: vertex 2 must be a pair \[x, y\]"):
        make_shape("polygon", {"vertices": [[0, 0], [1], [1, 1]]})
    with pytest.raises(MeshError, match="vertices must be a list of pairs"):
        make_shape("polygon", {"vertices": 3})
    with pytest.raises(MeshError, match="width must be a number, got '4'"):
        make_shape("rectangle", {"width": "4", "height": 2})
    assert parse_shape("rectangle:width=4,height=2") == SHAPES["rectangle"](4.0, 2.0)
