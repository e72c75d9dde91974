"""The Contact Dynamics scheme: its identity, proposition 1, jumps without collision, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.problems.contact_dynamics import kinetic_norm
from fem_contact.schemes import MoreauJean
from fem_contact.schemes.contact_dynamics import ContactDynamics
from fem_contact.solvers import NSGS
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.rigid.painleve_rod import PainleveRod
from fem_contact.systems.rigid.ring_pendulum import RingPendulum
from fem_contact.systems.rigid.slanted_punch import SlantedPunch
from fem_contact.systems.rigid.slider_crank import SliderCrank
from fem_contact.systems.rigid.slider_crank_clearance import SliderCrankClearance
from fem_contact.timeloop import simulate


def arm(e: float = 0.0) -> LagrangianSystem:
    """Two rods with a floor under the tip: M(q), quadratic forces, a load and damping."""

    def mass(q, p, M):
        c = np.cos(q[1] - q[0])
        M[...] = [[2.0, c], [c, 1.0]]

    def loads(t, q, v, p, F):
        F[...] = [np.sin(20.0 * t), 0.0]

    def damping(t, q, v, p, F):
        F[...] = -0.1 * v

    def force(t, q, v, p, F):
        s = np.sin(q[1] - q[0])
        F[0] = s * v[1] ** 2 - 2.0 * 9.81 * np.sin(q[0]) + np.sin(20.0 * t) - 0.1 * v[0]
        F[1] = -s * v[0] ** 2 - 9.81 * np.sin(q[1]) - 0.1 * v[1]

    def gap(q, p, g):
        g[0] = 1.7 - np.cos(q[0]) - np.cos(q[1])

    def jacobian(q, p, H):
        H[...] = [[np.sin(q[0]), np.sin(q[1])], [np.cos(q[0]), np.cos(q[1])]]

    return LagrangianSystem(
        n=2,
        contacts=1,
        mass=mass,
        force=force,
        gap=gap,
        jacobian=jacobian,
        loads=loads,
        damping=damping,
        potential=lambda q, p: -9.81 * (2.0 * np.cos(q[0]) + np.cos(q[1])),
        mu=0.3,
        e=e,
        start=(np.array([0.9, 0.6]), np.zeros(2)),
    )


@pytest.mark.parametrize(
    ("system", "slides"),
    [
        (arm(), True),
        (PainleveRod().system(), False),
        (RingPendulum().system(), True),
        (SlantedPunch().system(), False),
    ],
)
def test_the_identity_closes_and_the_reaction_dissipates(system, slides):
    run = simulate(system, ContactDynamics(), dt=1e-3, t_end=0.5)
    assert run.steps.contact.p[:, 0, 0].max() > 0.01
    energy = run.steps.energy.total
    assert np.abs(run.steps.residual).max() <= 1e-13 * np.abs(energy).max()
    assert run.steps.work.reaction.max() <= 1e-13 * np.abs(energy).max()
    assert (run.steps.work.reaction.min() < -1e-6) == slides
    assert run.attrs["scheme"] == "contact-dynamics"
    assert run.steps.solver.error.max() <= 1e-13


def test_the_identity_needs_each_of_its_works():
    """A moving mass matrix, a load and damping: no work is zero, so that the residual sees each."""
    run = simulate(arm(), ContactDynamics(), dt=1e-3, t_end=0.5)
    for name in ("external", "damping", "numerical", "contact_tangential"):
        assert np.abs(run["steps/work/" + name]).max() > 1e-6


def test_the_stability_bound():
    """|u'|_q' <= |u|_q' + h |M^{-1/2}| |F|."""
    system, h = arm(), 1e-3
    stepper = ContactDynamics().prepare(system, h, NSGS())
    state, _ = stepper.start(*system.start)
    for _ in range(500):
        new, _ = stepper.step(state)
        M, F = system.mass_matrix(new.q), system.forces(new.t, new.q, state.v)
        grown = h * np.linalg.eigvalsh(M)[0] ** -0.5 * np.linalg.norm(F)
        assert kinetic_norm(M, new.v) <= kinetic_norm(M, state.v) + grown
        assert np.array_equal(new.q, state.q + h * state.v)
        state = new


