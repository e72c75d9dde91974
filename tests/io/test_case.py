"""Case files: what is read, what is refused and with which words, and the text that a run keeps."""

from __future__ import annotations

import copy
import math
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem_contact.contact.activation import Activation
from fem_contact.contact.obstacles import Circle, Plane, Polyline
from fem_contact.errors import CaseError
from fem_contact.expressions import Expression
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.io.case import Case, load_case
from fem_contact.io.case.settings import settings_model
from fem_contact.mesh.shapes import SHAPES, HalfDisk, Line, Polygon, Rectangle
from fem_contact.schemes import MoreauJean, MoreauJeanFremond, MoreauJeanVariant
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.newmark import Newmark
from fem_contact.solvers.auto import Auto

TEXT = """\
units = "mm-ms-g"
title = "a block"      # a comment that the run keeps

[mesh]
geo = "block.geo"
size = "1 mm"

[body]
E = "5.75 GPa"
nu = 0.358
density = "1170 kg/m^3"
thickness = 15.0
assumption = "plane-strain"
damping = { alpha = "20 1/s", beta = 1e-5 }
mass = "lumped"

[[support]]
group = "top"
x = "1e-3*sin(t)"
y = "-5 um"

[[load]]
gravity = [0, -1.0e-3]

[[load]]
group = "left"
traction = ["2*sign(sin(4*pi*t))", "1 kPa"]

[[load]]
group = "right"
pressure = "2 MPa"

[[contact]]
group = "bottom"
mu = 0.5
e = 0.25
obstacle = { kind = "plane", point = [0, "-1 cm"], normal = [0, 2] }

[initial]
kind = "preload"
loads = false

[scheme]
name = "moreau-jean-fremond"
theta = 0.6
dt = "1e-4 ms"
t_end = 1
activation = { gamma = 0.5, gap_tol = "1 nm", velocity_tol = inf }

[solver]
tol = 1e-11
max_iter = 50
on_failure = "continue"

[output]
every = 10
checkpoint = 500
probes = [{ name = "a", point = [0.0, "25 mm"] }, { name = "b", group = "top" }]
"""
DATA = tomllib.loads(TEXT)


def changed(path: str, value: Any) -> dict[str, Any]:
    """DATA with one value put at a dotted path, or removed (None)."""
    data = copy.deepcopy(DATA)
    *tables, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    place: Any = data
    for part in tables:
        place = place.setdefault(part, {}) if isinstance(place, dict) else place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return data


def refusal(data: dict[str, Any]) -> str:
    """The message with which a case is refused."""
    with pytest.raises(CaseError) as caught:
        Case.from_dict(data, name="block.toml")
    message = str(caught.value)
    assert message.startswith("block.toml: ")
    assert "\n" not in message
    assert "pydantic" not in message
    assert len(message) < 600
    return message


def test_everything_is_read_in_the_units_of_the_case() -> None:
    case = Case.from_text(TEXT, "/somewhere", name="block.toml")
    assert (case.units, case.title, case.base, case.name) == (
        "mm-ms-g",
        "a block",
        Path("/somewhere"),
        "block.toml",
    )
    assert case.mesh.source == "geo"
    assert (case.mesh.geo, case.mesh.size) == ("block.geo", 1.0)
    assert case.body.material == Elastic(5750.0, 0.358, 1.17e-3, 15.0, "plane-strain")
    assert (case.body.damping.alpha, case.body.damping.beta, case.body.mass) == (0.02, 1e-5, "lumped")
    assert (case.support[0].x, case.support[0].y) == (Expression("1e-3*sin(t)"), -5e-3)
    assert [load.kind for load in case.load] == ["gravity", "traction", "pressure"]
    assert case.load[0].gravity == (0.0, -1e-3)
    assert case.load[1].traction == (Expression("2*sign(sin(4*pi*t))"), 1e-3)
    assert case.load[2].pressure == 2.0
    assert (case.contact[0].mu, case.contact[0].e) == (0.5, 0.25)
    assert case.contact[0].obstacle == Plane((0.0, -10.0), (0.0, 1.0))
    assert (case.initial.kind, case.initial.loads) == ("preload", False)
    assert case.scheme.settings == MoreauJeanFremond(0.6, Activation(0.5, 1e-6, math.inf))
    assert (case.scheme.name, case.scheme.dt, case.scheme.t_end) == ("moreau-jean-fremond", 1e-4, 1.0)
    assert case.solver.settings == Auto(tol=1e-11, max_iter=50)
    assert case.solver.on_failure == "continue"
    assert (case.output.every, case.output.checkpoint) == (10, 500)
    assert [(p.name, p.point, p.group) for p in case.output.probes] == [
        ("a", (0.0, 25.0), None),
        ("b", None, "top"),
    ]


