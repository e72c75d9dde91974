"""Slider and roller: the equilibrium that friction holds, and the torque beyond it."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.schemes.projected import CombinedProjected, DirectProjected
from fem_contact.systems.rigid.slider_roller import SliderRoller
from fem_contact.timeloop import simulate

HABIT = Activation(gamma=0.5, velocity_tol=np.inf)
H = 1e-3
#: mu m g R of the default numbers.
LIMIT = 0.4 * 1.0 * 9.81 * 0.1


def run(torque, scheme=MoreauJean, t_end=2.0):
    return simulate(
        SliderRoller(torque=torque).system(), scheme(activation=HABIT), dt=H, t_end=t_end, every=1
    )


def test_the_roller_is_driven_by_its_torque_until_the_slider_lands():
    """phi' = Gamma t/I, I = M R^2/2, and the slider falls by g t^2/2, exactly with theta = 1/2."""
    r = run(0.1, t_end=0.1)
    t = r.fields.t
    np.testing.assert_allclose(r.fields.v[:, 1], 0.1 * t / (0.5 * 0.1**2), rtol=1e-12)
    np.testing.assert_allclose(r.fields.q[:, 0], 0.1 - 0.5 * 9.81 * t**2, atol=1e-13)
    assert r.steps.work.external.sum() == pytest.approx(0.1 * r.fields.q[-1, 1], rel=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.8, -0.5])
def test_moreau_jean_keeps_the_equilibrium(share):
    """|Gamma| < mu m g R: the slider stops, the roller stops under it, and friction carries Gamma/R."""
    r = run(share * LIMIT)
    assert np.abs(r.fields.v[:, 1]).max() > 1.0
    rest = np.flatnonzero(np.abs(r.fields.v).max(axis=1) > 1e-12).max() + 1
    assert rest < 1900
    np.testing.assert_allclose(
        r.fields.q[rest:], r.fields.q[rest] * np.ones((len(r.fields.t) - rest, 1)), atol=1e-12
    )
    p = r.steps.contact.p[rest + 1 :, 0]
    np.testing.assert_allclose(p[:, 0], 9.81 * H, rtol=1e-9)  # v has at most 1e-12 left to lose, p is 1e-2
    np.testing.assert_allclose(p[:, 1], share * LIMIT / 0.1 * H, rtol=1e-9)


def test_fremond_keeps_the_angle_while_the_velocity_turns_every_step():
    """Stick is u_T,k+1 = -u_T,k in this law (HAL 04230941 section 2.4): a mean at rest, no work, no rest."""
    r = run(0.5 * LIMIT, MoreauJeanFremond)
    v, q = r.fields.v[1500:, 1], r.fields.q[1500:, 1]
    np.testing.assert_allclose(v[1:], -v[:-1], atol=1e-12)
    assert np.ptp(q) <= H * np.abs(v).max()
    assert np.abs(r.steps.contact.work_tangential[1500:]).max() < 1e-14


def test_a_torque_beyond_what_friction_holds_turns_the_roller_for_ever():
    """I phi'' = Gamma - mu m g R. Gamma is below the mu m g that the paper prints: the R is missing there."""
    torque = 1.5 * LIMIT
    assert torque < 0.4 * 1.0 * 9.81
    r = run(torque)
    settled = np.diff(r.fields.v[1500:, 1]) / H
    np.testing.assert_allclose(settled, (torque - LIMIT) / (0.5 * 0.1**2), rtol=1e-9)
    assert np.abs(r.fields.v[1500:, 0]).max() < 1e-12


@pytest.mark.parametrize(
    ("scheme", "kept"),
    [
        (DirectProjected(activation=HABIT), False),
        (DirectProjected(forecast="free-position"), True),
        (CombinedProjected(), True),
        (CombinedProjected(implementation="decoupled"), True),
    ],
)
def test_the_direct_scheme_loses_the_equilibrium_and_the_combined_one_keeps_it(scheme, kept):
    """RR-8029 section 4.5: each time contact is lost the torque turns the roller a little further."""
    r = simulate(SliderRoller(torque=0.5 * LIMIT).system(), scheme, dt=H, t_end=3.0, every=1)
    late = slice(1500, None)
    assert r.steps.contact.gap.min() > -1e-12
    if kept:
        assert np.abs(r.fields.v[late]).max() < 1e-12
    else:
        # Every second step is free: the roller gains Gamma h/I and turns by h times that until it is stopped,
        # half of it while free and half while friction stops it.
        assert np.count_nonzero(np.diff(r.steps.contact.p[late, 0, 0] > 0.0)) > 1400
        turned = r.fields.q[-1, 1] - r.fields.q[1500, 1]
        assert turned > 0.9 * 750 * H * 0.5 * LIMIT * H / (0.5 * 0.1**2)
