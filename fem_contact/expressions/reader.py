"""Reads the text of an expression into a tree, and refuses everything that is not on a short list."""

from __future__ import annotations

import ast
import math
import warnings
from functools import reduce

import numpy as np

from fem_contact.errors import ExpressionError
from fem_contact.expressions.tree import (
    BINARY,
    EPS,
    NEGATE,
    SEVERAL,
    UNARY,
    Apply,
    Constant,
    Node,
    Operation,
    Value,
    Variable,
    power,
)

MAX_LENGTH = 500
MAX_DEPTH = 100
VARIABLES = ("t", "x", "y")
CONSTANTS = {"pi": math.pi, "tau": math.tau}
FUNCTIONS = ", ".join((*UNARY, *SEVERAL))


class Reader:
    """Turns the syntax tree of one text into nodes; folds constants; refuses what is not on the list."""

    def __init__(self, text: str):
        self.text = text
        self.variables: set[str] = set()

    def refuse(self, what: str) -> ExpressionError:
        """The error that names the text and what is wrong with it."""
        shown = self.text if len(self.text) <= 80 else self.text[:77] + "..."
        return ExpressionError(f"expression {shown!r}: {what}")

    def parse(self) -> Node:
        """The node of the whole text."""
        if len(self.text) > MAX_LENGTH:
            raise self.refuse(f"longer than {MAX_LENGTH} characters")
        if not self.text:
            raise self.refuse("nothing in it; give a number or a formula in t, x, y")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            raise self.refuse(f"cannot be read near column {error.offset or 1} ({error.msg})") from None
        except (ValueError, MemoryError, RecursionError):
            raise self.refuse("cannot be read (nested too deeply, or characters that are not text)") from None
        with np.errstate(all="ignore"):
            return self.build(body, 1)

    def build(self, node: ast.expr, depth: int) -> Node:
        """The node of a piece of the syntax tree, ``depth`` levels down."""
        if depth > MAX_DEPTH:
            raise self.refuse(f"nested more than {MAX_DEPTH} levels deep")
        if isinstance(node, ast.Constant):
            return self.number(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.build(node.operand, depth + 1)
            return operand if isinstance(node.op, ast.UAdd) else self.apply(NEGATE, operand)
        if isinstance(node, ast.BinOp):
            return self.binary(node, depth)
        if isinstance(node, ast.Call):
            return self.call(node, depth)
        raise self.refuse(
            f"'{self.source(node)}' ({type(node).__name__}) is not allowed; allowed are numbers, + - * / **, "
            f"t, x, y, pi, tau and the functions {FUNCTIONS}"
        )

    def source(self, node: ast.AST) -> str:
        """The piece of the text that a node stands for, short and on one line."""
        piece = " ".join((ast.get_source_segment(self.text, node) or "").split())
        return piece if len(piece) <= 40 else piece[:37] + "..."

    def number(self, value: object) -> Node:
        """A constant with its round-off."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(f"{value!r:.40} is not a real number")
        try:
            number = np.float64(float(value))
        except OverflowError:
            number = np.float64(math.inf)
        exact = number == np.rint(number) and abs(number) < 2.0**53
        return self.finite(number, np.float64(0.0 if exact else EPS * abs(number)))

    def name(self, name: str) -> Node:
        """A variable or a named constant."""
        if name in VARIABLES:
            self.variables.add(name)
            return Variable(VARIABLES.index(name))
        if name in CONSTANTS:
            return Constant(np.float64(CONSTANTS[name]), np.float64(EPS * CONSTANTS[name]))
        if name in UNARY or name in SEVERAL:
            raise self.refuse(f"'{name}' is a function; write {name}(...)")
        raise self.refuse(f"unknown name '{name}'; the names are {', '.join((*VARIABLES, *CONSTANTS))}")

    def binary(self, node: ast.BinOp, depth: int) -> Node:
        """Two operands; the exponent of a power must be constant."""
        is_power = isinstance(node.op, ast.Pow)
        if not is_power and type(node.op) not in BINARY:
            hint = "a power is **" if isinstance(node.op, ast.BitXor) else "the operators are + - * / **"
            raise self.refuse(f"the operator in '{self.source(node)}' is not allowed; {hint}")
        left, right = self.build(node.left, depth + 1), self.build(node.right, depth + 1)
        if not is_power:
            return self.apply(BINARY[type(node.op)], left, right)
        if not isinstance(right, Constant):
            raise self.refuse(
                f"the exponent of '{self.source(node)}' is not a constant; write a**b as exp(b*log(a))"
            )
        c = float(right.number)
        if c == 1.0:
            return left
        if c == 0.0:
            return Constant(np.float64(1.0), np.float64(0.0))
        return self.apply(power(c), left)

    def call(self, node: ast.Call, depth: int) -> Node:
        """A function of the list."""
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name is None or (name not in UNARY and name not in SEVERAL):
            raise self.refuse(f"unknown function '{self.source(node.func)}'; the functions are {FUNCTIONS}")
        if node.keywords:
            raise self.refuse(f"{name} takes no named argument")
        few = name in UNARY
        if (few and len(node.args) != 1) or (not few and len(node.args) < 2):
            need = "one argument" if few else "two arguments or more"
            raise self.refuse(f"{name} takes {need}, got {len(node.args)}")
        if not few and depth + len(node.args) > MAX_DEPTH:
            raise self.refuse(f"{name} with {len(node.args)} arguments is nested too deeply")
        args = [self.build(arg, depth + len(node.args)) for arg in node.args]
        if few:
            return self.apply(UNARY[name], args[0])
        op = SEVERAL[name]
        return reduce(lambda a, b: self.apply(op, a, b), args)

    def apply(self, op: Operation, *args: Node) -> Node:
        node = Apply(op, args, any(arg.moving for arg in args))
        if all(isinstance(arg, Constant) for arg in args):
            zero = np.float64(0.0)
            return self.finite(*node.bounded((zero, zero, zero)))
        return node

    def finite(self, number: Value, err: Value) -> Constant:
        if not math.isfinite(number):
            raise self.refuse(
                "a constant in it is not finite (a number too large, a division by 0 or a root of -1)"
            )
        return Constant(np.float64(number), np.float64(err))
