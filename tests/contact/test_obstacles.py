"""Obstacles: gaps and normals in plain configurations, n = grad g, rigid motions, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fem_contact.contact.obstacles import OBSTACLES, Circle, Plane, Polyline
from fem_contact.errors import ModelError

SQUARE = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 0.0))  # anticlockwise: free inside
BLOCK = SQUARE[::-1]  # clockwise: free outside
STEPS = ((0.0, 0.0), (4.0, 0.0), (5.0, 3.0), (8.0, 2.0), (9.0, 4.0))  # concave, convex, concave corner

coordinate = st.floats(-6.0, 12.0)
points_st = st.tuples(coordinate, coordinate)
obstacle_st = st.sampled_from(
    [
        Plane((0.3, -0.2), (1.0, 2.0)),
        Circle((1.0, 2.0), 1.5),
        Circle((1.0, 2.0), 4.0, inside=True),
        Polyline(SQUARE),
        Polyline(BLOCK),
        Polyline(STEPS),
    ]
)


def check(obstacle, point, gap, normal, tolerance=1e-15):
    points = np.array([point], dtype=float)
    np.testing.assert_allclose(obstacle.gap(points), [gap], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(obstacle.normals(points), [normal], rtol=tolerance, atol=tolerance)


def test_registry():
    expected = {"plane": Plane, "circle": Circle, "polyline": Polyline}
    assert dict(OBSTACLES) == expected


def test_plane():
    check(Plane(), (3.0, 0.25), 0.25, (0.0, 1.0))
    check(Plane((1.0, 0.0), (3.0, 4.0)), (1.0, 5.0), 4.0, (0.6, 0.8))
    check(Plane((1.0, 0.0), (-2.0, 0.0)), (1.5, 7.0), -0.5, (-1.0, 0.0))


def test_plane_normal_is_kept_as_a_unit_vector():
    assert Plane((0, 0), [3, 4]).normal == (0.6, 0.8)


def test_circle_from_outside_and_from_inside():
    check(Circle((1.0, 1.0), 2.0), (4.0, 5.0), 3.0, (0.6, 0.8))
    check(Circle((1.0, 1.0), 2.0), (1.0, 2.0), -1.0, (0.0, 1.0))
    check(Circle((1.0, 1.0), 2.0, inside=True), (1.0, 2.0), 1.0, (0.0, -1.0))
    check(Circle((1.0, 1.0), 2.0, inside=True), (4.0, 5.0), -3.0, (-0.6, -0.8))


@pytest.mark.parametrize(
    ("point", "gap", "normal"),
    [
        ((1.0, 0.5), 0.5, (0.0, 1.0)),  # above the first segment
        ((1.0, 0.0), 0.0, (0.0, 1.0)),  # on it
        ((1.0, -0.5), -0.5, (0.0, 1.0)),  # behind it
        ((2.0, 0.0), 0.0, (0.0, 1.0)),
        ((4.5, 1.5), 0.0, (-3.0 / 10**0.5, 1.0 / 10**0.5)),
        ((5.0, 5.0), 2.0, (0.0, 1.0)),  # over the convex corner: straight away from it
        ((5.0, 3.0), 0.0, None),
        ((-3.0, 4.0), 5.0, (-0.6, 0.8)),  # beyond the first end
        ((9.0, 6.0), 2.0, (0.0, 1.0)),  # beyond the last end
    ],
)
def test_polyline_floor(point, gap, normal):
    if normal is None:  # at a convex corner: the mean of the two sides
        normal = np.array([-3.0, 1.0]) / 10**0.5 + np.array([1.0, 3.0]) / 10**0.5
        normal /= np.hypot(*normal)
    check(Polyline(STEPS), point, gap, normal, 1e-14)


def test_polyline_behind_a_concave_corner():
    """Below the foot of the wall the corner is nearest, and n points from the node to it."""
    wall = Polyline(((0.0, 0.0), (4.0, 0.0), (4.0, 3.0)))
    check(wall, (4.3, -0.4), -0.5, (-0.6, 0.8), 1e-14)
    check(wall, (3.5, 1.0), 0.5, (-1.0, 0.0))
    check(wall, (3.0, 0.5), 0.5, (0.0, 1.0))


@pytest.mark.parametrize(
    ("point", "inside_gap", "inside_normal"),
    [
        ((1.0, 0.25), 0.25, (0.0, 1.0)),
        ((1.75, 1.0), 0.25, (-1.0, 0.0)),
        ((0.25, 1.0), 0.25, (1.0, 0.0)),
        ((1.0, 3.0), -1.0, (0.0, -1.0)),
        ((-3.0, -4.0), -5.0, (0.6, 0.8)),  # nearest to the vertex where the chain closes
        ((5.0, 6.0), -5.0, (-0.6, -0.8)),
    ],
)
def test_closed_polyline(point, inside_gap, inside_normal):
    """A room keeps the body in, a block keeps it out: the same chain the other way round."""
    check(Polyline(SQUARE), point, inside_gap, inside_normal, 1e-14)
    check(Polyline(BLOCK), point, -inside_gap, -np.array(inside_normal), 1e-14)


@settings(deadline=None)
@given(points_st)
def test_closed_polyline_signs(point):
    x, y = point
    gap = Polyline(SQUARE).gap(np.array([point]))[0]
    into = min(x, 2.0 - x, y, 2.0 - y)
    if into > 0.0:
        np.testing.assert_allclose(gap, into, rtol=1e-14, atol=1e-14)
    else:
        beyond = np.hypot(max(-x, x - 2.0, 0.0), max(-y, y - 2.0, 0.0))
        np.testing.assert_allclose(gap, -beyond, rtol=1e-14, atol=1e-14)


@settings(deadline=None)
@given(obstacle_st, points_st)
def test_normal_is_the_unit_gradient_of_the_gap(obstacle, point):
    points, step = np.array([point]), 1e-6
    offsets = step * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    # Away from kinks: the gap is the distance to a line or a corner all around the point.
    assume(not isinstance(obstacle, Circle) or np.hypot(*(points[0] - obstacle.center)) > 0.05)
    normals = obstacle.normals(points + 10.0 * offsets)
    assume(np.abs(normals - normals[0]).max() < 1e-3)
    assume(np.abs(obstacle.gap(points))[0] > 1e-4 or not isinstance(obstacle, Polyline))
    normal = obstacle.normals(points)[0]
    assert np.hypot(*normal) == pytest.approx(1.0, abs=1e-14)
    g = obstacle.gap(points + offsets)
    # The curvature is at most 1/R, and may jump where a side of a chain meets the fan of its corner.
    R = 0.05 if isinstance(obstacle, Circle) else abs(obstacle.gap(points)[0])
    tolerance = 1e-14 + (0.0 if isinstance(obstacle, Plane) else step**2 / R)
    np.testing.assert_allclose([g[0] - g[1], g[2] - g[3]], 2.0 * step * normal, rtol=1e-12, atol=tolerance)


@settings(deadline=None)
@given(
    st.sampled_from(["plane", "circle", "hole", "chain", "room"]),
    points_st,
    st.floats(0.0, 6.2),
    st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
)
def test_rigid_motion_of_obstacle_and_point(kind, point, angle, shift):
    Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def moved(x):
        return np.asarray(x) @ Q.T + shift

    n = np.array([0.6, 0.8])
    pairs = {
        "plane": lambda: (Plane((1.0, 2.0), n), Plane(moved((1.0, 2.0)), Q @ n)),
        "circle": lambda: (Circle((1.0, 2.0), 1.5), Circle(moved((1.0, 2.0)), 1.5)),
        "hole": lambda: (Circle((1.0, 2.0), 1.5, True), Circle(moved((1.0, 2.0)), 1.5, True)),
        "chain": lambda: (Polyline(STEPS), Polyline(moved(STEPS))),
        "room": lambda: (
            Polyline(SQUARE),
            Polyline((*(ring := [tuple(p) for p in moved(SQUARE[:-1])]), ring[0])),
        ),
    }
    before, after = pairs[kind]()
    points = np.array([point])
    assume(kind in ("plane",) or abs(before.gap(points)[0]) > 1e-6)
    assume(np.hypot(*(points[0] - (1.0, 2.0))) > 1e-3)
    around = before.normals(points + 1e-9 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    assume(np.abs(around - around[0]).max() < 1e-5)  # one nearest place
    gaps = before.gap(points + 1e-9 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]]))
    assume(np.all(np.sign(gaps) == np.sign(gaps[0])))  # nor on the line where an open chain ends
    np.testing.assert_allclose(after.gap(moved(points)), before.gap(points), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(after.normals(moved(points)), before.normals(points) @ Q.T, atol=1e-8)


@settings(deadline=None)
@given(st.floats(0.0, 1.0), st.integers(0, 3))
def test_points_on_a_chain_have_no_gap_and_its_own_normal(s, i):
    a, b = np.array(STEPS[i]), np.array(STEPS[i + 1])
    point = np.array([a + s * (b - a)])
    chain = Polyline(STEPS)
    assert abs(chain.gap(point)[0]) <= 4e-15
    left = np.array([-(b - a)[1], (b - a)[0]]) / np.hypot(*(b - a))
    if 1e-9 < s < 1.0 - 1e-9:
        np.testing.assert_allclose(chain.normals(point)[0], left, atol=1e-15)
    else:
        assert chain.normals(point)[0] @ left > 0.5


def test_many_points_at_once_and_none():
    rng = np.random.default_rng(3)
    points = rng.uniform(-5, 10, (50, 2))
    for obstacle in (Plane(), Circle((0.1, 0.2), 1.0), Polyline(STEPS)):
        one_by_one = np.concatenate([obstacle.gap(p[None]) for p in points])
        np.testing.assert_array_equal(obstacle.gap(points), one_by_one)
        assert obstacle.normals(points).shape == (50, 2)
        assert obstacle.gap(np.empty((0, 2))).shape == (0,)
        assert obstacle.normals(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plane((0, 0), (0, 0)), "plane normal must not be the zero vector"),
        (
            lambda: Plane((0, 0), (0, np.nan)),
            r"plane normal must be two finite numbers \[x, y\], got \(0, nan\)",
        ),
        (lambda: Plane((0, 0, 0)), r"plane point must be two finite numbers \[x, y\], got \(0, 0, 0\)"),
        (lambda: Plane("here"), r"plane point must be two finite numbers \[x, y\], got 'here'"),
        (lambda: Circle((0, 0), 0.0), "circle radius must be a positive number, got 0.0"),
        (lambda: Circle((0, 0), -1.0), "circle radius must be a positive number, got -1.0"),
        (lambda: Circle((0, 0), np.inf), "circle radius must be a positive number, got inf"),
        (lambda: Circle((0, np.inf), 1.0), "circle center must be two finite numbers"),
        (lambda: Polyline(((0, 0),)), "a polyline needs at least 2 points, got 1"),
        (lambda: Polyline(((0, 0), (1, 0), (1, 0))), r"polyline points 2 and 3 coincide at \[1.0, 0.0\]"),
        (lambda: Polyline(((0, 0), (1, "a"))), r"polyline point 2 must be two finite numbers"),
        (lambda: Polyline(3.0), r"polyline points must be a list of \[x, y\], got 3.0"),
        (lambda: Polyline(((0, 0), (1, 0), (0, 0))), r"the polyline turns back on itself at \[1.0, 0.0\]"),
        (lambda: Polyline(((0, 0), (2, 0), (1, 0))), r"the polyline turns back on itself at \[2.0, 0.0\]"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ModelError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_chain_may_go_straight_on():
    check(Polyline(((0, 0), (1, 0), (2, 0))), (1.0, 0.5), 0.5, (0.0, 1.0))


def test_centre_of_a_circle_has_no_normal():
    with pytest.raises(ModelError, match="a contact node lies at the centre of a circle obstacle"):
        Circle((1.0, 2.0), 3.0, inside=True).normals(np.array([[0.0, 0.0], [1.0, 2.0]]))
