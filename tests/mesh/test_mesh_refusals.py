"""Mesh files that are refused, each with one line that says why."""

import meshio
import numpy as np
import pytest

from fem_contact.errors import FemContactWarning, MeshError
from fem_contact.mesh import read_mesh

POINTS = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0]])
TRIANGLES = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
LINES = np.array([[0, 1], [2, 1], [3, 2]])


@pytest.mark.parametrize(
    "extension", [".msh", ".vtu", ".xdmf", ".inp", ".vtk", ".bdf", ".med", ".mesh", ".stl"]
)
@pytest.mark.parametrize(
    "content", [b"this is no mesh\n1 2 3\n", bytes(range(256)) * 4, b"$MeshFormat\n4.1 1 8\n\1\0\0\0"]
)
def test_garbage_is_one_line_that_names_the_file(tmp_path, capfd, extension, content):
    path = tmp_path / f"bad{extension}"
    path.write_bytes(content)
    with pytest.raises(MeshError) as caught:
        read_mesh(path)
    assert f"bad{extension}" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_files_that_are_none(tmp_path):
    for name, message in [
        ("nothing.msh", "does not exist"),
        ("empty.msh", "is empty"),
        ("folder.msh", "is a directory"),
        ("plate.xyz", r"unknown extension '\.xyz'"),
        ("plate", "unknown extension ''"),
        ("a" * 5000 + ".msh", "does not exist"),
        ("a\0b.msh", "does not exist"),
    ]:
        path = tmp_path / name
        if "empty" in name:
            path.write_bytes(b"\n")
        elif "folder" in name:
            path.mkdir()
        elif "plate" in name:
            path.write_text("text", encoding="utf-8")
        with pytest.raises(MeshError, match=message):
            read_mesh(path)


def test_a_reader_that_leaves_the_program_does_not(tmp_path, monkeypatch, capfd):
    def leave(*_, **__):
        print("no such thing")
        raise SystemExit(1)

    monkeypatch.setattr(meshio, "read", leave)
    (tmp_path / "m.vtu").write_text("x", encoding="utf-8")
    with pytest.raises(MeshError, match=r"cannot read mesh file .*m\.vtu: .*no such thing"):
        read_mesh(tmp_path / "m.vtu")
    assert capfd.readouterr() == ("", "")


def test_other_cells_are_named_and_refused(tmp_path):
    quads = np.array([[0, 1, 2, 3]])
    meshio.write(tmp_path / "q.vtu", meshio.Mesh(POINTS, [("quad", quads)]))
    with pytest.raises(MeshError, match=r"q\.vtu: only 3-node triangles .* the mesh has 1 quad cells"):
        read_mesh(tmp_path / "q.vtu")
    meshio.write(tmp_path / "m.vtu", meshio.Mesh(POINTS, [("triangle", TRIANGLES[:2]), ("quad", quads)]))
    with pytest.raises(MeshError, match="the mesh has 2 triangle, 1 quad cells"):
        read_mesh(tmp_path / "m.vtu")
    six = np.array([[0, 1, 2, 3, 4, 3]])
    meshio.write(tmp_path / "t.vtu", meshio.Mesh(POINTS, [("triangle6", six)]))
    with pytest.raises(MeshError, match="the mesh has 1 triangle6 cells"):
        read_mesh(tmp_path / "t.vtu")
    meshio.write(tmp_path / "l.vtu", meshio.Mesh(POINTS, [("line", LINES)]))
    with pytest.raises(MeshError, match="the mesh has 3 line cells"):
        read_mesh(tmp_path / "l.vtu")


