"""--set and bundled cases."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem_contact.errors import CaseError, FemContactWarning
from fem_contact.io.case import Case, bundled_cases, bundled_folder, case_title, find_case, load_case
from fem_contact.io.case.overrides import apply, parse

TEXT = """\
units = "SI"
[mesh]
geo = "x.geo"
[body]
E = 1.0
nu = 0.3
density = 1.0
[[contact]]
group = "a"
obstacle = { kind = "plane" }
[[contact]]
group = "b"
mu = 0.5
obstacle = { kind = "plane" }
[scheme]
name = "moreau-jean"
dt = 0.1
t_end = 1.0
"""


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("scheme.name=moreau-jean", ("scheme", "name"), "moreau-jean"),
        ('scheme.name="moreau-jean"', ("scheme", "name"), "moreau-jean"),
        ("contact.0.mu=0.3", ("contact", "0", "mu"), 0.3),
        (" scheme.dt = 1e-3 ", ("scheme", "dt"), 1e-3),
        ("body.E=5.75 GPa", ("body", "E"), "5.75 GPa"),
        ("initial.loads=true", ("initial", "loads"), True),
        ("output.every=10", ("output", "every"), 10),
        ("scheme.activation.velocity_tol=inf", ("scheme", "activation", "velocity_tol"), float("inf")),
        ("initial.velocity=[0, -0.1]", ("initial", "velocity"), [0, -0.1]),
        ("scheme.activation={ gamma = 0.5 }", ("scheme", "activation"), {"gamma": 0.5}),
        ("title=a = b", ("title",), "a = b"),
        ("support.0.x=2*sin(t)", ("support", "0", "x"), "2*sin(t)"),
    ],
)
def test_values(override: str, path: tuple[str, ...], value: Any) -> None:
    assert parse(override) == (path, value)
    assert type(parse(override)[1]) is type(value)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("scheme.name", "write KEY=VALUE"),
        ("scheme.name=", "write KEY=VALUE"),
        ("=3", "'' is not a key"),
        ("a b=3", "'a b' is not a key"),
        ("a..b=3", "'a..b' is not a key"),
        ("a" + ".b" * 50 + "=3", "is not a key"),
        ("a=[1, 2", "cannot be read as TOML"),
        ('a="x', "cannot be read as TOML"),
        ("a=1\nunits = 'x'", "one line"),
        ("a=" + "1" * 3000, "one line"),
        ("a=" + "[" * 1900, "cannot be read as TOML"),
        ("contact.2.mu=0.3", "'contact' is a list, its items are numbered 0 to 1"),
        ("contact.-1.mu=0.3", "'contact' is a list"),
        ("contact.mu=0.3", "'contact' is a list"),
        ("body.E.x=3", "'body.E' is a value, it has no key 'x'"),
    ],
)
def test_overrides_that_cannot_be_read(override: str, words: str) -> None:
    with pytest.raises(CaseError) as caught:
        apply(tomllib.loads(TEXT), [override])
    assert words in str(caught.value)
    assert str(caught.value).startswith("--set ")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("scheme.nam=x", "--set scheme.nam=x: [scheme]: unknown key 'nam'; allowed: name"),
        ("shceme.name=x", "--set shceme.name=x: unknown key 'shceme'; allowed: units"),
        ("contact.1.friction=1", "--set contact.1.friction=1: [[contact]] 2: unknown key 'friction'"),
        ("contact.1.friction=1", "(did you mean 'mu'?)"),
        ("body.E=hello", "--set body.E=hello: [body] E: 'hello' is not a number with a unit"),
        ("scheme.theta=2", "--set scheme.theta=2: [scheme]: theta = 2.0: it must be in [0, 1]"),
        ("scheme.name=hht2", '--set scheme.name=hht2: [scheme] name = "hht2": unknown scheme'),
        ("initial.loads=true", "--set initial.loads=true: [initial]: key 'loads' has no meaning"),
    ],
)
def test_an_error_names_the_override_that_made_it(override: str, words: str) -> None:
    with pytest.raises(CaseError) as caught:
        Case.from_text(TEXT, name="x.toml", overrides=["scheme.dt=0.5", override])
    assert str(caught.value).startswith("x.toml: ")
    assert words in str(caught.value)
    assert "scheme.dt" not in str(caught.value)


def test_an_error_of_the_file_does_not_blame_an_override() -> None:
    with pytest.raises(CaseError) as caught:
        Case.from_text(TEXT.replace("nu = 0.3", "nu = 7.0"), name="x.toml", overrides=["body.E=2.0"])
    assert str(caught.value) == "x.toml: [body]: nu must be in (-1, 0.5], got 7"


def test_overrides_are_made_in_order_and_can_make_tables() -> None:
    case = Case.from_text(TEXT, overrides=["contact.1.mu=0.1", "contact.1.mu=0.2", "solver.tol=1e-8"])
    assert [contact.mu for contact in case.contact] == [0.0, 0.2]
    assert case.solver.settings.tol == 1e-8


def test_apply_leaves_its_argument_alone() -> None:
    data = tomllib.loads(TEXT)
    assert apply(data, ["contact.1.mu=0.25", "solver.tol=1e-8"])["contact"][1]["mu"] == 0.25
    assert data == tomllib.loads(TEXT)


def test_with_overrides() -> None:
    case = Case.from_text(TEXT, "/base", name="x.toml")
    other = case.with_overrides("scheme.theta=0.75")
    assert (case.scheme.settings.theta, other.scheme.settings.theta) == (0.5, 0.75)
    assert (other.base, other.name) == (Path("/base"), "x.toml")
    assert other == Case.from_text(other.text)
    assert other.with_overrides("scheme.theta=0.5") == case


@given(st.text(max_size=60))
def test_any_override_is_made_or_refused(override: str) -> None:
    try:
        case = Case.from_text(TEXT, overrides=[override])
    except CaseError:
        return
    assert Case.from_text(case.text) == case


def test_find_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(TEXT)
    assert find_case("mine.toml") == Path("mine.toml")
    bundled = find_case("pmma_sliding_block")
    assert bundled == bundled_folder() / "pmma_sliding_block.toml"
    for name, words in [
        (
            "pmma_sliding_blok",
            "no case file and no bundled case (did you mean 'pmma_sliding_block'?); bundled: ",
        ),
        ("none.toml", "none.toml: there is no such case file"),
        ("no/where", "no/where: there is no such case file"),
        (".", "is a folder, not a case file"),
        ("a\x00b", "no case file and no bundled case"),
        ("x" * 5000, "no case file and no bundled case"),
        ("", "is a folder, not a case file"),
    ]:
        with pytest.raises(CaseError) as caught:
            find_case(name)
        assert words in str(caught.value), name
        assert "\x00" not in str(caught.value)
        assert len(str(caught.value)) < 700


def test_a_file_goes_before_a_bundled_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("impacting_bar").write_text(TEXT)
    assert find_case("impacting_bar") == Path("impacting_bar")


def test_bundled_cases_load_under_their_name() -> None:
    cases = bundled_cases()
    assert {"pmma_sliding_block", "impacting_bar", "impacting_bar_2d", "impacting_block"} <= cases.keys()
    for name, path in cases.items():
        case = load_case(name)
        assert case.name == path.name
        assert case.text == path.read_text(encoding="utf-8")
        assert case.title == case_title(path) != ""


def test_the_title_of_a_broken_case_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("title = [")
    assert case_title(path) == ""
    path.write_text("title = 3")
    assert case_title(path) == ""


def test_another_scheme_leaves_out_what_was_said_of_the_old_one() -> None:
    text = f"{TEXT}theta = 0.6\n"
    with pytest.warns(
        FemContactWarning, match=r"\[scheme\] theta of the case file: without a meaning for hht"
    ):
        case = Case.from_text(text, overrides=["scheme.name=hht", "scheme.alpha=0.2"])
    assert case.scheme.name == "hht"
    assert case.scheme.settings.alpha == 0.2
    assert case.scheme.dt == Case.from_text(text).scheme.dt
    with pytest.raises(CaseError, match="unknown key 'theta'"), pytest.warns(FemContactWarning):
        Case.from_text(text, overrides=["scheme.name=hht", "scheme.theta=0.5"])


def test_another_name_that_knows_the_keys_keeps_them() -> None:
    case = Case.from_text(f"{TEXT}theta = 0.6\n", overrides=["scheme.name=moreau-jean-fremond"])
    assert (case.scheme.name, case.scheme.settings.theta) == ("moreau-jean-fremond", 0.6)


def test_another_scheme_keeps_what_it_has_too() -> None:
    case = load_case("pmma_sliding_block")
    other = case.with_scheme("moreau-jean")
    assert other == case.with_overrides("scheme.name=moreau-jean")
    assert (other.scheme.dt, other.scheme.t_end) == (case.scheme.dt, case.scheme.t_end)
    assert other.scheme.settings.activation == case.scheme.settings.activation
    table = case.with_scheme('{ name = "moreau-jean", theta = 0.75, dt = 2e-4 }').scheme
    assert (table.name, table.dt, table.settings.theta) == ("moreau-jean", 2e-4, 0.75)
    assert case.with_scheme("{ theta = 0.75 }").scheme.name == case.scheme.name


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        ("hhtt", "unknown scheme"),
        ("3", "the name of a scheme is a text"),
        ('{ name = "moreau-jean", rho = 1.0 }', "unknown key 'rho'"),
        ("{ name", "cannot be read as TOML"),
    ],
)
def test_schemes_that_are_refused(scheme: str, words: str) -> None:
    with pytest.raises(CaseError, match=words):
        load_case("pmma_sliding_block").with_scheme(scheme)
