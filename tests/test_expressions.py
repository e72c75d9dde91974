"""Expressions: values against NumPy, what is read and what is refused."""

from __future__ import annotations

import ast
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fem_contact.expressions as package
from fem_contact.errors import ExpressionError
from fem_contact.expressions import Expression, as_expression

LOAD = Expression("2*sign(sin(4*pi*t))")

# -- random expressions: a text and the same thing in NumPy ----------------------------------------------

NUMPY = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "tanh", "exp", "log", "sqrt", "abs")},
    **{name: getattr(np, "arc" + name[1:]) for name in ("asin", "acos", "atan")},
}


def _leaf(numbers):
    return st.one_of(
        st.sampled_from([("t", lambda t, x, y: t), ("x", lambda t, x, y: x), ("y", lambda t, x, y: y)]),
        st.just(("pi", lambda t, x, y: np.float64(np.pi))),
        numbers.map(lambda c: (repr(c), lambda t, x, y: np.float64(c))),
    )


def _grow(children):
    def unary(name, a):
        return f"{name}({a[0]})", lambda t, x, y: NUMPY[name](a[1](t, x, y))

    def binary(op, a, b):
        f = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op]
        return f"({a[0]} {op} {b[0]})", lambda t, x, y: f(a[1](t, x, y), b[1](t, x, y))

    def power(a, c):
        return f"({a[0]})**{c}", lambda t, x, y: np.power(a[1](t, x, y), np.float64(c))

    def several(name, a, b, c):
        f = {"min": np.minimum, "max": np.maximum}[name]
        return f"{name}({a[0]}, {b[0]}, {c[0]})", lambda t, x, y: f(
            f(a[1](t, x, y), b[1](t, x, y)), c[1](t, x, y)
        )

    return st.one_of(
        children.map(lambda a: (f"-({a[0]})", lambda t, x, y: -a[1](t, x, y))),
        st.builds(unary, st.sampled_from(sorted(NUMPY)), children),
        st.builds(binary, st.sampled_from("+-*/"), children, children),
        st.builds(power, children, st.sampled_from([-2, -1, 2, 3, 0.5])),
        st.builds(several, st.sampled_from(["min", "max"]), children, children, children),
    )


trees = st.recursive(_leaf(st.floats(0.01, 50.0, allow_nan=False)), _grow, max_leaves=8)
coordinate = st.floats(-10.0, 10.0)


@settings(max_examples=300, deadline=None)
@given(tree=trees, t=coordinate, x=coordinate, y=coordinate)
def test_a_random_expression_is_what_numpy_makes_of_it(tree, t, x, y):
    text, reference = tree
    assume(len(text) < 400)
    with np.errstate(all="ignore"):
        expected = reference(np.float64(t), np.float64(x), np.float64(y))
    try:
        got = Expression(text)(t, x, y)
    except ExpressionError as error:
        assert "not finite" in str(error)  # noqa: PT017
        # a constant part may overflow without the whole doing so; otherwise the value itself is not finite
        assert not np.isfinite(expected) or "a constant in it" in str(error)  # noqa: PT017
    else:
        assert got == pytest.approx(float(expected), rel=1e-14, abs=0.0)


@settings(max_examples=100, deadline=None)
@given(tree=trees, shift=st.integers(0, 12))
def test_the_value_does_not_depend_on_the_place_in_an_array(tree, shift):
    text, reference = tree
    t = np.linspace(-3.0, 3.0, 13)
    with np.errstate(all="ignore"):
        assume(np.isfinite(reference(t, t[::-1], 0.5 * t)).all())
    try:
        whole = Expression(text)(t, t[::-1], 0.5 * t)
    except ExpressionError as error:
        assume("a constant in it" not in str(error))
        raise
    assert whole.shape == (13,)
    alone = Expression(text)(t[shift], t[::-1][shift], 0.5 * t[shift])
    assert alone.shape == ()
    assert whole[shift] == pytest.approx(float(alone), rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2.0),
        ("-0.005", -0.005),
        ("1e-3", 1e-3),
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("7/2", 3.5),
        ("1 - 2 - 3", -4.0),
        ("+t*x - y", 1.0),
        ("sgn(-t) + sign(x)", 0.0),
        ("step(t) + heaviside(-x) + step(0)", 1.5),
        ("min(t, x, y) + max(t, x, y)", 7.0),
        ("tau/pi", 2.0),
        ("t**0 + t**1", 3.0),
        ("4**-0.5", 0.5),
        ("exp(log(x)) + sqrt(y + 4)", 6.0),
        ("  t  ", 2.0),
        ("asin(1) + acos(0) - pi", 0.0),
        ("exp(-1/(t - 2)**2)", 0.0),  # an infinite part is fine as long as the value is not
    ],
)
def test_values_by_hand(text, value):
    assert Expression(text)(2.0, 3.0, 5.0) == pytest.approx(value, rel=1e-15, abs=1e-15)


