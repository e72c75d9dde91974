"""Geometries: .geo scripts with their parameters and their refusals, CAD files, Gmsh left as it was found."""

import re
import threading

import numpy as np
import pytest

from fem_contact.errors import FemContactWarning, MeshError
from fem_contact.mesh import load_mesh, mesh_cad, mesh_geo, mesh_shape
from fem_contact.mesh.boundary import boundary_edges, edge_lengths
from fem_contact.mesh.geo_script import parameter_names
from fem_contact.mesh.quality import areas, quality

gmsh = pytest.importorskip("gmsh")


@pytest.fixture
def meshes(request):
    return request.config.rootpath / "meshes"


SQUARE = """
DefineConstant[ lc = {0.5, Name "Parameters/lc"}, w = 2 ];
Point(1) = {0, 0, 0, lc}; Point(2) = {w, 0, 0, lc}; Point(3) = {w, 1, 0, lc}; Point(4) = {0, 1, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
"""
GROUPS = 'Physical Curve("bottom") = {1}; Physical Surface("body") = {1}; Physical Point("corner") = {3};\n'


def geo(tmp_path, text, name="g.geo"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_block(meshes):
    mesh = mesh_geo(meshes / "block.geo")
    assert np.ptp(mesh.points, axis=0).tolist() == [40.0, 25.0]
    assert areas(mesh).sum() == pytest.approx(1000.0, rel=1e-12)
    for name, edges in {"bottom": 40, "right": 25, "top": 40, "left": 25}.items():
        assert len(mesh.group(name).edges) == edges
        assert np.allclose(
            np.hypot(*np.diff(mesh.points[mesh.group(name).edges], axis=1)[:, 0].T), 1.0, rtol=1e-9
        )
    assert set(mesh.groups) == {"bottom", "right", "top", "left", "body"}
    assert quality(mesh).min() > 0.8
    assert 1000 < len(mesh.points) < 1400
    assert np.all(mesh.points[mesh.group("left").nodes, 0] == 0.0)


def test_the_block_with_other_parameters(meshes):
    mesh = mesh_geo(meshes / "block.geo", 5.0, width=20, height=10.0)
    assert np.ptp(mesh.points, axis=0).tolist() == [20.0, 10.0]
    assert len(mesh.group("bottom").edges) == 4
    with pytest.raises(MeshError, match=r"block\.geo: .* no parameter 'depth'; it has: lc, width, height"):
        mesh_geo(meshes / "block.geo", depth=3.0)
    with pytest.raises(MeshError, match=r"block\.geo: width must be a finite number, got 'wide'"):
        mesh_geo(meshes / "block.geo", width="wide")


def test_the_strip_is_regular(meshes):
    mesh = mesh_geo(meshes / "bar_strip.geo", nx=50, ny=4, length=2.0, height=0.16)
    assert len(mesh.cells) == 2 * 50 * 4
    assert len(mesh.points) == 51 * 5
    assert np.allclose(areas(mesh), 0.5 * 0.04 * 0.04, rtol=1e-9)
    assert {name: len(mesh.group(name).edges) for name in ("left", "right", "top", "bottom")} == {
        "left": 4,
        "right": 4,
        "top": 50,
        "bottom": 50,
    }
    assert np.all(mesh.points[mesh.group("right").nodes, 0] == 2.0)
    default = mesh_geo(meshes / "bar_strip.geo")
    assert np.allclose(np.ptp(default.points, axis=0), [1.0, 0.02], rtol=1e-14)


def test_the_half_disk_and_the_plate(meshes):
    half = mesh_geo(meshes / "half_disk.geo", lc=2.0, lc_tip=0.2)
    assert half.points[:, 1].min() == pytest.approx(0.0, abs=1e-12)
    assert np.hypot(*half.points.T).min() < 1e-12  # the tip is a node
    assert areas(half).sum() == pytest.approx(np.pi * 50, rel=0.01)
    plate = mesh_geo(meshes / "plate_with_hole.geo")
    assert areas(plate).sum() == pytest.approx(200 - np.pi * 4, rel=2e-3)
    assert len(boundary_edges(plate)) == sum(len(g.edges) for g in plate.groups.values())


def test_every_bundled_geometry_is_explained_and_meshed(meshes):
    paths = sorted(meshes.glob("*.geo"))
    assert {p.name for p in paths} >= {"block.geo", "bar_strip.geo"}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("// ")
        for name in parameter_names(text, path):
            assert re.search(rf"^//.*\b{name}\b", text, re.M), f"{path.name} does not explain {name}"
        mesh = mesh_geo(path)
        assert "body" in mesh.groups
        assert quality(mesh).min() > 0.5


def test_two_generations_are_identical(meshes):
    a = mesh_geo(meshes / "block.geo", 2.0)
    mesh_shape("disk:radius=1")  # something in between
    b = mesh_geo(meshes / "block.geo", 2.0)
    assert np.array_equal(a.points, b.points)
    assert np.array_equal(a.cells, b.cells)
    for name in a.groups:
        assert np.array_equal(a.group(name).nodes, b.group(name).nodes)
        assert np.array_equal(a.group(name).edges, b.group(name).edges)


@pytest.mark.parametrize(
    "first",
    [
        'DefineConstant[ lc = {0.5, Name "Parameters/lc"}, w = 2 ];',
        "DefineConstant[ lc = 0.5 ]; w = 2;",
        "lc = 0.5; w = 2;",
        "w = 2;\n  lc   = 1/2;",
    ],
)
def test_size_takes_the_place_of_lc(tmp_path, first):
    path = geo(tmp_path, first + SQUARE.split(";", 1)[1])
    for size in (None, 0.5, 0.25, 1.0):
        mesh = mesh_geo(path, size)
        bottom = np.flatnonzero(mesh.points[:, 1] == 0.0)
        assert len(bottom) == round(2 / (size or 0.5)) + 1


def test_size_without_lc_is_the_size_everywhere(tmp_path):
    path = geo(tmp_path, "w = 2;" + SQUARE.split(";", 1)[1].replace("lc", "0.3"))
    assert 0.2 < edge_lengths(mesh_geo(path)).mean() < 0.4
    assert 0.07 < edge_lengths(mesh_geo(path, 0.1)).mean() < 0.13
    assert 0.7 < edge_lengths(mesh_geo(path, 1.0)).mean() < 1.3
    for bad in (0.0, -1.0, np.nan, "1", True):
        with pytest.raises(MeshError, match=r"g\.geo: size must be"):
            mesh_geo(path, bad)


def test_groups_and_construction_points(tmp_path, recwarn):
    mesh = mesh_geo(geo(tmp_path, SQUARE + GROUPS + "Point(99) = {7, 7, 0, 1};"))
    assert len(mesh.group("bottom").edges) == 4
    assert mesh.points[mesh.group("corner").nodes].tolist() == [[2.0, 1.0]]
    assert len(mesh.group("corner").edges) == 0
    assert mesh.points.max() == 2.0  # the lone point is dropped
    assert not [w for w in recwarn if issubclass(w.category, FemContactWarning)]


def test_without_physical_surfaces_all_triangles_are_taken(tmp_path):
    bare = mesh_geo(geo(tmp_path, SQUARE))
    assert dict(bare.groups) == {}
    assert areas(bare).sum() == pytest.approx(2.0, rel=1e-13)
    side = mesh_geo(geo(tmp_path, SQUARE + 'Physical Curve("bottom") = {1};'))
    assert list(side.groups) == ["bottom"]
    numbers = mesh_geo(geo(tmp_path, SQUARE + "Physical Curve(7) = {1}; Physical Surface(8) = {1};"))
    assert sorted(numbers.groups) == ["7", "8"]
    both = mesh_geo(geo(tmp_path, SQUARE + "Physical Curve(1) = {1}; Physical Surface(1) = {1};"))
    assert sorted(both.groups) == ["edges-1", "elements-1"]


def test_only_physical_surfaces_are_the_body(tmp_path):
    text = """SetFactory("OpenCASCADE");
    Rectangle(1) = {0, 0, 0, 2, 1}; Rectangle(2) = {2, 0, 0, 1, 1}; Coherence;
    MeshSize{ PointsOf{ Surface{1, 2}; } } = 0.4;
    Physical Surface("body") = {1};"""
    assert areas(mesh_geo(geo(tmp_path, text))).sum() == pytest.approx(2.0, rel=1e-13)
    text = text.replace('"body") = {1}', '"a") = {1}; Physical Surface("both") = {1, 2}')
    mesh = mesh_geo(geo(tmp_path, text))
    assert areas(mesh).sum() == pytest.approx(3.0, rel=1e-13)
    assert areas(mesh)[mesh.group("a").elements].sum() == pytest.approx(2.0, rel=1e-13)
    assert len(mesh.group("both").elements) == len(mesh.cells)


def test_a_clockwise_surface_is_turned(tmp_path):
    mesh = mesh_geo(
        geo(tmp_path, SQUARE.replace("Curve Loop(1) = {1, 2, 3, 4}", "Curve Loop(1) = {-4, -3, -2, -1}"))
    )
    assert np.all(areas(mesh) > 0.0)


def rectangle_file(path, tilt=False, solid=False):
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        tag = gmsh.model.occ.addRectangle(1, 2, 0, 4, 2)
        hole = gmsh.model.occ.addDisk(3, 3, 0, 0.5, 0.5)
        gmsh.model.occ.cut([(2, tag)], [(2, hole)])
        if tilt:
            gmsh.model.occ.rotate(gmsh.model.occ.getEntities(2), 0, 0, 0, 1, 0, 0, 0.3)
        if solid:
            gmsh.model.occ.extrude(gmsh.model.occ.getEntities(2), 0, 0, 1)
        gmsh.model.occ.synchronize()
        gmsh.write(str(path))
    finally:
        gmsh.finalize()
    return path


@pytest.mark.parametrize("extension", [".step", ".stp", ".brep", ".STEP"])
def test_cad_files(tmp_path, extension):
    source = rectangle_file(tmp_path / f"a{extension.lower()}")
    path = source.rename(tmp_path / f"plate{extension}")
    mesh = load_mesh(path, 0.2)
    assert areas(mesh).sum() == pytest.approx(8.0 - np.pi / 4, rel=5e-3)
    assert set(mesh.groups) == {"body", *(f"edge-{i}" for i in range(1, 6))}
    assert sum(len(g.edges) for g in mesh.groups.values()) == len(boundary_edges(mesh))
    assert mesh.points.min(axis=0).tolist() == pytest.approx([1.0, 2.0], abs=1e-6)
    assert 0.1 < edge_lengths(mesh).mean() < 0.25
    assert len(mesh_cad(path).cells) > 100  # a size of its own


def test_cad_files_that_do_not_suit(tmp_path):
    with pytest.raises(MeshError, match=r"t\.step: not a plane mesh"):
        mesh_cad(rectangle_file(tmp_path / "t.step", tilt=True))
    with pytest.raises(MeshError, match=r"s\.step: the geometry is a solid, a plane face is needed"):
        mesh_cad(rectangle_file(tmp_path / "s.step", solid=True))
    with pytest.raises(MeshError, match=r"n\.step' does not exist"):
        mesh_cad(tmp_path / "n.step")
    for name in ("g.step", "g.brep"):
        (tmp_path / name).write_text("garbage", encoding="utf-8")
        with pytest.raises(MeshError, match=rf"{re.escape(name)}: ") as caught:
            mesh_cad(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert not gmsh.isInitialized()


def test_a_caller_who_uses_gmsh_finds_his_model_again(meshes):
    reference = mesh_geo(meshes / "block.geo", 5.0)
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.Algorithm", 5)
        gmsh.option.setNumber("Mesh.MeshSizeMax", 3.0)
        gmsh.model.add("mine")
        gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
        gmsh.model.occ.synchronize()
        gmsh.model.add("another")
        gmsh.model.setCurrent("mine")
        models = gmsh.model.list()
        mesh = mesh_geo(meshes / "block.geo", 5.0)
        with pytest.raises(MeshError):
            mesh_geo(meshes / "block.geo", nothing=5.0)
        with pytest.raises(MeshError):
            mesh_shape({"kind": "polygon", "vertices": [[0, 0], [1, 0], [1, 1e-300]]})
        assert np.array_equal(mesh.points, reference.points)
        assert np.array_equal(mesh.cells, reference.cells)
        assert gmsh.isInitialized()
        assert gmsh.model.list() == models
        assert gmsh.model.getCurrent() == "mine"
        assert len(gmsh.model.getEntities(2)) == 1
        assert gmsh.option.getNumber("Mesh.Algorithm") == 5
        assert gmsh.option.getNumber("Mesh.MeshSizeMax") == 3.0
    finally:
        gmsh.finalize()


def test_meshing_works_outside_the_main_thread():
    result = []
    thread = threading.Thread(target=lambda: result.append(mesh_shape("disk:radius=1", 0.3)))
    thread.start()
    thread.join()
    assert len(result[0].cells) > 20


def test_load_mesh_takes_every_source(meshes, tmp_path):
    assert load_mesh(meshes / "block.geo", 5.0).group("top")
    assert load_mesh("disk:radius=1", 0.5).group("boundary")
    assert load_mesh({"kind": "line", "length": 1.0}).element == "bar2"
    with pytest.raises(MeshError, match="a mesh file has its size already"):
        load_mesh(tmp_path / "m.msh", 1.0)
    with pytest.raises(MeshError, match="the size of a geometry is one number"):
        load_mesh(meshes / "block.geo", [1.0, 2.0])
    with pytest.raises(MeshError, match="'blok' is neither a file nor a shape; the shapes are: rectangle"):
        load_mesh("blok")
    with pytest.raises(MeshError, match=r"'.*gone\.geo' does not exist"):
        load_mesh(tmp_path / "gone.geo")
    long = "polygon:vertices=" + " ".join(f"{np.cos(a):.6f} {np.sin(a):.6f}" for a in np.arange(0, 6.2, 0.2))
    assert len(long) > 255
    assert len(load_mesh(long).groups) == 32
