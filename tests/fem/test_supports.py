"""Supports: which dofs, their values and rates in time, conflicts."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import MeshError, ModelError
from fem_contact.fem.supports import Support, prescribe


def test_constant_support(rectangle):
    mesh = rectangle(3, 2)
    motion = prescribe(mesh, [Support("top", y=-0.005)])
    np.testing.assert_array_equal(motion.dofs, 2 * mesh.group("top").nodes + 1)
    assert motion.constant
    np.testing.assert_array_equal(motion.values([0.0, 0.5]), np.full((2, 4), -0.005))
    np.testing.assert_array_equal(motion.rates([0.0, 0.5]), np.zeros((2, 4)))
    assert motion.values(0.0).shape == (1, 4)


def test_moving_supports_are_sorted_and_read_at_their_nodes(rectangle):
    mesh = rectangle(3, 2, 3.0, 2.0)
    motion = prescribe(mesh, [Support("right", x="x*sin(2*t)", y="t**2"), Support("left", y=0, x="0.5*y")])
    assert not motion.constant
    assert np.all(np.diff(motion.dofs) > 0)
    times = np.array([0.0, 0.3, 1.1])
    value, rate = motion.values(times), motion.rates(times)
    for column, dof in enumerate(motion.dofs):
        x, y = mesh.points[dof // 2]
        if x == 0.0:
            want, slope = (0.5 * y if dof % 2 == 0 else 0.0) + 0 * times, 0 * times
        elif dof % 2 == 0:
            want, slope = 3.0 * np.sin(2 * times), 6.0 * np.cos(2 * times)
        else:
            want, slope = times**2, 2 * times
        np.testing.assert_allclose(value[:, column], want, rtol=1e-15)
        np.testing.assert_allclose(rate[:, column], slope, rtol=1e-15)
    assert len(motion.dofs) == 2 * 3 + 2 * 3


def test_supports_constant_in_time_but_not_in_place_are_constant(rectangle):
    assert prescribe(rectangle(2, 2), [Support("left", x="sin(y)")]).constant


def test_supports_that_agree_may_share_a_node(rectangle):
    mesh = rectangle(2, 2)
    corner = mesh.cells[0, 0]
    shared = np.intersect1d(mesh.group("left").nodes, mesh.group("bottom").nodes)
    assert corner in shared
    motion = prescribe(mesh, [Support("left", x=0, y="y"), Support("bottom", x="0*x", y="0")])
    assert len(motion.dofs) == 2 * 5
    same = prescribe(mesh, [Support("left", x="sin(t)"), Support("bottom", x="sin(t)")])
    assert len(same.dofs) == 5


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), ("t", "2*t"), ("t", 0.0), ("x", "x + 1e-9")])
def test_supports_that_disagree_are_named(rectangle, a, b):
    with pytest.raises(
        ModelError, match=r"groups 'left' and 'bottom' give node 0 different displacements in y"
    ) as e:
        prescribe(rectangle(2, 2), [Support("left", y=a), Support("bottom", y=b)])
    assert "\n" not in str(e.value)


def test_no_support_at_all(rectangle):
    motion = prescribe(rectangle(1, 1), [])
    assert motion.constant
    assert motion.dofs.shape == (0,)
    assert motion.values([0.0, 1.0]).shape == (2, 0)


def test_bars(line):
    motion = prescribe(line(3), [Support("right", x="0.1*t")])
    np.testing.assert_array_equal(motion.dofs, [3])
    np.testing.assert_array_equal(motion.rates([0.0, 2.0]), [[0.1], [0.1]])
    with pytest.raises(ModelError, match="group 'left': element 'bar2' has no displacement in y"):
        prescribe(line(3), [Support("left", x=0, y=0)])


def test_refused_supports(rectangle):
    mesh = rectangle(1, 1).with_group("nothing")
    with pytest.raises(ModelError, match="support of group 'left': give x, y or both"):
        Support("left")
    with pytest.raises(ModelError, match="support of group 'nothing': the group has no nodes"):
        prescribe(mesh, [Support("nothing", x=0)])
    with pytest.raises(MeshError, match="no group 'lid'"):
        prescribe(mesh, [Support("lid", x=0)])
