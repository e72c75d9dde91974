"""The command ``fem-contact mesh``."""

import math
import os
import subprocess
import sys

import meshio
import numpy as np
import pytest
from click.testing import CliRunner

from fem_contact.cli.mesh import command
from fem_contact.errors import FemContactError, MeshError
from fem_contact.mesh import mesh_shape, read_mesh, summary

CASE = """
units = "mm-ms-g"
[mesh]
shape = { kind = "rectangle", width = "4 cm", height = 25.0 }
size = 5.0
[body]
E = "5.75 GPa"
nu = 0.358
density = 1.17e-3
thickness = 15.0
[scheme]
name = "moreau-jean-fremond"
theta = 0.5
dt = 1e-4
t_end = 1e-3
"""


def run(*arguments):
    """The lines printed by the command; errors come through."""
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_shape(here):
    text = run("rectangle:width=40,height=25", "-o", "block.msh", "--size", 2.5)
    mesh = read_mesh("block.msh")
    expected = mesh_shape("rectangle:width=40,height=25", 2.5)
    assert np.array_equal(mesh.points, expected.points)
    assert np.array_equal(mesh.cells, expected.cells)
    s = summary(expected)
    for piece in (
        f"nodes                 {s.nodes}",
        f"elements              {s.elements} (tri3)",
        f"min {s.min_quality:.3f}, mean {s.mean_quality:.3f}",
        f"smallest edge         {s.smallest_edge:.6g}",
        "bottom  17 nodes, 16 edges, 0 elements",
        "written to block.msh",
    ):
        assert piece in text
    assert "a wave" not in text
    assert os.listdir(here) == ["block.msh"]


def test_a_geometry_and_a_mesh_file(here, request):
    geo = request.config.rootpath / "meshes" / "block.geo"
    run(geo, "-o", "block.msh", "--size", 5)
    again = run("block.msh", "-o", "block.vtu")
    assert "quality" in again
    a, b = read_mesh("block.msh"), read_mesh("block.vtu")
    assert np.array_equal(a.points, b.points)
    assert a.groups.keys() == b.groups.keys()


def crossing_time(text):
    (line,) = [line for line in text.splitlines() if line.startswith("a wave crosses it in")]
    return float(line.split()[-1])


def test_the_time_of_a_wave(here):
    shape = "rectangle:width=4,height=2"
    edge = summary(mesh_shape(shape)).smallest_edge
    assert crossing_time(run(shape, "-o", "m.msh", "--wave-speed", 2.0)) == pytest.approx(
        edge / 2.0, rel=1e-5
    )
    material = ("--E", 5750.0, "--density", 1.17e-3)
    plane = math.sqrt(5750.0 / (1.17e-3 * (1 - 0.358**2)))
    assert crossing_time(run(shape, "-o", "m.msh", *material, "--nu", 0.358)) == pytest.approx(
        edge / plane, rel=1e-5
    )
    strain = math.sqrt(5750.0 * (1 - 0.358) / (1.17e-3 * 1.358 * (1 - 0.716)))
    text = run(shape, "-o", "m.msh", *material, "--nu", 0.358, "--assumption", "plane-strain")
    assert crossing_time(text) == pytest.approx(edge / strain, rel=1e-5)
    bar = run("line:length=1,elements=10", "-o", "bar.msh", *material)
    assert crossing_time(bar) == pytest.approx(0.1 / math.sqrt(5750.0 / 1.17e-3), rel=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        ("--wave-speed", 2.0, "--E", 1.0),
        ("--E", 1.0),
        ("--nu", 0.3),
        ("--density", 1.0, "--nu", 0.3),
        ("--size", "big"),
    ],
)
def test_wrong_usage(here, options):
    result = CliRunner().invoke(command, ["disk:radius=1", "-o", "m.msh", *map(str, options)])
    assert result.exit_code == 2
    assert os.listdir(here) == []


def test_the_output_is_asked_for(here):
    result = CliRunner().invoke(command, ["disk:radius=1"])
    assert result.exit_code == 2
    assert "--output" in result.output


def test_a_case(here):
    (here / "sub").mkdir()
    (here / "sub" / "case.toml").write_text(CASE, encoding="utf-8")
    text = run("sub/case.toml", "-o", "m.msh")
    mesh = read_mesh("m.msh")
    assert np.ptp(mesh.points, axis=0).tolist() == [40.0, 25.0]
    assert len(mesh.group("bottom").edges) == 8
    speed = math.sqrt(5750.0 / (1.17e-3 * (1 - 0.358**2)))
    assert crossing_time(text) == pytest.approx(summary(mesh).smallest_edge / speed, rel=1e-5)
    run("sub/case.toml", "-o", "m.msh", "--size", 2.5)
    assert len(read_mesh("m.msh").group("bottom").edges) == 16


def test_the_geometry_of_a_case_is_found_from_the_case(here):
    (here / "sub").mkdir()
    (here / "sub" / "g.geo").write_text(
        "DefineConstant[ lc = 1 ];\n"
        "Point(1) = {0, 0, 0, lc}; Point(2) = {3, 0, 0, lc}; Point(3) = {0, 3, 0, lc};\n"
        "Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 1};\n"
        "Curve Loop(1) = {1, 2, 3}; Plane Surface(1) = {1};",
        encoding="utf-8",
    )
    text = CASE.replace('shape = { kind = "rectangle", width = "4 cm", height = 25.0 }', 'geo = "g.geo"')
    (here / "sub" / "case.toml").write_text(text.replace("size = 5.0", ""), encoding="utf-8")
    assert "area                  4.5" in run("sub/case.toml", "-o", "m.msh")


def test_nothing_is_written_when_something_is_wrong(here):
    (here / "old.msh").write_text("kept", encoding="utf-8")
    for arguments, message in [
        (("gone.geo", "-o", "old.msh"), "'gone.geo' does not exist"),
        (("old.msh", "-o", "new.msh"), "cannot read mesh file old.msh"),
        (("disk:radius=-1", "-o", "old.msh"), "disk: radius must be positive"),
        (("disk:radius=1", "-o", "old.stl"), "the extension must be one of"),
        (("disk:radius=1", "-o", "no/where.msh"), "cannot write no/where.msh"),
        (("disk:radius=1", "-o", "old.msh", "--wave-speed", "-1"), "the wave speed must be positive"),
        (("gone.toml", "-o", "old.msh"), "gone.toml: there is no such case file"),
    ]:
        with pytest.raises(FemContactError) as caught:
            run(*arguments)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
    assert os.listdir(here) == ["old.msh"]
    assert (here / "old.msh").read_text(encoding="utf-8") == "kept"


def test_quads_are_refused_in_one_line(here):
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    meshio.write("quads.vtu", meshio.Mesh(points, [("quad", np.array([[0, 1, 2, 3]]))]))
    with pytest.raises(MeshError, match=r"quads\.vtu: only 3-node triangles .* the mesh has 1 quad cells"):
        run("quads.vtu", "-o", "m.msh")


def test_the_program_ends_with_status_one_and_one_line(here):
    code = "import sys; from fem_contact.cli import main; main(sys.argv[1:])"
    result = subprocess.run(
        [sys.executable, "-c", code, "mesh", "gone.msh", "-o", "m.msh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == ["fem-contact: error: mesh file 'gone.msh' does not exist"]


def test_the_help_shows_the_shapes():
    text = CliRunner().invoke(command, ["--help"]).output
    for name in ("rectangle:", "disk:", "half-disk:", "half-annulus:", "polygon:", "line:"):
        assert name in text
