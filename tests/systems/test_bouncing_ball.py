"""The bouncing ball: its closed form against a loop over the impacts, and Moreau-Jean against it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.schemes import MoreauJean
from fem_contact.systems.rigid.base import HasExact
from fem_contact.systems.rigid.bouncing_ball import BouncingBall
from fem_contact.timeloop import simulate

ONE, ZERO = np.ones(1), np.zeros(1)


def bounce(ball: BouncingBall, t: float, q: float, v: float) -> tuple[float, float]:
    """q and v at t, from one impact to the next."""
    for _ in range(400):
        roots = np.roots([0.5 * ball.f, v, q])
        landing = max(roots.real)
        if landing > t:
            return q + v * t + 0.5 * ball.f * t * t, v + ball.f * t
        t -= landing
        q, v = 0.0, -ball.e * (v + ball.f * landing)
    return 0.0, 0.0


def test_the_impacts_of_the_paper_accumulate_at_three():
    """RR-8029 example 1: f = -2, e = 1/2, q0 = 1; impacts at 1, 2, 5/2 ..., leaving at 1, 1/2, 1/4 ..."""
    ball = BouncingBall()
    assert isinstance(ball, HasExact)
    assert ball.rest_time(1.0, 0.0) == 3.0
    impacts = 3.0 - 2.0 ** (1 - np.arange(30))
    q, v = ball.exact(impacts + 1e-13, ONE, ZERO)
    np.testing.assert_allclose(v[:, 0], 2.0 ** -np.arange(30), rtol=0, atol=1e-12)
    np.testing.assert_allclose(q, 0.0, atol=1e-12)
    tops = 3.0 - 0.75 * 2.0 ** (1 - np.arange(30))  # half way to the next impact, height v^2/4
    q, v = ball.exact(tops, ONE, ZERO)
    np.testing.assert_allclose(q[:, 0], 0.25 * 4.0 ** -np.arange(30), rtol=0, atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-12)
    q, v = ball.exact(np.array([3.0, 4.0]), ONE, ZERO)
    assert not q.any()
    assert not v.any()


@given(
    f=st.floats(-10.0, -0.5),
    e=st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]),
    q0=st.floats(0.0, 2.0),
    v0=st.floats(-3.0, 3.0),
    share=st.floats(0.0, 1.0),
)
def test_the_closed_form_is_the_motion_from_impact_to_impact(f, e, q0, v0, share):
    ball = BouncingBall(f=f, e=e)
    flight = 2.0 * np.sqrt(v0 * v0 - 2.0 * f * q0) / -f
    t = share * min(0.98 * ball.rest_time(q0, v0), 100.0 * flight)  # before rest: the loop counts impacts
    q, v = ball.exact(np.array([t]), np.array([q0]), np.array([v0]))
    expected = bounce(ball, t, q0, v0)
    assert q[0, 0] == pytest.approx(expected[0], abs=1e-9)
    if min(q[0, 0], expected[0]) > 1e-6:  # at an impact the velocity jumps
        assert v[0, 0] == pytest.approx(expected[1], abs=1e-5)


def test_a_ball_on_the_floor_stays_there():
    for e in (0.0, 0.5, 1.0):
        q, v = BouncingBall(e=e).exact(np.linspace(0.0, 2.0, 5), ZERO, ZERO)
        assert not q.any()
        assert not v.any()


@pytest.mark.parametrize(
    ("ball", "q0", "v0", "message"),
    [
        (BouncingBall(f=0.0), ONE, ZERO, "f < 0"),
        (BouncingBall(), -ONE, ZERO, "above the floor"),
        (BouncingBall(), np.ones(2), ZERO, "one finite number each"),
        (BouncingBall(), ONE, np.array([np.nan]), "one finite number each"),
    ],
)
def test_what_the_closed_form_does_not_cover_is_refused(ball, q0, v0, message):
    with pytest.raises(ModelError, match=message):
        ball.exact(np.zeros(1), q0, v0)


def run(h: float, gamma: float):
    scheme = MoreauJean(activation=Activation(gamma=gamma, velocity_tol=np.inf))
    return simulate(BouncingBall().system(), scheme, dt=h, t_end=5.0, every=1)


@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_moreau_jean_is_of_first_order_in_the_l1_norm(gamma):
    """Slope of log(error) over log(h) at seven step sizes, position and velocity (RR-8029 figure 2)."""
    counts = np.array([250, 390, 610, 950, 1480, 2310, 3590])
    errors = []
    for count in counts:
        r = run(5.0 / count, gamma)
        q, v = BouncingBall().exact(r.fields.t, ONE, ZERO)
        errors.append([5.0 / count * np.abs(a - b).sum() for a, b in ((r.fields.q, q), (r.fields.v, v))])
    slopes = np.polyfit(np.log(5.0 / counts), np.log(errors), 1)[0]
    assert np.all((slopes > 0.85) & (slopes < 1.15)), slopes


@pytest.mark.parametrize(("gamma", "earliest", "latest"), [(0.0, -3.5, -0.5), (0.5, -2.0, 1.0)])
def test_moreau_jean_comes_to_rest_at_the_accumulation_but_for_steps_an_impact(gamma, earliest, latest):
    """Each impact shifts the accumulation, 3 s, by a known share of a step.

    The contact of an impact at t_i is active from t_i + d, d in [0, h] for gamma = 0, [-h/2, h/2] for 1/2.
    The step ends, at speed |u|/2, (3 d/2 + 3 h/4)|u| below the exact ball and 3 d + 2 h faster; put into the
    time to rest, (v + s)/2 + s with s^2 = v^2 + 4 q, this is a shift by -3 d - h/2 where the flight is long
    against h. Before the ball is slower than a step makes it, f h = 2 h, there are log2(1/h) impacts.
    """
    for count in (500, 700, 1000, 1300, 2777):
        h = 5.0 / count
        r = run(h, gamma)
        moving = np.flatnonzero(np.abs(r.fields.v[:, 0]) > 2.0 * h * (1.0 + 1e-9)).max()
        impacts = np.ceil(np.log2(1.0 / h))
        assert moving + 2 < len(r.fields.t)
        assert impacts * earliest - 1.0 <= (r.fields.t[moving + 1] - 3.0) / h <= impacts * latest + 1.0
