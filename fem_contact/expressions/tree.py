"""The operations of an expression and the tree of them: values, error bounds and rates in time."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

EPS = float(np.finfo(np.float64).eps)
INPUT_ERROR = 2.0**-40

Value = Any  # np.float64 or an array of them: every function below takes both
Env = tuple[Value, Value, Value]


def _sign(z: Value, err: Value) -> Value:
    """sign(z), and 0 where z cannot be told from zero (a NaN stays a NaN)."""
    return np.sign(z) * (abs(z) > err) + 0.0  # + 0.0 turns -0.0 into 0.0


@dataclass(frozen=True)
class Operation:
    """One operation z = f(a, ...): its value, how errors pass through it, and its derivative in time.

    ``error(z, (a, err_a), ...)`` bounds the change of f over the errors of its arguments; ``rounding`` is
    the relative rounding of f itself. ``rate(z, (a, err_a, da), ...)`` is dz/dt. ``jumps``: f itself needs
    the error of its argument.
    """

    value: Callable[..., Value]
    error: Callable[..., Value]
    rate: Callable[..., Value]
    rounding: float = EPS
    jumps: bool = False


@dataclass(frozen=True)
class Constant:
    number: np.float64
    err: np.float64
    moving = False

    def value(self, env: Env) -> Value:
        return self.number

    def bounded(self, env: Env) -> tuple[Value, Value]:
        return self.number, self.err

    def dual(self, env: Env) -> tuple[Value, Value, Value]:
        return self.number, self.err, np.float64(0.0)


@dataclass(frozen=True)
class Variable:
    index: int

    @property
    def moving(self) -> bool:
        return self.index == 0

    def value(self, env: Env) -> Value:
        return env[self.index]

    def bounded(self, env: Env) -> tuple[Value, Value]:
        return env[self.index], INPUT_ERROR * abs(env[self.index])

    def dual(self, env: Env) -> tuple[Value, Value, Value]:
        return *self.bounded(env), np.float64(1.0 if self.moving else 0.0)


@dataclass(frozen=True)
class Apply:
    """An operation on its arguments; ``moving`` when t is among them."""

    op: Operation
    args: tuple[Node, ...]
    moving: bool

    def value(self, env: Env) -> Value:
        if self.op.jumps:
            return self.bounded(env)[0]
        if len(self.args) == 1:
            return self.op.value(self.args[0].value(env))
        return self.op.value(self.args[0].value(env), self.args[1].value(env))

    def bounded(self, env: Env) -> tuple[Value, Value]:
        pairs = []
        for arg in self.args:
            pairs.append(arg.bounded(env))
        return self._finish(pairs)

    def dual(self, env: Env) -> tuple[Value, Value, Value]:
        if not self.moving:
            return *self.bounded(env), np.float64(0.0)
        triples = []
        for arg in self.args:
            triples.append(arg.dual(env))
        z, err = self._finish([triple[:2] for triple in triples])
        return z, err, self.op.rate(z, *triples)

    def _finish(self, pairs: list[tuple[Value, Value]]) -> tuple[Value, Value]:
        if self.op.jumps:
            return self.op.value(*pairs[0]), np.float64(0.0)
        z = self.op.value(*[pair[0] for pair in pairs])
        return z, self.op.error(z, *pairs) + self.op.rounding * abs(z)


Node = Constant | Variable | Apply


def _monotone(
    f: Callable[..., Value], low: float = -math.inf, high: float = math.inf
) -> Callable[..., Value]:
    """Error passed by a monotone f: how far it gets from z over [a - err, a + err] within its domain."""

    def error(z: Value, a: tuple[Value, Value]) -> Value:
        err = a[1] + EPS * abs(a[0])  # at least one unit in the last place of a, so that a + err is not a
        up = abs(f(np.minimum(a[0] + err, high)) - z)
        down = abs(f(np.maximum(a[0] - err, low)) - z)
        return np.maximum(up, down)

    return error


def _tan_error(z: Value, a: tuple[Value, Value]) -> Value:
    # tan(a + d) - tan(a) = sin(d) / (cos(a) cos(a + d)); nothing is known across a pole
    c = abs(np.cos(a[0]))
    room = np.maximum(c - a[1], 0.0)
    return a[1] / (c * room)


def _div_error(z: Value, a: tuple[Value, Value], b: tuple[Value, Value]) -> Value:
    room = np.maximum(abs(b[0]) - b[1], 0.0)
    return (a[1] + abs(z) * b[1]) / room


def _max_rate(sign: float) -> Callable[..., Value]:
    def rate(z: Value, a: tuple[Value, ...], b: tuple[Value, ...]) -> Value:
        s = sign * _sign(a[0] - b[0], a[1] + b[1] + EPS * abs(z))
        return 0.5 * ((1.0 + s) * a[2] + (1.0 - s) * b[2])

    return rate


def power(c: float) -> Operation:
    """a**c for a constant c; |a|**c is monotone in |a|, which bounds both sides of zero."""

    def f(a: Value) -> Value:
        return np.square(a) if c == 2.0 else np.power(a, c)

    error = _monotone(lambda m: np.power(m, c), low=0.0)

    def rate(z: Value, a: tuple[Value, ...]) -> Value:
        return 2.0 * a[0] * a[2] if c == 2.0 else c * np.power(a[0], c - 1.0) * a[2]

    return Operation(f, lambda z, a: error(abs(z), (abs(a[0]), a[1])), rate, 12 * EPS)


def _jump(f: Callable[[Value], Value]) -> Operation:
    return Operation(
        lambda z, err: f(_sign(z, err)), lambda z, a: 0.0, lambda z, a: np.float64(0.0), jumps=True
    )


def _function(
    f: Callable[..., Value],
    slope: Callable[[Value, Value], Value],
    error: Callable[..., Value] | None = None,
    low: float = -math.inf,
    high: float = math.inf,
) -> Operation:
    """A smooth function with slope(a, z) = f'(a); NumPy's own error is below 4 units in the last place."""
    return Operation(f, error or _monotone(f, low, high), lambda z, a: slope(a[0], z) * a[2], 12 * EPS)


def _wave_error(other: Callable[..., Value]) -> Callable[..., Value]:
    """sin and cos by Taylor: |f(a + d) - f(a)| <= |f'(a)| d + d^2/2, and never more than 2."""
    return lambda z, a: np.fmin(abs(other(a[0])) * a[1] + 0.5 * a[1] * a[1], 2.0)


