"""Safe expressions of t, x and y, as they stand in a case file: ``2*sign(sin(4*pi*t))``.

The text is read with :func:`ast.parse`, checked against a short list of what is allowed and turned once into
a tree of NumPy functions; no code of the text is ever run. Allowed are numbers, ``+ - * / **``, brackets, the
names ``t x y pi tau`` and the functions

    sin cos tan asin acos atan tanh exp log sqrt abs sign (or sgn) step (or heaviside) min max

``sign`` is -1, 0, 1 and ``step(z) = (1 + sign(z))/2``. An exponent must be a constant. Every number is a
float, so that ``9**9**9`` overflows at once instead of filling the memory.

Zeros and rounding. A program reads a load at t_k = k h, where sin(4 pi 0.25) is 1.2e-16 and not 0. The
argument of ``sign`` therefore carries a bound on its own error, found by a running error analysis
(N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sec. 3.3): for z = f(a, b),

    |z - z_exact| <= sup |f(a', b') - f(a, b)| + (rounding of f) |z|,
                     over |a' - a| <= err(a), |b' - b| <= err(b).

Where ``|z| <= err(z)`` the argument cannot be told from zero, and its sign is 0. The inputs t, x, y carry the
relative error 2**-40 (9.1e-13), that of a time reached by some ten thousand additions of h; two times of a
run are farther apart than this as long as it has fewer than 10^11 steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ExpressionError
from fem_contact.expressions.reader import Reader
from fem_contact.expressions.tree import Env, Node, Value

__all__ = ["Expression", "as_expression"]


@dataclass(frozen=True)
class Expression:
    """A formula in t, x, y, read from text; equal and hashed by its text.

    Parameters
    ----------
    text : str
        For instance ``"2*sign(sin(4*pi*t))"``; at most 500 characters. See the module for what is allowed.

    Attributes
    ----------
    variables : frozenset of str
        Those of t, x, y that occur.

    Raises
    ------
    ExpressionError
        On anything that is not allowed, naming it; and on evaluation where the value is not finite.

    Notes
    -----
    Scalars and arrays go through the same NumPy functions, so that a value does not depend on the length of
    the array or the place in it, as far as NumPy's vectorised functions keep to that.
    """

    text: str
    variables: frozenset[str] = field(init=False, repr=False, compare=False)
    _tree: Node = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ExpressionError(f"an expression is a text such as '2*sin(t)', got {self.text!r:.60}")
        object.__setattr__(self, "text", self.text.strip())
        reader = Reader(self.text)
        object.__setattr__(self, "_tree", reader.parse())
        object.__setattr__(self, "variables", frozenset(reader.variables))

    def __reduce__(self) -> tuple[type[Expression], tuple[str]]:
        return Expression, (self.text,)  # read again rather than pickled: the tree holds functions

    def __str__(self) -> str:
        return self.text

    @property
    def is_constant(self) -> bool:
        """Whether none of t, x, y occurs."""
        return not self.variables

    def __call__(self, t: Any, x: Any = 0.0, y: Any = 0.0) -> Value:
        """The value at (t, x, y), broadcast against each other: float64 for numbers, an array otherwise."""
        env = (_float(t), _float(x), _float(y))
        with np.errstate(all="ignore"):
            return self._checked(self._tree.value(env), env, "")

    def rate(self, t: Any, x: Any = 0.0, y: Any = 0.0) -> Value:
        """The derivative in time at (t, x, y), exact (forward mode), broadcast alike.

        sign' = step' = 0 everywhere, abs' = sign; min and max take the mean of both slopes where they meet.
        """
        env = (_float(t), _float(x), _float(y))
        with np.errstate(all="ignore"):
            return self._checked(self._tree.dual(env)[2], env, "the rate of ")

    def _checked(self, z: Value, env: Env, what: str) -> Value:
        if z.ndim == env[0].ndim == env[1].ndim == env[2].ndim == 0:
            if math.isfinite(z):
                return z
        else:
            shape = np.broadcast_shapes(env[0].shape, env[1].shape, env[2].shape)
            z = np.array(np.broadcast_to(z, shape))
            if np.isfinite(z).all():
                return z
        bad = np.argmin(np.isfinite(z))
        t, x, y = (np.broadcast_to(value, np.shape(z)).flat[bad] for value in env)
        raise ExpressionError(
            f"{what}expression {self.text!r} is not finite at t = {t:g}, x = {x:g}, y = {y:g}"
        )


def _float(value: Any) -> np.float64 | NDArray[np.float64]:
    if isinstance(value, float | int):
        return np.float64(value)
    array = np.asarray(value, dtype=np.float64)
    return array if array.ndim else array[()]


def as_expression(value: object) -> Expression:
    """An Expression from a number, a text or an Expression; ExpressionError on anything else."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return Expression(value)
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if math.isfinite(value):
            return Expression(repr(float(value)))
        raise ExpressionError(f"a value must be finite, got {value}")
    raise ExpressionError(f"a value is a number or an expression in t, x, y, got {value!r:.60}")
