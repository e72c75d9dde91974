"""The theta family: the energy identity, the contact laws, and a plain NumPy twin of the step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.sparse import csr_matrix

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning, ModelError
from fem_contact.problems import LocalProblem
from fem_contact.schemes import SCHEMES, MoreauJean, MoreauJeanFremond
from fem_contact.schemes.linear import linear_stepper
from fem_contact.solvers import NSGS, solve
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

BOTH = (MoreauJean, MoreauJeanFremond)
ALWAYS = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=0.0)


def largest_energy(run) -> float:
    works = sum(np.abs(run["steps/work/" + name]).max() for name in ("external", "damping", "contact_normal"))
    return max(run.steps.energy.total.max(), works)


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    theta=st.floats(0.02, 1.0),
    scheme=st.sampled_from(BOTH),
    d=st.sampled_from((1, 2)),
    damped=st.booleans(),
)
def test_the_energy_identity_closes_at_every_step(make_system, make_start, seed, theta, scheme, d, damped):
    system = make_system(seed, d=d, damped=damped)
    run = simulate(
        system, scheme(theta=theta, activation=ALWAYS), dt=0.01, t_end=0.3, initial=make_start(system, seed)
    )
    assert np.abs(run.steps.residual).max() <= 1e-13 * largest_energy(run)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), e=st.floats(0.0, 1.0), share=st.floats(0.0, 1.0))
def test_no_fremond_contact_does_positive_work_within_the_bounds(make_system, make_start, seed, e, share):
    """HAL 04230941 eq. 77-80."""
    system = make_system(seed, e=e)
    theta = 0.5 + share * (1.0 / (1.0 + e) - 0.5)
    run = simulate(
        system,
        MoreauJeanFremond(theta=theta, activation=ALWAYS),
        dt=0.01,
        t_end=0.3,
        initial=make_start(system, seed),
    )
    scale = largest_energy(run)
    assert run.steps.contact.work_tangential.max() <= 1e-14 * scale
    assert run.steps.contact.work_normal.max() <= 1e-13 * scale
    assert run.steps.work.numerical.max() <= 1e-13 * scale


def test_moreau_jean_friction_can_do_positive_work_where_fremond_does_not(make_system, make_start):
    """HAL 04230941 eq. 62: the sign of u_{T,k} p_{T,k+1} is free."""
    largest = dict.fromkeys(BOTH, 0.0)
    for seed, scheme in itertools.product(range(20), BOTH):
        system = make_system(seed, e=0.5)
        run = simulate(
            system, scheme(activation=ALWAYS), dt=0.01, t_end=0.3, initial=make_start(system, seed)
        )
        largest[scheme] = max(largest[scheme], run.steps.contact.work_tangential.max() / largest_energy(run))
    assert largest[MoreauJean] > 1e-3
    assert largest[MoreauJeanFremond] <= 1e-14


@pytest.mark.parametrize("scheme", BOTH)
@pytest.mark.parametrize("theta", [0.5, 0.6])
def test_impact_law_and_coulomb_hold_at_every_active_contact(scheme, theta, make_system, make_start):
    seen = np.zeros(2, int)
    for seed in range(5):
        system = make_system(seed, e=0.4)
        run = simulate(
            system,
            scheme(theta=theta, activation=ALWAYS),
            dt=0.01,
            t_end=0.3,
            initial=make_start(system, seed),
        )
        contact = run.steps.contact
        u, before, p = contact.u[1:], contact.u[:-1], contact.p[1:]
        closed = p[..., 0] > 1e-9
        newton = u[..., 0] + system.e * before[..., 0]
        assert np.abs(newton[closed]).max() < 1e-12
        assert newton[contact.active[1:]].min() > -1e-12
        slip = u[..., 1] if scheme is MoreauJean else (1 - theta) * before[..., 1] + theta * u[..., 1]
        limit = system.mu * p[..., 0]
        assert (np.abs(p[..., 1]) - limit).max() < 1e-12
        sliding = closed & (np.abs(slip) > 1e-9)
        assert np.abs(p[..., 1] + limit * np.sign(slip))[sliding].max() < 1e-11
        assert np.all(p[~contact.active[1:]] == 0.0)
        seen += np.array([sliding.sum(), (closed & ~sliding).sum()])
    assert seen.min() > 10, f"slips and sticks seen: {seen}"


def numpy_step(system, theta, weight, shift, activation, h, q, v):
    """One step by dense matrices and the generic solver: HAL 04230941 eq. 82-91 as they stand."""
    M, K, C, H, F = (
        A.toarray() for A in (system.M, system.K, system.C, system.H, csr_matrix(system.force.constant))
    )
    d = system.dim
    Mhat = M + h * theta * C + h * h * theta**2 * K
    right = (M - h * (1 - theta) * C - h * h * theta * (1 - theta) * K) @ v - h * K @ q + h * F[0]
    v_free = np.linalg.solve(Mhat, right)
    u, u_free = (H @ v).reshape(-1, d), (H @ v_free).reshape(-1, d)
    active = activation.active(system.gap(q), u[:, 0], h)
    p = np.zeros_like(u)
    if active.any():
        W = H @ np.linalg.solve(Mhat, H.T)
        b = weight * u_free + (1 - weight) * u
        b[:, 0] += shift(system.e) * u[:, 0]
        rows = np.repeat(active, d)
        problem = LocalProblem(weight * W[np.ix_(rows, rows)], b[active].ravel(), system.mu[active], d)
        p[active] = solve(problem, NSGS(tol=1e-13)).r.reshape(-1, d)
    v_new = v_free + np.linalg.solve(Mhat, H.T @ p.ravel())
    return q + h * ((1 - theta) * v + theta * v_new), v_new, p


@pytest.mark.parametrize("theta", [0.5, 0.7])
@pytest.mark.parametrize("scheme", BOTH)
@pytest.mark.parametrize("d", [1, 2])
def test_the_compiled_step_is_the_plain_one(scheme, theta, d, make_system, make_start):
    h = 0.01
    for seed in range(4):
        system = make_system(seed, d=d, e=0.3)
        stepper = scheme(theta=theta, activation=ALWAYS).prepare(system, h, NSGS())
        q, v = make_start(system, seed)
        state, _ = stepper.start(q, v)
        weight, shift = (1.0, lambda e: e) if scheme is MoreauJean else (theta, lambda e: theta * (1 + e) - 1)
        hits = 0
        for _ in range(25):
            q, v, p = numpy_step(system, theta, weight, shift, ALWAYS, h, state.q, state.v)
            state, report = stepper.step(state)
            np.testing.assert_allclose(state.q, q, rtol=0, atol=1e-12)
            np.testing.assert_allclose(state.v, v, rtol=0, atol=1e-11)
            np.testing.assert_allclose(report.p, p, rtol=0, atol=1e-11)
            hits += int((p != 0).any())
        assert hits > 3


@pytest.mark.parametrize("scheme", BOTH)
def test_second_solve_instead_of_the_dense_response_gives_the_same(
    scheme, make_system, make_start, monkeypatch
):
    system = make_system(3, e=0.2)
    settings_ = {"dt": 0.01, "t_end": 0.5, "initial": make_start(system, 3)}
    dense = simulate(system, scheme(activation=ALWAYS), **settings_)
    monkeypatch.setattr(linear_stepper, "DENSE_RESPONSE", 0)
    sparse = simulate(system, scheme(activation=ALWAYS), **settings_)
    assert np.abs(dense.steps.contact.p).max() > 0.01
    np.testing.assert_allclose(sparse.steps.contact.p, dense.steps.contact.p, rtol=0, atol=1e-11)
    np.testing.assert_allclose(sparse.steps.energy.total, dense.steps.energy.total, rtol=1e-12)


def test_with_theta_one_both_schemes_are_the_same(make_system, make_start):
    """HAL 04230941 eq. 75-76 (e = 0, so that theta = 1 is within the bounds)."""
    system = make_system(5, e=0.0)
    runs = [
        simulate(system, s(theta=1.0, activation=ALWAYS), dt=0.01, t_end=0.5, initial=make_start(system, 5))
        for s in BOTH
    ]
    assert np.abs(runs[0].steps.contact.p).max() > 0.01
    np.testing.assert_allclose(runs[0].steps.contact.p, runs[1].steps.contact.p, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2.0), (1.0, 1.0), (0.75, 1.0)])
def test_order_of_convergence_without_contact(theta, order, make_system):
    full = make_system(1, contacts=1)
    system = LinearSystem(M=full.M, K=full.K, C=full.C)
    n, M = system.n, system.M.toarray()
    A = np.block(
        [
            [np.zeros((n, n)), np.eye(n)],
            [-np.linalg.solve(M, system.K.toarray()), -np.linalg.solve(M, system.C.toarray())],
        ]
    )
    q0, v0 = np.ones(n), np.zeros(n)
    exact = (expm(A) @ np.concatenate([q0, v0]))[:n]
    steps = np.array([2000, 4000, 8000])
    errors = []
    for count in steps:
        run = simulate(
            system, MoreauJean(theta=theta), dt=1.0 / count, t_end=1.0, initial=(q0, v0), every=int(count)
        )
        errors.append(np.linalg.norm(run.fields.q[-1] - exact))
    slope = np.polyfit(np.log(1.0 / steps), np.log(errors), 1)[0]
    assert abs(slope - order) < 0.06
    assert errors[-1] < 0.02


def test_a_step_leaves_its_state_alone_and_restarts_to_the_same_digits(make_system, make_start):
    system = make_system(2, e=0.5)
    scheme = MoreauJeanFremond(activation=ALWAYS)
    stepper = scheme.prepare(system, 0.01, NSGS())
    state, _ = stepper.start(*make_start(system, 2))
    states = [state.copy()]
    for _ in range(30):
        before = state.copy()
        state, _ = stepper.step(state)
        assert all(np.array_equal(getattr(before, n), getattr(states[-1], n)) for n in ("q", "v", "p"))
        states.append(state.copy())
    again, _ = scheme.prepare(system, 0.01, NSGS()).step(states[13])
    assert again.k == 14
    for name in ("q", "v", "p"):
        assert np.array_equal(getattr(again, name), getattr(states[14], name))


def test_a_damping_matrix_that_is_not_symmetric_is_stepped_too(make_system, make_start):
    """Gyroscopic damping: skew part of C does no work."""
    base = make_system(4, damped=False, e=0.2)
    rng = np.random.default_rng(0)
    G = rng.normal(size=(base.n, base.n))
    system = LinearSystem(
        M=base.M, K=base.K, C=csr_matrix(G - G.T), H=base.H, g0=base.g0, mu=base.mu, e=base.e, length=1e-3
    )
    run = simulate(
        system, MoreauJeanFremond(activation=ALWAYS), dt=0.01, t_end=0.3, initial=make_start(base, 4)
    )
    assert np.abs(run.steps.work.damping).max() < 1e-13
    assert np.abs(run.steps.residual).max() < 1e-13 * run.steps.energy.total.max()
    # The local problem is not symmetric then, and Newton's law tells whether it was posed so.
    u_N, closed = run.steps.contact.u[..., 0], run.steps.contact.p[1:, :, 0] > 1e-9
    assert closed.sum() > 5
    assert np.abs((u_N[1:] + base.e * u_N[:-1])[closed]).max() < 1e-11


def test_ball_under_gravity_bounces_to_the_closed_form_heights():
    """One dof, one contact: between bounces energy is kept, at each e^2 of it is left (to O(h))."""
    from fem_contact.fem.force import Force

    system = LinearSystem(
        M=csr_matrix([[1.0]]),
        K=csr_matrix((1, 1)),
        H=csr_matrix([[1.0]]),
        g0=[0.0],
        e=[0.5],
        dim=1,
        force=Force(np.array([-2.0])),
    )
    run = simulate(
        system,
        MoreauJean(activation=Activation(1.0, 0.0, 0.0)),
        dt=1e-4,
        t_end=2.5,
        initial=(np.ones(1), np.zeros(1)),
        every=1,
    )
    q = run.fields.q[:, 0]
    assert abs(q[run.fields.t > 1.05].max() - 0.25) < 1e-3
    assert abs(q[(run.fields.t > 2.05)].max() - 0.0625) < 1e-3


@pytest.mark.parametrize("scheme", BOTH)
def test_bounds_of_theta_are_warned_about_by_name(scheme, make_system):
    system = make_system(0, e=0.5)
    with pytest.warns(FemContactWarning, match=r"1/2 <= theta <= 1/\(1\+e\) = 0.666667"):
        scheme(theta=0.7).prepare(system, 0.01, NSGS())
    with pytest.warns(FemContactWarning, match="theta = 0.4 leaves"):
        scheme(theta=0.4).prepare(system, 0.01, NSGS())
    scheme(theta=2.0 / 3.0).prepare(system, 0.01, NSGS())  # any warning of ours is an error here


@pytest.mark.parametrize("theta", [-0.1, 1.1, float("nan")])
def test_theta_out_of_range_is_refused(theta):
    for scheme in BOTH:
        with pytest.raises(ModelError, match=r"theta = .* must be in \[0, 1\]"):
            scheme(theta=theta)


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
def test_theta_zero_runs_in_moreau_jean_and_is_refused_by_fremond(make_system, make_start):
    system = make_system(0, e=0.5)
    run = simulate(
        system, MoreauJean(theta=0.0, activation=ALWAYS), dt=0.001, t_end=0.05, initial=make_start(system, 0)
    )
    assert np.abs(run.steps.residual).max() < 1e-13 * run.steps.energy.total.max()
    with pytest.raises(ModelError, match="leaves the impulse undetermined"):
        MoreauJeanFremond(theta=0.0)


@pytest.mark.parametrize("h", [0.0, -1e-3, float("nan"), float("inf")])
def test_a_step_that_is_not_positive_is_refused(h, make_system):
    with pytest.raises(ModelError, match=r"dt = .*positive"):
        MoreauJean().prepare(make_system(0), h, NSGS())


def test_the_registry_knows_the_schemes_by_their_names():
    assert SCHEMES["moreau-jean"] is MoreauJean
    assert SCHEMES["moreau-jean-fremond"] is MoreauJeanFremond
