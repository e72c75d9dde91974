"""The rocking block: its first impact in closed form, rest on both corners, and what friction changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from fem_contact.contact.activation import Activation
from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.systems.rigid.rocking_block import RockingBlock
from fem_contact.timeloop import simulate

HABIT = Activation(gamma=0.5, velocity_tol=np.inf)


def test_the_corners_are_where_the_block_says():
    """A is the right and B the left lower corner of a rectangle 1 m wide and 1.5 m high, turned by theta."""
    system, rng = RockingBlock().system(), np.random.default_rng(0)
    for _ in range(4):
        q, v, step = rng.normal(size=3), rng.normal(size=3), 1e-6

        def corners(q):
            turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
            return q[:2] + np.array([[0.5, -0.75], [-0.5, -0.75]]) @ turn.T

        np.testing.assert_allclose(system.gaps(q), corners(q)[:, 1], atol=1e-14)
        u = ((corners(q + step * v) - corners(q - step * v)) / (2.0 * step))[:, ::-1].ravel()
        np.testing.assert_allclose(system.contact_jacobian(q) @ v, u, atol=1e-8)
    assert system.mass_matrix(q)[2, 2] == pytest.approx((1.5**2 + 1.0) / 12.0, rel=1e-14)


def test_the_first_impact_is_that_of_the_closed_form():
    """B strikes first, after a fall on a parabola; p = -(1 + e) u_N/(1/m + J^2/I), J = l/2 sin - L/2 cos."""
    g, e = 9.81, 0.5

    def gap(t):
        theta = 0.2 + 0.2 * t
        return 1.0 - 0.5 * g * t * t - 0.75 * np.cos(theta) - 0.5 * np.sin(theta)

    t = brentq(gap, 0.0, 0.5)
    theta = 0.2 + 0.2 * t
    arm = 0.75 * np.sin(theta) - 0.5 * np.cos(theta)
    p = (1.0 + e) * (g * t - 0.2 * arm) / (1.0 + arm**2 * 12.0 / (1.5**2 + 1.0))
    h = 1e-4
    run = simulate(RockingBlock().system(), MoreauJean(activation=HABIT), dt=h, t_end=0.25)
    struck = np.flatnonzero(run.steps.contact.p[:, :, 0].any(axis=1))[0]
    assert run.steps.t[struck] == pytest.approx(t, abs=1.5 * h)
    assert run.steps.contact.p[struck, 0, 0] == 0.0
    assert run.steps.contact.p[struck, 1, 0] == pytest.approx(p, rel=2e-3)


@pytest.mark.parametrize("scheme", [MoreauJean, MoreauJeanFremond])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_the_block_comes_to_rest_on_both_corners(scheme, mu):
    h = 1e-2
    run = simulate(RockingBlock(mu=mu).system(), scheme(activation=HABIT), dt=h, t_end=4.0, every=1)
    assert np.abs(run.steps.residual).max() <= 1e-11 * run.steps.energy.total.max()
    assert np.all(run.steps.contact.p[10:, :, 0].any(axis=0))
    (x, y, theta), p = run.fields.q[-1], run.steps.contact.p[-1]
    assert abs(theta) < 0.01
    assert y == pytest.approx(0.75, abs=5e-3)
    assert p[:, 0].sum() == pytest.approx(9.81 * h, rel=1e-9)
    if mu == 0.0:
        assert x == 0.0
        assert np.abs(run.fields.v[-1]).max() < 1e-13
    else:
        assert np.abs(run.steps.contact.work_tangential).max() > 1e-3
