"""The pendulum in a ring: geometry, fall, drift while it slides, loss through the thickness (figure 20)."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.systems.rigid.ring_pendulum import RingPendulum
from fem_contact.timeloop import simulate

EXPLICIT = Activation(gamma=0.0, velocity_tol=np.inf)


def run(h, t_end, scheme=MoreauJean, frame="start", **changes):
    settings = scheme(theta=0.5, activation=EXPLICIT, frame=frame)
    return simulate(RingPendulum(**changes).system(), settings, dt=h, t_end=t_end, every=1)


def test_the_first_penetration_is_of_order_h():
    """Below the velocity of the fall times h, and what is still on its way in the step of the impact."""
    fall = np.sqrt(2.0 * 9.81 * 1e-2)
    depths = []
    for h in (5e-4, 2.5e-4, 1.25e-4, 6.25e-5):
        gap = run(h, 0.047).steps.contact.gap[:, 0]
        depths.append(-gap.min())
        assert 0.0 < depths[-1] <= 1.7 * fall * h
    assert depths[-1] < 0.35 * depths[0]


def test_sliding_sinks_into_the_ring_with_frames_at_the_start():
    """Drift in proportion to h and to the way slid, none with frames at the end of the step."""
    thick = {"thickness": 0.1}
    start = {h: run(h, 3.0, **thick).steps.contact.gap[:, 0] for h in (1e-3, 5e-4)}
    end = run(5e-4, 3.0, frame="end", **thick).steps.contact.gap[:, 0]
    sunk = {h: gap[round(0.2 / h)] - gap[-1] for h, gap in start.items()}
    assert sunk[5e-4] > 3e-3
    assert sunk[1e-3] / sunk[5e-4] == pytest.approx(2.0, rel=0.1)
    assert np.ptp(end[400:]) < 1e-5


def test_the_hook_is_lost_through_the_thickness():
    """Later with a smaller step, after some turns to and fro, and not with frames at the end of the step."""
    lost = []
    for h in (5e-4, 2.5e-4, 1e-4):
        result = run(h, 2.0)
        gap, p = result.steps.contact.gap[:, 0], result.steps.contact.p[:, 0]
        assert gap.min() == pytest.approx(-1e-3, rel=1e-2)  # half the thickness
        assert gap[-1] > 0.1
        lost.append(result.steps.t[np.flatnonzero(p[:, 0])[-1]])
    assert 0.05 < lost[0] < lost[1] < lost[2] < 2.0
    assert run(5e-4, 2.0, frame="end").steps.contact.p[-1, 0, 0] > 0.0


def test_stick_and_slip_take_turns_with_sliding_to_either_side():
    result = run(5e-4, 3.0, frame="end")
    p = result.steps.contact.p[:, 0]
    closed = p[:, 0] > 0.0
    ratio = p[closed, 1] / p[closed, 0]
    kind = np.where(np.abs(ratio) < 0.3 * (1.0 - 1e-9), 0, np.sign(ratio))
    phases = kind[np.r_[True, np.diff(kind) != 0]]
    assert closed[100:].all()
    assert np.count_nonzero(phases == 1) >= 2
    assert np.count_nonzero(phases == -1) >= 2
    assert np.count_nonzero(phases == 0) >= 4
    assert np.ptp(result.fields.q[:, 2]) > 0.5  # large oscillations


@pytest.mark.parametrize("scheme", [MoreauJean, MoreauJeanFremond])
@pytest.mark.parametrize("frame", ["start", "end"])
def test_the_identity_closes(scheme, frame):
    result = run(5e-4, 1.0, scheme, frame)
    energy = result.steps.energy.total
    assert np.abs(result.steps.residual).max() <= 1e-11 * np.abs(energy).max()
    if scheme is MoreauJeanFremond:
        assert result.steps.contact.work_tangential.max() <= 1e-15 * np.abs(energy).max()


@pytest.mark.parametrize("s", [0.9, 1.0005, 1.0015, 1.2])
def test_hook_and_ring_do_not_rub_when_they_turn_as_one(s):
    """About the ring's axis as one body: no velocity at the contact, on either side of the thickness."""
    model = RingPendulum()
    system = model.system()
    for phi in (-2.0, 0.3, 1.1):
        hook = s * np.array([np.cos(0.7), np.sin(0.7)])
        x = hook + model.l * np.array([np.sin(phi), -np.cos(phi)])
        q = np.r_[x, phi, 0.0]
        assert system.gaps(q)[0] == pytest.approx(abs(s - 1.001) - 0.001, abs=1e-14)
        H = system.contact_jacobian(q)
        np.testing.assert_allclose(H @ [-x[1], x[0], 1.0, 1.0], 0.0, atol=1e-14)
        assert abs((H @ [0.0, 0.0, 0.0, 1.0])[1]) == pytest.approx(s)


def test_at_the_centre_of_the_ring_there_is_a_direction():
    model = RingPendulum()
    H = model.system().contact_jacobian(np.array([0.0, -model.l, 0.0, 0.0]))
    assert np.all(np.isfinite(H))
    assert np.hypot(*H[0, :2]) == 1.0


@pytest.mark.parametrize("change", [{"gap": 1.0}, {"thickness": 0.0}, {"e": 1.5}])
def test_parameters_without_a_meaning_are_refused(change):
    with pytest.raises(ModelError, match="it must be"):
        RingPendulum(**change)
