"""Element matrices against hand values; shape functions, quadrature, normals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fem_contact.errors import MeshError, ModelError
from fem_contact.fem.elements import ELEMENTS, Bar2, Tri3, check_material, element_of
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.quadrature import LINE_2, TRIANGLE_1, TRIANGLE_3
from fem_contact.mesh.mesh import Group, Mesh

UNIT = np.array([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])


def test_stiffness_of_the_right_unit_triangle_in_plane_stress_by_hand():
    # E = 15, nu = 1/4: E/(1 - nu^2) = 16, so D = [[16, 4, 0], [4, 16, 0], [0, 0, 6]]; area 1/2, thickness 2.
    # Then K = B^T D B with u = (-u1 + u2, ..): written out term by term.
    material = Elastic(E=15.0, nu=0.25, density=1.0, thickness=2.0)
    np.testing.assert_allclose(material.D, [[16, 4, 0], [4, 16, 0], [0, 0, 6]], rtol=1e-15)
    K = [
        [22, 10, -16, -6, -6, -4],
        [10, 22, -4, -6, -6, -16],
        [-16, -4, 16, 0, 0, 4],
        [-6, -6, 0, 6, 6, 0],
        [-6, -6, 0, 6, 6, 0],
        [-4, -16, 4, 0, 0, 16],
    ]
    np.testing.assert_allclose(Tri3().stiffness(UNIT, material)[0], K, rtol=0, atol=1e-14)


def test_stiffness_of_the_right_unit_triangle_in_plane_strain_by_hand():
    # E = 10, nu = 1/4: E/((1 + nu)(1 - 2 nu)) = 16, so D = [[12, 4, 0], [4, 12, 0], [0, 0, 4]]; area 1/2.
    material = Elastic(E=10.0, nu=0.25, density=1.0, thickness=2.0, assumption="plane-strain")
    np.testing.assert_allclose(material.D, [[12, 4, 0], [4, 12, 0], [0, 0, 4]], rtol=1e-15)
    K = Tri3().stiffness(UNIT, material)[0]
    np.testing.assert_allclose(K[0], [16, 8, -12, -4, -4, -4], atol=1e-14)
    np.testing.assert_allclose(K[3], [-4, -4, 0, 4, 4, 0], atol=1e-14)


def test_stiffness_does_not_depend_on_the_size_of_a_triangle_but_its_mass_does():
    material = Elastic(E=3.0, nu=0.3, density=2.0)
    tri = Tri3()
    np.testing.assert_allclose(tri.stiffness(7.0 * UNIT, material), tri.stiffness(UNIT, material), rtol=1e-14)
    np.testing.assert_allclose(tri.mass(7.0 * UNIT, material), 49.0 * tri.mass(UNIT, material), rtol=1e-14)


def test_consistent_mass_of_a_triangle_by_hand():
    # density 12, thickness 2, area 1/2: density * thickness * area / 12 = 1
    M = Tri3().mass(UNIT, Elastic(E=1.0, nu=0.0, density=12.0, thickness=2.0))[0]
    expected = np.kron([[2, 1, 1], [1, 2, 1], [1, 1, 2]], np.eye(2))
    np.testing.assert_array_equal(M, expected)


def test_mass_of_a_triangle_is_the_quadrature_of_its_shape_functions():
    X = np.array([[[0.3, -0.2], [2.1, 0.4], [0.9, 1.7]]])
    tri, material = Tri3(), Elastic(E=1.0, nu=0.2, density=3.0, thickness=0.7)
    N = np.kron(tri.shape(TRIANGLE_3.points), np.eye(2)).reshape(3, 2, 6)
    volume = 0.7 * tri.measure(X)[0]
    quadrature = 3.0 * volume * np.einsum("g,gai,gaj->ij", TRIANGLE_3.weights, N, N)
    np.testing.assert_allclose(tri.mass(X, material)[0], quadrature, rtol=1e-14, atol=1e-16)


def test_bar_matrices_by_hand():
    # RR-8029, eq. 71, with E S / l = 8 * 3 / 2 and density S l / 6 = 5 * 3 * 2 / 6
    X = np.array([[[1.0, 0.0], [3.0, 0.0]], [[3.0, 0.0], [1.0, 0.0]]])
    rod = Rod(E=8.0, density=5.0, area=3.0)
    np.testing.assert_array_equal(Bar2().stiffness(X, rod), [[[12, -12], [-12, 12]]] * 2)
    np.testing.assert_array_equal(Bar2().mass(X, rod), [[[10, 5], [5, 10]]] * 2)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_shape_functions_are_nodal_and_sum_to_one(element):
    corners = np.vstack([np.zeros(element.dim), np.eye(element.dim)])
    np.testing.assert_allclose(element.shape(corners), np.eye(element.nodes), atol=1e-15)
    xi = np.random.default_rng(1).random((20, element.dim))
    np.testing.assert_allclose(element.shape(xi).sum(axis=1), 1.0, rtol=1e-15)


def test_gradients_reproduce_linear_functions():
    X = np.random.default_rng(2).random((1, 3, 2)) + UNIT * 3.0
    dN = Tri3().gradients(X)
    np.testing.assert_allclose(np.einsum("eia,eib->eab", dN, X)[0], np.eye(2), atol=1e-14)
    np.testing.assert_allclose(dN.sum(axis=1), 0.0, atol=1e-15)


def test_strain_operator_gives_the_engineering_shear():
    # u = (2 x + 3 y, 5 x + 7 y): e_xx = 2, e_yy = 7, gamma_xy = 3 + 5
    X = np.array([[[0.3, -0.2], [2.1, 0.4], [0.9, 1.7]]])
    q = (X[0] @ np.array([[2.0, 5.0], [3.0, 7.0]])).ravel()
    np.testing.assert_allclose(Tri3().strain_operator(X)[0] @ q, [2.0, 7.0, 8.0], rtol=1e-14)


def test_line_rule_is_exact_to_degree_three_and_no_further():
    for degree in range(4):
        got = LINE_2.weights @ LINE_2.points[:, 0] ** degree
        assert got == pytest.approx(1 / (degree + 1), rel=1e-15)
    assert abs(LINE_2.weights @ LINE_2.points[:, 0] ** 4 - 0.2) > 1e-3
    assert LINE_2.degree == 3


@pytest.mark.parametrize("rule", [TRIANGLE_1, TRIANGLE_3])
def test_triangle_rules_are_exact_to_their_degree_and_no_further(rule):
    def error(a, b):  # 2 int x^a y^b = 2 a! b! / (a + b + 2)!
        exact = 2 * math.factorial(a) * math.factorial(b) / math.factorial(a + b + 2)
        return abs(rule.weights @ (rule.points[:, 0] ** a * rule.points[:, 1] ** b) - exact)

    assert max(error(a, k - a) for k in range(rule.degree + 1) for a in range(k + 1)) < 1e-15
    assert max(error(a, rule.degree + 1 - a) for a in range(rule.degree + 2)) > 1e-3


def test_normals_point_outwards_whichever_way_an_edge_is_written(rectangle):
    mesh = rectangle(3, 2, 2.0, 1.0, skew=0.2)
    expected = {"bottom": (0, -1), "right": (1, 0), "top": (0, 1), "left": (-1, 0)}
    for name, normal in expected.items():
        turned = mesh.with_group("turned", edges=mesh.group(name).edges[:, ::-1])
        for m, group in ((mesh, name), (turned, "turned")):
            got = Tri3().facet_normals(m, group)
            assert got.shape == (2 * len(mesh.group(name).edges), 2)
            np.testing.assert_allclose(got, np.broadcast_to(normal, got.shape), atol=1e-15)


def test_an_edge_inside_the_body_has_no_normal(rectangle):
    mesh = rectangle(1, 1)
    diagonal = sorted(set(mesh.cells[0]) & set(mesh.cells[1]))
    with pytest.raises(ModelError, match=r"group 'cut': edge \d-\d is inside the body"):
        Tri3().facet_normals(mesh.with_group("cut", edges=[diagonal]), "cut")
    others = sorted(set(range(4)) - set(diagonal))
    with pytest.raises(ModelError, match="not the side of a triangle"):
        Tri3().facet_normals(mesh.with_group("cut", edges=[others]), "cut")


def test_normals_of_bar_ends(line):
    mesh = line(4)
    np.testing.assert_array_equal(Bar2().facet_normals(mesh, "left"), [[-1.0, 0.0]])
    np.testing.assert_array_equal(Bar2().facet_normals(mesh, "right"), [[1.0, 0.0]])
    with pytest.raises(ModelError, match="node 1 is not the end of a bar"):
        Bar2().facet_normals(mesh, "body")


@pytest.mark.parametrize("cell", [[0, 2, 1], [0, 1, 3]])
def test_a_clockwise_or_flat_triangle_is_refused(cell):
    mesh = Mesh([[0, 0], [1, 0], [0, 1], [2, 0]], [[0, 1, 2], cell])
    with pytest.raises(MeshError, match="triangle 1 has the area"):
        Tri3().measure(mesh.points[mesh.cells])


def test_a_bar_off_the_x_axis_or_without_length_is_refused():
    with pytest.raises(MeshError, match="bar 0 does not lie along x"):
        Bar2().measure(np.array([[[0.0, 0.0], [1.0, 0.5]]]))
    with pytest.raises(MeshError, match="bar 1 has no length"):
        Bar2().measure(np.array([[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]]))


def test_unknown_elements_wrong_widths_and_wrong_materials_are_refused():
    points = [[0, 0], [1, 0], [0, 1]]
    with pytest.raises(ModelError, match="unknown element 'hex8'; known are: bar2, tri3"):
        element_of(Mesh(points, [[0, 1, 2]], "hex8"))
    with pytest.raises(ModelError, match="element 'bar2' has 2 nodes, the mesh gives 3"):
        element_of(Mesh(points, [[0, 1, 2]], "bar2", {"g": Group([0])}))
    with pytest.raises(ModelError, match="'tri3' is made of Elastic, got Rod"):
        check_material(Tri3(), Rod(1.0, 1.0, 1.0))
    with pytest.raises(ModelError, match="'bar2' is made of Rod, got Elastic"):
        check_material(Bar2(), Elastic(1.0, 0.0, 1.0))
