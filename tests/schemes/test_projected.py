"""The projected schemes of RR-8029 on small systems: identity, gaps, joints, chatter, order, restarts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from fem_contact.contact.activation import Activation
from fem_contact.errors import ConvergenceError, FemContactWarning, ModelError
from fem_contact.expressions import Expression
from fem_contact.fem.force import Force
from fem_contact.fem.supports import PrescribedMotion
from fem_contact.schemes import SCHEMES, MoreauJean
from fem_contact.schemes.newton import Newton
from fem_contact.schemes.projected import IMPLEMENTATIONS, METRICS, CombinedProjected, DirectProjected
from fem_contact.schemes.schatzman_paoli import SchatzmanPaoli
from fem_contact.schemes.trapezoidal_position import TrapezoidalPosition
from fem_contact.solvers import NSGS
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.linear import LinearSystem
from fem_contact.systems.rigid.bouncing_ball import BouncingBall
from fem_contact.timeloop import simulate

from .test_lagrangian import as_lagrangian, double_pendulum

BOTH = (DirectProjected, CombinedProjected)
VARIANTS = [
    (scheme, {"implementation": i, "metric": m}) for scheme, i, m in product(BOTH, IMPLEMENTATIONS, METRICS)
]


def explicit(gamma: float) -> Activation:
    """RR-8029 eq. 61 to the letter: no test of the velocity."""
    return Activation(gamma=gamma, gap_tol=0.0, velocity_tol=np.inf)


def largest_energy(run) -> float:
    works = (np.abs(run["steps/work/" + name]).max() for name in ("external", "damping", "contact_normal"))
    return max(run.steps.energy.total.max(), *works)


def ball_height(t: np.ndarray, e: float = 0.5, f: float = 2.0) -> np.ndarray:
    """A ball let go at height 1 under the acceleration -f: flights of 2 v/f, v shrinking by e at each end."""
    fall = np.sqrt(2.0 / f)
    height, v, start = np.where(t < fall, 1.0 - 0.5 * f * t * t, 0.0), f * fall, fall
    for _ in range(60):
        v *= e
        since = t - start
        flying = (since >= 0.0) & (since < 2.0 * v / f)
        height[flying] = (v * since - 0.5 * f * since**2)[flying]
        start += 2.0 * v / f
    return height


# --- identity and constraints ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    theta=st.one_of(st.just(0.5), st.floats(0.1, 1.0)),
    variant=st.sampled_from(VARIANTS),
    d=st.sampled_from((1, 2)),
    damped=st.booleans(),
)
def test_identity_and_gaps_on_random_linear_systems(make_system, make_start, seed, theta, variant, d, damped):
    """With random velocities; a decoupled step may be too stiff to converge, and then says so."""
    system, (scheme, options) = make_system(seed, d=d, damped=damped), variant
    settings_ = scheme(theta=theta, **options)
    try:
        run = simulate(system, settings_, dt=0.01, t_end=0.3, initial=make_start(system, seed))
    except ConvergenceError:
        if options["implementation"] == "decoupled":
            return
        raise
    assert np.abs(run.steps.residual).max() <= 1e-13 * largest_energy(run)
    assert run.steps.contact.gap.min() >= -1e-13
    assert run.steps.violation.max() == max(-run.steps.contact.gap.min(), 0.0)
    if theta == 0.5:
        np.testing.assert_array_equal(run.steps.work.numerical, run.steps.work.projection)


@pytest.mark.parametrize(("scheme", "options"), VARIANTS)
@pytest.mark.parametrize("d", [1, 2])
def test_a_linear_system_steps_as_it_does_by_itself(make_system, make_start, scheme, options, d):
    linear = make_system(3, d=d, e=0.2)
    start, chosen = make_start(linear, 3), scheme(theta=0.7, **options)
    solver = NSGS(tol=1e-13)
    runs = [
        simulate(system, chosen, dt=1e-2, t_end=0.2, initial=start, every=1, solver=solver)
        for system in (linear, as_lagrangian(linear))
    ]
    assert runs[0].steps.projection.tau.max() > 1e-4
    if options["implementation"] == "coupled":  # one iteration, and one more for tangents by differences
        assert runs[1].steps.newton.iterations.max() <= 2 * runs[1].steps.projection.index_sets.max()
    for name in ("fields/q", "fields/v", "steps/contact/p", "steps/work/external", "steps/work/damping",
                 "steps/work/numerical", "steps/work/projection", "steps/projection/tau"):  # fmt: skip
        scale = np.abs(runs[0][name]).max()
        # Tangents by differences are part of N = Mhat^{-1}.
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-8 * scale, err_msg=name)


@pytest.mark.parametrize(("scheme", "options"), VARIANTS)
@pytest.mark.parametrize("joints", [False, True])
def test_identity_gaps_and_joints_of_a_double_pendulum(scheme, options, joints):
    system = double_pendulum(joints)
    chosen = scheme(theta=0.6, activation=explicit(0.0), **options)
    run = simulate(system, chosen, dt=1e-3, t_end=1.0, every=1)
    assert run.steps.contact.p[:, 0, 0].max() > 0.1
    assert run.steps.projection.tau.max() > 1e-5
    assert np.abs(run.steps.work.projection).max() > 1e-5
    assert np.abs(run.steps.residual).max() <= 1e-11 * np.ptp(run.steps.energy.total)
    assert run.steps.violation.max() <= 1e-12
    assert run.steps.joint_error.max() <= 1e-12
    if joints:
        speeds = [
            np.abs(system.joint_matrix(q) @ v).max() for q, v in zip(run.fields.q, run.fields.v, strict=True)
        ]
        assert max(speeds) <= 1e-11


def test_coupled_and_decoupled_iterations_end_in_the_same_step():
    for metric, scheme in product(METRICS, BOTH):
        # Projected gaps are zero to round-off only: without a tolerance that decides who is active.
        forecast = replace(explicit(0.0), gap_tol=1e-9)
        both = [scheme(metric=metric, implementation=i, activation=forecast) for i in IMPLEMENTATIONS]
        runs = [simulate(double_pendulum(), one, dt=1e-3, t_end=1.0, every=1) for one in both]
        assert runs[0].steps.projection.tau.max() > 1e-5
        np.testing.assert_allclose(runs[1].fields.q, runs[0].fields.q, atol=1e-9)


@pytest.mark.parametrize("scheme", BOTH)
def test_metrics_part_by_the_order_of_the_shift(scheme):
    """One step from a state that just penetrates: positions differ by O(h), velocities by O(h^2)."""
    system = double_pendulum()
    q = np.array([0.6, np.arccos(1.7 - np.cos(0.6))])  # the tip on the floor
    parted = []
    for h in (1e-2, 5e-3, 2.5e-3, 1.25e-3):
        ends = []
        for metric in METRICS:
            stepper = scheme(metric=metric).prepare(system, h, NSGS())
            state, _ = stepper.start(q - [0.0, 0.3 * h], np.array([-1.0, -0.5]))
            state, report = stepper.step(state)
            assert report["projection/tau"] > 0.0
            ends.append((state.q, state.v))
        parted.append([np.abs(a - b).max() for a, b in zip(*ends, strict=True)])
    rates = np.log2(np.array(parted[:-1]) / np.array(parted[1:]))
    assert np.all(rates[:, 0] > 0.9)
    assert np.all(rates[:, 1] > 0.9)


def free_bodies(seed: int) -> LinearSystem:
    """No stiffness, no friction: masses that fall on floors of their own and shared ones."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(5, 5))
    return LinearSystem(
        M=csr_matrix(B @ B.T / 5 + np.eye(5)),
        K=csr_matrix((5, 5)),
        H=csr_matrix(rng.normal(size=(3, 5))),
        g0=rng.uniform(0.0, 0.1, 3),
        e=rng.uniform(0.0, 0.9, 3),
        force=Force(rng.normal(size=5)),
        dim=1,
        length=1e-3,
    )


