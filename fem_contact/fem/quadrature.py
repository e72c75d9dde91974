"""Quadrature rules on the reference line [0, 1] and the reference triangle (0,0), (1,0), (0,1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rule:
    """Points and weights with int f = measure * sum_g weights[g] f(points[g]).

    The weights sum to one, whatever the dimension: the measure (length, area) belongs to the element.

    Attributes
    ----------
    points : (g, d)
    weights : (g,)
    degree : int
        Polynomials up to this total degree are integrated exactly.
    """

    points: FloatArray
    weights: FloatArray
    degree: int


def _rule(points: list[list[float]], weights: list[float], degree: int) -> Rule:
    p, w = np.array(points), np.array(weights)
    p.setflags(write=False)
    w.setflags(write=False)
    return Rule(p, w, degree)


_G = 0.5 / np.sqrt(3.0)

#: Gauss rule with two points on the line, degree 3.
LINE_2 = _rule([[0.5 - _G], [0.5 + _G]], [0.5, 0.5], 3)
#: Centroid of the triangle, degree 1.
TRIANGLE_1 = _rule([[1 / 3, 1 / 3]], [1.0], 1)
#: Three interior points of the triangle, degree 2.
TRIANGLE_3 = _rule([[1 / 6, 1 / 6], [2 / 3, 1 / 6], [1 / 6, 2 / 3]], [1 / 3, 1 / 3, 1 / 3], 2)