def test_only_plane_meshes(tmp_path):
    lifted = POINTS + np.array([0.0, 0.0, 3.5])
    meshio.write(tmp_path / "lifted.vtu", meshio.Mesh(lifted, [("triangle", TRIANGLES)]))
    assert np.array_equal(read_mesh(tmp_path / "lifted.vtu").points, POINTS[:, :2])
    bent = POINTS.copy()
    bent[4, 2] = 0.1
    meshio.write(tmp_path / "bent.vtu", meshio.Mesh(bent, [("triangle", TRIANGLES)]))
    with pytest.raises(MeshError, match=r"bent\.vtu: not a plane mesh, z goes from 0 to 0\.1"):
        read_mesh(tmp_path / "bent.vtu")


def test_a_group_without_nodes_is_missed_only_when_used(tmp_path):
    points = np.vstack([POINTS, [[7.0, 7.0, 0.0], [8.0, 7.0, 0.0]]])
    blocks = [("line", np.array([[5, 6]])), ("triangle", TRIANGLES)]
    tags = {
        "gmsh:physical": [np.array([1]), np.array([2] * 4)],
        "gmsh:geometrical": [np.array([1]), np.array([1] * 4)],
    }
    names = {"apart": np.array([1, 1]), "body": np.array([2, 2])}
    meshio.write(
        tmp_path / "m.msh",
        meshio.Mesh(points, blocks, cell_data=tags, field_data=names),
        file_format="gmsh22",
        binary=False,
    )
    with pytest.warns(FemContactWarning, match="2 nodes"):
        mesh = read_mesh(tmp_path / "m.msh")
    with pytest.raises(MeshError, match="no group 'apart'; its groups are: body"):
        mesh.group("apart")


@pytest.mark.parametrize(
    ("points", "triangles", "message"),
    [
        (
            POINTS,
            [[0, 1, 4], [1, 2, 4], [2, 3, 4], [2, 1, 4]],
            r"elements 1 and 3 are the same triangle \(nodes 1, 2, 4\)",
        ),
        (POINTS, [[0, 1, 4], [1, 2, 4], [0, 4, 2]], r"element 2 \(nodes 0, 4, 2\) has zero area"),
        (POINTS, [[0, 1, 4], [1, 1, 4]], r"element 1 \(nodes 1, 1, 4\) has zero area"),
        (
            POINTS,
            [[0, 1, 4], [1, 2, 4], [0, 1, 2]],
            r"elements 0 and 2 overlap, both are on the same side of edge 0-1",
        ),
        (
            np.where(POINTS == 2.0, np.nan, POINTS),
            [[3, 0, 4], [0, 1, 4]],
            "node 1 has coordinates that are not finite",
        ),
    ],
    ids=["repeated", "flat", "repeated node", "overlapping", "nan"],
)
def test_bad_triangles_are_refused_by_number(tmp_path, points, triangles, message):
    meshio.write(tmp_path / "m.vtu", meshio.Mesh(points, [("triangle", np.array(triangles))]))
    with pytest.raises(MeshError, match=message):
        read_mesh(tmp_path / "m.vtu")


def test_flatness_is_relative(tmp_path):
    """Micrometre triangles far from the origin are fine."""
    points = POINTS * 1e-6 + [1.0, 1.0, 0.0]
    meshio.write(tmp_path / "m.vtu", meshio.Mesh(points, [("triangle", TRIANGLES)]))
    assert len(read_mesh(tmp_path / "m.vtu").cells) == 4


def test_only_gmsh_files_go_to_gmsh(tmp_path, monkeypatch):
    """Gmsh would run a text without the header of a mesh as a script."""

    def stumble(*_, **__):
        raise ValueError("gmsh:physical")

    monkeypatch.setattr(meshio, "read", stumble)
    monkeypatch.chdir(tmp_path)
    for name in ("m.vtu", "m.msh"):
        (tmp_path / name).write_text('SystemCall "touch pwned";', encoding="utf-8")
        with pytest.raises(MeshError, match="its content is not that of"):
            read_mesh(tmp_path / name)
    assert not (tmp_path / "pwned").exists()


def test_interrupts_pass_through(tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(meshio, "read", interrupt)
    (tmp_path / "m.vtu").write_text("x", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        read_mesh(tmp_path / "m.vtu")