@pytest.mark.parametrize("scheme", BOTH)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_without_stiffness_nothing_is_coupled(scheme, metric, seed):
    system, digits = free_bodies(seed), []
    for i in IMPLEMENTATIONS:
        run = simulate(system, scheme(metric=metric, implementation=i), dt=0.01, t_end=2.0, every=1)
        assert run.steps.projection.tau.max() > 1e-5
        assert run.steps.newton.iterations.max() <= run.steps.projection.index_sets.max()
        digits.append(run.fields.q)
    np.testing.assert_allclose(digits[1], digits[0], rtol=0, atol=1e-11 * np.abs(digits[0]).max())


@pytest.mark.parametrize("seed", range(6))
def test_a_step_of_the_combined_scheme_activates_what_it_closes(make_system, make_start, seed):
    """Index sets grow, none of theirs is violated, contacts with p_N > 0 end closed (RR-8029 eq. 66-68)."""
    system = make_system(seed, contacts=4)
    stepper = CombinedProjected().prepare(system, 0.01, NSGS())
    state, _ = stepper.start(*make_start(system, seed))
    sets: list[np.ndarray] = []
    newton = stepper.loop._newton

    def watched(*arguments):
        sets.append(stepper.loop.active.copy())
        newton(*arguments)

    stepper.loop._newton = watched
    closed = 0
    for _ in range(40):
        sets.clear()
        state, report = stepper.step(state)
        assert not sets[0].any()
        assert len(sets) == report["projection/index_sets"]
        for before, after in pairwise(sets):
            assert np.all(after[before])
            assert after.sum() > before.sum()
        assert report.gap.min() >= -1e-13
        assert np.all(report.gap[~report.active] > 0.0)
        held = report.p[:, 0] > 0.0
        assert np.all(report.active[held])
        closed += int((np.abs(report.gap[held]) <= 1e-13).sum())
    assert closed > 20


