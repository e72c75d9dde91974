"""The oscillator at a wall: its closed form against an integration with events, Moreau-Jean against it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.schemes import MoreauJean
from fem_contact.systems.rigid.base import HasExact
from fem_contact.systems.rigid.linear_oscillator import LinearOscillator
from fem_contact.timeloop import simulate

ONE, ZERO = np.ones(1), np.zeros(1)


def integrate(model: LinearOscillator, times: np.ndarray, q: float, v: float) -> tuple[np.ndarray, int]:
    """(q, v) at the times, restarting at every impact, and the number of impacts."""

    def rates(t, y):
        return [y[1], -(model.c * y[1] + model.k * y[0]) / model.m]

    def wall(t, y):
        return y[0]

    wall.terminal, wall.direction = True, -1.0
    start, y, rows, impacts = 0.0, np.array([q, v]), np.empty((len(times), 2)), 0
    while True:
        rest = (start, times[-1] + 1.0)
        done = solve_ivp(rates, rest, y, "DOP853", events=wall, rtol=1e-12, atol=1e-13, dense_output=True)
        end = done.t[-1]
        here = (times >= start) & (times <= end)
        rows[here] = done.sol(times[here]).T
        if end > times[-1]:
            return rows, impacts
        start, y, impacts = end, np.array([0.0, -model.e * done.y[1, -1]]), impacts + 1


@pytest.mark.parametrize("c", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("q0", "v0"), [(1.0, 0.0), (0.5, -3.0), (0.2, 4.0), (0.0, 1.0)])
def test_the_closed_form_is_the_motion_with_events(c, q0, v0):
    model = LinearOscillator(m=0.7, c=c, k=12.0, e=0.7)
    times = np.linspace(0.0, 4.0, 203)
    expected, impacts = integrate(model, times, q0, v0)
    assert impacts >= 5
    q, v = model.exact(times, np.array([q0]), np.array([v0]))
    np.testing.assert_allclose(q[:, 0], expected[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(v[:, 0], expected[:, 1], rtol=0, atol=1e-8)


def test_a_start_at_the_wall_that_closes_is_an_impact():
    model = LinearOscillator(e=0.5)
    assert isinstance(model, HasExact)
    q, v = model.exact(np.zeros(1), ZERO, -ONE)
    assert q[0, 0] == 0.0
    assert v[0, 0] == pytest.approx(0.5, rel=1e-14)
    for stopped in (LinearOscillator(e=0.0).exact(np.linspace(1.0, 3.0, 7), ONE, ZERO),
                    LinearOscillator().exact(np.linspace(0.0, 3.0, 7), ZERO, ZERO)):  # fmt: skip
        np.testing.assert_array_equal(stopped, 0.0)


@pytest.mark.parametrize(
    ("model", "q0", "message"),
    [
        (LinearOscillator(c=2.0, k=1.0), ONE, "c\\^2 < 4 k m"),
        (LinearOscillator(), -ONE, "above the floor"),
    ],
)
def test_what_the_closed_form_does_not_cover_is_refused(model, q0, message):
    with pytest.raises(ModelError, match=message):
        model.exact(np.zeros(1), q0, ZERO)


def test_moreau_jean_is_of_first_order_in_the_l1_norm():
    model = LinearOscillator()
    scheme = MoreauJean(activation=Activation(gamma=0.0, velocity_tol=np.inf))
    counts, errors = np.array([250, 390, 610, 950, 1480, 2310, 3590]), []
    for count in counts:
        h = 5.0 / count
        r = simulate(model.system(), scheme, dt=h, t_end=5.0, every=1)
        q, v = model.exact(r.fields.t, ONE, ZERO)
        errors.append([h * np.abs(r.fields.q - q).sum(), h * np.abs(r.fields.v - v).sum()])
    slopes = np.polyfit(np.log(5.0 / counts), np.log(errors), 1)[0]
    assert np.all((slopes > 0.85) & (slopes < 1.15)), slopes
