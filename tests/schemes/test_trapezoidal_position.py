"""The bad example: exact gaps, and contact velocities that jump from step to step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fem_contact.errors import FemContactWarning
from fem_contact.schemes import SCHEMES
from fem_contact.schemes.trapezoidal_position import TrapezoidalPosition
from fem_contact.solvers import NSGS
from fem_contact.timeloop import simulate

from .test_lagrangian import as_lagrangian, double_pendulum
from .test_projected import largest_energy

pytestmark = pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")


def test_it_warns_whenever_it_is_prepared(make_system):
    assert SCHEMES["trapezoidal-position"] is TrapezoidalPosition
    for system in (make_system(0), double_pendulum()):
        with pytest.warns(FemContactWarning, match=r"oscillate from step to step \(RR-8029 figure 11\)"):
            TrapezoidalPosition().prepare(system, 1e-3, NSGS())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), d=st.sampled_from((1, 2)), damped=st.booleans(), rigid=st.booleans())
def test_identity_and_gaps_on_random_systems(make_system, make_start, seed, d, damped, rigid):
    system = make_system(seed, d=d, damped=damped)
    start = make_start(system, seed)
    run = simulate(
        as_lagrangian(system) if rigid else system,
        TrapezoidalPosition(),
        dt=5e-3,
        t_end=0.1,
        initial=start,
        every=1,
    )
    assert np.abs(run.steps.residual).max() <= (1e-11 if rigid else 1e-13) * largest_energy(run)
    gap, p = run.steps.contact.gap, run.steps.contact.p[:, :, 0]
    assert gap.min() >= -1e-12
    assert np.abs(gap[p > 0.0]).max(initial=0.0) <= 1e-12
    assert np.abs(run.steps.work.numerical).max() <= 1e-11 * largest_energy(run)


@pytest.mark.parametrize("d", [1, 2])
def test_a_linear_system_steps_as_it_does_by_itself(make_system, make_start, d):
    linear = make_system(3, d=d)
    start, solver = make_start(linear, 3), NSGS(tol=1e-13)
    runs = [
        simulate(system, TrapezoidalPosition(), dt=2e-3, t_end=0.1, initial=start, every=1, solver=solver)
        for system in (linear, as_lagrangian(linear))
    ]
    assert runs[0].steps.contact.p.max() > 1e-3
    for name in ("fields/q", "fields/v", "steps/contact/p", "steps/contact/work_tangential"):
        scale = np.abs(runs[0][name]).max() + 1e-3
        # Nothing damps what the gaps' tolerances leave in the velocities, 2/h as large.
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-6 * scale, err_msg=name)


@pytest.mark.parametrize("joints", [False, True])
def test_identity_on_a_double_pendulum(joints):
    run = simulate(double_pendulum(joints), TrapezoidalPosition(), dt=1e-3, t_end=1.0)
    assert run.steps.contact.p[:, 0, 0].max() > 0.1
    assert run.steps.contact.gap.min() >= -1e-12
    assert np.abs(run.steps.residual).max() <= 1e-11 * np.ptp(run.steps.energy.total)
