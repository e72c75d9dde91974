"""Strains and stresses of given displacements, nodal averages, von Mises."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import ModelError
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.recover import nodal, strain, stress, von_mises
from fem_contact.mesh.mesh import Mesh

STRESS = Elastic(10.0, 0.25, 1.0)
STRAIN = Elastic(10.0, 0.25, 1.0, assumption="plane-strain")


def test_strain_of_a_linear_displacement(rectangle):
    mesh = rectangle(4, 3, skew=0.3)
    x, y = mesh.points.T
    q = np.column_stack([2 * x + 3 * y, 5 * x + 7 * y]).ravel()
    got = strain(mesh, STRESS, q)
    assert got.shape == (len(mesh.cells), 3)
    np.testing.assert_allclose(got, np.broadcast_to([2.0, 7.0, 8.0], got.shape), rtol=1e-12)
    many = strain(mesh, STRESS, np.stack([q, -2 * q]))
    np.testing.assert_allclose(many, np.stack([got, -2 * got]), rtol=1e-14)


def test_rotation_has_no_strain(rectangle):
    mesh = rectangle(4, 3, skew=0.3)
    x, y = mesh.points.T
    assert abs(strain(mesh, STRESS, np.column_stack([-y, x]).ravel())).max() < 1e-13


def test_stress_of_a_linear_displacement(rectangle):
    mesh = rectangle(2, 2)
    x, y = mesh.points.T
    q = np.column_stack([0.3 * x, 0.6 * y + 0.9 * x]).ravel()
    # plane stress: 10/(1 - 1/16) = 32/3; plane strain: D = 16 [[3/4, 1/4], ..], shear modulus 4
    a = 32 / 3
    expected = [a * (0.3 + 0.25 * 0.6), a * (0.25 * 0.3 + 0.6), 4 * 0.9]
    np.testing.assert_allclose(stress(mesh, STRESS, q), [expected] * 8, rtol=1e-13)
    expected = [12 * 0.3 + 4 * 0.6, 4 * 0.3 + 12 * 0.6, 4 * 0.9]
    np.testing.assert_allclose(stress(mesh, STRAIN, q), [expected] * 8, rtol=1e-13)


def test_bars(line):
    mesh, rod = line(4, 2.0), Rod(E=8.0, density=1.0, area=3.0)
    q = mesh.points[:, 0] ** 2
    mid = mesh.points[mesh.cells, 0].mean(axis=1)
    np.testing.assert_allclose(strain(mesh, rod, q), np.outer(2 * mid, [1, 0, 0]), rtol=1e-14)
    s = stress(mesh, rod, q)
    np.testing.assert_allclose(s, np.outer(16 * mid, [1, 0, 0]), rtol=1e-14)
    np.testing.assert_allclose(von_mises(mesh, rod, s), 16 * mid, rtol=1e-14)
    # mean of the two bars next to a node is the derivative of x^2 there
    np.testing.assert_allclose(nodal(mesh, s)[1:-1, 0], 16 * mesh.points[1:-1, 0], rtol=1e-14)


def test_nodal_average_is_weighted_by_area():
    # node 0 sees areas 1/2 (value 4) and 2 (value 9)
    mesh = Mesh([[0, 0], [1, 0], [0, 1], [-4, 0], [9, 9]], [[0, 1, 2], [0, 2, 3]])
    got = nodal(mesh, [4.0, 9.0])
    np.testing.assert_allclose(got, [8.0, 4.0, 8.0, 9.0, np.nan], rtol=1e-15)
    assert nodal(mesh, np.ones((2, 3))).shape == (5, 3)
    np.testing.assert_allclose(nodal(mesh, [[4.0, 1.0], [9.0, 1.0]])[:4, 0], [8.0, 4.0, 8.0, 9.0], rtol=1e-15)
    np.testing.assert_allclose(nodal(mesh, [[4.0, 1.0], [9.0, 1.0]])[:4, 1], 1.0, rtol=1e-15)


def test_von_mises(rectangle):
    mesh = rectangle(1, 1)
    cases = np.array([[[5.0, 0, 0], [0, 0, 2.0]], [[3.0, 3.0, 0], [3.0, -1.0, 2.0]]])
    root = np.sqrt([[25.0, 3 * 4], [9.0, 9 + 1 + 3 + 12]])
    np.testing.assert_allclose(von_mises(mesh, STRESS, cases), root, rtol=1e-15)
    # plane strain: s_zz = nu (s_xx + s_yy) = 1.25, 0, 1.5, 0.5
    full = []
    for xx, yy, xy, zz in ((5, 0, 0, 1.25), (0, 0, 2, 0), (3, 3, 0, 1.5), (3, -1, 2, 0.5)):
        tensor = np.array([[xx, xy, 0], [xy, yy, 0], [0, 0, zz]], dtype=float)
        deviator = tensor - np.trace(tensor) / 3 * np.eye(3)
        full.append(np.sqrt(1.5 * np.sum(deviator**2)))
    np.testing.assert_allclose(von_mises(mesh, STRAIN, cases).ravel(), full, rtol=1e-14)


def test_the_material_must_suit_the_element(line):
    with pytest.raises(ModelError, match="made of Rod"):
        strain(line(2), STRESS, np.zeros(3))