def test_it_parts_from_moreau_jean_with_the_step():
    activation = Activation(gamma=0.0, gap_tol=0.0, velocity_tol=np.inf)
    parted = []
    for h in (2e-3, 1e-3, 5e-4, 2.5e-4):
        ends = [
            simulate(arm(), scheme, dt=h, t_end=0.2, every=1).fields.q[-1]
            for scheme in (ContactDynamics(), MoreauJean(theta=0.5, activation=activation))
        ]
        parted.append(np.abs(ends[0] - ends[1]).max())
    assert parted[-1] > 1e-8
    assert np.polyfit(np.log([8, 4, 2, 1]), np.log(parted), 1)[0] > 0.7


@pytest.mark.parametrize(("mu", "stops"), [(2.0, True), (1.6, False)])
def test_the_tip_of_painleves_rod_stops_without_a_collision(mu, stops):
    """Critical friction at 45 degrees is 5/3: above it the slip ends in one step however short, below not."""
    system = PainleveRod(mu=mu).system()
    assert PainleveRod.critical_friction(np.pi / 4.0) == pytest.approx(5.0 / 3.0, rel=1e-14)
    after = []
    for h in (1e-3, 1e-5):
        run = simulate(system, ContactDynamics(), dt=h, t_end=h)
        after.append(run.steps.contact.u[1, 0, 1])
    assert (np.abs(after).max() < 1e-14) == stops
    if not stops:
        assert after[1] == pytest.approx(-1.0, abs=0.1)
        assert abs(after[1] + 1.0) < 0.05 * abs(after[0] + 1.0)


def test_a_step_does_not_depend_on_the_one_before():
    system = arm()
    first = ContactDynamics().prepare(system, 1e-3, NSGS())
    state, _ = first.start(*system.start)
    for _ in range(300):
        stored = state.copy()
        state, report = first.step(state)
    again, other = ContactDynamics().prepare(system, 1e-3, NSGS()).step(stored)
    assert np.array_equal(again.v, state.v)
    assert np.array_equal(other.scalars, report.scalars)


def test_the_problem_of_a_step_is_solved_by_its_impulse():
    system = RingPendulum().system()
    stepper = ContactDynamics().prepare(system, 1e-3, NSGS())
    state, _ = stepper.start(*system.start)
    assert stepper.problem().contacts == 0
    for _ in range(100):
        state, _ = stepper.step(state)
    problem = stepper.problem()
    w = problem.velocity(state.p[0])
    assert state.p[0, 0] > 0.0
    assert abs(w[0]) < 1e-12
    assert state.p[0, 1] == pytest.approx(-0.3 * state.p[0, 0] * np.sign(w[1]), rel=1e-12)


def test_what_it_is_not_defined_for_is_refused(make_system):
    pinned = SliderCrankClearance().system()
    for system, message in (
        (make_system(3), "steps rigid models, not a mesh"),
        (SliderCrank().system(), "one contact, this system has 4"),
        (arm(e=0.5), "e must be 0, it is 0.5"),
    ):
        with pytest.raises(ModelError, match=message):
            simulate(system, ContactDynamics(), dt=1e-3, t_end=1e-2)
    one = {
        name: getattr(pinned, name) for name in ("n", "joints", "mass", "force", "joint", "joint_jacobian")
    }
    contact = {"contacts": 1, "gap": lambda q, p, g: None, "jacobian": lambda q, p, H: None}
    system = LagrangianSystem(**one, **contact, parameters=pinned.parameters)
    with pytest.raises(ModelError, match="has no joints, this system has 4"):
        ContactDynamics().prepare(system, 1e-3, NSGS())
    with pytest.raises(ModelError, match="must be a positive number"):
        ContactDynamics().prepare(arm(), 0.0, NSGS())
    stepper = ContactDynamics().prepare(arm(), 1e-3, NSGS())
    with pytest.raises(ModelError, match="initial v must be 2 finite numbers"):
        stepper.start(np.zeros(2), np.zeros(3))
