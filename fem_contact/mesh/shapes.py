"""Built-in shapes. Each is a small frozen dataclass with a method ``mesh(size)``.

Plane shapes describe themselves as an
:class:`~fem_contact.mesh.outline.Outline` (points with a mesh size, joined by lines and arcs that
belong to named groups, the body on their left), which :mod:`fem_contact.mesh.generate` turns into
triangles. The line is made of two-node bars and needs no mesher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np

from fem_contact.errors import MeshError
from fem_contact.mesh.mesh import Group, Mesh
from fem_contact.mesh.outline import DEFAULT_DIVISIONS, Checked, Curve, Outline, PlaneShape, Size, sizes_at
from fem_contact.mesh.polygon import check_simple, vertex_pairs


class MeshedShape(Protocol):
    """A shape that meshes itself."""

    name: ClassVar[str]

    def mesh(self, size: Size = None) -> Mesh:
        """The mesh with edges of about ``size``."""


#: Every shape is given by its outline, which Gmsh fills, or meshes itself.
Shape = PlaneShape | MeshedShape


@dataclass(frozen=True)
class Rectangle(PlaneShape):
    """``width`` x ``height`` with the lower left corner (x, y). Groups bottom, right, top, left, body."""

    name: ClassVar[str] = "rectangle"
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    def outline(self, size: Size = None) -> Outline:
        """Four sides, counter-clockwise from the bottom."""
        a, b, w, h = self.x, self.y, self.width, self.height
        corners = [(a, b), (a + w, b), (a + w, b + h), (a, b + h)]
        sides = ("bottom", "right", "top", "left")
        return self._outline(corners, [Curve(i, (i + 1) % 4, side) for i, side in enumerate(sides)], size)


@dataclass(frozen=True)
class Disk(PlaneShape):
    """Disk of ``radius`` about (x, y). Groups boundary, body."""

    name: ClassVar[str] = "disk"
    radius: float
    x: float = 0.0
    y: float = 0.0

    def outline(self, size: Size = None) -> Outline:
        """Four quarter circles; the centre is the last point."""
        a, b, r = self.x, self.y, self.radius
        points = [(a + r, b), (a, b + r), (a - r, b), (a, b - r), (a, b)]
        return self._outline(points, [Curve(i, (i + 1) % 4, "boundary", 4) for i in range(4)], size)


@dataclass(frozen=True)
class HalfDisk(PlaneShape):
    """Half a disk of ``radius`` about (x, y): flat at height y, the arc "down" (below it) or "up".

    ``tip_size`` is the mesh size at the tip of the arc, where it touches first (0: as everywhere). Groups
    flat, arc, body.
    """

    name: ClassVar[str] = "half-disk"
    radius: float
    x: float = 0.0
    y: float = 0.0
    arc: str = "down"
    tip_size: float = 0.0

    def outline(self, size: Size = None) -> Outline:
        """Flat side and two quarter circles; the centre is the last point."""
        a, b, r = self.x, self.y, self.radius
        s = -1.0 if self.arc == "down" else 1.0
        points = [(a - s * r, b), (a + s * r, b), (a, b + s * r), (a, b)]
        curves = [Curve(0, 1, "flat"), Curve(1, 2, "arc", 3), Curve(2, 0, "arc", 3)]
        outline = self._outline(points, curves, size)
        if self.tip_size > 0.0:
            outline.sizes[2] = self.tip_size
        elif self.tip_size < 0.0:
            raise MeshError(f"half-disk: tip_size must be positive, got {self.tip_size:g}")
        return outline


@dataclass(frozen=True)
class HalfAnnulus(PlaneShape):
    """Half a ring about (x, y) with radii ``inner`` < ``outer``; both ends flat at height y.

    Its arcs lie below ("down") or above ("up"). Groups flat (both ends), inner, outer, body.
    """

    name: ClassVar[str] = "half-annulus"
    inner: float
    outer: float
    x: float = 0.0
    y: float = 0.0
    arc: str = "down"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner >= self.outer:
            raise MeshError(
                f"half-annulus: inner ({self.inner:g}) must be smaller than outer ({self.outer:g})"
            )

    def outline(self, size: Size = None) -> Outline:
        """Two flat ends, two outer and two inner quarter circles; the centre is the last point."""
        a, b, r, R = self.x, self.y, self.inner, self.outer
        s = -1.0 if self.arc == "down" else 1.0
        points = [
            (a + s * r, b),
            (a + s * R, b),
            (a, b + s * R),
            (a - s * R, b),
            (a - s * r, b),
            (a, b + s * r),
            (a, b),
        ]
        curves = [
            Curve(0, 1, "flat"),
            Curve(1, 2, "outer", 6),
            Curve(2, 3, "outer", 6),
            Curve(3, 4, "flat"),
            Curve(4, 5, "inner", 6),
            Curve(5, 0, "inner", 6),
        ]
        if size is None:
            size = min(2.0 * R / DEFAULT_DIVISIONS, (R - r) / 2.0)
        return self._outline(points, curves, size)


@dataclass(frozen=True)
class Polygon(PlaneShape):
    """Simple polygon with the given ``vertices``, in either direction round.

    Side i goes from vertex i to the next; its group is ``side-i`` (counted from 1) or the i-th of
    ``sides``; sides with the same name form one group. The size may be a list, one for each vertex. Groups
    side-1, ..., body.
    """

    name: ClassVar[str] = "polygon"
    vertices: tuple[tuple[float, float], ...]
    sides: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        vertices = vertex_pairs(self.vertices)
        object.__setattr__(self, "vertices", vertices)
        n = len(vertices)
        if n < 3:
            raise MeshError(f"polygon: at least 3 vertices are needed, got {n}")
        if isinstance(self.sides, str) or not all(isinstance(s, str) and s for s in self.sides):
            raise MeshError(f"polygon: sides must be a list of names, got {self.sides!r:.60}")
        sides = tuple(self.sides) or tuple(f"side-{i + 1}" for i in range(n))
        object.__setattr__(self, "sides", sides)
        if len(sides) != n:
            raise MeshError(f"polygon: {n} vertices need {n} names of sides, got {len(sides)}")
        if "body" in sides:
            raise MeshError("polygon: 'body' is the group of the elements, a side needs another name")
        check_simple(np.array(vertices))

    def outline(self, size: Size = None) -> Outline:
        """The sides in counter-clockwise order."""
        X = np.array(self.vertices)
        n = len(X)
        y_next = np.roll(X[:, 1], -1)
        clockwise = float((X[:, 0] * y_next - np.roll(X[:, 0], -1) * X[:, 1]).sum()) < 0.0
        curves = [Curve(i, (i + 1) % n, self.sides[i]) for i in range(n)]
        if clockwise:
            curves = [Curve(c.end, c.start, c.group) for c in reversed(curves)]
        return self._outline(self.vertices, curves, size)


@dataclass(frozen=True)
class Line(Checked):
    """Bars from (x, 0) to (x + length, 0): ``elements`` of them, or as the size asks.

    Groups left, right, body.
    """

    name: ClassVar[str] = "line"
    length: float
    elements: int = 0
    x: float = 0.0

    def mesh(self, size: Size = None) -> Mesh:
        """Bars of equal length, at most ``size`` long (by default 20 of them); no mesher is needed."""
        n = self.elements
        if isinstance(n, bool) or n != int(n) or n < 0:
            raise MeshError(f"line: elements must be a whole number of at least 1, got {n!r:.60}")
        n = int(n)
        if not n:
            if size is None:
                n = DEFAULT_DIVISIONS
            else:
                wanted = min(self.length / float(sizes_at(size, 1, self.name)[0]), 1e300)
                n = max(1, math.ceil(wanted * (1.0 - 1e-12)))
        if n > MAX_BARS:
            raise MeshError(f"line: {n:.0e} elements are too many, at most {MAX_BARS:.0e} are made")
        x = self.x + self.length * (np.arange(n + 1) / n)
        cells = np.column_stack([np.arange(n), np.arange(1, n + 1)])
        groups = {
            "left": Group(np.array([0])),
            "right": Group(np.array([n])),
            "body": Group(np.arange(n + 1), elements=np.arange(n)),
        }
        return Mesh(np.column_stack([x, np.zeros(n + 1)]), cells, "bar2", groups)


#: More bars than this are taken for a slip.
MAX_BARS = 10_000_000

#: Shapes by name.
SHAPES: dict[str, type[Any]] = {
    shape.name: shape for shape in (Rectangle, Disk, HalfDisk, HalfAnnulus, Polygon, Line)
}


def make_shape(name: str, parameters: Mapping[str, Any]) -> Shape:
    """The shape of that name.

    Raises
    ------
    MeshError
        On an unknown shape, or a parameter that is unknown, missing or out of range.
    """
    if name not in SHAPES:
        raise MeshError(f"unknown shape '{name}'; the shapes are: {', '.join(SHAPES)}")
    kind = SHAPES[name]
    known = [f.name for f in fields(kind)]
    for key in parameters:
        if key not in known:
            raise MeshError(f"{name}: unknown parameter '{key}'; its parameters are: {', '.join(known)}")
    missing = [f.name for f in fields(kind) if f.default is MISSING and f.name not in parameters]
    if missing:
        raise MeshError(
            f"{name}: the parameter '{missing[0]}' is missing; its parameters are: {', '.join(known)}"
        )
    made: Shape = kind(**parameters)
    return made


def parse_shape(text: str) -> Shape:
    """The shape of a text such as ``rectangle:width=40,height=25`` or ``polygon:vertices=0 0 4 0 0 3``.

    Vertices are coordinates with blanks between; names of sides (``sides=a b c``) as well.

    Raises
    ------
    MeshError
        When the text does not have this form; and as :func:`make_shape`.
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = (p.strip() for p in part.partition("="))
        if not equals:
            raise MeshError(f"shape '{text}': '{part}' is not of the form name=value")
        if key in parameters:
            raise MeshError(f"shape '{text}': '{key}' is given twice")
        parameters[key] = _parsed(name.strip(), key, value)
    return make_shape(name.strip(), parameters)


def _parsed(name: str, key: str, value: str) -> Any:
    if key == "sides":
        return tuple(value.split())
    if key == "arc":
        return value
    try:
        numbers = [float(word) for word in value.split()]
    except ValueError:
        raise MeshError(f"{name}: {key} must be a number, got '{value}'") from None
    if key == "vertices":
        if len(numbers) % 2:
            raise MeshError(f"{name}: vertices need an even number of coordinates, got {len(numbers)}")
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))
    if len(numbers) != 1:
        raise MeshError(f"{name}: {key} must be a number, got '{value}'")
    return numbers[0]
