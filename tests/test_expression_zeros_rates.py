"""Expressions: zeros of sign, error bounds against exact arithmetic, rates in time."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fem_contact.errors import ExpressionError
from fem_contact.expressions import Expression
from fem_contact.expressions.tree import INPUT_ERROR, SEVERAL, UNARY

LOAD = Expression("2*sign(sin(4*pi*t))")
CONTINUOUS = ("abs", "acos", "asin", "atan", "cos", "exp", "log", "sin", "sqrt", "tan", "tanh")

# -- zeros of sign -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("h", "per_jump"), [(1e-4, 2500), (5e-5, 5000), (1e-3, 250), (0.25 / 3, 3), (0.25 / 7, 7)]
)
def test_sign_of_the_sine_is_zero_at_its_zeros_and_nowhere_else(h, per_jump):
    k = np.arange(100_001)
    got = LOAD(k * h)
    half_period, rest = np.divmod(k, per_jump)
    expected = np.where(rest == 0, 0.0, np.where(half_period % 2 == 0, 2.0, -2.0))
    np.testing.assert_array_equal(got, expected)
    assert not np.signbit(got[rest == 0]).any()
    for i in (per_jump, 2 * per_jump, 3 * per_jump - 1, 4 * per_jump, 4 * per_jump + 1):
        assert LOAD(float(i * h)) == expected[i]


@pytest.mark.parametrize("steps", [10**7, 10**10])
def test_sign_of_the_sine_after_very_many_steps(steps):
    k = steps + np.arange(-2501, 2502)
    got = LOAD(k * 1e-4)
    np.testing.assert_array_equal(np.flatnonzero(got == 0.0), [1, 2501, 5001])
    assert got[2500] == -2.0
    assert got[2502] == 2.0


def test_sign_of_the_sine_for_a_time_added_up_step_by_step():
    times = np.cumsum(np.full(10_000, 1e-4))
    assert times[-1] != 1.0
    np.testing.assert_array_equal(np.flatnonzero(LOAD(times) == 0.0), [2499, 4999, 7499, 9999])


@pytest.mark.parametrize(
    "text",
    ["sign(t - 0.3)", "sign(10*t - 3)", "sign(t**2 - 0.09)", "sign(cos(5*pi*t/3))", "sign(1/t - 1/0.3)",
     "sign(tan(pi*t/0.3))", "sign(log(t/0.3))", "sign(exp(t) - exp(0.3))", "sign(sqrt(t) - sqrt(0.3))",
     "sign(max(t, 0.2) - min(0.3, 4))", "sign(asin(t) - asin(0.3))", "sign(atan(t) - atan(0.3))",
     "sign(tanh(t) - tanh(0.3))", "sign(acos(t) - acos(0.3))", "sign(abs(-t) - 0.3)", "2*step(t - 0.3) - 1",
     "sgn(t**-3 - 0.3**-3)", "sign(min(t, 1) - 0.3)", "sign(x - 0.3)*sign(t)", "sign(y - 0.3)*sign(t)"],
)  # fmt: skip
def test_sign_is_zero_at_a_rounded_zero_of_anything(text):
    f = Expression(text)
    for t in (0.3, 0.1 + 0.2, 3 * 0.1, 0.3 * (1 - 1e-15)):
        assert f(t, t, t) == 0.0
    below, above = f(0.3 - 1e-6, 0.3 - 1e-6, 0.3 - 1e-6), f(0.3 + 1e-6, 0.3 + 1e-6, 0.3 + 1e-6)
    assert {float(below), float(above)} == {-1.0, 1.0}


def test_step_is_one_half_at_its_jump():
    np.testing.assert_array_equal(Expression("step(t - 0.3)")([0.2, 0.1 + 0.2, 0.4]), [0.0, 0.5, 1.0])


# -- error bounds ------------------------------------------------------------------------------------------


def _exact_tree(rng, depth):
    """A random rational expression: its text and its exact value by fractions."""
    kind = rng.choice("tn+-*/2mM") if depth else rng.choice("tn")
    if kind == "t":
        return "t", lambda t: t
    if kind == "n":
        c = rng.choice(["0.1", "0.3", "3", "7.7", "1e-3"])
        return c, lambda t: Fraction(c)
    text, a = _exact_tree(rng, depth - 1)
    if kind == "2":
        return f"({text})**2", lambda t: a(t) ** 2
    other, b = _exact_tree(rng, depth - 1)
    if kind in "mM":
        name, pick = ("min", min) if kind == "m" else ("max", max)
        return f"{name}({text}, {other})", lambda t: pick(a(t), b(t))
    f = {"+": lambda p, q: p + q, "-": lambda p, q: p - q, "*": lambda p, q: p * q, "/": lambda p, q: p / q}[
        kind
    ]
    return f"({text} {kind} {other})", lambda t: f(a(t), b(t))


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**9), t=st.floats(0.01, 100.0), off=st.floats(-1.0, 1.0))
def test_the_bound_holds_against_exact_arithmetic(seed, t, off):
    """|value - exact| <= bound, the exact one at an input moved within its own error."""
    text, exact = _exact_tree(random.Random(seed), 5)
    moved = Fraction(t) * (1 + Fraction(off) * Fraction(INPUT_ERROR))
    with np.errstate(all="ignore"):
        try:
            value, bound = Expression(text)._tree.bounded((np.float64(t),) * 3)
            reference = exact(moved)
        except (ZeroDivisionError, ExpressionError):
            assume(False)
    assume(np.isfinite(value) and np.isfinite(bound))
    assert abs(Fraction(float(value)) - reference) <= Fraction(float(bound))


@pytest.mark.parametrize("name", [*CONTINUOUS, "x**3", "x**-1", "x**0.5"])
def test_the_bound_of_a_function_covers_what_its_argument_may_be(name):
    """f(a') for a' within INPUT_ERROR of a stays within the bound, which is not wildly larger either."""
    text = name if "**" in name else f"{name}(x)"
    f = Expression(text)
    a = np.random.default_rng(5).uniform(0.001, 0.999, 2000)
    _, bound = f._tree.bounded((a, a, a))
    moves = [abs(f(0.0, a * (1 + s * INPUT_ERROR)) - f(0.0, a)) for s in (-0.999, -0.5, 0.5, 0.999)]
    worst = np.max(moves, axis=0)
    assert np.all(worst <= bound)
    assert np.median(bound) < 2.0 * np.median(worst)
    assert bound.min() > 0.0


# -- rates -------------------------------------------------------------------------------------------------

SMOOTH = [
    "sin(3*t)*x", "cos(t)**3", "tan(t/4)", "asin(t/5)", "acos(t/5)", "atan(2*t)", "tanh(t - 1)",
    "exp(-t)*y", "log(t + 1)", "sqrt(t + x)", "abs(t - 5)*t", "t**-2.5", "(t + x)/(t*y + 1)",
    "t*sign(t - 3)", "step(t)*t**2", "min(t, 2*t - 10) + max(x, t*t)", "-t + +t**2",
    "2*(1 - cos(pi*t))", "x + y", "exp(sin(t)*cos(t)/(1 + t*t))",
]  # fmt: skip


@pytest.mark.parametrize("text", SMOOTH)
@settings(max_examples=30, deadline=None)
@given(t=st.floats(0.5, 2.5), x=st.floats(0.1, 0.2), y=st.floats(0.1, 2.0))
def test_rates_against_finite_differences(text, t, x, y):
    f, h = Expression(text), 1e-3
    d = [(f(t + k * h, x, y) - f(t - k * h, x, y)) / (2 * k * h) for k in (1, 2, 3)]
    sixth_order = 1.5 * d[0] - 0.6 * d[1] + 0.1 * d[2]
    assert f.rate(t, x, y) == pytest.approx(float(sixth_order), rel=1e-9, abs=1e-10)


def test_every_function_has_its_rate_tested():
    used = " ".join(SMOOTH)
    assert {name for name in (*UNARY, *SEVERAL) if name + "(" not in used} == {"sgn", "heaviside"}


def test_rates_at_kinks_and_jumps():
    assert LOAD.rate(0.25) == 0.0
    assert LOAD.rate(0.3) == 0.0
    np.testing.assert_array_equal(Expression("abs(t - 0.3)").rate([0.2, 0.1 + 0.2, 0.4]), [-1.0, 0.0, 1.0])
    np.testing.assert_array_equal(Expression("max(t, 0.3)").rate([0.2, 0.1 + 0.2, 0.4]), [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(Expression("min(t, 0.3)").rate([0.2, 0.1 + 0.2, 0.4]), [1.0, 0.5, 0.0])
    np.testing.assert_array_equal(Expression("3").rate(np.zeros(2)), [0.0, 0.0])
