"""Fields for ParaView, read back with meshio."""

from __future__ import annotations

import meshio
import numpy as np
import pytest

from fem_contact.errors import RunFileError
from fem_contact.fem.materials import Elastic
from fem_contact.io.vtk import export, snapshots
from fem_contact.mesh.mesh import Mesh
from fem_contact.record import Run

EXX = 1e-3


def make_run(element: str = "tri3", samples: int = 3, material: bool = True) -> Run:
    """A unit square of two triangles (or a bar of two elements) stretched along x by 1e-3 t."""
    if element == "tri3":
        mesh = Mesh(np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    else:
        mesh = Mesh(np.array([[0, 0], [1, 0], [2, 0.0]]), np.array([[0, 1], [1, 2]]), element)
    per_node = 2 if element == "tri3" else 1
    t = np.arange(samples, dtype=float)
    q = np.zeros((samples, per_node * len(mesh.points)))
    q[:, ::per_node] = EXX * t[:, None] * mesh.points[:, 0]
    steps_t = 0.5 * np.arange(2 * samples - 1)
    p = np.zeros((len(steps_t), 1, per_node))
    p[1:, 0] = [3.0, 4.0][:per_node]
    contact = {"nodes": np.array([1]), "normals": np.array([[0.0, 1.0]] if per_node == 2 else [[1.0, 0.0]])}
    data = {
        "steps": {"t": steps_t, "contact": {"p": p}},
        "contact": contact,
        "fields": {"t": t, "q": q, "v": 10 * q},
    }
    text = repr(Elastic(E=1000.0, nu=0.25, density=1.0)) if material else ""
    return Run(data, {"material": text, "complete": True, "scheme": "moreau-jean"}, mesh)


def check_points(data: dict, i: int) -> None:
    assert data["displacement"].shape == (4, 3)
    assert data["displacement"][:, 0] == pytest.approx([0, EXX * i, EXX * i, 0], abs=0)
    assert data["velocity"][:, 0] == pytest.approx([0, 10 * EXX * i, 10 * EXX * i, 0])
    assert not data["displacement"][:, 1:].any()
    # p = (3, 4) over h = 0.5 with n = e_y, t = e_x; the start has done no step.
    assert data["contact_force"][1].tolist() == ([8.0, 6.0, 0.0] if i else [0.0, 0.0, 0.0])
    assert not data["contact_force"][[0, 2, 3]].any()


def check_cells(data: dict, i: int) -> None:
    # Plane stress, e_xx alone: s_xx = E/(1 - nu^2) e_xx, s_yy = nu s_xx.
    xx = 1000.0 / (1 - 0.0625) * EXX * i
    assert np.ravel(data["stress_xx"]) == pytest.approx([xx, xx])
    assert np.ravel(data["stress_yy"]) == pytest.approx([0.25 * xx] * 2)
    assert np.ravel(data["stress_xy"]) == pytest.approx([0.0, 0.0], abs=1e-15)
    assert np.ravel(data["von_mises"]) == pytest.approx([xx * np.sqrt(1 - 0.25 + 0.0625)] * 2)


def test_xdmf_round_trip(tmp_path):
    run = make_run()
    written = export(run, tmp_path / "out.xdmf")
    assert [p.name for p in written] == ["out.xdmf", "out.fields.h5"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.fields.h5", "out.xdmf"]
    with meshio.xdmf.TimeSeriesReader(tmp_path / "out.xdmf") as reader:
        points, cells = reader.read_points_cells()
        assert points[:, :2].tolist() == run.mesh.points.tolist()
        assert cells[0].type == "triangle"
        assert cells[0].data.tolist() == run.mesh.cells.tolist()
        assert reader.num_steps == 3
        for i in range(3):
            t, point_data, cell_data = reader.read_data(i)
            assert t == float(i)
            check_points(point_data, i)
            check_cells({name: values[0] for name, values in cell_data.items()}, i)


def test_pvd_round_trip(tmp_path):
    from xml.etree import ElementTree

    run = make_run()
    written = export(run, tmp_path / "out.pvd")
    assert written[0] == tmp_path / "out.pvd"
    entries = ElementTree.parse(written[0]).findall("Collection/DataSet")
    assert [float(entry.get("timestep")) for entry in entries] == [0.0, 1.0, 2.0]
    assert [tmp_path / entry.get("file") for entry in entries] == written[1:]
    for i, entry in enumerate(entries):
        mesh = meshio.read(tmp_path / entry.get("file"))
        assert mesh.points[:, :2].tolist() == run.mesh.points.tolist()
        assert mesh.cells_dict["triangle"].tolist() == run.mesh.cells.tolist()
        check_points(mesh.point_data, i)
        check_cells({name: values[0] for name, values in mesh.cell_data.items()}, i)


@pytest.mark.parametrize("name", ["bar.pvd", "bar.xdmf"])
def test_bars_are_lines(tmp_path, name):
    run = make_run("bar2", material=False)
    written = export(run, tmp_path / name)
    if name.endswith(".pvd"):
        mesh = meshio.read(written[-1])
        cells, data = mesh.cells_dict["line"], mesh.point_data
    else:
        with meshio.xdmf.TimeSeriesReader(written[0]) as reader:
            _, blocks = reader.read_points_cells()
            assert blocks[0].type == "line"
            cells, data = blocks[0].data, reader.read_data(2)[1]
    assert cells.tolist() == [[0, 1], [1, 2]]
    assert data["displacement"].tolist() == [[0, 0, 0], [2 * EXX, 0, 0], [4 * EXX, 0, 0]]
    assert data["contact_force"][1].tolist() == [6.0, 0.0, 0.0]


def test_without_a_material_there_are_no_stresses():
    assert {name for s in snapshots(make_run(material=False)) for name in s.cells} == set()
    assert set(next(iter(snapshots(make_run()))).cells) == {
        "stress_xx",
        "stress_yy",
        "stress_xy",
        "von_mises",
    }


def test_export_leaves_a_run_file_of_the_same_name_alone(tmp_path):
    (tmp_path / "run.h5").write_bytes(b"the run")
    export(make_run(), tmp_path / "run.xdmf")
    assert (tmp_path / "run.h5").read_bytes() == b"the run"


def test_export_twice_gives_the_same(tmp_path):
    first = export(make_run(), tmp_path / "a.pvd")[1].read_bytes()
    assert export(make_run(), tmp_path / "a.pvd")[1].read_bytes() == first


def test_refusals_name_what_is_wrong(tmp_path):
    with pytest.raises(RunFileError, match=r"\.xdmf or \.pvd, not '\.vtk'"):
        export(make_run(), tmp_path / "out.vtk")
    with pytest.raises(RunFileError, match="no sampled fields"):
        export(_unsampled(), tmp_path / "out.pvd")
    with pytest.raises(RunFileError, match="no mesh"):
        export(_rigid(), tmp_path / "out.pvd")
    with pytest.raises(RunFileError, match="elements that can be exported: tri3, bar2"):
        export(_other_element(), tmp_path / "out.pvd")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFileError, match="cannot be written"):
        export(make_run(), tmp_path / "file" / "out.pvd")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def _unsampled() -> Run:
    run = make_run()
    fields = {name: run.fields[name][:0] for name in ("t", "q", "v")}
    return Run({"steps": {"t": run.steps.t}, "fields": fields}, run.attrs, run.mesh)


def _rigid() -> Run:
    return Run({"steps": {"t": np.zeros(1)}, "fields": {"t": np.zeros(1)}}, {}, None)


def _other_element() -> Run:
    run = make_run()
    mesh = Mesh(run.mesh.points, np.array([[0, 1, 2, 3]]), "quad4")
    return Run({"steps": {"t": run.steps.t}, "fields": {"t": run.fields.t}}, run.attrs, mesh)
