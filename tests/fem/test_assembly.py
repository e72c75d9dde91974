"""Global matrices: symmetry, pattern, rigid modes, mass, patch test, eigenfrequencies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import coo_matrix

from fem_contact.errors import ModelError
from fem_contact.fem.assembly import element_dofs, mass, rayleigh, stiffness
from fem_contact.fem.elements import element_of
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.recover import stress

STRESS = Elastic(E=5.75e3, nu=0.358, density=1.17e-3, thickness=15.0)
STRAIN = Elastic(E=5.75e3, nu=0.358, density=1.17e-3, thickness=15.0, assumption="plane-strain")
ROD = Rod(E=2.1e11, density=7800.0, area=3e-4)
both = pytest.mark.parametrize("material", [STRESS, STRAIN], ids=lambda m: m.assumption)


def rigid_modes(mesh):
    x, y = mesh.points.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    return [np.column_stack(c).ravel() for c in ((one, zero), (zero, one), (-y, x))]


def test_dofs_are_numbered_node_by_node(rectangle, line):
    mesh = rectangle(1, 1)
    np.testing.assert_array_equal(element_dofs(mesh)[0][0::2], 2 * mesh.cells[0])
    np.testing.assert_array_equal(element_dofs(mesh)[0][1::2], 2 * mesh.cells[0] + 1)
    np.testing.assert_array_equal(element_dofs(line(3)), line(3).cells)


@both
def test_matrices_are_symmetric_bit_by_bit_and_share_their_pattern(rectangle, material):
    mesh = rectangle(7, 5, 40.0, 25.0, skew=0.3)
    K, M = stiffness(mesh, material), mass(mesh, material)
    for A in (K, M):
        assert A.format == "csr"
        assert A.shape == (2 * len(mesh.points),) * 2
        assert A.has_sorted_indices
        assert A.has_canonical_format
        np.testing.assert_array_equal(A.toarray(), A.T.toarray())
    np.testing.assert_array_equal(K.indptr, M.indptr)
    np.testing.assert_array_equal(K.indices, M.indices)


@both
def test_assembly_is_the_sum_of_the_element_matrices(rectangle, material):
    mesh = rectangle(4, 3, skew=0.2)
    blocks, dofs = element_of(mesh).stiffness(mesh.points[mesh.cells], material), element_dofs(mesh)
    n = 2 * len(mesh.points)
    rows, cols = np.repeat(dofs, 6, axis=1).ravel(), np.tile(dofs, (1, 6)).ravel()
    reference = coo_matrix((blocks.ravel(), (rows, cols)), shape=(n, n)).toarray()
    np.testing.assert_allclose(stiffness(mesh, material).toarray(), reference, rtol=1e-13, atol=1e-9)


@both
def test_exactly_three_rigid_modes(rectangle, material):
    mesh = rectangle(5, 4, 2.0, 1.0, skew=0.3)
    K = stiffness(mesh, material)
    for mode in rigid_modes(mesh):
        assert abs(K @ mode).max() < 1e-13 * abs(K).max() * abs(mode).max() * 10
    eigenvalues = np.linalg.eigvalsh(K.toarray())
    assert np.all(abs(eigenvalues[:3]) < 1e-12 * eigenvalues[-1])
    assert eigenvalues[3] > 1e-4 * eigenvalues[-1]


@pytest.mark.parametrize("lumped", [False, True])
def test_total_mass_in_each_direction(rectangle, lumped):
    mesh = rectangle(5, 4, 40.0, 25.0, skew=0.3)
    M = mass(mesh, STRESS, lumped)
    total = 1.17e-3 * 40.0 * 25.0 * 15.0
    rx, ry, _ = rigid_modes(mesh)
    assert rx @ M @ rx == pytest.approx(total, rel=1e-13)
    assert ry @ M @ ry == pytest.approx(total, rel=1e-13)
    assert abs(rx @ M @ ry) < 1e-13 * total


def test_consistent_mass_has_the_exact_rotary_inertia(rectangle):
    # int rho (x^2 + y^2) t dA over 0 < x < a, 0 < y < b; the rotation is linear, so M integrates it exactly
    a, b = 4.0, 2.5
    mesh = rectangle(5, 4, a, b, skew=0.3)
    r = rigid_modes(mesh)[2]
    exact = 1.17e-3 * 15.0 * a * b * (a**2 + b**2) / 3
    assert r @ mass(mesh, STRESS) @ r == pytest.approx(exact, rel=1e-13)


def test_lumped_mass_is_diagonal_positive_and_the_row_sum(rectangle):
    mesh = rectangle(4, 4, skew=0.2)
    M, L = mass(mesh, STRAIN), mass(mesh, STRAIN, lumped=True)
    assert L.nnz == L.shape[0]
    assert L.diagonal().min() > 0
    np.testing.assert_allclose(L.diagonal(), np.asarray(M.sum(axis=1)).ravel(), rtol=1e-13)


def test_mass_is_positive_definite(rectangle):
    assert np.linalg.eigvalsh(mass(rectangle(4, 3, skew=0.3), STRESS).toarray())[0] > 0


def test_bar_matrices(line):
    mesh = line(6, 2.0)
    K, M, L = stiffness(mesh, ROD), mass(mesh, ROD), mass(mesh, ROD, lumped=True)
    k = ROD.E * ROD.area * 6 / 2.0
    np.testing.assert_allclose(K.toarray()[2, :5], [0, -k, 2 * k, -k, 0], rtol=1e-14)
    total = 7800.0 * 3e-4 * 2.0
    assert M.sum() == pytest.approx(total, rel=1e-14)
    assert L.sum() == pytest.approx(total, rel=1e-14)
    assert L.nnz == 7
    assert abs(K @ np.ones(7)).max() < 1e-15 * k


@both
@pytest.mark.parametrize("skew", [0.0, 0.35])
def test_patch_test(rectangle, material, skew):
    """A linear displacement on the boundary is found again inside, with a constant stress."""
    mesh = rectangle(8, 6, 4.0, 3.0, skew=skew, seed=3)
    x, y = mesh.points.T
    exact = np.column_stack([1e-3 * (1 + 2 * x - 3 * y), 1e-3 * (-2 + 5 * x + 4 * y)]).ravel()
    K = stiffness(mesh, material)
    edge = np.unique(np.concatenate([mesh.group(g).nodes for g in ("bottom", "right", "top", "left")]))
    held = np.concatenate([2 * edge, 2 * edge + 1])
    free = np.setdiff1d(np.arange(len(exact)), held)
    q = np.zeros_like(exact)
    q[held] = exact[held]
    q[free] = np.linalg.solve(K[free][:, free].toarray(), -K[free][:, held] @ exact[held])
    np.testing.assert_allclose(q, exact, rtol=0, atol=1e-12 * abs(exact).max())
    constant = material.D @ np.array([2e-3, 4e-3, 2e-3])
    got = stress(mesh, material, q)
    np.testing.assert_allclose(got, np.broadcast_to(constant, got.shape), atol=1e-12 * abs(constant).max())


def _order(sizes, errors):
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


@pytest.mark.parametrize("lumped", [False, True])
def test_first_frequency_of_a_fixed_free_bar_converges_at_second_order(line, lumped):
    length = 1.5
    exact = np.pi * ROD.wave_speed / (2 * length)
    counts, errors = np.array([4, 8, 16, 32]), []
    for n in counts:
        mesh = line(int(n), length)
        K, M = (A.toarray()[1:, 1:] for A in (stiffness(mesh, ROD), mass(mesh, ROD, lumped)))
        omega = np.sqrt(eigh(K, M, eigvals_only=True)[0])
        assert (omega < exact) == lumped  # a consistent mass gives an upper bound, this lumping a lower one
        errors.append(abs(omega - exact) / exact)
    assert _order(1.0 / counts, errors) == pytest.approx(2.0, abs=0.02)
    # known in closed form: the relative error of the first mode is (kh)^2/24, k = pi / (2 length)
    assert errors[-1] == pytest.approx((np.pi / 2 / 32) ** 2 / 24, rel=1e-2)


def test_first_axial_frequency_of_a_strip_converges_at_second_order(rectangle):
    """nu = 0 and u_y = 0 on both long sides: the first mode is that of a bar, sin(pi x / 2 L)."""
    material = Elastic(E=10.0, nu=0.0, density=2.5, thickness=0.3)
    exact = np.pi / 2 / 4.0 * np.sqrt(10.0 / 2.5)
    counts, errors = np.array([1, 2, 4]), []
    for n in counts:
        mesh = rectangle(4 * n, int(n), 4.0, 1.0)
        sides = np.union1d(mesh.group("bottom").nodes, mesh.group("top").nodes)
        held = np.union1d(2 * mesh.group("left").nodes, 2 * sides + 1)
        free = np.setdiff1d(np.arange(2 * len(mesh.points)), held)
        K, M = (A.toarray()[np.ix_(free, free)] for A in (stiffness(mesh, material), mass(mesh, material)))
        omega = np.sqrt(eigh(K, M, eigvals_only=True)[0])
        assert omega > exact
        errors.append((omega - exact) / exact)
    assert _order(1.0 / counts, errors) == pytest.approx(2.0, abs=0.1)
    assert errors[-1] < 1e-3


def test_rayleigh(rectangle):
    mesh = rectangle(3, 2)
    M, K = mass(mesh, STRESS), stiffness(mesh, STRESS)
    C = rayleigh(M, K, 0.7, 1e-4)
    np.testing.assert_allclose(C.toarray(), 0.7 * M.toarray() + 1e-4 * K.toarray(), rtol=1e-15)
    np.testing.assert_array_equal(C.toarray(), C.T.toarray())
    np.testing.assert_array_equal(C.indices, K.indices)
    L = mass(mesh, STRESS, lumped=True)
    np.testing.assert_allclose(
        rayleigh(L, K, 0.7, 1e-4).toarray(), 0.7 * L.toarray() + 1e-4 * K.toarray(), rtol=1e-15
    )
    assert rayleigh(M, K, 0.0, 0.0).count_nonzero() == 0


@pytest.mark.parametrize(("alpha", "beta"), [(-1.0, 0.0), (0.0, -1.0), (np.nan, 0.0), (0.0, np.inf)])
def test_rayleigh_refuses_negative_or_infinite_damping(line, alpha, beta):
    M, K = mass(line(2), ROD), stiffness(line(2), ROD)
    with pytest.raises(ModelError, match="finite and not negative"):
        rayleigh(M, K, alpha, beta)


def test_the_material_must_suit_the_element(rectangle, line):
    with pytest.raises(ModelError, match="made of Elastic"):
        stiffness(rectangle(1, 1), ROD)
    with pytest.raises(ModelError, match="made of Rod"):
        mass(line(1), STRESS)
