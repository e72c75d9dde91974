"""The bundled cases: they build, are what the papers describe, and the bars give the exact solution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fem_contact.fem.materials import Elastic
from fem_contact.io.build import build
from fem_contact.io.case import bundled_cases, load_case
from fem_contact.record import Run
from fem_contact.schemes import MoreauJeanFremond
from fem_contact.timeloop import simulate

E, RHO, S, V0, L = 210e9, 7800.0, math.pi * 1e-4, 0.1, 1.0
C0 = math.sqrt(E / RHO)


@pytest.mark.parametrize("name", sorted(bundled_cases()))
def test_every_case_builds_and_takes_a_step(name: str) -> None:
    model = build(load_case(name))
    assert model.title
    assert model.system.contacts > 0
    run = simulate(
        model.system, model.scheme, dt=model.dt, t_end=model.dt, initial=model.initial, solver=model.solver
    )
    assert abs(run.steps.residual).max() <= 1e-10 * abs(run.steps.energy.total).max()


def test_the_block_is_that_of_the_paper() -> None:
    model = build(load_case("pmma_sliding_block"))
    assert model.material == Elastic(5.75e3, 0.358, 1.17e-3, 15.0, "plane-stress")
    np.testing.assert_allclose(np.ptp(model.mesh.points, axis=0), [40.0, 25.0], rtol=1e-14)
    assert isinstance(model.scheme, MoreauJeanFremond)
    assert (model.scheme.theta, model.dt, model.steps, model.solver.tol) == (0.5, 1e-4, 10_000, 1e-10)
    assert model.system.contacts == 41
    assert (set(model.system.mu), set(model.system.e), set(model.system.g0)) == ({0.5}, {0.0}, {0.0})
    push = model.system.force.at(0.3) - model.system.force.at(0.0)  # sin(1.2 pi) < 0
    np.testing.assert_allclose(push.reshape(-1, 2).sum(axis=0), [-2.0 * 25 * 15, 0.0], rtol=1e-12, atol=1e-9)


def contact(run: Run) -> tuple[float, float, float]:
    """Time of contact, mean contact force, deepest penetration."""
    t, p = run.steps.t, run.steps.contact.p[:, :, 0].sum(axis=1)
    on = np.flatnonzero(p > 0.0)
    duration = t[on[-1]] - t[on[0] - 1]
    return duration, p.sum() / duration, -run.steps.contact.gap.min()


@pytest.mark.parametrize("name", ["impacting_bar", "impacting_bar_2d"])
def test_a_bar_touches_for_two_wave_crossings_with_constant_force(name: str) -> None:
    model = build(load_case(name))
    assert model.system.wave_speed == pytest.approx(C0, rel=1e-12)
    assert model.system.M.sum() / model.system.dofs_per_node == pytest.approx(RHO * S * L, rel=1e-12)
    run = simulate(
        model.system, model.scheme, dt=model.dt, t_end=model.t_end, initial=model.initial, solver=model.solver
    )
    duration, force, depth = contact(run)
    assert abs(duration - 2.0 * L / C0) < 2.0 * model.dt
    assert force == pytest.approx(E * S * V0 / C0, rel=5e-3)
    assert pytest.approx(1271.472, abs=5e-4) == E * S * V0 / C0
    assert depth < V0 * model.dt
    momentum = (model.system.M @ run.fields.v[-1]).sum()
    assert momentum == pytest.approx(RHO * S * L * V0, rel=5e-3)  # +0.1 m/s
    assert run.steps.contact.gap[-1].min() > 1e-6


def test_the_bar_at_the_step_of_the_report() -> None:
    """Touching at t = 0 the end goes on by v0 h/2 before the impact law acts: 2.5e-8 m at h = 5e-7 s."""
    model = build(load_case("impacting_bar", ["scheme.dt=5e-7", "contact.0.obstacle.point=[0.0, 0.0]"]))
    run = simulate(model.system, model.scheme, dt=model.dt, t_end=model.t_end, initial=model.initial)
    assert contact(run)[2] == pytest.approx(2.5e-8, rel=1e-6)
