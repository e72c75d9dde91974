"""Supports: dofs whose motion is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.expressions import Expression, as_expression
from fem_contact.fem.elements import element_of
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
AXES = ("x", "y")


@dataclass(frozen=True)
class Support:
    """The nodes of a group held at the displacement x and/or y.

    Parameters
    ----------
    group : str
    x, y : number, text or Expression in t, x, y, or None
        The prescribed displacement in that direction, in which x and y are the node's coordinates at rest;
        None leaves it free.

    Raises
    ------
    ModelError
        When neither x nor y is given.
    """

    group: str
    x: Any = None
    y: Any = None

    def __post_init__(self) -> None:
        if self.x is None and self.y is None:
            raise ModelError(f"support of group '{self.group}': give x, y or both")
        for axis in AXES:
            value = getattr(self, axis)
            object.__setattr__(self, axis, None if value is None else as_expression(value))


@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """Displacements of held dofs as functions of time.

    Attributes
    ----------
    dofs : (k,) int
        Sorted, without repetition.
    expressions : tuple of Expression
    which : (k,) int
        The expression of each dof.
    points : (k, 2)
        Coordinates at which each expression is read.
    """

    dofs: IntArray
    expressions: tuple[Expression, ...]
    which: IntArray
    points: FloatArray

    @property
    def constant(self) -> bool:
        """Whether no displacement depends on time."""
        return all("t" not in expression.variables for expression in self.expressions)

    def values(self, times: Any) -> FloatArray:
        """(T, k) displacements at the T times."""
        return self._table(times, lambda expression: expression)

    def rates(self, times: Any) -> FloatArray:
        """(T, k) velocities at the T times, the exact time derivatives of the displacements."""
        return self._table(times, lambda expression: expression.rate)

    def _table(self, times: Any, read: Callable[[Expression], Callable[..., Any]]) -> FloatArray:
        times = np.atleast_1d(np.asarray(times, dtype=np.float64))
        table = np.zeros((len(times), len(self.dofs)))
        for j, expression in enumerate(self.expressions):
            mine = np.flatnonzero(self.which == j)
            x, y = self.points[mine].T
            table[:, mine] = read(expression)(times[:, None], x, y)
        return table


def prescribe(mesh: Mesh, supports: Sequence[Support]) -> PrescribedMotion:
    """The motion of every dof that the supports hold.

    Two supports may hold the same dof when they agree on it (the same text, or equal values without t).

    Raises
    ------
    ModelError
        When two supports give one dof different values (naming both groups), a group has no nodes, or the
        element has no displacement in a direction that is held.
    """
    per_node = element_of(mesh).dofs_per_node
    held: dict[int, tuple[str, Expression]] = {}
    for support in supports:
        nodes = mesh.group(support.group).nodes.tolist()
        if not nodes:
            raise ModelError(f"support of group '{support.group}': the group has no nodes")
        for axis, expression in _directions(support, mesh):
            for node in nodes:
                group, other = held.setdefault(per_node * node + axis, (support.group, expression))
                if not _agree(other, expression, mesh.points[node]):
                    raise ModelError(
                        f"supports of groups '{group}' and '{support.group}' give node {node} different "
                        f"displacements in {AXES[axis]}: '{other}' and '{expression}'"
                    )
    dofs = sorted(held)
    expressions = list(dict.fromkeys(held[dof][1] for dof in dofs))
    index = {expression: j for j, expression in enumerate(expressions)}
    which = np.array([index[held[dof][1]] for dof in dofs], dtype=np.int64)
    points = mesh.points[np.array(dofs, dtype=np.int64) // per_node]
    return PrescribedMotion(np.array(dofs, dtype=np.int64), tuple(expressions), which, points)


def _directions(support: Support, mesh: Mesh) -> list[tuple[int, Expression]]:
    """The axes that a support holds, each with its displacement."""
    element = element_of(mesh)
    given = [(axis, getattr(support, name)) for axis, name in enumerate(AXES)]
    for axis, expression in given:
        if expression is not None and axis >= element.dofs_per_node:
            raise ModelError(
                f"support of group '{support.group}': element '{element.name}' has no displacement in "
                f"{AXES[axis]}"
            )
    return [(axis, expression) for axis, expression in given if expression is not None]


def _agree(a: Expression, b: Expression, point: FloatArray) -> bool:
    if a == b:
        return True
    if "t" in a.variables | b.variables:
        return False
    return bool(a(0.0, point[0], point[1]) == b(0.0, point[0], point[1]))