NEGATE = Operation(operator.neg, lambda z, a: a[1], lambda z, a: -a[2], 0.0)
BINARY: dict[type[ast.operator], Operation] = {
    ast.Add: Operation(operator.add, lambda z, a, b: a[1] + b[1], lambda z, a, b: a[2] + b[2]),
    ast.Sub: Operation(operator.sub, lambda z, a, b: a[1] + b[1], lambda z, a, b: a[2] - b[2]),
    ast.Mult: Operation(
        operator.mul,
        lambda z, a, b: abs(a[0]) * b[1] + a[1] * (abs(b[0]) + b[1]),
        lambda z, a, b: a[2] * b[0] + a[0] * b[2],
    ),
    ast.Div: Operation(operator.truediv, _div_error, lambda z, a, b: (a[2] - z * b[2]) / b[0]),
}
UNARY: dict[str, Operation] = {
    "sin": _function(np.sin, lambda a, z: np.cos(a), _wave_error(np.cos)),
    "cos": _function(np.cos, lambda a, z: -np.sin(a), _wave_error(np.sin)),
    "tan": _function(np.tan, lambda a, z: 1.0 + z * z, _tan_error),
    "asin": _function(np.arcsin, lambda a, z: 1.0 / np.sqrt((1.0 - a) * (1.0 + a)), low=-1.0, high=1.0),
    "acos": _function(np.arccos, lambda a, z: -1.0 / np.sqrt((1.0 - a) * (1.0 + a)), low=-1.0, high=1.0),
    "atan": _function(np.arctan, lambda a, z: 1.0 / (1.0 + a * a)),
    "tanh": _function(np.tanh, lambda a, z: (1.0 - z) * (1.0 + z)),
    "exp": _function(np.exp, lambda a, z: z),
    "log": _function(np.log, lambda a, z: 1.0 / a, low=0.0),
    "sqrt": _function(np.sqrt, lambda a, z: 0.5 / z, low=0.0),
    "abs": Operation(operator.abs, lambda z, a: a[1], lambda z, a: _sign(a[0], a[1]) * a[2], 0.0),
    "sign": _jump(lambda s: s),
    "sgn": _jump(lambda s: s),
    "step": _jump(lambda s: 0.5 * (1.0 + s)),
    "heaviside": _jump(lambda s: 0.5 * (1.0 + s)),
}
SEVERAL: dict[str, Operation] = {
    "min": Operation(np.minimum, lambda z, a, b: np.maximum(a[1], b[1]), _max_rate(-1.0), 0.0),
    "max": Operation(np.maximum, lambda z, a, b: np.maximum(a[1], b[1]), _max_rate(1.0), 0.0),
}
