"""Imports go one way, heavy packages have one user each, and nothing heavy is loaded at the start."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest

import fem_contact

ROOT = Path(fem_contact.__file__).parent
#: A module may import those before its own package in this list, and its own package.
ORDER = [
    "errors", "units", "registry", "expressions", "mesh", "fem", "contact", "systems", "problems", "solvers",
    "schemes", "record", "timeloop", "post", "io", "studies", "cli",
]  # fmt: skip
#: Modules of the top level that belong to another one.
PART_OF = {"_record_kernels": "record", "__main__": "cli"}
#: What may be imported from anywhere.
NEUTRAL = {"_version"}
#: Package -> the modules (file or folder below fem_contact) that alone may import it.
USERS = {
    "meshio": {"mesh/read.py", "mesh/write.py"},
    "gmsh": {"mesh/generate.py", "mesh/gmsh_model.py"},
    "matplotlib": {"post"},
    "cholespy": {"solvers"},
    "h5py": {"io"},
    "pydantic": {"io"},
    "pint": {"units.py"},
    "click": {"cli"},
    "tqdm": {"cli"},
}
HEAVY = ("numba", "scipy", "h5py", "gmsh", "meshio", "matplotlib", "pydantic", "pint")
MODULES = sorted(ROOT.rglob("*.py"))


class _Imports(ast.NodeVisitor):
    """Absolute names of what a module imports, functions included, `if TYPE_CHECKING` left out."""

    def __init__(self, package: tuple[str, ...]):
        self.package, self.names = package, []

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
        for child in node.orelse if name == "TYPE_CHECKING" else ast.iter_child_nodes(node):
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        self.names += [(alias.name, node.lineno) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        start = ".".join(self.package[: len(self.package) - node.level + 1]) if node.level else ""
        source = ".".join(part for part in (start, node.module) if part)
        self.names.append((source, node.lineno))
        if source == "fem_contact":  # from fem_contact import x: x may be a package of ours
            self.names += [(f"fem_contact.{alias.name}", node.lineno) for alias in node.names]


def imports_of(source: str, relative: str) -> list[tuple[str, int]]:
    visitor = _Imports(("fem_contact", *Path(relative).parts[:-1]))
    visitor.visit(ast.parse(source))
    return visitor.names


def part(name: str) -> str:
    return PART_OF.get(name, name)


def wrong_order(source: str, relative: str) -> list[str]:
    """Lines of a module that import what comes after it."""
    own = part(Path(relative).parts[0].removesuffix(".py"))
    wrong = []
    for name, line in imports_of(source, relative):
        pieces = name.split(".")
        if pieces[0] != "fem_contact":
            continue
        if len(pieces) == 1:
            # The package itself offers the public names lazily, from anywhere: only for users.
            if not source_names_only_version(source, line):
                wrong.append(f"{relative}:{line} imports the whole package")
            continue
        other = part(pieces[1])
        if other in NEUTRAL or other == own:
            continue
        if other not in ORDER or ORDER.index(other) > ORDER.index(own):
            wrong.append(f"{relative}:{line} imports {name}")
    return wrong


def source_names_only_version(source: str, line: int) -> bool:
    """Whether `from fem_contact import ...` on that line names modules of ours, judged one by one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.lineno == line:
            return all(alias.name in {*ORDER, *NEUTRAL, *PART_OF} for alias in node.names)
    return False


def wrong_users(source: str, relative: str) -> list[str]:
    """Lines of a module that import a package which is not its business."""
    wrong = []
    for name, line in imports_of(source, relative):
        package = name.split(".")[0]
        if package in USERS and not any(
            relative == user or relative.startswith(f"{user}/") for user in USERS[package]
        ):
            wrong.append(f"{relative}:{line} imports {package}")
    return wrong


def test_every_module_has_its_place():
    top = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in MODULES} - {"__init__"}
    assert {part(name) for name in top} - NEUTRAL <= set(ORDER)
    assert set(ORDER) <= {part(name) for name in top}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    relative = path.relative_to(ROOT).as_posix()
    source = path.read_text(encoding="utf-8")
    if relative != "__init__.py":
        assert wrong_order(source, relative) == []
    assert wrong_users(source, relative) == []


@pytest.mark.parametrize(
    ("source", "relative", "count"),
    [
        ("from fem_contact.io.run import open_run", "post/report.py", 1),
        ("def f():\n    import fem_contact.schemes.theta", "solvers/nsgs.py", 1),
        ("from ..cli import main", "io/run.py", 1),
        ("from . import other", "io/run.py", 0),
        ("from .local import x", "problems/_kernels.py", 0),
        ("from fem_contact import io", "post/work.py", 1),
        ("from fem_contact import simulate", "post/work.py", 2),
        ("import fem_contact", "post/work.py", 1),
        ("from fem_contact.record import Run", "_record_kernels.py", 0),
        ("from fem_contact._version import __version__", "errors.py", 0),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from fem_contact.cli import main",
            "mesh/mesh.py",
            0,
        ),
        ("if True:\n    from fem_contact.cli import main", "mesh/mesh.py", 1),
        ("from fem_contact.mesh import Mesh", "fem/assembly.py", 0),
    ],
)
def test_the_order_is_really_checked(source, relative, count):
    assert len(wrong_order(source, relative)) == count


@pytest.mark.parametrize(
    ("source", "relative", "count"),
    [
        ("import meshio", "mesh/read.py", 0),
        ("def f():\n    import meshio.gmsh", "io/vtk.py", 1),
        ("import gmsh", "mesh/read.py", 1),
        ("from matplotlib import pyplot", "post/plots/maps.py", 0),
        ("from matplotlib import pyplot", "cli/plot.py", 1),
    ],
)
def test_the_users_are_really_checked(source, relative, count):
    assert len(wrong_users(source, relative)) == count


def loaded_after(script: str) -> tuple[list[str], str]:
    """Heavy packages that a fresh interpreter holds after a script."""
    tail = f"\nimport sys\nprint(*[m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script + tail], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.split(), done.stdout


def test_import_is_light():
    assert loaded_after("import fem_contact; fem_contact.__version__; dir(fem_contact)")[0] == []
    assert "numba" in loaded_after("import fem_contact; fem_contact.NSGS")[0]  # the probe sees what is loaded


def test_help_is_light_and_quick():
    script = (
        "from fem_contact.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as stop:\n    assert stop.code == 0"
    )
    start = time.perf_counter()
    heavy, output = loaded_after(script)
    elapsed = time.perf_counter() - start
    assert heavy == []
    assert "solve" in output
    assert elapsed < 5.0  # 0.2 s on an idle machine


def test_public_names_are_there():
    for name in fem_contact.__all__:
        assert getattr(fem_contact, name) is not None
    with pytest.raises(AttributeError, match="module 'fem_contact' has no attribute 'nothing'"):
        fem_contact.nothing  # noqa: B018
