"""Every rigid model: its functions agree with each other, by differences, at states near its start."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid import MODELS

STEP = 1e-6


def states(system: LagrangianSystem, count: int = 8):
    rng = np.random.default_rng(3)
    q0, v0 = system.start
    for _ in range(count):
        yield q0 + 0.3 * rng.normal(size=system.n), v0 + rng.normal(size=system.n)


def derivative(function, q):
    """d function / dq by central differences, (m, n)."""
    columns = []
    for i in range(len(q)):
        e = np.zeros(len(q))
        e[i] = STEP
        columns.append((np.atleast_1d(function(q + e)) - np.atleast_1d(function(q - e))) / (2.0 * STEP))
    return np.array(columns).T


@pytest.fixture(params=list(MODELS), name="system")
def _system(request):
    return MODELS[request.param]().system()


def test_normal_rows_of_H_are_the_gradients_of_the_gaps(system):
    for q, _ in states(system):
        H = system.contact_jacobian(q)[:: system.dim]
        np.testing.assert_allclose(H, derivative(system.gaps, q), atol=1e-6 * np.abs(H).max())
        assert np.abs(H).max() > 1e-3


def test_G_is_the_gradient_of_the_joints(system):
    for q, _ in states(system):
        G = system.joint_matrix(q)
        np.testing.assert_allclose(G, derivative(system.joint_errors, q).reshape(G.shape), atol=1e-6)


def test_tangents_are_the_derivatives_of_the_force(system):
    if system.tangents is None:
        pytest.skip("by differences anyway")
    for q, v in states(system):
        K, C = np.zeros((system.n, system.n)), np.zeros((system.n, system.n))
        system.tangents(0.1, q, v, system.parameters, K, C)
        scale = 1e-5 * max(np.abs(A).max() for A in (K, C, system.forces(0.1, q, v)))
        np.testing.assert_allclose(K, -derivative(lambda x, v=v: system.forces(0.1, x, v), q), atol=scale)
        np.testing.assert_allclose(C, -derivative(lambda x, q=q: system.forces(0.1, q, x), v), atol=scale)


def test_the_mass_matrix_is_symmetric_and_positive(system):
    for q, _ in states(system):
        M = system.mass_matrix(q)
        np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-14 * np.abs(M).max())
        assert np.linalg.eigvalsh(M)[0] > 0.0


def test_the_free_motion_keeps_its_energy_but_for_loads_and_damping(system):
    """d/dt (1/2 v.Mv + V) = v . (F_loads + F_damping) along M v' = F: inertia and potential forces fit."""
    for q, v in states(system):
        M, F = system.mass_matrix(q), system.forces(0.1, q, v)
        powers = np.zeros(system.n)
        for part in (system.loads, system.damping):
            if part is not None:
                one = np.zeros(system.n)
                part(0.1, q, v, system.parameters, one)
                powers += one
        rate = v @ F + derivative(lambda x, v=v: system.energy(x, v)[0], q)[0] @ v
        if system.potential is not None:
            rate += derivative(lambda x: system.potential(x, system.parameters), q)[0] @ v
        scale = np.abs(v) @ np.abs(F) + np.abs(v) @ np.abs(M) @ np.abs(v)
        assert rate == pytest.approx(v @ powers, abs=1e-6 * scale)


def test_every_entry_is_written(system):
    """Whatever was in the arrays before: a caller may use them again."""
    (q, v), p, n = next(states(system)), system.parameters, system.n
    rows = system.dim * system.contacts
    calls = [
        (system.mass, (q, p), [(n, n)]),
        (system.force, (0.1, q, v, p), [(n,)]),
        (system.gap, (q, p), [(system.contacts,)]),
        (system.jacobian, (q, p), [(rows, n)]),
        (system.joint, (q, p), [(system.joints,)]),
        (system.joint_jacobian, (q, p), [(system.joints, n)]),
        (system.tangents, (0.1, q, v, p), [(n, n), (n, n)]),
        (system.loads, (0.1, q, v, p), [(n,)]),
        (system.damping, (0.1, q, v, p), [(n,)]),
    ]
    for function, arguments, shapes in calls:
        if function is not None:
            arrays = [np.full(shape, np.nan) for shape in shapes]
            function(*arguments, *arrays)
            assert all(np.all(np.isfinite(array)) for array in arrays), function


def test_the_start_is_admissible(system):
    q, v = system.start
    assert np.all(system.gaps(q) >= -1e-12)
    np.testing.assert_allclose(system.joint_errors(q), 0.0, atol=1e-12)
    np.testing.assert_allclose(system.joint_matrix(q) @ v, 0.0, atol=1e-9 * max(1.0, np.abs(v).max()))
