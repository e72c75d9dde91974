"""Every notebook runs from top to bottom, at a reduced size, and its assertions hold."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from ipykernel.kernelspec import write_kernel_spec
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"

#: What is set after the cell tagged "parameters" of each notebook, to make it quick.
REDUCED = {"pmma_block.ipynb": {"size": 2.5, "dt": 2e-4, "t_end": 0.5}}


@pytest.fixture
def kernel(tmp_path, monkeypatch) -> str:
    """A kernel that is this interpreter."""
    write_kernel_spec(str(tmp_path / "jupyter" / "kernels" / "this"), overrides={"display_name": "this"})
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return "this"


def run(notebook: nbformat.NotebookNode, kernel: str, folder: Path) -> nbformat.NotebookNode:
    client = NotebookClient(
        notebook, timeout=300, kernel_name=kernel, resources={"metadata": {"path": str(folder)}}
    )
    return client.execute()


def reduced(name: str) -> nbformat.NotebookNode:
    """The notebook with its parameters overridden."""
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    (place,) = [i for i, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", [])]
    lines = [f"{key} = {value!r}" for key, value in REDUCED[name].items()]
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("\n".join(lines)))
    return notebook


def test_every_notebook_is_known():
    assert sorted(REDUCED) == sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("name", sorted(REDUCED))
def test_outputs_are_stripped(name):
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert not any(cell.outputs or cell.execution_count for cell in cells)


@pytest.mark.parametrize("name", sorted(REDUCED))
def test_notebook_runs(name, kernel, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    notebook = run(reduced(name), kernel, folder)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 4
    assert outputs[-1].text == "all as it should be\n"
    assert len(list((folder / "runs").glob("*.h5"))) == 2


def test_a_failing_assertion_is_noticed(kernel, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 + 1 == 3")])
    with pytest.raises(CellExecutionError, match="AssertionError"):
        run(notebook, kernel, tmp_path)
