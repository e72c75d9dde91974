"""Stick and pendulum: the impacts in closed form, and what friction does in them with either law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.impacting_stick import ImpactingStick
from fem_contact.systems.rigid.kane_pendulum import KanePendulum
from fem_contact.timeloop import simulate

#: Share of the velocity after the impact in the velocity of the friction law: u+ and (u- + u+)/2.
LAWS = {MoreauJean: 1.0, MoreauJeanFremond: 0.5}


def impact(M, H, v, e, mu, share):
    """Impulse of a contact and the velocities after it; Coulomb's law in w_T = u_T- + share (u_T+ - u_T-).

    u_N+ = -e u_N-, and the cone case by case: stick, or slide either way, p_T = -s mu p_N with s w_T > 0.
    """
    W, u = H @ np.linalg.solve(M, H.T), H @ v
    jump = -(1.0 + e) * u[0]
    assert jump > 0.0
    p = np.linalg.solve(W, [jump, -u[1] / share])
    solutions = [p] if abs(p[1]) <= mu * p[0] else []
    for s in (1.0, -1.0):
        p_N = jump / (W[0, 0] - s * mu * W[0, 1])
        p = p_N * np.array([1.0, -s * mu])
        if p_N > 0.0 and s * (u[1] + share * (W @ p)[1]) > 0.0:
            solutions.append(p)
    assert len(solutions) == 1
    return solutions[0], v + np.linalg.solve(M, H.T @ solutions[0])


def friction_work(H, before, after, p):
    """(u_T- + u_T+)/2 p_T, HAL 04230941 eq. 42."""
    return 0.5 * (H @ (before + after))[1] * p[1]


def energy_rises(run, tolerance):
    return np.flatnonzero(np.diff(run.steps.energy.total) > tolerance * run.steps.energy.total[0])


# -- the stick


def stick_motion(share):
    """(t, tangential work) of each impact in [0, 0.2], from one parabola of the centre to the next."""
    m, l, g, e, mu = 1.0, 1.0, 10.0, 1.0, 0.01
    M = np.diag([m, m, m * l**2 / 12.0])
    t, q, v = 0.0, np.array([0.0, 0.5 * l * np.sqrt(0.5) + 0.01, np.pi / 4]), np.array([-0.5, 0.1, 0.1])
    found = []
    while True:

        def gap(s, q=q, v=v):
            return q[1] + v[1] * s - 0.5 * g * s * s - 0.5 * l * np.cos(q[2] + v[2] * s)

        times = np.linspace(0.0, 0.2 - t, 2001)[1:]
        below = np.flatnonzero([gap(s) < 0.0 for s in times])
        if not below.size:
            return found
        s = brentq(gap, times[below[0] - 1], times[below[0]], xtol=1e-14)
        t, q, v = t + s, q + v * s, v - np.array([0.0, g * s, 0.0])
        q[1] = 0.5 * l * np.cos(q[2])
        lever, arm = 0.5 * l * np.sin(q[2]), 0.5 * l * np.cos(q[2])
        H = np.array([[0.0, 1.0, lever], [-1.0, 0.0, -arm]])
        p, after = impact(M, H, v, e, mu, share)
        found.append((t, friction_work(H, v, after, p)))
        v = after


@pytest.mark.parametrize("scheme", LAWS)
def test_the_stick_strikes_twice_with_the_works_of_the_closed_form(scheme):
    """HAL 04230941 figures 2 and 3: T = 0.2; the scheme is of first order, h = 1e-4."""
    expected = np.array(stick_motion(LAWS[scheme]))
    run = simulate(ImpactingStick().system(), scheme(restitution="frame"), dt=1e-4, t_end=0.2)
    steps = np.flatnonzero(run.steps.contact.p[:, 0, 0])
    assert len(expected) == len(steps) == 2
    np.testing.assert_allclose(run.steps.t[steps], expected[:, 0], rtol=0, atol=2.5e-4)
    work = run.steps.contact.work_tangential[:, 0]
    assert np.count_nonzero(work) == 2
    np.testing.assert_allclose(work[steps], expected[:, 1], rtol=0.01)
    # e = 1: no normal work but what Newton's tolerance of 1e-12 leaves of a velocity.
    left = 1e-12 * np.abs(run.steps.contact.u).max() * run.steps.contact.p.max()
    np.testing.assert_allclose(run.steps.contact.work_normal, 0.0, atol=left)


def test_friction_makes_energy_at_the_first_impact_of_the_stick_with_moreau_jean_only():
    classical, fremond = (
        simulate(ImpactingStick().system(), scheme(restitution="frame"), dt=1e-4, t_end=0.2)
        for scheme in LAWS
    )
    first = np.flatnonzero(classical.steps.contact.p[:, 0, 0])[0]
    assert classical.steps.contact.work_tangential[first, 0] > 5e-4
    assert np.array_equal(energy_rises(classical, 1e-14) + 1, [first])
    u = classical.steps.contact.u[first - 1 : first + 1, 0, 1]
    assert u[0] * u[1] < 0.0  # the sliding turns round
    assert fremond.steps.contact.work_tangential.max() <= 0.0
    assert fremond.steps.contact.work_tangential.min() < -5e-4
    assert energy_rises(fremond, 1e-14).size == 0


# -- Kane's pendulum


def rod_points(q, model, count=4):
    """Gauss points of both rods, (2, count, 2), and their masses, (2, count)."""
    xi, weight = np.polynomial.legendre.leggauss(count)
    xi, weight = 0.5 * (1.0 + xi), 0.5 * weight
    upper, lower = (np.array([np.sin(angle), -np.cos(angle)]) for angle in q)
    first = model.l1 * xi[:, None] * upper
    second = model.l1 * upper + model.l2 * xi[:, None] * lower
    return np.array([first, second]), np.array([model.m1 * weight, model.m2 * weight])


def test_the_pendulum_is_one_of_two_uniform_rods():
    """Its energies are those of the material points of the rods, its tip the lower rod's end."""
    model = KanePendulum(m1=0.7, m2=1.3, l1=0.8, l2=1.1, height=2.5)
    system, rng = model.system(), np.random.default_rng(5)
    for _ in range(5):
        q, v, step = rng.normal(size=2), rng.normal(size=2), 1e-5
        velocity = (rod_points(q + step * v, model)[0] - rod_points(q - step * v, model)[0]) / (2.0 * step)
        points, masses = rod_points(q, model)
        kinetic, potential = system.energy(q, v)
        assert kinetic == pytest.approx(0.5 * np.sum(masses[..., None] * velocity**2), rel=1e-8)
        assert potential == pytest.approx(
            model.g * np.sum(masses * (model.height + points[..., 1])), rel=1e-12
        )
        tip = np.array([model.l1, model.l2]) @ np.array([np.sin(q), -np.cos(q)]).T
        assert system.gaps(q)[0] == pytest.approx(model.height + tip[1], rel=1e-12)
        speed = np.array([model.l1, model.l2]) @ (np.array([np.cos(q), np.sin(q)]) * v).T
        np.testing.assert_allclose(system.contact_jacobian(q) @ v, speed[::-1], rtol=1e-12)


