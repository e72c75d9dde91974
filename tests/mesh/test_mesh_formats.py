"""Reading and writing: every format gives back the same points, triangles and groups."""

import meshio
import numpy as np
import pytest

from fem_contact.errors import FemContactWarning, MeshError
from fem_contact.mesh import Group, Mesh, boundary_edges, mesh_shape, read_mesh, write_mesh

POINTS = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0]])
TRIANGLES = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
LINES = np.array([[0, 1], [2, 1], [3, 2]])


def gmsh_like(points=POINTS, triangles=TRIANGLES):
    """As Gmsh saves it: 'bottom' and 'rest' are curves, 'body' is a surface."""
    blocks = [("line", LINES[:1]), ("line", LINES[1:]), ("triangle", triangles)]
    tags = [[7], [8, 8], [9] * len(triangles)]
    return meshio.Mesh(
        points,
        blocks,
        point_data={
            "gmsh:dim_tags": np.array([[1, 7], [1, 7], [1, 8], [1, 8], *[[2, 9]] * (len(points) - 4)])
        },
        cell_data={
            "gmsh:physical": [np.array(t) for t in tags],
            "gmsh:geometrical": [np.array(t) for t in tags],
        },
        field_data={"bottom": np.array([7, 1]), "rest": np.array([8, 1]), "body": np.array([9, 2])},
    )


def undirected(edges):
    return {tuple(sorted(edge)) for edge in np.asarray(edges).tolist()}


def check_groups(mesh):
    assert mesh.groups["bottom"].nodes.tolist() == [0, 1]
    assert undirected(mesh.groups["bottom"].edges) == {(0, 1)}
    assert undirected(mesh.groups["rest"].edges) == {(1, 2), (2, 3)}
    assert mesh.groups["rest"].edges.tolist() == [[1, 2], [2, 3]]  # turned to have the body on their left
    assert mesh.groups["body"].elements.tolist() == [0, 1, 2, 3]
    assert mesh.groups["body"].nodes.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("version", ["gmsh22", "gmsh"])
def test_msh_of_meshio(tmp_path, version, binary):
    path = tmp_path / "plate.msh"
    meshio.write(path, gmsh_like(), file_format=version, binary=binary)
    mesh = read_mesh(path)
    assert np.array_equal(mesh.points, POINTS[:, :2])
    assert np.array_equal(mesh.cells, TRIANGLES)
    check_groups(mesh)


@pytest.mark.parametrize(("version", "binary"), [(2.2, 0), (2.2, 1), (4.0, 0), (4.1, 0), (4.1, 1)])
def test_msh_of_gmsh_itself(tmp_path, version, binary):
    """Two curves and their union: a curve in two groups, which MSH 2.2 writes twice."""
    gmsh = pytest.importorskip("gmsh")
    path = tmp_path / "plate.msh"
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(1, [1], name="bottom")
        gmsh.model.addPhysicalGroup(1, [1, 2, 3, 4], name="all sides")
        gmsh.model.addPhysicalGroup(2, [1], name="body")
        gmsh.model.addPhysicalGroup(0, [3], name="corner")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
        gmsh.model.mesh.generate(2)
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.write(str(path))
    finally:
        gmsh.finalize()
    mesh = read_mesh(path)
    border = len(boundary_edges(mesh))
    bottom = int(np.sum(mesh.points[:, 1] == 0.0))
    assert {n: (len(g.nodes), len(g.edges), len(g.elements)) for n, g in mesh.groups.items()} == {
        "bottom": (bottom, bottom - 1, 0),
        "all sides": (border, border, 0),
        "body": (len(mesh.points), 0, len(mesh.cells)),
        "corner": (1, 0, 0),
    }
    assert mesh.points[mesh.group("corner").nodes[0]].tolist() == [2.0, 1.0]
    assert np.all(mesh.points[mesh.group("bottom").nodes, 1] == 0.0)


