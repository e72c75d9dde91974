"""Every load by its resultant, moment and kind of force; static solutions and reactions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

from fem_contact.errors import ExpressionError, MeshError, ModelError
from fem_contact.expressions import Expression
from fem_contact.fem.assembly import stiffness
from fem_contact.fem.loads import body_force, gravity, point_force, pressure, traction
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.recover import stress
from fem_contact.fem.supports import Support, prescribe
from fem_contact.mesh.mesh import Group, Mesh

T = 15.0
BLOCK = Elastic(E=5.75e3, nu=0.358, density=1.17e-3, thickness=T)
ROD = Rod(E=8.0, density=5.0, area=3.0)


@pytest.fixture(scope="module")
def block(rectangle):
    return rectangle(6, 5, 4.0, 2.5, skew=0.3)


def resultant(mesh, F):
    """(F_x, F_y, moment about the origin)."""
    f = F.reshape(-1, 2)
    x, y = mesh.points.T
    return np.array([*f.sum(axis=0), np.sum(x * f[:, 1] - y * f[:, 0])])


def close(got, expected, rel=1e-13):
    np.testing.assert_allclose(got, expected, rtol=0, atol=rel * max(1.0, np.max(np.abs(expected))))


def test_constant_traction(block):
    force = traction(block, BLOCK, "left", (2.0, -3.0))
    assert force.is_constant
    area = 2.5 * T
    # the left side is at x = 0 with its centre at y = 1.25
    close(resultant(block, force.at(0.3)), [2.0 * area, -3.0 * area, -2.0 * area * 1.25])
    loaded = np.unique(np.flatnonzero(force.constant) // 2)
    np.testing.assert_array_equal(loaded, block.group("left").nodes)


def test_traction_linear_in_x_has_the_exact_resultant_and_moment(block):
    # s_y = 1 + 2 x on the top (y = 2.5, 0 < x < 4): force 4 + 16 = 20, moment int x (1 + 2x) = 8 + 128/3
    force = traction(block, BLOCK, "top", (0.0, "1 + 2*x"))
    assert force.is_constant
    close(resultant(block, force.at(7.0)), [0.0, 20.0 * T, (8.0 + 128.0 / 3.0) * T])


def test_traction_in_time_alone_is_a_basis_vector_with_an_amplitude(block):
    force = traction(block, BLOCK, "left", ("2*sign(sin(4*pi*t))", 0.0))
    assert force.basis.shape == (1, 2 * len(block.points))
    assert force.amplitudes == (Expression("2*sign(sin(4*pi*t))"),)
    assert not force.fields
    assert not force.is_constant
    area = 2.5 * T
    for t, sign in ((0.1, 1.0), (0.25, 0.0), (0.3, -1.0), (0.5, 0.0)):
        close(resultant(block, force.at(t)), [sign * 2.0 * area, 0.0, -sign * 2.0 * area * 1.25])


def test_traction_in_time_and_place_is_a_field(block):
    force = traction(block, BLOCK, "right", ("t*y", "t**2"))
    assert len(force.fields) == 1
    assert len(force.amplitudes) == 1
    # int y dy = 3.125, its moment -int y^2 dy = -2.5^3/3; the y part acts at x = 4
    t = 0.7
    expected = [t * 3.125, t**2 * 2.5, -t * 2.5**3 / 3 + t**2 * 2.5 * 4.0]
    close(resultant(block, force.at(t)), np.array(expected) * T)


def test_traction_of_one_edge_is_shared_as_the_shape_functions_say():
    # s_x = x on one edge from x = 0 to x = 1: int (1 - x) x = 1/6, int x^2 = 1/3
    mesh = Mesh([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]], groups={"bottom": Group([0, 1], [[0, 1]])})
    force = traction(mesh, Elastic(1.0, 0.0, 1.0, 6.0), "bottom", ("x", 0.0))
    close(force.constant, [1.0, 0.0, 2.0, 0.0, 0.0, 0.0])


def test_pressure_pushes_into_the_body(block):
    for side, direction in {"bottom": (0, 1), "right": (-1, 0), "top": (0, -1), "left": (1, 0)}.items():
        length = 4.0 if side in ("bottom", "top") else 2.5
        force = pressure(block, BLOCK, side, 2.0)
        close(resultant(block, force.at(0.0))[:2], 2.0 * length * T * np.array(direction, float))


def test_hydrostatic_pressure_all_around_is_in_balance_and_linear_pressure_is_buoyancy(block):
    sides = ("bottom", "right", "top", "left")
    uniform = sum((pressure(block, BLOCK, s, 3.0) for s in sides[1:]), pressure(block, BLOCK, "bottom", 3.0))
    assert abs(uniform.constant).max() > 1.0
    close(resultant(block, uniform.at(0.0)), [0.0, 0.0, 0.0], rel=1e-12)
    # p = rho g (2.5 - y): Archimedes, the weight of the displaced volume 4 * 2.5 * T through the centre x = 2
    total = sum(
        (pressure(block, BLOCK, s, "3*(2.5 - y)") for s in sides[1:]), pressure(block, BLOCK, "bottom", "7.5")
    )
    close(resultant(block, total.at(0.0)), [0.0, 3.0 * 10.0 * T, 2.0 * 3.0 * 10.0 * T], rel=1e-12)


def test_pressure_in_time_and_place(block):
    assert pressure(block, BLOCK, "top", "t").amplitudes == (Expression("t"),)
    force = pressure(block, BLOCK, "top", "t*x")
    assert len(force.fields) == 1
    close(resultant(block, force.at(2.0)), [0.0, -2.0 * 8.0 * T, -2.0 * 64.0 / 3.0 * T])


def test_gravity(block):
    force = gravity(block, BLOCK, (0.5, -1e-3))
    weight = 1.17e-3 * 10.0 * T
    # through the centre of mass (2, 1.25)
    expected = weight * np.array([0.5, -1e-3, 2.0 * -1e-3 - 1.25 * 0.5])
    close(resultant(block, force.at(0.0)), expected, rel=1e-14)
    assert force.is_constant


def test_gravity_in_time(block):
    force = gravity(block, BLOCK, (0.0, "-sin(t)"))
    assert force.amplitudes == (Expression("-sin(t)"),)
    assert force.at(1.0)[1::2].sum() == pytest.approx(-np.sin(1.0) * 1.17e-3 * 10.0 * T, rel=1e-13)


def test_body_force_linear_in_x_on_a_part_of_the_body(block):
    whole = body_force(block, BLOCK, None, ("x", 0.0))
    # int x dA = 8 * 2.5; int y x dA = 8 * 3.125
    close(resultant(block, whole.at(0.0)), [20.0 * T, 0.0, -25.0 * T])
    mesh = block.with_group("one", elements=[7])
    area = 0.5 * abs(np.linalg.det(np.column_stack([mesh.points[mesh.cells[7]], np.ones(3)])))
    part = body_force(mesh, BLOCK, "one", (0.0, 2.0))
    assert part.constant.sum() == pytest.approx(2.0 * area * T, rel=1e-13)
    np.testing.assert_array_equal(np.flatnonzero(part.constant), np.sort(2 * mesh.cells[7] + 1))


def test_consistent_body_force_of_one_triangle_by_hand():
    # b_x = x on the unit triangle: int N_i x = 1/24, 1/12, 1/24
    mesh = Mesh([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]])
    force = body_force(mesh, Elastic(1.0, 0.0, 1.0, 24.0), None, ("x", 0.0))
    close(force.constant, [1.0, 0.0, 2.0, 0.0, 1.0, 0.0])


def test_point_force_on_every_node(block):
    nodes = block.group("right").nodes
    force = point_force(block, "right", (2.0, "3*t"))
    np.testing.assert_array_equal(force.at(2.0)[2 * nodes], 2.0)
    np.testing.assert_array_equal(force.at(2.0)[2 * nodes + 1], 6.0)
    assert resultant(block, force.at(2.0))[0] == 2.0 * len(nodes)
    field = point_force(block, "right", ("t*y", 0.0))
    close(field.at(2.0)[2 * nodes], 2.0 * block.points[nodes, 1])


def test_loads_of_bars(line):
    mesh = line(4, 2.0)
    end = traction(mesh, ROD, "right", 2.0)
    np.testing.assert_array_equal(end.constant, [0, 0, 0, 0, 6.0])
    np.testing.assert_array_equal(traction(mesh, ROD, "right", (2.0, 0.0)).constant, end.constant)
    np.testing.assert_array_equal(pressure(mesh, ROD, "right", 2.0).constant, [0, 0, 0, 0, -6.0])
    np.testing.assert_array_equal(pressure(mesh, ROD, "left", 2.0).constant, [6.0, 0, 0, 0, 0])
    np.testing.assert_array_equal(point_force(mesh, "left", [5.0]).constant, [5.0, 0, 0, 0, 0])
    assert traction(mesh, ROD, "right", "sin(t)").at(1.0)[-1] == pytest.approx(3.0 * np.sin(1.0))
    weight = 5.0 * 3.0 * 2.0
    close(gravity(mesh, ROD, (-9.81, 0)).constant, -9.81 * weight / 4 * np.array([0.5, 1, 1, 1, 0.5]))
    linear = body_force(mesh, ROD, None, "x")  # int x dx = 2, its moment int x^2 = 8/3, times the area 3
    assert linear.constant.sum() == pytest.approx(6.0)
    assert mesh.points[:, 0] @ linear.constant == pytest.approx(8.0)


def test_refused_loads(block, line):
    mesh = block.with_group("dots", nodes=[0, 1]).with_group("nothing")
    cases = [
        (lambda: traction(mesh, BLOCK, "dots", (1, 0)), "group 'dots' has no edges"),
        (lambda: pressure(mesh, BLOCK, "dots", 1.0), "group 'dots' has no edges"),
        (
            lambda: body_force(mesh, BLOCK, "left", (1, 0)),
            "body force on group 'left': the group has no elements",
        ),
        (lambda: gravity(mesh, BLOCK, (1, 0), "left"), "gravity on group 'left': the group has no elements"),
        (
            lambda: point_force(mesh, "nothing", (1, 0)),
            "point force on group 'nothing': the group has no nodes",
        ),
        (lambda: traction(mesh, BLOCK, "left", 1.0), r"two components \[x, y\], got 1"),
        (lambda: traction(mesh, BLOCK, "left", (1.0, 2.0, 0.0)), r"two components \[x, y\], got 3"),
        (lambda: gravity(line(2), ROD, (0.0, -9.81)), "its component along x"),
        (lambda: traction(mesh, ROD, "left", (1, 0)), "'tri3' is made of Elastic, got Rod"),
        (
            lambda: traction(line(2).with_group("nothing"), ROD, "nothing", 1.0),
            "group 'nothing' has no nodes",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ModelError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(MeshError, match="no group 'lid'; its groups are: body, bottom"):
        traction(mesh, BLOCK, "lid", (1, 0))
    with pytest.raises(ExpressionError, match="unknown name 'z'"):
        traction(mesh, BLOCK, "left", ("z", 0))
    with pytest.raises(ExpressionError, match="must be finite"):
        traction(mesh, BLOCK, "left", (np.nan, 0))


def solve(mesh, material, supports, force):
    """Static solution and the support reactions K q - F."""
    K, motion = stiffness(mesh, material), prescribe(mesh, supports)
    q = np.zeros(K.shape[0])
    q[motion.dofs] = motion.values(0.0)[0]
    free = np.setdiff1d(np.arange(len(q)), motion.dofs)
    F = force.at(0.0)
    rhs = F[free] - K[free][:, motion.dofs] @ q[motion.dofs]
    q[free] = spsolve(K[free][:, free].tocsc(), rhs)
    reactions = K @ q - F
    assert abs(reactions[free]).max() < 1e-9 * abs(reactions).max()
    return q, reactions


@pytest.mark.parametrize("assumption", ["plane-stress", "plane-strain"])
def test_uniaxial_traction_has_the_exact_solution(rectangle, assumption):
    mesh = rectangle(5, 4, 4.0, 2.5, skew=0.3)
    E, nu, s = 200.0, 0.3, 7.0
    material = Elastic(E, nu, 1.0, 0.5, assumption)
    mesh = mesh.with_group("corner", nodes=[0])
    q, reactions = solve(
        mesh,
        material,
        [Support("left", x=0), Support("corner", y=0)],
        traction(mesh, material, "right", (s, 0)),
    )
    if assumption == "plane-strain":  # E' = E/(1 - nu^2), nu' = nu/(1 - nu)
        E, nu = E / (1 - nu**2), nu / (1 - nu)
    x, y = mesh.points.T
    np.testing.assert_allclose(q[0::2], s / E * x, atol=1e-13)
    np.testing.assert_allclose(q[1::2], -nu * s / E * y, atol=1e-13)
    np.testing.assert_allclose(stress(mesh, material, q), [[s, 0, 0]] * len(mesh.cells), atol=1e-11)
    assert reactions[0::2].sum() == pytest.approx(-s * 2.5 * 0.5, rel=1e-12)


def test_reactions_balance_every_load(rectangle):
    mesh = rectangle(8, 4, 4.0, 1.0, skew=0.3)
    material = Elastic(100.0, 0.3, 2.0, 0.5)
    force = (
        traction(mesh, material, "right", ("y", -0.3))
        + gravity(mesh, material, (0.1, -0.2))
        + pressure(mesh, material, "top", "1 + x")
        + point_force(mesh, "right", (0.01, 0.02))
    )
    _, reactions = solve(mesh, material, [Support("left", x=0, y=0)], force)
    loads = resultant(mesh, force.at(0.0))
    assert np.all(abs(loads) > 0.1)
    close(resultant(mesh, reactions), -loads, rel=1e-11)


def test_cantilever_approaches_timoshenko(rectangle):
    # tip shear P on a slender beam, w = P L^3/(3 E I) + P L/(kappa G A): 1 % on this mesh, always from below
    length, height, P = 10.0, 1.0, 0.01
    mesh = rectangle(160, 16, length, height)
    material = Elastic(100.0, 0.25, 1.0)
    q, _ = solve(mesh, material, [Support("left", x=0, y=0)], traction(mesh, material, "right", (0, -P)))
    w = -q[2 * mesh.group("right").nodes + 1].mean()
    exact = P * length**3 / (3 * 100.0 / 12) + P * length / (5 / 6 * 40.0)
    assert 0.98 * exact < w < exact


def test_bar_under_its_own_weight_is_exact_at_the_nodes(line):
    # u(x) = rho g (L x - x^2/2) / E, and linear elements with a consistent load are exact at the nodes
    mesh = line(5, 2.0)
    q, reactions = solve(mesh, ROD, [Support("left", x=0)], gravity(mesh, ROD, 9.81))
    x = mesh.points[:, 0]
    np.testing.assert_allclose(q, 5.0 * 9.81 * (2.0 * x - x**2 / 2) / 8.0, rtol=1e-13)
    assert reactions[0] == pytest.approx(-9.81 * 30.0)
