"""Schatzman-Paoli: its equations, identity, impacts over several steps, order, restarts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from fem_contact.errors import ConvergenceError, FemContactWarning, ModelError
from fem_contact.problems import LocalProblem
from fem_contact.schemes import SCHEMES
from fem_contact.schemes.linear import linear_stepper
from fem_contact.schemes.newton import Newton
from fem_contact.schemes.schatzman import schatzman_kernels as kernels
from fem_contact.schemes.schatzman.schatzman_linear import DISCRETE
from fem_contact.schemes.schatzman_paoli import SchatzmanPaoli
from fem_contact.solvers import NSGS, solve
from fem_contact.systems.linear import LinearSystem
from fem_contact.systems.rigid.bouncing_ball import BouncingBall
from fem_contact.timeloop import simulate

from .test_lagrangian import as_lagrangian, double_pendulum
from .test_projected import STEPS, ball_height, largest_energy


@pytest.mark.filterwarnings("ignore:schatzman-paoli. theta::")
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 10_000),
    theta=st.floats(0.0, 1.0),
    d=st.sampled_from((1, 2)),
    damped=st.booleans(),
    rigid=st.booleans(),
)
def test_the_energy_identity_closes_at_every_step(make_system, make_start, seed, theta, d, damped, rigid):
    """With friction no contact slides the wrong way: u_T,k+1 . p_T <= 0."""
    system = make_system(seed, d=d, damped=damped)
    start = make_start(system, seed)
    run = simulate(
        as_lagrangian(system) if rigid else system,
        SchatzmanPaoli(theta=theta),
        dt=5e-3,
        t_end=0.1,
        initial=start,
    )
    # On a Lagrangian system the momentum balances to the tolerance of the iterations.
    tol = 1e-11 if rigid else 1e-13
    assert np.abs(run.steps.residual).max() <= tol * largest_energy(run)
    assert run.steps.contact.work_tangential.max() <= 1e-12 * largest_energy(run)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.filterwarnings("ignore:schatzman-paoli. theta::")
@pytest.mark.parametrize("theta", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("sparse_response", [False, True])
def test_a_step_solves_the_equations_as_they_are_printed(
    make_system, make_start, monkeypatch, d, theta, sparse_response
):
    """RR-8029 eq. 20-22 with one dense solve, p being h times our impulse."""
    if sparse_response:
        monkeypatch.setattr(linear_stepper, "DENSE_RESPONSE", 0)
    system, h = make_system(7, d=d), 1e-2
    M, K, C, H = (A.toarray() for A in (system.M, system.K, system.C, system.H))
    q, v = make_start(system, 7)
    stepper = SchatzmanPaoli(theta=theta).prepare(system, h, NSGS(tol=1e-13))
    state, _ = stepper.start(q, v)
    before, hit = q - h * v, 0
    for _ in range(15):
        q, v = state.q, state.v
        # (M + h^2 theta K + h theta C/2) q' = right + h H^T p
        A = M + h * h * theta * K + 0.5 * h * theta * C
        right = M @ (2.0 * q - before) + h * h * (system.force.constant - (1.0 - theta) * (K @ q))
        right -= h * h * C @ ((1.0 - theta) * v - theta * before / (2.0 * h))
        free, X = np.linalg.solve(A, right), np.linalg.solve(A, h * H.T)
        z = (H @ (free - before)) / (2.0 * h)
        for i, e in enumerate(system.e):
            gap_e = system.gap((free + e * before) / (1.0 + e))[i]
            z[d * i] = (1.0 + e) * gap_e / (2.0 * h)
        local = LocalProblem(H @ X / (2.0 * h), z, system.mu, d)
        p = solve(local, NSGS(tol=1e-13)).r
        expected = free + X @ p
        state, report = stepper.step(state)
        hit += int((p[::d] > 0.0).sum())
        np.testing.assert_allclose(state.q, expected, atol=1e-13)
        np.testing.assert_allclose(state.v, (expected - before) / (2.0 * h), atol=1e-11)
        np.testing.assert_allclose(report.p.ravel(), p, atol=1e-9)
        before = q
    assert hit > 5


@pytest.mark.parametrize("d", [1, 2])
def test_a_linear_system_steps_as_it_does_by_itself(make_system, make_start, d):
    linear = make_system(3, d=d, e=0.2)
    start, solver = make_start(linear, 3), NSGS(tol=1e-13)
    runs = [
        simulate(system, SchatzmanPaoli(), dt=1e-3, t_end=0.2, initial=start, every=1, solver=solver)
        for system in (linear, as_lagrangian(linear))
    ]
    assert np.abs(runs[0].steps.contact.p).max() > 1e-3
    for name in ("fields/q", "fields/v", "steps/contact/p", "steps/work/external", "steps/work/damping",
                 "steps/work/numerical", "steps/contact/work_tangential", "steps/energy/total"):  # fmt: skip
        scale = np.abs(runs[0][name]).max() + 1e-3
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-9 * scale, err_msg=name)


def test_without_restitution_no_gap_is_violated(make_system, make_start):
    """RR-8029 section 3.2, and with it that gap to be so is."""
    worst = {0.0: 0.0, 0.5: 0.0}
    for seed in range(5):
        for e in worst:
            system = make_system(seed, e=e)
            run = simulate(system, SchatzmanPaoli(), dt=1e-2, t_end=0.5, initial=make_start(system, seed))
            assert run.steps.contact.p.max() > 0.1
            worst[e] = max(worst[e], run.steps.violation.max())
    assert worst[0.0] <= 1e-14
    assert worst[0.5] > 1e-3


@pytest.mark.parametrize("joints", [False, True])
def test_identity_and_joints_of_a_double_pendulum(joints):
    run = simulate(double_pendulum(joints), SchatzmanPaoli(theta=0.6), dt=1e-3, t_end=1.0)
    assert run.steps.contact.p[:, 0, 0].max() > 0.1
    assert np.abs(run.steps.work.numerical).max() > 1e-6
    assert np.abs(run.steps.residual).max() <= 1e-11 * np.ptp(run.steps.energy.total)
    assert run.steps.joint_error.max() <= 1e-13  # positions, not velocities
    assert run.steps.contact.work_tangential.max() <= 1e-14


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_rebounds_by_newtons_law_within_three_steps(e):
    """RR-8029 section 3.3: the law holds for v a few steps after the impact."""
    run = simulate(BouncingBall(e=e).system(), SchatzmanPaoli(), dt=1e-3, t_end=1.5)
    first = int(np.flatnonzero(run.steps.contact.p[:, 0, 0] > 0.0)[0])
    u = run.steps.contact.u[:, 0, 0]
    assert u[first - 2] < -1.9
    assert abs(u[first + 3] + e * u[first - 2]) <= 0.02


def test_a_ball_comes_to_rest_and_converges_at_first_order():
    """RR-8029 figure 2: L1 norm of the positions, accumulation of impacts at t = 3 included."""
    error, steps = [], 4.0 / np.array(STEPS)
    for h in steps:
        run = simulate(BouncingBall().system(), SchatzmanPaoli(), dt=h, t_end=4.0, every=10**6)
        error.append(h * np.abs(run.steps.contact.gap[:, 0] - ball_height(run.steps.t)).sum())
    assert 0.85 <= np.polyfit(np.log(steps), np.log(error), 1)[0] <= 1.15
    assert np.abs(run.steps.contact.u[-50:]).max() <= 1e-9
    np.testing.assert_allclose(run.steps.contact.p[-50:, 0, 0], 2.0 * steps[-1], rtol=1e-8)


@pytest.mark.parametrize("rigid", [False, True])
def test_a_step_does_not_depend_on_the_one_before(make_system, make_start, rigid):
    """q_{k-1} is in the state, as the velocity since."""
    system = double_pendulum() if rigid else make_system(5)
    start = system.start if rigid else make_start(system, 5)
    first = SchatzmanPaoli().prepare(system, 1e-3, NSGS())
    state, report = first.start(*start)
    new = state.copy()
    for _ in range(400 if rigid else 60):
        stored = state.copy()
        first.advance(state, new, report)
        state, new = new, state
    np.testing.assert_allclose(state.extra[DISCRETE], (state.q - stored.q) / 1e-3, atol=1e-9)
    again, other = SchatzmanPaoli().prepare(system, 1e-3, NSGS()).step(stored)
    assert np.array_equal(again.q, state.q)
    assert np.array_equal(again.extra[DISCRETE], state.extra[DISCRETE])
    assert np.array_equal(other.scalars, report.scalars)


def test_refusals():
    with pytest.raises(ModelError, match=r"theta = -0.1: it must be in \[0, 1\]"):
        SchatzmanPaoli(theta=-0.1)
    with pytest.raises(ModelError, match=r"dt = 0\.0"):
        SchatzmanPaoli().prepare(double_pendulum(), 0.0, NSGS())
    with pytest.raises(ConvergenceError, match=r"step 1 .*1 Newton iterations") as error:
        simulate(double_pendulum(), SchatzmanPaoli(newton=Newton(max_iter=1)), dt=1e-3, t_end=0.1)
    assert error.value.step == 1
    system = double_pendulum(joints=True)
    with pytest.raises(ModelError, match="leaves the joints open by"):
        simulate(
            system, SchatzmanPaoli(), dt=1e-3, t_end=0.1, initial=(1.1 * system.start[0], system.start[1])
        )
    assert SCHEMES["schatzman-paoli"] is SchatzmanPaoli


def test_kernels_and_their_numpy_twins():
    rng = np.random.default_rng(0)
    n, h, theta = 7, 0.1, 0.3
    q, w, x, F, q_new, w_new, v_new = rng.normal(size=(7, n))
    now, then = rng.normal(size=(2, 4, n))
    kernels.advance(h, q, w, x, q_new, w_new, v_new)
    np.testing.assert_allclose(w_new, w + x, atol=1e-15)
    np.testing.assert_allclose(q_new, q + h * (w + x), atol=1e-15)
    np.testing.assert_allclose(v_new, 0.5 * (w + w_new), atol=1e-15)
    loads, numerical, kinetic, elastic, before = kernels.works(
        h, theta, F, q, w, now, q_new, w_new, v_new, then
    )
    V, V_new = 0.5 * q @ now[0], 0.5 * q_new @ then[0]
    np.testing.assert_allclose(loads, h * v_new @ F)
    np.testing.assert_allclose(kinetic, 0.5 * w_new @ then[2])
    np.testing.assert_allclose(elastic, V_new)
    np.testing.assert_allclose(before, 0.5 * w @ now[2] + V)
    np.testing.assert_allclose(numerical, V_new - V - h * v_new @ ((1 - theta) * now[0] + theta * then[0]))
    u, p, scalars = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), np.empty(11)
    work_n, work_t = np.empty(3), np.empty(3)
    sums = kernels.contact_works(u, p, work_n, work_t)
    np.testing.assert_allclose([work_n, work_t], (u * p).T)
    np.testing.assert_allclose(sums, (u * p).sum(axis=0))
    kernels.balance(1.0, 2.0, 3.0, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), scalars)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(scalars[:10], [2.0, 3.0, 5.0, 0.3, 0.3, 0.4, 0.5, 0.6, 0.2, 1.9])


@pytest.mark.parametrize(("theta", "limit"), [(0.0, 2.0), (0.25, 2.0 / np.sqrt(0.5)), (0.5, np.inf)])
def test_the_step_that_it_warns_of_is_where_a_vibration_begins_to_grow(theta, limit):
    """A spring of frequency 1 for 400 steps just below and just above h omega (1 - 2 theta)^(1/2) = 2."""

    def growth(h: float) -> float:
        system = LinearSystem(M=csr_matrix([[1.0]]), K=csr_matrix([[1.0]]), dim=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FemContactWarning)
            run = simulate(
                system, SchatzmanPaoli(theta=theta), dt=h, t_end=400 * h, initial=([1.0], [0.1]), every=1
            )
        assert [w.category for w in caught] == ([FemContactWarning] if theta < 0.5 else [])
        return float(np.abs(run.fields.q).max())

    assert growth(0.98 * min(limit, 100.0)) < 100.0
    if limit < np.inf:
        assert growth(1.05 * limit) > 1e3