def test_msh_with_cells_outside_every_group(tmp_path):
    """'Save all' with a single physical curve: the other cells are read all the same."""
    gmsh = pytest.importorskip("gmsh")
    path = tmp_path / "all.msh"
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(1, [1], name="bottom")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
        gmsh.option.setNumber("Mesh.SaveAll", 1)
        gmsh.model.mesh.generate(2)
        gmsh.write(str(path))
    finally:
        gmsh.finalize()
    mesh = read_mesh(path)
    assert list(mesh.groups) == ["bottom"]
    edges = mesh.points[mesh.group("bottom").edges]
    assert edges[..., 1].max() == 0.0
    assert (edges[:, 1, 0] - edges[:, 0, 0]).sum() == pytest.approx(2.0, rel=1e-14)
    X = mesh.points[mesh.cells]
    a, b = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
    assert 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() == pytest.approx(2.0, rel=1e-14)


def test_nameless_tags_become_numbers(tmp_path):
    data = gmsh_like()
    data.field_data = {}
    meshio.write(tmp_path / "tags.msh", data, file_format="gmsh22", binary=False)
    mesh = read_mesh(tmp_path / "tags.msh")
    assert sorted(mesh.groups) == ["7", "8", "9"]
    assert undirected(mesh.group("8").edges) == {(1, 2), (2, 3)}


def test_a_tag_used_for_curves_and_surfaces_says_which(tmp_path):
    data = gmsh_like()
    data.field_data = {}
    data.cell_data["gmsh:physical"] = [np.array([1]), np.array([2, 2]), np.array([1] * 4)]
    meshio.write(tmp_path / "tags.msh", data, file_format="gmsh22", binary=False)
    mesh = read_mesh(tmp_path / "tags.msh")
    assert sorted(mesh.groups) == ["2", "edges-1", "elements-1"]
    assert len(mesh.group("edges-1").elements) == 0
    assert mesh.group("elements-1").elements.tolist() == [0, 1, 2, 3]


def test_tag_zero_is_no_group(tmp_path):
    data = gmsh_like()
    data.field_data = {}
    data.cell_data["gmsh:physical"] = [np.array([7]), np.array([0, 8]), np.array([0] * 4)]
    meshio.write(tmp_path / "tags.msh", data, file_format="gmsh22", binary=False)
    assert sorted(read_mesh(tmp_path / "tags.msh").groups) == ["7", "8"]


def repeated(tmp_path, tags):
    """MSH 2.2 with triangle 1 written twice, under the given tags."""
    data = gmsh_like(triangles=np.vstack([TRIANGLES, TRIANGLES[1:2]]))
    data.field_data["upper"] = np.array([10, 2])
    data.cell_data["gmsh:physical"][2] = np.array(tags)
    meshio.write(tmp_path / "twice.msh", data, file_format="gmsh22", binary=False)
    return read_mesh(tmp_path / "twice.msh")


def test_msh_22_writes_a_triangle_once_for_each_group(tmp_path):
    mesh = repeated(tmp_path, [9, 9, 9, 9, 10])
    assert np.array_equal(mesh.cells, TRIANGLES)
    assert mesh.group("body").elements.tolist() == [0, 1, 2, 3]
    assert mesh.group("upper").elements.tolist() == [1]
    with pytest.raises(MeshError, match=r"elements 1 and 4 are the same triangle \(nodes 1, 2, 4\)"):
        repeated(tmp_path, [9, 9, 9, 9, 9])
    with pytest.raises(MeshError, match="elements 1 and 4 are the same triangle"):
        repeated(tmp_path, [9, 9, 9, 9, 0])


@pytest.mark.parametrize("extension", [".vtu", ".xdmf", ".vtk"])
def test_tags_in_formats_without_names(tmp_path, extension):
    """A tag array that meshio carried over from a Gmsh file."""
    data = gmsh_like()
    meshio.write(
        tmp_path / f"plate{extension}", meshio.Mesh(data.points, data.cells, cell_data=data.cell_data)
    )
    mesh = read_mesh(tmp_path / f"plate{extension}")
    assert np.array_equal(mesh.points, POINTS[:, :2])
    assert np.array_equal(mesh.cells, TRIANGLES)
    assert sorted(mesh.groups) == ["7", "8", "9"]
    assert mesh.group("9").elements.tolist() == [0, 1, 2, 3]


