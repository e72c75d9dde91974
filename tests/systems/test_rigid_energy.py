"""Every rigid model with both theta schemes: identity, joints in velocity, Frémond's dissipation."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.solvers import NSGS
from fem_contact.systems.rigid import MODELS
from fem_contact.timeloop import simulate


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("scheme", [MoreauJean, MoreauJeanFremond])
@pytest.mark.parametrize("activation", [Activation(), Activation(gamma=0.0, velocity_tol=np.inf)])
def test_identity_joints_and_dissipation(kind, scheme, activation):
    system = MODELS[kind]().system()
    # Steps in which the fastest point goes a third of the smallest gap.
    h = min(1e-3, system.length / system.wave_speed / 3.0)
    run = simulate(
        system,
        scheme(theta=0.5, activation=activation),
        dt=h,
        t_end=600 * h,
        every=1,
        solver=NSGS(tol=1e-12),
    )
    scale = np.abs(run.steps.energy.kinetic).max() + np.abs(run.steps.energy.elastic).max()
    assert np.ptp(run.steps.energy.kinetic) > 1e-9 * scale
    assert np.abs(run.steps.residual).max() <= 1e-11 * np.abs(run.steps.energy.total).max()
    if scheme is MoreauJeanFremond:
        assert run.steps.contact.work_tangential.max() <= 1e-14 * scale
    for q, v in zip(run.fields.q[1::50], run.fields.v[1::50], strict=True):
        G = system.joint_matrix(q)
        assert np.abs(G @ v).max(initial=0.0) <= 1e-11 * np.abs(G).max(initial=0.0) * np.abs(v).max()