def test_broadcasting():
    t, x = np.array([[0.0], [1.0]]), np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(Expression("t + x")(t, x), [[1, 2, 3], [2, 3, 4]])
    np.testing.assert_array_equal(Expression("2")(t, x), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(Expression("t")(1.0, x), np.ones(3))
    np.testing.assert_array_equal(Expression("x").rate(t, x), np.zeros((2, 3)))
    result = Expression("t")(x)
    result[0] = 7.0  # a copy of its own
    assert x[0] == 1.0
    assert isinstance(LOAD(0), np.float64)
    assert Expression("t")([1, 2]).dtype == np.float64


def test_variables_and_identity():
    assert Expression("x*sin(t)").variables == {"x", "t"}
    assert Expression("2*pi").is_constant
    assert not LOAD.is_constant
    assert str(LOAD) == LOAD.text
    assert Expression(" t ") == Expression("t")
    assert len({Expression("t"), Expression("t"), Expression("1*t")}) == 2
    copy = pickle.loads(pickle.dumps(LOAD))
    assert copy == LOAD
    assert copy(0.1) == 2.0


def test_as_expression():
    assert as_expression(LOAD) is LOAD
    assert as_expression("2*t") == Expression("2*t")
    for number in (-0.005, 3, np.float64(0.1), np.float32(0.5), np.int64(7), 1e300):
        expression = as_expression(number)
        assert expression.is_constant
        assert expression(5.0) == number
    for bad in (math.nan, -math.inf, True, None, [1.0], 1j):
        with pytest.raises(ExpressionError):
            as_expression(bad)
    with pytest.raises(ExpressionError, match="an expression is a text"):
        Expression(2.0)


# -- what is refused ---------------------------------------------------------------------------------------

REFUSED = {
    "__import__('os').system('touch /tmp/harm')": r"unknown function '__import__\('os'\)\.system'",
    "__import__('os')": "unknown function '__import__'",
    "open('/etc/passwd')": "unknown function 'open'",
    "eval('1')": "unknown function 'eval'",
    "().__class__.__bases__[0].__subclasses__()": "unknown function",
    "t.__class__": r"'t.__class__' \(Attribute\)",
    "sin.__globals__": r"'sin.__globals__' \(Attribute\)",
    "t[0]": r"'t\[0\]' \(Subscript\)",
    "[t for t in (1, 2)]": r"\(ListComp\)",
    "(lambda: 1)()": "unknown function 'lambda: 1'",
    "lambda: t": r"\(Lambda\)",
    "t if t > 0 else x": r"\(IfExp\)",
    "t > 0": r"'t > 0' \(Compare\)",
    "t and x": r"'t and x' \(BoolOp\)",
    "not t": r"'not t' \(UnaryOp\)",
    "~t": r"\(UnaryOp\)",
    "t // 2": r"the operator in 't // 2' is not allowed",
    "t % 2": "the operators are",
    "t ^ 2": r"a power is \*\*",
    "1 << 10000000000": "the operator in",
    "t @ x": "the operator in",
    "(t, x)": r"\(Tuple\)",
    "{1: 2}": r"\(Dict\)",
    "f'{t}'": r"\(JoinedStr\)",
    "(t := 1)": r"\(NamedExpr\)",
    "t = 1": "cannot be read near column",
    "import os": "cannot be read near column",
    "t; x": "cannot be read near column",
    "sin(t": "cannot be read near column",
    "t\x00": "cannot be read",
    "t\ud800": "cannot be read",
    "9**9**9": "not finite",
    "9**9**9**9**9": "not finite",
    "1e999": "not finite",
    "9" * 400: "not finite",
    "1/0": "not finite",
    "sqrt(-1)": "not finite",
    "'a'*999999999": "'a' is not a real number",
    "b'a'": "is not a real number",
    "1j": "1j is not a real number",
    "True": "True is not a real number",
    "None": "None is not a real number",
    "...": "is not a real number",
    "e*t": "unknown name 'e'; the names are t, x, y, pi, tau",
    "os": "unknown name 'os'",
    "sin": r"'sin' is a function; write sin\(...\)",
    "sin*2": "'sin' is a function",
    "t(2)": "unknown function 't'",
    "sin(t, x)": "sin takes one argument, got 2",
    "sin()": "sin takes one argument, got 0",
    "max(t)": "max takes two arguments or more, got 1",
    "max(*t)": "max takes two arguments",
    "max(t, *x)": r"\(Starred\)",
    "sin(t=1)": "sin takes no named argument",
    "sin(**t)": "sin takes no named argument",
    "t**t": r"the exponent of 't\*\*t' is not a constant; write",
    "2**x": "is not a constant",
    "": "nothing in it",
    "   ": "nothing in it",
    "t" + "+t" * 300: "longer than 500 characters",
    "t" + "+t" * 200: "nested more than 100 levels deep",
    "-" * 450 + "t": "nested more than 100 levels deep",
    "(" * 240 + "t" + ")" * 240: "cannot be read",
    "-(" * 110 + "t" + ")" * 110: "nested more than 100 levels deep",
    "max(" + "t," * 200 + "t)": "nested too deeply",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text)[:30])