def test_abaqus_sets(tmp_path):
    (tmp_path / "plate.inp").write_text(
        "*HEADING\nplate\n*NODE\n1, 0., 0.\n2, 2., 0.\n3, 2., 1.\n4, 0., 1.\n5, 1., 0.5\n"
        "*ELEMENT, TYPE=CPS3, ELSET=BODY\n1, 1, 2, 5\n2, 2, 3, 5\n3, 3, 4, 5\n4, 4, 1, 5\n"
        "*NSET, NSET=BOTTOM\n1, 2\n*NSET, NSET=MIDDLE\n5\n*ELSET, ELSET=SIDES\n2, 4\n",
        encoding="utf-8",
    )
    mesh = read_mesh(tmp_path / "plate.inp")
    assert np.array_equal(mesh.cells, TRIANGLES)
    assert mesh.group("BODY").elements.tolist() == [0, 1, 2, 3]
    assert mesh.group("SIDES").elements.tolist() == [1, 3]
    assert mesh.group("BOTTOM").nodes.tolist() == [0, 1]
    assert mesh.group("BOTTOM").edges.tolist() == [[0, 1]]  # so that it can carry a traction
    assert mesh.group("MIDDLE").nodes.tolist() == [4]
    assert len(mesh.group("MIDDLE").edges) == 0


def test_abaqus_of_meshio(tmp_path):
    data = meshio.Mesh(POINTS, [("triangle", TRIANGLES)], point_sets={"TOP": np.array([2, 3])})
    data.cell_sets = {"LEFT": [np.array([3])]}
    meshio.write(tmp_path / "plate.inp", data)
    mesh = read_mesh(tmp_path / "plate.inp")
    assert np.array_equal(mesh.points, POINTS[:, :2])
    assert mesh.group("TOP").edges.tolist() == [[2, 3]]
    assert mesh.group("LEFT").elements.tolist() == [3]


def rich_mesh():
    """Groups of every kind, overlapping; coordinates that need all their digits."""
    points = POINTS[:, :2] * np.pi + 1.0 / 3.0
    groups = {
        "bottom": Group(LINES[0], LINES[:1]),
        "three sides": Group(np.arange(4), np.array([[0, 1], [1, 2], [2, 3]])),
        "middle": Group(np.array([4])),
        "left half": Group(np.array([0, 2, 3, 4]), elements=np.array([2, 3])),
        "body": Group(np.arange(5), elements=np.arange(4)),
        "mixed": Group(np.array([0, 2, 3, 4]), np.array([[2, 3]]), np.array([3])),
    }
    return Mesh(points, TRIANGLES, groups=groups)


def same_groups(a, b):
    """Equal groups, whatever the order of the elements."""
    assert set(a.groups) == set(b.groups)
    cells = [[tuple(sorted(c)) for c in mesh.cells.tolist()] for mesh in (a, b)]
    for name in a.groups:
        g, h = a.groups[name], b.groups[name]
        assert g.nodes.tolist() == h.nodes.tolist(), name
        assert undirected(g.edges) == undirected(h.edges), name
        assert {cells[0][i] for i in g.elements} == {cells[1][i] for i in h.elements}, name


@pytest.mark.parametrize("extension", [".msh", ".vtu", ".xdmf"])
def test_written_meshes_come_back_to_the_last_digit(tmp_path, extension):
    mesh = rich_mesh()
    write_mesh(mesh, tmp_path / f"m{extension}")
    back = read_mesh(tmp_path / f"m{extension}")
    assert np.array_equal(back.points, mesh.points)
    same_groups(mesh, back)
    assert [p.name for p in tmp_path.iterdir()] == [f"m{extension}"]


def test_elements_outside_every_group_come_back(tmp_path):
    mesh = Mesh(POINTS[:, :2], TRIANGLES, groups={"one": Group(TRIANGLES[1], elements=np.array([1]))})
    write_mesh(mesh, tmp_path / "m.msh")
    back = read_mesh(tmp_path / "m.msh")
    assert len(back.cells) == 4
    same_groups(mesh, back)


def test_a_mesh_without_groups_comes_back(tmp_path):
    write_mesh(Mesh(POINTS[:, :2], TRIANGLES), tmp_path / "m.msh")
    back = read_mesh(tmp_path / "m.msh")
    assert np.array_equal(back.cells, TRIANGLES)
    assert dict(back.groups) == {}