def test_what_is_left_out_has_defaults() -> None:
    data = {key: DATA[key] for key in ("units", "mesh")}
    data |= {"body": {"E": 1.0, "nu": 0.3, "density": 1.0}}
    data |= {"scheme": {"name": "moreau-jean", "dt": 0.1, "t_end": 1.0}}
    case = Case.from_dict(data)
    assert case.body.material == Elastic(1.0, 0.3, 1.0)
    assert case.scheme.settings == MoreauJean()
    assert case.solver.settings == Auto()
    assert case.solver.on_failure == "stop"
    assert (case.support, case.load, case.contact) == ((), (), ())
    assert (case.initial.kind, case.title) == ("rest", "")
    assert (case.output.every, case.output.checkpoint, case.output.probes) == (None, 1000, ())


def test_a_bar_and_an_implied_velocity() -> None:
    data = changed("body", {"assumption": "bar", "E": "210 GPa", "density": 1.0, "area": "3 cm^2"})
    data["initial"] = {"velocity": ["-0.1 m/s", 0]}
    case = Case.from_dict(data)
    assert case.body.material == Rod(210e3, 1.0, 300.0)
    assert (case.initial.kind, case.initial.velocity) == ("velocity", (-0.1, 0.0))


def test_units_of_the_tolerances() -> None:
    activation = {"gap_tol": "2 um", "velocity_tol": "3 um/s"}
    case = Case.from_dict(changed("scheme.activation", activation))
    assert case.scheme.settings.activation == Activation(1.0, 2e-3, 3e-6)


@pytest.mark.parametrize(
    ("table", "scheme"),
    [
        ({"name": "moreau-jean-variant", "theta": 0.7}, MoreauJeanVariant(0.7)),
        ({"name": "newmark"}, Newmark()),
        ({"name": "newmark", "beta": 0.3, "gamma": 0.6}, Newmark(0.3, 0.6)),
        ({"name": "hht", "alpha": 0.1}, HHT(0.1)),
        (
            {"name": "hht", "gamma": 0.7, "activation": {"gamma": 0.5}},
            HHT(gamma=0.7, activation=Activation(gamma=0.5)),
        ),
        ({"name": "generalized-alpha", "rho_inf": 0.5}, GeneralizedAlpha(rho_inf=0.5)),
        ({"name": "krenk-hogsberg", "alpha_m": 0, "alpha_f": 0.1}, KrenkHogsberg(alpha_m=0.0, alpha_f=0.1)),
    ],
)
def test_settings_of_the_newmark_family(table, scheme):
    """gamma of the scheme and gamma of the activation are told apart by their tables."""
    case = Case.from_dict(changed("scheme", {**table, "dt": 1e-4, "t_end": 1.0}))
    assert case.scheme.settings == scheme


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ({"kind": "rectangle", "width": "4 cm", "height": 25}, Rectangle(40.0, 25.0)),
        ({"kind": "half-disk", "radius": 3, "y": "1 cm", "arc": "up"}, HalfDisk(3.0, y=10.0, arc="up")),
        ({"kind": "polygon", "vertices": [[0, 0], ["1 cm", 0], [0, 1]]}, Polygon(((0, 0), (10, 0), (0, 1)))),
        ({"kind": "line", "length": "1 m", "elements": 7}, Line(1000.0, 7)),
    ],
)
def test_shapes(table: dict[str, Any], shape: object) -> None:
    case = Case.from_dict(changed("mesh", {"shape": table, "size": 1.0}))
    assert case.mesh.source == "shape"
    assert case.mesh.shape == shape


def test_every_shape_can_be_written_in_a_case() -> None:
    for cls in SHAPES.values():
        assert settings_model(cls).model_fields.keys() == {field.name for field in fields(cls)}


def test_parameters_of_a_script() -> None:
    case = Case.from_dict(changed("mesh.parameters", {"height": "2 cm", "nx": 40}))
    assert case.mesh.parameters == {"height": 20.0, "nx": 40.0}