def test_a_curved_wall_takes_several_shifts():
    """A point in a ring: nothing but the gap is nonlinear, and it still closes to the tolerance."""

    def put(value):
        return lambda *arguments: arguments[-1].__setitem__(Ellipsis, value(*arguments[:-1]))

    ring = LagrangianSystem(
        n=2,
        contacts=1,
        dim=1,
        mass=put(lambda q, p: np.eye(2)),
        force=put(lambda t, q, v, p: [0.0, -1.0]),
        potential=lambda q, p: q[1],
        gap=put(lambda q, p: 1.0 - np.hypot(*q)),
        jacobian=put(lambda q, p: [-q / np.hypot(*q)]),
        e=0.5,
        start=(np.array([0.2, 0.0]), np.array([1.0, 0.3])),
    )
    for metric in METRICS:
        run = simulate(ring, DirectProjected(activation=explicit(0.0), metric=metric), dt=0.05, t_end=5.0)
        assert run.steps.contact.gap.min() >= -1e-12
        assert run.steps.projection.iterations.max() >= 2
        assert np.abs(run.steps.residual).max() <= 1e-11 * np.abs(run.steps.energy.total).max()


def moving_wall() -> LinearSystem:
    """A mass on a spring, and a wall that is a prescribed dof which shakes and hits it."""
    motion = PrescribedMotion(np.array([0]), (Expression("0.3*sin(20*t)"),), np.array([0]), np.zeros((1, 2)))
    return LinearSystem(
        M=csr_matrix(np.diag([1.0, 2.0])),
        K=csr_matrix([[0.0, 0.0], [0.0, 30.0]]),
        C=csr_matrix([[0.1, -0.1], [-0.1, 0.1]]),
        H=csr_matrix([[-1.0, 1.0]]),
        g0=[0.05],
        e=0.3,
        motion=motion,
        dim=1,
        length=1e-3,
        dofs_per_node=1,
    )


@pytest.mark.parametrize(
    "scheme",
    [
        DirectProjected(activation=explicit(0.0)),
        DirectProjected(forecast="free-position", theta=0.6, metric="mass"),
        CombinedProjected(),
        TrapezoidalPosition(),
        SchatzmanPaoli(),
    ],
    ids=lambda scheme: scheme.name,
)
@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
def test_a_wall_that_moves(scheme):
    """Its contact sees the wall's own velocity, and its support's work closes the identity."""
    system = moving_wall()
    if scheme.name == "schatzman-paoli":  # which keeps gaps where nothing rebounds
        system = replace(system, e=[0.0])
    initial = (np.zeros(2), np.array([6.0, 0.0]))
    run = simulate(system, scheme, dt=2e-3, t_end=1.0, initial=initial, every=1)
    np.testing.assert_allclose(run.fields.q[:, 0], 0.3 * np.sin(20.0 * run.fields.t), atol=1e-14)
    assert run.steps.contact.p.max() > 0.1
    assert run.steps.contact.gap.min() >= -1e-13
    assert run.steps.work.support.max() > 0.1
    assert np.abs(run.steps.residual).max() <= 1e-13 * largest_energy(run)