def test_gmsh_reads_what_we_write(tmp_path):
    gmsh = pytest.importorskip("gmsh")
    write_mesh(rich_mesh(), tmp_path / "m.msh")
    gmsh.initialize(["gmsh"], readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.logger.start()
        gmsh.open(str(tmp_path / "m.msh"))
        names = {(d, gmsh.model.getPhysicalName(d, t)) for d, t in gmsh.model.getPhysicalGroups()}
        assert (1, "three sides") in names
        assert (2, "left half") in names
        assert len(gmsh.model.mesh.getNodes()[0]) == 5
        assert not [line for line in gmsh.logger.get() if line.startswith(("Error", "Warning"))]
    finally:
        gmsh.finalize()


def test_bars_can_be_written(tmp_path):
    write_mesh(mesh_shape("line:length=1,elements=4"), tmp_path / "bar.msh")
    data = meshio.read(tmp_path / "bar.msh")
    assert sum(len(b.data) for b in data.cells if b.type == "line") == 4
    with pytest.raises(MeshError, match=r"only 3-node triangles .* the mesh has 2 vertex, 4 line cells"):
        read_mesh(tmp_path / "bar.msh")


def test_the_writer_refuses_unknown_extensions_and_leaves_nothing(tmp_path):
    with pytest.raises(MeshError, match=r"the extension must be one of \.msh, \.vtu, \.xdmf"):
        write_mesh(rich_mesh(), tmp_path / "m.obj")
    with pytest.raises(MeshError, match=r"cannot write .*No such file"):
        write_mesh(rich_mesh(), tmp_path / "nowhere" / "m.msh")
    (tmp_path / "taken.msh").mkdir()
    with pytest.raises(MeshError, match="cannot write"):
        write_mesh(rich_mesh(), tmp_path / "taken.msh")
    assert [p.name for p in tmp_path.iterdir()] == ["taken.msh"]


def outcome(path):
    """The mesh, or the line of the error."""
    try:
        return read_mesh(path), ""
    except MeshError as error:
        return None, str(error)


def test_a_cut_file_is_refused_or_gives_the_same_mesh(tmp_path):
    """No silent half of a mesh, wherever the file ends."""
    for version, binary in (("gmsh22", False), ("gmsh22", True), ("gmsh", False), ("gmsh", True)):
        meshio.write(tmp_path / "whole.msh", gmsh_like(), file_format=version, binary=binary)
        content = (tmp_path / "whole.msh").read_bytes()
        whole = read_mesh(tmp_path / "whole.msh")
        refused = 0
        for length in range(0, len(content) - 1, 7):
            (tmp_path / "cut.msh").write_bytes(content[:length])
            mesh, line = outcome(tmp_path / "cut.msh")
            if mesh is None:
                refused += 1
                assert "cut.msh" in line
                assert "\n" not in line
            else:
                assert np.array_equal(mesh.points, whole.points)
                assert np.array_equal(mesh.cells, whole.cells)
                assert set(mesh.groups) == set(whole.groups)
        assert refused > 50


def test_clockwise_triangles_are_turned(tmp_path):
    turned = TRIANGLES.copy()
    turned[1] = turned[1, ::-1]
    meshio.write(tmp_path / "m.msh", gmsh_like(triangles=turned), file_format="gmsh")
    mesh = read_mesh(tmp_path / "m.msh")
    X = mesh.points[mesh.cells]
    a, b = X[:, 1] - X[:, 0], X[:, 2] - X[:, 0]
    assert np.all(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] > 0.0)
    assert sorted(mesh.cells[1]) == sorted(TRIANGLES[1])
    check_groups(mesh)


def test_orphans_are_dropped_with_a_warning_and_groups_renumbered(tmp_path):
    points = np.vstack([[[9.0, 9.0, 5.0]], POINTS, [[7.0, 7.0, 0.0]]])  # off the plane, which does not matter
    data = gmsh_like(points, TRIANGLES + 1)
    data.cells = [
        meshio.CellBlock("line", LINES[:1] + 1),
        meshio.CellBlock("line", LINES[1:] + 1),
        data.cells[2],
    ]
    meshio.write(tmp_path / "m.msh", data, file_format="gmsh22", binary=False)
    with pytest.warns(FemContactWarning, match=r"m\.msh: 2 nodes belong to no triangle and were dropped"):
        mesh = read_mesh(tmp_path / "m.msh")
    assert np.array_equal(mesh.points, POINTS[:, :2])
    check_groups(mesh)
