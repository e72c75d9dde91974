"""Whatever a case file or a --set holds: one clear line, exit status 1 or 2, nothing written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fem_contact.cli import main

GOOD = """\
units = "mm-ms-g"
[mesh]
shape = { kind = "line", length = 10.0, elements = 5 }
[body]
E = 1000.0
density = 1e-3
area = 2.0
assumption = "bar"
[[contact]]
group = "left"
obstacle = { kind = "plane", point = [-1.0, 0.0], normal = [1.0, 0.0] }
[[load]]
gravity = [0.0, 0.0]
[initial]
velocity = [-1.0, 0.0]
[scheme]
name = "moreau-jean"
dt = 1e-3
t_end = 1e-2
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> int:
    """Exit status of the program, called in this process."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return int(caught.value.code or 0)


def listing() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def error_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of an error, after checking that nothing else was printed or written."""
    before = listing()
    assert call(*arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("fem-contact: error: ")
    assert "Traceback" not in err
    assert len(err) < 700
    assert listing() == before
    return err


#: name -> (text to replace, replacement, words of the message)
FILES = {
    "empty": (GOOD, "", "bad.toml: missing key 'units'"),
    "not toml": ("units = ", "units : ", "bad.toml: not valid TOML: "),
    "not toml, place": ("dt = 1e-3", "dt = = 1e-3", "line 18, column 6"),
    "twice": ("E = 1000.0", "E = 1.0\nE = 2.0", "bad.toml: not valid TOML: "),
    "unknown units": ("mm-ms-g", "cgs", "units = 'cgs': must be"),
    "unknown table": ("[initial]", "[intial]", "unknown key 'intial'; allowed: units, "),
    "unknown key": ("density", "densty", "[body]: unknown key 'densty'; allowed: E, nu, density"),
    "missing key": ("area = 2.0\n", "", "[body]: missing key 'area'"),
    "missing table": (
        '[scheme]\nname = "moreau-jean"\ndt = 1e-3\nt_end = 1e-2\n',
        "",
        "missing table [scheme]",
    ),
    "number in quotes": ("E = 1000.0", 'E = "1000.0"', "[body] E: '1000.0' is not a number with a unit"),
    "bool": ("E = 1000.0", "E = true", "[body] E = true: must be a number, not true/false"),
    "date": ("E = 1000.0", "E = 1979-05-27", "[body] E: must be a number, not a date"),
    "nan": ("E = 1000.0", "E = nan", "[body] E = nan: must be a finite number"),
    "infinite": ("E = 1000.0", "E = inf", "[body] E = inf: must be a finite number"),
    "huge": ("E = 1000.0", "E = 1" + "0" * 400, "[body] E = a number of more than 30 digits: is too large"),
    "digits": ("E = 1000.0", "E = 1" + "0" * 5000, "not valid TOML: a number with too many digits"),
    "negative": ("E = 1000.0", "E = -1", "[body] E = -1: must be positive"),
    "wrong unit": (
        "E = 1000.0",
        'E = "3 mm"',
        "'mm' is not a unit of stress; expected a stress such as '5.75 GPa'",
    ),
    "unknown unit": ("E = 1000.0", 'E = "3 GPz"', "unknown unit 'GPz'"),
    "unit bomb": ("E = 1000.0", 'E = "10**10**10 Pa"', "is not a number with a unit"),
    "unit code": ("E = 1000.0", "E = \"1 __import__('os').mkdir('x')\"", "is not a number with a unit"),
    "bad nu": ('area = 2.0\nassumption = "bar"', "nu = 0.7", "[body]: nu must be in (-1, 0.5], got 0.7"),
    "too many bars": (
        "elements = 5",
        "elements = 1000000000000",
        "[mesh] shape: about 1e+12 elements: too many",
    ),
    "too small bars": (
        'shape = { kind = "line", length = 10.0, elements = 5 }',
        'size = 1e-300\nshape = { kind = "line", length = 10.0 }',
        "[mesh] shape: about 1e+301 elements: too many",
    ),
    "too small triangles": (
        'shape = { kind = "line", length = 10.0, elements = 5 }',
        'size = 1e-5\nshape = { kind = "disk", radius = 10.0 }',
        "[mesh] shape: about 4e+12 elements: too many",
    ),
    "bad mesh": ("elements = 5", "elements = -5", "elements"),
    "no such shape": ('kind = "line"', 'kind = "lin"', "unknown shape; known: rectangle"),
    "no such geometry": ("shape = {", 'geo = "none.geo" #', "[mesh] geo: there is no file 'none.geo'"),
    "no such mesh": ("shape = {", 'file = "../none.msh" #', "[mesh] file: there is no file '../none.msh'"),
    "mesh of the wrong kind": ("shape = {", 'file = "bad.toml" #', "bad.toml: [mesh] file: "),
    "geometry of the wrong kind": ("shape = {", 'geo = "bad.toml" #', "bad.toml: [mesh] geo: "),
    "wrong body for the mesh": ('area = 2.0\nassumption = "bar"', "nu = 0.3", "[body] assumption: "),
    "no such group": (
        'group = "left"',
        'group = "lft"',
        "the mesh has no group 'lft'; its groups are: body, left, right",
    ),
    "below the floor": (
        "point = [-1.0, 0.0]",
        "point = [1.0, 0.0]",
        "1 of the 1 nodes of contact group 'left' start below",
    ),
    "wrong normal": ("normal = [1.0, 0.0]", "normal = [0.0, 1.0]", "[[contact]] 1: a bar moves along x"),
    "no normal": ("normal = [1.0, 0.0]", "normal = [0.0, 0.0]", "plane normal must not be the zero vector"),
    "no such obstacle": (
        'kind = "plane"',
        'kind = "wall"',
        "unknown obstacle; known: plane, circle, polyline",
    ),
    "negative friction": (
        'group = "left"',
        'group = "left"\nmu = -1',
        "[[contact]] 1, mu = -1: must not be negative",
    ),
    "wrong restitution": (
        'group = "left"',
        'group = "left"\ne = 2',
        "[[contact]] 1, e = 2: must be in [0, 1]",
    ),
    "bad expression": ("gravity = [0.0, 0.0]", 'gravity = ["2*q", 0.0]', "[[load]] 1, gravity = "),
    "expression code": (
        "gravity = [0.0, 0.0]",
        "gravity = [\"__import__('os').mkdir('x')\", 0.0]",
        "unknown function '__import__('os').mkdir'",
    ),
    "expression bomb": ("gravity = [0.0, 0.0]", 'gravity = ["9**9**9**9", 0.0]', "[[load]] 1, gravity"),
    "expression depth": (
        "gravity = [0.0, 0.0]",
        f'gravity = ["{"(" * 400}t{")" * 400}", 0.0]',
        "[[load]] 1, gravity",
    ),
    "expression pole": (
        "gravity = [0.0, 0.0]",
        'gravity = ["1/t", 0.0]',
        "expression '1/t' is not finite at t = 0",
    ),
    "a sideways load": ("gravity = [0.0, 0.0]", "gravity = [0.0, 1.0]", "[[load]] 1, gravity: "),
    "two loads in one": (
        "gravity = [0.0, 0.0]",
        'gravity = [0, 0]\npressure = 1\ngroup = "left"',
        "it has pressure and gravity",
    ),
    "short vector": (
        "velocity = [-1.0, 0.0]",
        "velocity = [-1.0]",
        "must be a list of two, [x, y], not of 1",
    ),
    "no such scheme": ("moreau-jean", "moro-jean", "unknown scheme; known: moreau-jean"),
    "theta out of range": (
        "dt = 1e-3",
        "dt = 1e-3\ntheta = 1.5",
        "[scheme]: theta = 1.5: it must be in [0, 1]",
    ),
    "no whole number of steps": (
        "dt = 1e-3",
        "dt = 3e-3",
        "[scheme]: t_end = 0.01 is not a whole number of steps dt = 0.003",
    ),
    "too many steps": ("dt = 1e-3", "dt = 1e-18", "too many"),
    "no step": ("dt = 1e-3", "dt = 0", "[scheme] dt = 0: must be positive"),
    "no such solver": ("[scheme]", '[solver]\nname = "x"\n[scheme]', "unknown solver; known: auto, nsgs"),
    "no tolerance": ("[scheme]", "[solver]\ntol = 0\n[scheme]", "it must be a positive number"),
    "every nothing": ("[scheme]", "[output]\nevery = 0\n[scheme]", "[output] every = 0: must be at least 1"),
    "probe in a void": (
        "[scheme]",
        '[output]\nprobes = [{ name = "p", point = [99.0, 0.0] }]\n[scheme]',
        "[[output.probes]] 1: the point [99, 0] is outside the body; the nearest node is at [10, 0]",
    ),
    "a rigid model": (
        "[body]",
        '[model]\nkind = "flying-stick"\n[body]',
        '[model] kind = "flying-stick": unknown model; known: bouncing-ball',
    ),
}


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("name", FILES)
def test_bad_files(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, words = FILES[name]
    assert old in GOOD
    Path("bad.toml").write_text(GOOD.replace(old, new))
    line = error_line(capsys, command, "bad.toml")
    assert "bad.toml" in line
    assert words in line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfeunits", "not a text file"),
        (b"\x00" * 100, "not valid TOML"),
        (b"x = " + b"[" * 50_000, "not valid TOML"),
        (b"x = " + b"{a = " * 5_000, "not valid TOML"),
        (b"#" * 2_000_000, "too large for a case file"),
        (b"a.b.c.d.e.f = 1\n" * 2, "not valid TOML"),
    ],
)
def test_files_that_are_no_text(content: bytes, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_bytes(content)
    assert words in error_line(capsys, "check", "bad.toml")


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("scheme.dt", "--set scheme.dt: write KEY=VALUE"),
        ("scheme.dtt=1", "--set scheme.dtt=1: [scheme]: unknown key 'dtt'; allowed: name, dt, t_end"),
        ("contact.1.mu=1", "'contact' is a list, its items are numbered 0 to 0"),
        ("body.E.x=1", "'body.E' is a value, it has no key 'x'"),
        ("body.E=abc", "--set body.E=abc: [body] E: 'abc' is not a number with a unit"),
        ("body.E=[1", "the value cannot be read as TOML"),
        ("body.E=1\n[x]", "the value must be one line"),
        ("scheme.name=x", '--set scheme.name=x: [scheme] name = "x": unknown scheme'),
        ("a\x00b=1", "is not a key"),
        ("=", "write KEY=VALUE"),
    ],
)
def test_bad_overrides(override: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.toml").write_text(GOOD)
    assert words in error_line(capsys, "run", "good.toml", "--set", override)


@pytest.mark.parametrize(
    "name", ["none.toml", "no/where.toml", "impacting_bra", ".", "a\x00b", "x" * 5000, ""]
)
def test_cases_that_are_not_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = error_line(capsys, "check", name)
    assert any(words in line for words in ("no such case file", "no bundled case", "is a folder"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.toml").write_text(GOOD)
    Path("bad.toml").chmod(0)
    assert "cannot be read (Permission denied)" in error_line(capsys, "check", "bad.toml")


@pytest.mark.parametrize(
    "arguments", [["check"], ["run", "a", "b"], ["chekc", "a"], ["check", "a", "--sett", "x=1"]]
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Usage: fem-contact" in err
    assert not listing()


def test_debug_shows_the_traceback() -> None:
    from fem_contact.errors import CaseError

    with pytest.raises(CaseError):
        main(["check", "none.toml", "--debug"])


def test_the_good_case_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.toml").write_text(GOOD)
    assert call("check", "good.toml", "--set", "scheme.theta=0.75") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "mesh      6 nodes, 5 bar2, 10 x 0 mm, shortest edge 2 mm" in out
    assert "body      bar, mass 0.02 g, wave speed 1000 mm/ms" in out
    assert "dofs      6, 0 of them held, 1 loads" in out
    assert "contact   1 nodes of 'left' against a plane, mu = 0, e = 0, gap 1 to 1 mm" in out
    assert "start     velocity, kinetic 0.01 mJ, elastic 0 mJ" in out
    assert "theta=0.75" in out
    assert "steps     10 of 0.001 ms, to t = 0.01 ms; a step is 0.5 of a wave's way" in out
    assert "warning" not in out
    assert list(listing()) == ["good.toml"]


def test_check_tells_contacts_apart(capsys: pytest.CaptureFixture[str]) -> None:
    second = '[[contact]]\ngroup = "right"\nmu = 0.5\n'
    second += 'obstacle = { kind = "plane", point = [12.5, 0.0], normal = [-1.0, 0.0] }\n[[load]]'
    Path("good.toml").write_text(GOOD.replace("[[load]]", second))
    assert call("check", "good.toml") == 0
    out = capsys.readouterr().out
    assert "contact   1 nodes of 'left' against a plane, mu = 0, e = 0, gap 1 to 1 mm" in out
    assert "contact   1 nodes of 'right' against a plane, mu = 0.5, e = 0, gap 2.5 to 2.5 mm" in out


def test_a_title_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.toml").write_text('title = "a\\u001b[2Jb\\nc"\n' + GOOD)
    assert call("check", "good.toml") == 0
    assert capsys.readouterr().out.startswith("title     a?[2Jb?c\nmesh ")


def test_check_shows_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.toml").write_text(GOOD)
    assert call("check", "good.toml", "--set", "scheme.theta=0.25") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "warning   moreau-jean: theta = 0.25 leaves 1/2 <= theta" in out


def test_cases_lists_the_bundled_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("cases") == 0
    titles = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert titles["pmma_sliding_block"].startswith("PMMA block sliding on a rigid floor")
    assert call("cases", "--path") == 0
    paths = [line.strip() for line in capsys.readouterr().out.splitlines()[1::2]]
    assert len(paths) == len(titles)
    assert all(Path(path).is_file() for path in paths)


def test_check_of_a_bundled_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("check", "impacting_bar") == 0
    out = capsys.readouterr().out
    assert "mesh      1001 nodes, 1000 bar2, 1 x 0 m, shortest edge 0.001 m" in out
    assert not listing()


def test_cases_does_not_import_the_numerics() -> None:
    import subprocess

    code = (
        "import sys\nfrom fem_contact.cli import main\n"
        "try:\n    main(['cases'])\nexcept SystemExit:\n    pass\n"
        "assert not {'numba', 'scipy', 'gmsh', 'pint', 'matplotlib'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_run_of_negative_energy_says_how_well_its_identity_closes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pendulum hangs below the zero of its potential: the largest energy is one of its size."""
    output = tmp_path / "run.h5"
    assert call("run", "ring_pendulum", "-o", str(output), "--set", "scheme.t_end=0.1") == 0
    closes = capsys.readouterr().out.split("energy identity to")[1]
    assert 0.0 < float(closes) < 1e-12
