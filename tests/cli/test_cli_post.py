"""``show``, ``plot`` and ``export`` on the run files of short runs of the bundled cases."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import meshio
import numpy as np
import pytest

import fem_contact as fc
from fem_contact.cli import main
from fem_contact.io.run import RunWriter
from fem_contact.post.plots import FIGURES

SHORT_BLOCK = ("mesh.size=5.0", "scheme.dt=1e-3", "scheme.t_end=0.05", "output.every=10")
SHORT_BAR = ("mesh.shape.elements=20", "scheme.dt=5e-6", "scheme.t_end=7e-4")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A folder with classical.h5 and fremond.h5 (the block) and bar.h5."""
    folder = tmp_path_factory.mktemp("runs")
    block = fc.load_case("pmma_sliding_block", SHORT_BLOCK)
    fc.run_case(block, folder / "fremond.h5")
    fc.run_case(block.with_overrides("scheme.name=moreau-jean"), folder / "classical.h5")
    fc.run_case(fc.load_case("impacting_bar", SHORT_BAR), folder / "bar.h5")
    return folder


@pytest.fixture
def call(capsys):
    """Run a command in this process: (status, stdout, stderr)."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return run


def cells(text: str, label: str) -> list[str]:
    line = next(line for line in text.splitlines() if re.match(rf"  {re.escape(label)}(  |$)", line))
    return line[2 + len(label) :].split()


def test_show_prints_the_run(runs, call):
    status, out, err = call("show", runs / "fremond.h5")
    assert (status, err) == (0, "")
    run = fc.open_run(runs / "fremond.h5")
    assert cells(out, "scheme") == ["moreau-jean-fremond"]
    assert cells(out, "steps") == ["50"]
    unit, end = cells(out, "total, end")
    assert unit == "mJ"
    assert float(end) == pytest.approx(run.steps.energy.total[-1], rel=1e-9)
    assert float(cells(out, "contact, tangential")[1]) < 0.0
    assert cells(out, "steps with a positive one") == ["0"]
    assert float(cells(out, "  over the largest energy")[0]) < 1e-12


def test_show_compares_runs(runs, call):
    status, out, _ = call("show", runs / "classical.h5", runs / "fremond.h5")
    assert status == 0
    assert out.splitlines()[0].split() == ["classical.h5", "fremond.h5"]
    assert cells(out, "scheme") == ["moreau-jean", "moreau-jean-fremond"]
    first, second = (float(x) for x in cells(out, "total, start")[1:])
    assert first == second > 0.0


def test_show_knows_the_bar(runs, call):
    _, out, _ = call("show", runs / "bar.h5")
    assert float(cells(out, "contact time")[1]) == pytest.approx(3.8545e-4, rel=0.1)
    assert float(cells(out, "  exact, E S v0 / c0")[1]) == pytest.approx(1271.472, rel=1e-6)
    assert float(cells(out, "rebound speed of the centre of mass")[1]) == pytest.approx(0.1, rel=0.05)


def test_plot_writes_what_it_names(runs, call, tmp_path):
    status, out, err = call("plot", runs / "classical.h5", runs / "fremond.h5", "-o", tmp_path / "figures")
    assert (status, err) == (0, "")
    written = [Path(line) for line in out.split()]
    assert {path.stem for path in written} == set(FIGURES) - {"bar", "motion", "gaps"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    assert sorted((tmp_path / "figures").iterdir()) == sorted(written)


def test_plot_only_one_figure_in_another_format(runs, call, tmp_path):
    status, out, _ = call("plot", runs / "bar.h5", "-o", tmp_path, "--only", "bar", "--format", "pdf")
    assert status == 0
    assert out.split() == [str(tmp_path / "bar.pdf")]
    assert (tmp_path / "bar.pdf").read_bytes().startswith(b"%PDF")


def test_plot_refuses_figures_it_cannot_draw(runs, call, tmp_path):
    status, _, err = call("plot", runs / "bar.h5", "-o", tmp_path, "--only", "nonsense")
    assert status == 1
    assert "no figure 'nonsense'; known figures: budget, works" in err
    status, _, err = call("plot", runs / "bar.h5", "-o", tmp_path, "--only", "work-map")
    assert status == 1
    assert "figure 'work-map': not every run has the data for it" in err
    assert not list(tmp_path.iterdir())


def test_plot_of_an_unfinished_run_says_so(runs, call, tmp_path):
    shutil.copy(runs / "fremond.h5", tmp_path / "cut.h5")
    with h5py.File(tmp_path / "cut.h5", "a") as file:
        file.attrs["complete"] = False
    status, out, err = call(
        "plot", tmp_path / "cut.h5", "-o", tmp_path, "--only", "budget", "--format", "svg"
    )
    assert status == 0
    assert "cut.h5 is unfinished" in err
    assert Path(out.strip()).exists()
    assert "unfinished" in cells(call("show", tmp_path / "cut.h5")[1], "state")[0]


def test_export_can_be_read_by_others(runs, call, tmp_path):
    status, out, err = call("export", runs / "fremond.h5", "-o", tmp_path / "block.xdmf")
    assert (status, err) == (0, "")
    assert out == f"{tmp_path / 'block.xdmf'} (6 instants, 2 files)\n"
    run = fc.open_run(runs / "fremond.h5")
    with meshio.xdmf.TimeSeriesReader(tmp_path / "block.xdmf") as reader:
        points, blocks = reader.read_points_cells()
        t, point_data, cell_data = reader.read_data(5)
    assert len(points) == len(run.mesh.points)
    assert t == run.fields.t[-1] == pytest.approx(0.05)
    assert np.array_equal(point_data["displacement"][:, :2].ravel(), run.fields.q[-1])
    assert len(cell_data["von_mises"][0]) == len(blocks[0].data) == len(run.mesh.cells)
    assert cell_data["von_mises"][0].max() > 0.0


def test_export_as_a_series(runs, call, tmp_path):
    assert call("export", runs / "bar.h5", "-o", tmp_path / "bar.pvd")[0] == 0
    assert len(list((tmp_path / "bar").glob("*.vtu"))) == len(fc.open_run(runs / "bar.h5").fields.t)


def test_export_never_writes_over_the_run(runs, call, tmp_path):
    shutil.copy(runs / "bar.h5", tmp_path / "bar.fields.h5")
    before = (tmp_path / "bar.fields.h5").read_bytes()
    status, _, err = call("export", tmp_path / "bar.fields.h5", "-o", tmp_path / "bar.xdmf")
    assert status == 1
    assert "would be written over the run itself" in err
    assert (tmp_path / "bar.fields.h5").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "missing.h5"), "missing.h5: there is no such run file"),
        (("plot", "missing.h5", "-o", "figures"), "missing.h5: there is no such run file"),
        (("export", "missing.h5", "-o", "out.pvd"), "missing.h5: there is no such run file"),
        (("export", "RUN", "-o", "out.vtk"), "fields are exported as .xdmf or .pvd, not '.vtk'"),
        (("export", "RUN", "-o", "nowhere/out.pvd"), "there is no folder nowhere"),
        (("plot", "RUN", "-o", "file/figures"), "file/figures: this folder cannot be made"),
    ],
)
def test_failures_are_one_line(runs, call, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    status, out, err = call(*(runs / "bar.h5" if a == "RUN" else a for a in arguments))
    assert (status, out) == (1, "")
    assert message in err
    assert len(err.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_wrong_usage_is_status_2(call):
    assert call("show")[0] == 2
    assert call("plot", "run.h5")[0] == 2
    assert call("plot", "run.h5", "-o", "x", "--format", "bmp")[0] == 2


def test_figures_of_a_run_cut_off_in_the_middle(runs, call, tmp_path):
    """A run killed after a checkpoint has no run file yet, only its parts: these are shown."""
    model = fc.build(fc.load_case("impacting_bar", (*SHORT_BAR, "output.checkpoint=50")))
    from fem_contact.io import execute

    writer = execute._writer(model, tmp_path / "cut.h5")
    assert isinstance(writer, RunWriter)
    writer.begin()

    class Stopped(Exception):
        pass

    def stop(done: int, steps: int) -> None:
        if done >= 100:
            raise Stopped

    stepper = model.scheme.prepare(model.system, model.dt, model.solver)
    with pytest.raises(Stopped):
        execute.drive(
            stepper,
            model.system,
            model.steps,
            writer,
            start=stepper.start(*model.initial),
            tol=model.solver.tol,
            every=model.every,
            chunk=50,
            probes=model.probes,
            progress=stop,
        )
    assert not (tmp_path / "cut.h5").exists()
    status, out, _ = call("show", tmp_path / "cut.h5")
    assert status == 0
    assert cells(out, "state") == ["unfinished,", "71.4", "%", "done"]
    assert call("plot", tmp_path / "cut.h5", "-o", tmp_path, "--only", "bar")[0] == 0


def test_show_does_not_load_matplotlib(runs):
    code = (
        "import sys; from fem_contact.cli import main\n"
        "try: main(['show', sys.argv[1]])\n"
        "finally: print('matplotlib' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(runs / "bar.h5")], capture_output=True, text=True, check=True
    )
    assert out.stdout.splitlines()[-1] == "False"