def pendulum_impact(system: LagrangianSystem, share: float):
    """H, the velocities before and after the first impact, its impulse; the fall by adaptive integration."""

    def rates(t, y):
        return np.r_[y[2:], np.linalg.solve(system.mass_matrix(y[:2]), system.forces(t, y[:2], y[2:]))]

    def table(t, y):
        return system.gaps(y[:2])[0]

    table.terminal = True
    y = solve_ivp(rates, (0.0, 0.1), np.r_[system.start], "DOP853", events=table, rtol=1e-12, atol=1e-14).y[
        :, -1
    ]
    M, H = system.mass_matrix(y[:2]), system.contact_jacobian(y[:2])
    p, after = impact(M, H, y[2:], system.e[0], system.mu[0], share)
    return H, y[2:], after, p


@pytest.mark.parametrize("e", [0.5, 0.7, 1.0])  # in the classical law it sticks, slides back, slides back
@pytest.mark.parametrize("scheme", LAWS)
def test_the_pendulum_gains_energy_with_moreau_jean_and_not_with_fremond(scheme, e):
    system = KanePendulum(e=e).system()
    H, before, after, p = pendulum_impact(system, LAWS[scheme])
    gain = 0.5 * (H @ (before + after)) @ p
    run = simulate(system, scheme(theta=0.5), dt=1e-5, t_end=2e-3)
    struck = np.flatnonzero(run.steps.contact.p[:, 0, 0])
    assert len(struck) == 1
    # Velocity and place of the impact are a step away, 1e-4 of u_N.
    np.testing.assert_allclose(run.steps.contact.p[struck[0], 0], p, rtol=2e-3)
    change = run.steps.energy.total[struck[0]] - run.steps.energy.total[struck[0] - 1]
    assert change == pytest.approx(gain, rel=5e-3)
    if scheme is MoreauJean:
        kinetic = run.steps.energy.kinetic[struck[0] - 1]
        assert gain > 0.3 * kinetic
        assert np.array_equal(energy_rises(run, 1e-9) + 1, struck)
        assert run.steps.contact.work_tangential[struck[0], 0] > 0.99 * gain  # the normal part is <= 0
    else:
        assert gain < -1e-4
        assert energy_rises(run, 1e-14).size == 0
        assert run.steps.contact.work_tangential.max() <= 0.0