# --- the bouncing ball (example 1) -----------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0])
def test_the_explicit_forecast_makes_a_ball_chatter(gamma):
    """RR-8029 figure 4: it never comes to rest, and the force never to its weight."""
    run = simulate(
        BouncingBall().system(), DirectProjected(activation=explicit(gamma)), dt=5e-2, t_end=50.0, every=1
    )
    u, gap = run.steps.contact.u[-200:, 0, 0], run.steps.contact.gap[-200:, 0]
    assert gap.min() >= -1e-12
    assert np.abs(u).max() > 0.02
    assert np.abs(np.diff(u)).max() > 0.02
    assert run.steps.contact.p[-200:, 0, 0].max() > 2.0 * 2.0 * 5e-2 * 0.9


@pytest.mark.parametrize("scheme", [DirectProjected(forecast="free-position"), CombinedProjected()])
def test_neither_the_free_position_forecast_nor_the_combined_scheme_does(scheme):
    """RR-8029 figure 5 and section 5."""
    run = simulate(BouncingBall().system(), scheme, dt=5e-2, t_end=10.0, every=1)
    assert run.steps.contact.gap.min() >= -1e-12
    assert np.abs(run.steps.contact.u[-100:]).max() <= 1e-6
    np.testing.assert_allclose(run.steps.contact.p[-100:, 0, 0], 2.0 * 5e-2, rtol=1e-6)
    if scheme.name == "direct-projected":
        assert run.steps.projection.tau.max() == 0.0  # as Moreau-Jean itself


def test_the_projection_brings_energy_into_an_elastic_ball():
    """RR-8029 figure 7: at e = 1 the total energy rises at each projection and nowhere else."""
    run = simulate(
        BouncingBall(e=1.0).system(), DirectProjected(activation=explicit(0.0)), dt=5e-2, t_end=10.0
    )
    energy, work = run.steps.energy.total, run.steps.work.projection
    assert energy[-1] > 1.2 * energy[0]
    shifted = run.steps.projection.tau > 0.0
    assert shifted.sum() >= 3
    assert np.all(work[shifted] > 0.0)
    assert np.all(work[~shifted] == 0.0)
    np.testing.assert_allclose(np.diff(energy), work[1:], atol=1e-13)


#: Numbers of steps to t = 4 that let no impact of the ball fall on a t_k.
STEPS = (97, 191, 383, 761, 1531, 3067, 6131)


@pytest.mark.parametrize(
    "scheme",
    [
        DirectProjected(activation=explicit(1.0)),
        DirectProjected(forecast="free-position"),
        CombinedProjected(),
    ],
)
def test_first_order_in_the_mean_and_shifts_of_first_order(scheme):
    """RR-8029 figures 2 and 3."""
    error, tau, steps = [], [], 4.0 / np.array(STEPS)
    for h in steps:
        run = simulate(BouncingBall().system(), scheme, dt=h, t_end=4.0, every=10**6)
        error.append(h * np.abs(run.steps.contact.gap[:, 0] - ball_height(run.steps.t)).sum())
        tau.append(run.steps.projection.tau.max())
    order = np.polyfit(np.log(steps), np.log(error), 1)[0]
    assert 0.85 <= order <= 1.15
    assert np.all(np.array(tau) <= 2.0 * steps)  # the first impact is at a velocity of 2
    if scheme.name == "combined-projected":
        assert 0.9 <= np.polyfit(np.log(steps), np.log(tau), 1)[0] <= 1.1


