"""Projected and position-level schemes on the elastic bar (RR-8029 section 6.2) and on the PMMA block."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.io.build import build
from fem_contact.io.case import load_case
from fem_contact.schemes import MoreauJean
from fem_contact.schemes.projected import CombinedProjected, DirectProjected
from fem_contact.schemes.schatzman_paoli import SchatzmanPaoli
from fem_contact.schemes.trapezoidal_position import TrapezoidalPosition
from fem_contact.timeloop import simulate

from .test_projected import largest_energy

pytestmark = pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")

V0, FORCE, CONTACT_TIME = 0.1, 1271.472, 3.8545e-4
PROJECTED = {
    "direct, explicit": DirectProjected(activation=Activation(gamma=0.0, velocity_tol=np.inf)),
    "direct, free position": DirectProjected(forecast="free-position"),
    "direct, mass": DirectProjected(metric="mass"),
    "direct, decoupled": DirectProjected(implementation="decoupled"),
    "combined": CombinedProjected(),
    "combined, mass": CombinedProjected(metric="mass"),
    "combined, decoupled": CombinedProjected(implementation="decoupled"),
}


@cache
def bar(touching: bool = False):
    """The bar of 1000 elements, 1e-5 m from the wall (reached at t = 1e-4 s) or at it."""
    return build(load_case("impacting_bar", ("contact.0.obstacle.point=[0.0, 0.0]",) if touching else ()))


def run_bar(scheme, h: float, t_end: float, touching: bool = False):
    model = bar(touching)
    return simulate(model.system, scheme, dt=h, t_end=round(t_end / h) * h, initial=model.initial)


def in_contact(run, h: float, first: int = 20) -> slice:
    """Steps of the contact phase, some after its start."""
    pressed = np.flatnonzero(run.steps.contact.p[:, 0, 0] > 0.0)
    return slice(int(pressed[0]) + first, int(pressed[0]) + int(0.4 * CONTACT_TIME / h))


@pytest.mark.parametrize("scheme", PROJECTED.values(), ids=PROJECTED)
def test_a_projected_bar_does_not_enter_the_wall(scheme):
    """Zero to round-off, and the identity closes; the force is that of the wave."""
    h = 1.36e-7
    run = run_bar(scheme, h, 2.6e-4)
    assert run.steps.projection.tau.max() > 0.0
    assert run.steps.violation.max() <= 1e-15
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest_energy(run)
    phase = in_contact(run, h)
    force = run.steps.contact.p[phase, 0, 0] / h
    assert abs(force.mean() / FORCE - 1.0) <= 0.01
    assert force.std() <= 0.02 * FORCE
    if scheme.name == "combined-projected":  # the tip stays at the wall, at rest
        assert np.abs(run.steps.contact.u[phase]).max() <= 1e-12
        assert np.abs(run.steps.contact.gap[phase]).max() <= 1e-15


def test_the_violation_of_moreau_jean_is_below_one_step_and_linear_in_it():
    """The report's 2.5e-8 m at h = 5e-7 s is v0 h/2: the tip's velocity stops half way through a step."""
    steps = (5e-7, 2.5e-7, 1.25e-7)
    worst = [run_bar(MoreauJean(), h, 2e-5, touching=True).steps.contact.gap.min() for h in steps]
    np.testing.assert_allclose(worst, -0.5 * V0 * np.array(steps), rtol=1e-6)


def test_a_law_in_positions_makes_the_tip_jump_between_two_velocities():
    """RR-8029 figure 11: u_{k+1} = -u_k while the gap is kept at zero, the force about its value."""
    h = 2e-6
    run = run_bar(TrapezoidalPosition(), h, 2.6e-4)
    phase = in_contact(run, h, first=3)
    u, force = run.steps.contact.u[phase, 0, 0], run.steps.contact.p[phase, 0, 0] / h
    assert np.abs(run.steps.contact.gap[phase]).max() <= 1e-16
    np.testing.assert_allclose(u[1:], -u[:-1], atol=1e-9)
    assert np.abs(u).min() >= 0.1 * V0
    assert abs(force.mean() / FORCE - 1.0) <= 0.03
    assert force.std() > 0.05 * FORCE
    assert np.all(np.diff(force)[:-1] * np.diff(force)[1:] < 0.0)  # up and down, every step
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest_energy(run)


def test_schatzman_paoli_without_restitution_does_not_enter_the_wall():
    h = 1.36e-7
    run = run_bar(SchatzmanPaoli(), h, 2.6e-4)
    phase = in_contact(run, h)
    assert run.steps.violation.max() <= 1e-15
    assert abs(run.steps.contact.p[phase, 0, 0].mean() / h / FORCE - 1.0) <= 0.01
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest_energy(run)


def test_the_shift_shakes_the_bar_less_with_smaller_steps_and_with_theta():
    """RR-8029 figures 16 to 18: what a shift stirs up goes with h, and theta = 1 takes it away."""
    runs = {h: run_bar(CombinedProjected(), h, 1.6e-4) for h in (2e-6, 2e-7)}
    damped = run_bar(CombinedProjected(theta=1.0), 2e-7, 1.6e-4)
    shifts = [runs[h].steps.projection.shift.max() for h in (2e-6, 2e-7)]
    assert shifts[1] <= 0.25 * shifts[0]
    assert all(s <= V0 * h for s, h in zip(shifts, runs, strict=True))

    def scatter(run, h):
        pressed = np.flatnonzero(run.steps.contact.p[:, 0, 0] > 0.0)
        return run.steps.contact.p[pressed[0] + round(1e-5 / h) :, 0, 0].std() / h

    assert scatter(runs[2e-7], 2e-7) < 0.5 * scatter(runs[2e-6], 2e-6)
    assert scatter(damped, 2e-7) < 0.5 * scatter(runs[2e-7], 2e-7)


BLOCK = {
    "direct": DirectProjected(),
    "direct, theta": DirectProjected(theta=0.7, forecast="free-position", metric="mass"),
    "combined": CombinedProjected(),
    "combined, theta": CombinedProjected(theta=0.7, implementation="decoupled"),
    "schatzman-paoli": SchatzmanPaoli(),
    "trapezoidal": TrapezoidalPosition(),
}


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("scheme", BLOCK.values(), ids=BLOCK)
def test_the_block_with_held_and_moving_supports(scheme, moving):
    """Friction, loads that jump, the top edge held or lowered as the block is pushed."""
    model = block(moving)
    run = simulate(model.system, scheme, dt=1e-4, t_end=0.02, initial=model.initial)
    assert (run.steps.contact.p[:, :, 0] > 0.0).any(axis=0).sum() > 10
    assert np.abs(run.steps.contact.p[:, :, 1]).max() > 0.0
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest_energy(run)
    assert run.steps.violation.max() <= 1e-12
    if moving:
        assert np.abs(run.steps.work.support).max() > 1e-6
    if "projection" in run.steps and scheme.theta == 0.5:
        assert run.steps.projection.tau.max() > 0.0


@cache
def block(moving: bool):
    sets = ("mesh.size=3.0",)
    if moving:
        sets += ('support.0.y="-0.005 - 0.1*t"',)
    return build(load_case("pmma_sliding_block", sets))


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [DirectProjected(), CombinedProjected(), SchatzmanPaoli()])
def test_the_block_of_the_paper(scheme):
    """500 steps at the paper's mesh."""
    model = build(load_case("pmma_sliding_block"))
    run = simulate(model.system, scheme, dt=1e-4, t_end=0.05, initial=model.initial)
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest_energy(run)
    assert run.steps.violation.max() <= 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [DirectProjected(), CombinedProjected(), SchatzmanPaoli()])
def test_the_bar_rebounds(scheme):
    """After 2 L/c0 the bar leaves the wall at the velocity that it came with."""
    model = bar()
    run = simulate(model.system, scheme, dt=1.36e-7, t_end=6.8e-4, initial=model.initial, every=100)
    force = run.steps.contact.p[:, 0, 0] > 0.0
    assert abs((force.sum() * 1.36e-7) / CONTACT_TIME - 1.0) <= 0.03
    mass = model.system.M @ np.ones(model.system.n)
    # Schatzman-Paoli damps: with theta = 1/2 its forces are half a step late.
    assert abs(mass @ run.fields.v[-1] / mass.sum() - V0) <= 0.03 * V0
    assert run.steps.violation.max() <= 1e-15