@pytest.mark.parametrize(
    ("table", "obstacle"),
    [
        ({"kind": "plane"}, Plane()),
        ({"kind": "circle", "center": [0, "1 cm"], "radius": "3 mm"}, Circle((0.0, 10.0), 3.0)),
        (
            {"kind": "circle", "center": [0, 0], "radius": 3, "inside": True},
            Circle((0.0, 0.0), 3.0, inside=True),
        ),
        ({"kind": "polyline", "points": [[0, 0], ["1 cm", 0]]}, Polyline(((0.0, 0.0), (10.0, 0.0)))),
    ],
)
def test_obstacles(table: dict[str, Any], obstacle: object) -> None:
    assert Case.from_dict(changed("contact.0.obstacle", table)).contact[0].obstacle == obstacle


#: The keys of [scheme] that every scheme has.
GRID = {"dt": 1e-4, "t_end": 1.0}

REFUSED = [
    # units and tables
    ("units", None, 'missing key \'units\': must be "mm-ms-g" or "SI"'),
    ("units", "imperial", "units = 'imperial': must be"),
    ("units", 3, "units = 3: must be"),
    ("mesh", None, "missing table [mesh]"),
    ("scheme", None, "missing table [scheme]"),
    ("body", 3, "[body] = 3: must be a table, not a whole number"),
    ("contacts", [], "unknown key 'contacts'; allowed: units, title, description, mesh"),
    ("contacts", [], "(did you mean 'contact'?)"),
    ("contact", {"group": "bottom"}, "[[contact]]: is a list of tables, written [[contact]]; it is a table"),
    ("model", {"kind": "ball"}, '[model] kind = "ball": unknown model; known: bouncing-ball'),
    ("model", {"kind": "bouncing-ball"}, "[mesh] has no meaning beside [model]: remove one of them"),
    ("model", {"kind": "bouncing-ball", "m": -1.0}, "[model]: m = -1.0: it must be a positive number"),
    ("model", {"kind": "bouncing-ball", "m": "1 m"}, "[model] m: '1 m': 'm' is not a unit of mass"),
    ("initial", {"q": [1.0]}, "[initial] q and v are those of a [model]; a body has"),
    ("title", 3, "title = 3: must be a text in quotes, not a whole number"),
    # mesh
    ("mesh", {}, "[mesh]: needs exactly one of geo, cad, file, shape; it has none"),
    ("mesh.file", "x.msh", "[mesh]: needs exactly one of geo, cad, file, shape; it has geo and file"),
    (
        "mesh",
        {"file": "x.msh", "size": 1.0},
        "[mesh]: size has no meaning for a mesh that is read from a file",
    ),
    ("mesh", {"cad": "x.step", "parameters": {"a": 1}}, "[mesh]: parameters are those of a .geo script"),
    ("mesh.parameters", {"width": "4 kg"}, "[mesh] parameters: width: '4 kg': 'kg' is not a unit of length"),
    ("mesh.parameters", {"width": True}, "[mesh] parameters: width: must be a number, not true/false"),
    ("mesh.parameters", 3, "[mesh] parameters = 3: must be a table"),
    (
        "mesh",
        {"shape": {"kind": "disc"}},
        '[mesh] shape.kind = "disc": unknown shape; known: rectangle, disk',
    ),
    ("mesh", {"shape": {"kind": "disk"}}, "[mesh] shape: missing key 'radius'"),
    ("mesh", {"shape": {"kind": "disk", "radius": -1}}, "[mesh] shape: disk: radius must be positive"),
    (
        "mesh",
        {"shape": {"kind": "line", "length": 1, "elements": 2.5}},
        "shape.elements = 2.5: must be a whole number",
    ),
    ("mesh.size", -1, "[mesh] size = -1: must be positive"),
    (
        "mesh.size",
        "3 kg",
        "[mesh] size: '3 kg': 'kg' is not a unit of length; expected a length such as '40 mm'",
    ),
    ("mesh.geo", "", '[mesh] geo = "": must not be empty'),
    # body
    ("body.youngs", 3, "[body]: unknown key 'youngs'; allowed: E, nu, density, thickness, area"),
    ("body.youngs", 3, "(did you mean 'E'?)"),
    ("body.densty", 3, "(did you mean 'density'?)"),
    ("body.E", None, "[body]: missing key 'E'"),
    ("body.E", True, "[body] E = true: must be a number, not true/false"),
    ("body.E", [1], "[body] E = [1]: must be a number, not a list"),
    ("body.E", math.nan, "[body] E = nan: must be a finite number"),
    ("body.E", math.inf, "[body] E = inf: must be a finite number"),
    ("body.E", 10**400, "[body] E = a number of more than 30 digits: is too large a number"),
    ("body.E", "5.75", "[body] E: '5.75' is not a number with a unit; expected a stress such as '5.75 GPa'"),
    ("body.E", "5.75 GPz", "[body] E: '5.75 GPz': unknown unit 'GPz'"),
    ("body.nu", "0.3", '[body] nu = "0.3": must be a plain number, without quotes or a unit'),
    ("body.nu", 0.5, "[body]: nu = 0.5 in plane strain is incompressible"),
    ("body.nu", 0.7, "[body]: nu must be in (-1, 0.5], got 0.7"),
    ("body.nu", None, "[body]: missing key 'nu' (assumption = \"plane-strain\")"),
    ("body.area", 1.0, "[body]: key 'area' has no meaning with assumption = \"plane-strain\": remove it"),
    (
        "body.assumption",
        "flat",
        "[body] assumption = \"flat\": must be 'plane-stress', 'plane-strain' or 'bar'",
    ),
    ("body.assumption", "bar", "[body]: key 'nu' has no meaning with assumption = \"bar\": remove it"),
    ("body.mass", 1, "[body] mass = 1: must be 'consistent' or 'lumped'"),
    ("body.damping", 0.1, "[body] damping = 0.1: must be a table, not a decimal number"),
    ("body.damping.alpha", -1, "[body] damping.alpha = -1: must not be negative"),
    ("body.damping.gamma", 1, "[body] damping: unknown key 'gamma'; allowed: alpha, beta"),
    # supports and loads
    ("support.0", {"group": "top"}, "[[support]] 1: give x, y or both"),
    ("support.0.group", None, "[[support]] 1: missing key 'group'"),
    ("support.0.z", 0.0, "[[support]] 1: unknown key 'z'; allowed: group, x, y"),
    ("support.0.y", "2*q", "[[support]] 1, y: expression '2*q': unknown name 'q'"),
    ("load.1.traction", [1], "[[load]] 2, traction = [1]: must be a list of two, [x, y], not of 1"),
    (
        "load.1.traction",
        3.0,
        "[[load]] 2, traction = 3.0: must be a list of two, [x, y], not a decimal number",
    ),
    (
        "load.1.traction",
        ["2 mm", 0],
        "[[load]] 2, traction = [\"2 mm\", 0]: x component: '2 mm': 'mm' is not a unit",
    ),
    ("load.1.traction", [0, "foo(t)"], "y component: expression 'foo(t)': unknown function 'foo'"),
    ("load.1.traction", [0, True], "y component: must be a number, not true/false"),
    ("load.1.group", None, "[[load]] 2: missing key 'group', the part of the mesh that the traction acts on"),
    (
        "load.1.pressure",
        1.0,
        "[[load]] 2: needs exactly one of traction, pressure, point_force, body_force, gravity",
    ),
    ("load.0", {}, "[[load]] 1: needs exactly one of"),
    # contacts
    ("contact.0.mu", -0.1, "[[contact]] 1, mu = -0.1: must not be negative"),
    ("contact.0.mu", "0.5", '[[contact]] 1, mu = "0.5": must be a plain number'),
    ("contact.0.e", 1.5, "[[contact]] 1, e = 1.5: must be in [0, 1]"),
    ("contact.0.frction", 1, "(did you mean"),
    ("contact.0.obstacle", None, "[[contact]] 1: missing key 'obstacle'"),
    (
        "contact.0.obstacle",
        "plane",
        'obstacle = "plane": must be a table such as { kind = "plane", ... }, not a text',
    ),
    (
        "contact.0.obstacle",
        {},
        "[[contact]] 1, obstacle.kind: missing; known obstacles: plane, circle, polyline",
    ),
    ("contact.0.obstacle.kind", "plan", 'kind = "plan": unknown obstacle; known: plane, circle, polyline'),
    (
        "contact.0.obstacle.radius",
        1,
        "[[contact]] 1, obstacle: unknown key 'radius'; allowed: kind, point, normal",
    ),
    (
        "contact.0.obstacle.normal",
        [0, 0],
        "[[contact]] 1, obstacle: plane normal must not be the zero vector",
    ),
    (
        "contact.0.obstacle",
        {"kind": "circle", "center": [0, 0]},
        "[[contact]] 1, obstacle: missing key 'radius'",
    ),
    ("contact.0.obstacle", {"kind": "polyline", "points": [[0, 0], [1]]}, "item 2: must be a list of two"),
    # initial
    ("initial.kind", "fast", "[initial] kind = \"fast\": must be 'rest', 'preload', 'velocity' or 'state'"),
    ("initial.velocity", [0, 1], "[initial]: key 'velocity' has no meaning with kind = \"preload\""),
    ("initial", {"kind": "velocity"}, "[initial]: missing key 'velocity' with kind = \"velocity\""),
    ("initial", {"loads": True}, "[initial]: key 'loads' has no meaning with kind = \"rest\""),
    ("initial.loads", 1, "[initial] loads = 1: must be true or false, not a whole number"),
    # scheme, solver, output
    ("scheme.name", None, "[scheme] name: missing; known schemes: moreau-jean"),
    ("scheme.name", "moreau-jaen", '[scheme] name = "moreau-jaen": unknown scheme; known: '),
    ("scheme.name", "moreau-jaen", "(did you mean 'moreau-jean'?)"),
    ("scheme.name", 7, "[scheme] name = 7: the name of a scheme is a text, not a whole number"),
    (
        "scheme.thta",
        0.5,
        "[scheme]: unknown key 'thta'; allowed: name, dt, t_end, theta, activation, newton, frame, ",
    ),
    ("scheme.theta", 2.0, "[scheme]: theta = 2.0: it must be in [0, 1]"),
    (
        "scheme",
        {**GRID, "name": "newmark", "beta": -1},
        "[scheme]: newmark: beta = -1.0: it must be at least 0",
    ),
    (
        "scheme",
        {**GRID, "name": "hht", "alpha": 0.5},
        "[scheme]: hht: alpha = 0.5: it must be in [0, 0.333333]",
    ),
    (
        "scheme",
        {**GRID, "name": "hht", "theta": 0.5},
        "[scheme]: unknown key 'theta'; allowed: name, dt, t_end, alp",
    ),
    ("scheme", {**GRID, "name": "generalized-alpha", "rho_inf": "x"}, "[scheme] rho_inf"),
    (
        "scheme",
        {**GRID, "name": "krenk-hogsberg", "rho_inf": 0.5, "alpha_m": 0.1},
        "[scheme]: krenk-hogsberg: give rho_inf or alpha_m and alpha_f, not alpha_m beside rho_inf",
    ),
    ("scheme", {**GRID, "name": "generalised-alpha"}, "(did you mean 'generalized-alpha'?)"),
    ("scheme.dt", None, "[scheme]: missing key 'dt'"),
    ("scheme.dt", 0, "[scheme] dt = 0: must be positive"),
    ("scheme.dt", "1 mm", "[scheme] dt: '1 mm': 'mm' is not a unit of time"),
    ("scheme.activation", 1, "[scheme] activation = 1: must be a table"),
    ("scheme.activation.gamma", 3, "[scheme] activation: activation gamma = 3.0: it must be in [0, 2]"),
    (
        "scheme.activation.gap",
        2,
        "[scheme] activation: unknown key 'gap'; allowed: gamma, gap_tol, velocity_tol",
    ),
    ("scheme.activation.gap_tol", math.inf, "[scheme] activation.gap_tol = inf: must be a finite number"),
    ("solver", 3, "[solver] = 3: must be a table"),
    ("solver.name", "newton", '[solver] name = "newton": unknown solver; known: auto, nsgs, '),
    ("solver.tol", 0, "[solver]: auto tol = 0.0: it must be a positive number"),
    ("solver.max_iter", 1.5, "[solver] max_iter = 1.5: must be a whole number, not a decimal number"),
    ("solver.on_failure", "shrug", "[solver] on_failure = \"shrug\": must be 'stop' or 'continue'"),
    ("output.every", 0, "[output] every = 0: must be at least 1"),
    ("output.every", "10", '[output] every = "10": must be a whole number, not a text'),
    ("output.every", 10**20, "is too large a number"),
    ("output.probes", {}, "[output] probes: is a list of tables"),
    ("output.probes.0.group", "top", "[[output.probes]] 1: needs exactly one of point, group"),
    ("output.probes.1.name", "a", "[output]: two probes are called 'a'"),
    ("output.probes.1.name", "../x", "[[output.probes]] 2: the name of a probe has no '/'"),
]