def test_refused_with_one_line_that_names_it(text):
    with pytest.raises(ExpressionError, match=REFUSED[text]) as caught:
        Expression(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 420


def test_a_text_over_two_lines_is_refused_in_one_line():
    with pytest.raises(ExpressionError) as caught:
        Expression("(t +\n  z.real)")
    assert "\n" not in str(caught.value)
    assert "z.real" in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_an_expression_error(text):
    try:
        Expression(text)
    except ExpressionError as error:
        assert "\n" not in str(error)  # noqa: PT017


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["t", "x", "2", "(", ")", "+", "*", "**", "-", "sin(", "min(", ",", "9", "/"]),
        max_size=30,
    )
)
def test_any_order_of_allowed_pieces_is_read_or_refused(pieces):
    try:
        Expression("".join(pieces))
    except ExpressionError as error:
        assert "\n" not in str(error)  # noqa: PT017


def test_the_package_runs_no_code_of_a_text():
    for path in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "compile", "__import__"}


def test_a_value_that_is_not_finite_is_an_error_that_says_where():
    with pytest.raises(ExpressionError, match=r"expression '1/t' is not finite at t = 0, x = 0, y = 0"):
        Expression("1/t")(0.0)
    with pytest.raises(ExpressionError, match=r"'log\(x\)' is not finite at t = 1, x = -2, y = 5"):
        Expression("log(x)")(1.0, np.array([3.0, -2.0]), 5.0)
    with pytest.raises(ExpressionError, match=r"rate of expression 'sqrt\(t\)' is not finite at t = 0"):
        Expression("sqrt(t)").rate(0.0)
    assert Expression("x*sqrt(x)*t").rate(0.3, 0.0) == 0.0  # nothing singular in time


@settings(max_examples=100, deadline=None)
@given(tree=trees, t=coordinate)
def test_a_rate_in_arrays_is_that_of_its_elements(tree, t):
    text, _ = tree
    try:
        f = Expression(text)
        alone = f.rate(t, 0.4, 0.7)
    except ExpressionError as error:
        assert "not finite" in str(error)  # noqa: PT017
        return
    assert f.rate(np.array([t, t, t]), 0.4, 0.7)[1] == pytest.approx(float(alone), rel=1e-12, abs=1e-300)