# --- restarts, refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", BOTH)
@pytest.mark.parametrize("joints", [False, True])
def test_a_step_does_not_depend_on_the_one_before(scheme, joints):
    """A stepper that starts from a stored state gives the same digits."""
    system, chosen = double_pendulum(joints), scheme(activation=explicit(0.0))
    first = chosen.prepare(system, 1e-3, NSGS())
    state, report = first.start(*system.start)
    for _ in range(600):
        stored = state.copy()
        state, report = first.step(state)
        if report["projection/tau"] > 0.0:
            break
    assert report["projection/tau"] > 0.0
    again, other = chosen.prepare(system, 1e-3, NSGS()).step(stored)
    assert np.array_equal(again.q, state.q)
    assert np.array_equal(again.v, state.v)
    assert np.array_equal(other.scalars, report.scalars)
    assert np.array_equal(other.extra, report.extra)


@pytest.mark.parametrize("scheme", BOTH)
def test_a_run_on_a_linear_system_goes_on_from_any_state(make_system, make_start, scheme):
    system = make_system(5)
    first = scheme().prepare(system, 1e-2, NSGS())
    state, report = first.start(*make_start(system, 5))
    new = state.copy()
    for _ in range(20):
        stored = state.copy()
        first.advance(state, new, report)
        state, new = new, state
        again, other = scheme().prepare(system, 1e-2, NSGS()).step(stored)
        assert np.array_equal(again.q, state.q)
        assert np.array_equal(again.p, state.p)
        assert np.array_equal(other.extra, report.extra)


def test_a_step_that_does_not_converge_says_so():
    system, scheme = double_pendulum(), DirectProjected(newton=Newton(max_iter=1))
    with pytest.raises(ConvergenceError, match=r"step 1 .*1 Newton iterations left an imbalance") as error:
        simulate(system, scheme, dt=1e-3, t_end=0.1)
    assert error.value.step == 1
    assert error.value.problem.contacts == 0
    # A stiff spring undoes 25/26 of each shift.
    one = csr_matrix([[1.0]])
    stiff = LinearSystem(M=one, K=1e6 * one, H=one, g0=[1e-4], dim=1, length=1e-3)
    start, options = (np.zeros(1), -np.ones(1)), {"activation": explicit(0.0)}
    decoupled = DirectProjected(implementation="decoupled", **options)
    with pytest.raises(ConvergenceError, match='or implementation = "coupled"'):
        simulate(stiff, decoupled, dt=1e-2, t_end=0.1, initial=start)
    run = simulate(stiff, DirectProjected(**options), dt=1e-2, t_end=0.1, initial=start)
    assert run.steps.contact.gap.min() >= -1e-15
    assert run.steps.newton.iterations.max() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"implementation": "both"}, "implementation = 'both': it must be one of coupled, decoupled"),
        ({"metric": "euclid"}, "metric = 'euclid': it must be one of identity, mass"),
        ({"frame": "start"}, "frame = 'start'"),
        ({"violation_tol": -1.0}, "violation_tol = -1.0: it must be a number >= 0"),
        ({"theta": 1.5}, "theta = 1.5"),
    ],
)
@pytest.mark.parametrize("scheme", BOTH)
def test_settings_that_make_no_sense_are_refused(scheme, options, message):
    with pytest.raises(ModelError, match=message):
        scheme(**options)


def test_more_refusals_and_the_bounds_of_theta():
    with pytest.raises(ModelError, match="forecast = 'none': it must be one of explicit, free-position"):
        DirectProjected(forecast="none")
    with pytest.warns(FemContactWarning, match="may create energy"):
        CombinedProjected(theta=0.9).prepare(BouncingBall().system(), 1e-2, NSGS())
    assert SCHEMES["direct-projected"] is DirectProjected
    assert SCHEMES["combined-projected"] is CombinedProjected


def test_a_violation_that_is_allowed_is_left():
    """A looser tolerance shifts less often: at most that deep, and never less than Moreau-Jean goes in."""
    system, scheme = double_pendulum(), CombinedProjected()
    runs = [simulate(system, replace(scheme, violation_tol=tol), dt=1e-3, t_end=1.0) for tol in (1e-12, 1e-5)]
    plain = simulate(system, MoreauJean(), dt=1e-3, t_end=1.0)
    counts = [run.steps.projection.iterations.sum() for run in runs]
    assert counts[1] < 0.8 * counts[0]
    assert 1e-7 < runs[1].steps.violation.max() <= 1e-5
    assert plain.steps.contact.gap.min() < -1e-4