@pytest.mark.parametrize(("path", "value", "words"), REFUSED, ids=[f"{r[0]}={r[1]!r:.20}" for r in REFUSED])
def test_refusals(path: str, value: Any, words: str) -> None:
    assert words in refusal(changed(path, value))


def test_more_than_one_error_is_counted() -> None:
    data = changed("body.E", -1)
    data["contact"][0]["mu"] = -1
    data["output"]["every"] = 0
    message = refusal(data)
    assert "[body] E = -1: must be positive" in message
    assert message.endswith("(and 2 more)")


def test_syntax_errors_give_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text('units = "SI"\nbody = \n')
    with pytest.raises(CaseError, match=r"broken\.toml: not valid TOML: .*line 2, column 8"):
        load_case(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"x = " + b"[" * 100_000, "not valid TOML"),
        (b"x = " + b"9" * 10_000, "not valid TOML: a number with too many digits"),
        (b"# " + b"x" * 2_000_000, "too large for a case file"),
        (b"", "missing key 'units'"),
        (b"units = 1979-05-27", "units = datetime.date"),
    ],
)
def test_files_that_are_no_cases(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(content)
    with pytest.raises(CaseError, match=words) as caught:
        load_case(path)
    assert "x.toml" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_text_without_overrides_is_the_file() -> None:
    assert Case.from_text(TEXT).text == TEXT


def test_the_text_with_overrides_gives_an_equal_case() -> None:
    case = Case.from_text(TEXT, overrides=["contact.0.mu=0.3", "scheme.name=moreau-jean"])
    assert case.contact[0].mu == 0.3
    assert case.scheme.settings == MoreauJean(0.6, Activation(0.5, 1e-6, math.inf))
    assert Case.from_text(case.text) == case
    assert case != Case.from_text(TEXT)


@given(
    size=st.floats(1e-300, 1e300),
    nu=st.floats(-0.99, 0.49),
    velocity=st.tuples(st.floats(-1e9, 1e9), st.integers(-5, 5)),
    title=st.text(max_size=20).filter(lambda text: text.strip() != ""),
    every=st.integers(1, 10**9),
)
def test_text_round_trip(size: float, nu: float, velocity: tuple[float, int], title: str, every: int) -> None:
    data = changed("mesh.size", size)
    data["body"]["nu"] = nu
    data["title"] = title
    data["initial"] = {"velocity": list(velocity)}
    data["output"]["every"] = every
    case = Case.from_dict(data)
    again = Case.from_text(case.text)
    assert again == case
    assert again.text == case.text
    assert (again.mesh.size, again.body.nu, again.initial.velocity) == (size, nu, velocity)


def test_from_dict_takes_what_a_notebook_has() -> None:
    data = changed("body.nu", np.float64(0.3))
    data["mesh"]["geo"] = Path("block.geo")
    data["initial"] = {"velocity": np.array([1.0, 2.0])}
    data["output"]["every"] = np.int64(3)
    data["load"] = ({"gravity": (0.0, Expression("-t"))},)
    data["description"] = None
    case = Case.from_dict(data)
    assert (case.body.nu, case.initial.velocity, case.output.every) == (0.3, (1.0, 2.0), 3)
    assert case.load[0].gravity == (0.0, Expression("-t"))
    assert Case.from_text(case.text) == case


def test_from_dict_leaves_its_argument_alone() -> None:
    data = copy.deepcopy(DATA)
    Case.from_dict(data, overrides=["contact.0.mu=0.3"])
    assert data == DATA


def test_from_dict_refuses_what_toml_cannot_hold() -> None:
    assert "a case cannot hold" in refusal(changed("title", object()))


def test_a_case_is_frozen() -> None:
    case = Case.from_text(TEXT)
    with pytest.raises(ValueError, match="frozen"):
        case.units = "SI"  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        case.body.E = 3.0  # type: ignore[misc]
