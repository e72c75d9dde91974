"""The small kernels of a Newton step against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.schemes import _step_kernels as shared
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels

n, c, d, m = 5, 3, 2, 2


@pytest.fixture(name="rng")
def _rng():
    return np.random.default_rng(7)


def test_blend_place_and_dot(rng):
    a, b, v, w = rng.normal(size=(4, n))
    out = np.empty(n)
    kernels.blend(0.3, a, b, out)
    np.testing.assert_allclose(out, 0.7 * a + 0.3 * b, rtol=1e-14)
    kernels.place(0.1, 0.6, a, v, w, out)
    np.testing.assert_allclose(out, a + 0.1 * (0.4 * v + 0.6 * w), rtol=1e-14)
    assert kernels.dot(a, b) == pytest.approx(a @ b, rel=1e-13)


def test_defect_and_velocities(rng):
    M, (F, v, v0), H = rng.normal(size=(n, n)), rng.normal(size=(3, n)), rng.normal(size=(c * d, n))
    B = rng.normal(size=(n + m, 1 + c * d))
    defect, u, start, free = np.empty(n), *np.empty((3, c, d))
    kernels.momentum_defect(0.1, F, M, v, v0, defect)
    np.testing.assert_allclose(defect, 0.1 * F - M @ (v - v0), atol=1e-13)
    kernels.velocities(H, v, u)
    np.testing.assert_allclose(u.ravel(), H @ v, atol=1e-13)
    kernels.free_velocities(H, v0, B, u, start, free)
    np.testing.assert_allclose(start.ravel(), H @ v0, atol=1e-13)
    np.testing.assert_allclose(free.ravel(), H @ (v + B[:n, 0]), atol=1e-13)


def test_gather_and_spread(rng):
    active = np.array([True, False, True])
    rows = np.array([0, 1, 4, 5])
    u, u_free, p = rng.normal(size=(3, c, d))
    e, mu, W = rng.uniform(size=c), rng.uniform(size=c), rng.normal(size=(c * d, c * d))
    A, b, mu_active, r = np.empty((c * d) ** 2), np.empty(c * d), np.empty(c), np.empty(c * d)
    weight, slope, offset = 0.7, 0.6, -0.2
    count = shared.gather(active, u, u_free, e, mu, p, d, weight, slope, offset, b, mu_active, r)
    assert count == 2
    shared.gather_matrix(active, W, d, weight, count, A)
    np.testing.assert_allclose(A[:16].reshape(4, 4), weight * W[np.ix_(rows, rows)], rtol=1e-14)
    expected = weight * u_free + (1.0 - weight) * u
    expected[:, 0] += (slope * e + offset) * u[:, 0]
    np.testing.assert_allclose(b[:4], expected[active].ravel(), rtol=1e-13)
    assert np.array_equal(mu_active[:2], mu[active])
    assert np.array_equal(r[:4], p[active].ravel())
    shared.spread(active, np.arange(1.0, 7.0), d, p)
    assert np.array_equal(p, [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]])


def test_measures_of_an_iterate(rng):
    defect, v = rng.normal(size=(2, n))
    H, G, M = rng.normal(size=(c * d, n)), rng.normal(size=(m, n)), rng.normal(size=(n, n))
    p, impulses = rng.normal(size=(c, d)), rng.normal(size=m)
    parts = [H.T @ p.ravel(), G.T @ impulses, M @ v, defect]
    fault = np.abs(parts[0] + parts[1] + defect).max() / max(np.abs(part).max() for part in parts)
    assert kernels.imbalance(defect, H, p, G, impulses, M, v) == pytest.approx(fault, rel=1e-13)
    assert kernels.imbalance(np.full(n, np.nan), H, p, G, impulses, M, v) == np.inf
    assert kernels.imbalance(np.zeros(n), H, 0.0 * p, G, 0.0 * impulses, M, np.zeros(n)) == 0.0
    u, expected, free = rng.normal(size=(3, c, d))
    size = max(np.abs(H * v).max(), np.abs(free).max())
    change = np.abs(u - expected).max() / size
    assert kernels.drift(u, expected, free, H, v) == pytest.approx(change, rel=1e-13)
    assert kernels.drift(u, u, 0.0 * free, H, 0.0 * v) == 0.0
    speed = np.abs(G @ v).max() / (np.abs(G).max() * np.abs(v).max())
    assert kernels.joint_speed(G, v) == pytest.approx(speed, rel=1e-13)
    assert kernels.joint_speed(np.zeros((0, n)), v) == 0.0


def test_works(rng):
    u, p = rng.normal(size=(2, c, d))
    normal, tangential = np.empty((2, c))
    kernels.contact_works(u, p, normal, tangential)
    np.testing.assert_allclose(normal, u[:, 0] * p[:, 0], rtol=1e-14)
    np.testing.assert_allclose(tangential, u[:, 1] * p[:, 1], rtol=1e-14)
    M0, M, M1 = rng.normal(size=(3, n, n))
    v0, v1 = rng.normal(size=(2, n))
    dv = np.empty(n)
    value = kernels.numerical_work(0.7, M0, M, M1, v0, v1, dv)
    x = v1 - v0
    assert value == pytest.approx(-0.2 * x @ M @ x + 0.5 * v1 @ (M1 - M) @ v1 - 0.5 * v0 @ (M0 - M) @ v0)
    assert np.array_equal(dv, x)
