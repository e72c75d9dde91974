"""The variant of Moreau-Jean (RR-8602 eq. 31): its identity and sign (eq. 92), Newmark, a plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning
from fem_contact.problems import LocalProblem
from fem_contact.schemes import SCHEMES, MoreauJean, MoreauJeanVariant
from fem_contact.schemes.newmark import Newmark
from fem_contact.solvers import NSGS, solve
from fem_contact.timeloop import simulate

ALWAYS = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=0.0)
RANDOM = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def scale_of(run) -> float:
    """The largest energy or work of the run."""
    works = (np.abs(run["steps/work/" + w]).max() for w in ("external", "damping", "contact_normal"))
    return max(run.steps.energy.total.max(), *works)


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
@RANDOM
@given(seed=st.integers(0, 10_000), theta=st.floats(0.02, 1.0), d=st.sampled_from((1, 2)))
def test_the_identity_closes_at_every_step(make_system, make_start, shake, seed, theta, d):
    system = shake(make_system(seed, d=d), seed)
    run = simulate(
        system,
        MoreauJeanVariant(theta, ALWAYS),
        dt=0.01,
        t_end=0.3,
        initial=make_start(system, seed),
    )
    assert np.abs(run.steps.residual).max() <= 1e-13 * scale_of(run)


@RANDOM
@given(seed=st.integers(0, 10_000), e=st.floats(0.0, 1.0), theta=st.floats(0.5, 1.0))
def test_it_dissipates_for_any_restitution(make_system, make_start, shake, seed, e, theta):
    """RR-8602 eq. 92 with u_{k+1/2} P <= 0 (eq. 70), theta well beyond 1/(1 + e)."""
    system = shake(make_system(seed, d=1, e=e), seed)
    run = simulate(
        system, MoreauJeanVariant(theta, ALWAYS), dt=0.01, t_end=0.3, initial=make_start(system, seed)
    )
    work = run.steps.work
    gain = np.diff(run.steps.energy.total) - (work.external + work.damping)[1:]
    assert gain.max() <= 1e-13 * scale_of(run)
    assert run.steps.contact.work_normal.max() <= 1e-13 * scale_of(run)


@pytest.mark.filterwarnings("ignore:moreau-jean. theta = 1 leaves")
def test_moreau_jean_gains_energy_where_the_variant_does_not(make_system, make_start):
    """theta = 1, e = 1: eq. 45 leaves theta = 1/2 only."""
    gains = {}
    for scheme in (MoreauJean, MoreauJeanVariant):
        largest = 0.0
        for seed in range(20):
            system = make_system(seed, d=1, e=1.0)
            run = simulate(system, scheme(1.0, ALWAYS), dt=0.01, t_end=0.3, initial=make_start(system, seed))
            largest = max(largest, run.steps.contact.work_normal.max() / scale_of(run))
        gains[scheme] = largest
    assert gains[MoreauJean] > 1e-2
    assert gains[MoreauJeanVariant] <= 1e-14


@pytest.mark.parametrize("theta", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("d", [1, 2])
def test_it_is_newmark_with_2_beta_and_gamma_equal_to_theta(theta, d, make_system, make_start, shake):
    hits = 0
    for seed in range(5):
        system = shake(make_system(seed, d=d), seed)
        options = {
            "dt": 0.01,
            "t_end": 0.3,
            "initial": make_start(system, seed),
            "every": 1,
            "solver": NSGS(tol=1e-13),
        }
        # velocity_tol: a closed contact must not come and go with the sign of a round-off.
        steady = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=1e-9)
        variant = simulate(system, MoreauJeanVariant(theta, steady), **options)
        newmark = simulate(system, Newmark(theta / 2, theta, steady), **options)
        for name in ("fields/q", "fields/v", "steps/contact/p"):
            np.testing.assert_allclose(variant[name], newmark[name], rtol=0, atol=1e-11, err_msg=name)
        for name in ("energy/total", "work/external", "work/damping", "work/numerical"):
            np.testing.assert_allclose(
                variant["steps/" + name],
                newmark["steps/" + name],
                rtol=0,
                atol=1e-12 * scale_of(variant),
                err_msg=name,
            )
        hits += np.count_nonzero(variant.steps.contact.p[..., 0])
    assert hits > 30


@pytest.mark.parametrize("theta", [0.5, 0.8])
def test_the_compiled_step_is_the_plain_one(theta, make_system, make_start):
    """Eq. 31 by dense matrices: the unknowns (v, q) together, and the generic solver."""
    h, hits = 0.01, 0
    for seed in range(4):
        system = make_system(seed, e=0.3)
        M, K, C, H = (A.toarray() for A in (system.M, system.K, system.C, system.H))
        F, n, one = system.force.constant, system.n, np.eye(system.n)
        stepper = MoreauJeanVariant(theta, ALWAYS).prepare(system, h, NSGS(tol=1e-13))
        state, _ = stepper.start(*make_start(system, seed))
        for _ in range(25):
            q, v = state.q, state.v
            both = np.block([[M + h * theta * C, h * theta * K], [-0.5 * h * one, one]])
            right = np.concatenate([M @ v + h * F - h * (1 - theta) * (C @ v + K @ q), q + 0.5 * h * v])
            free = np.linalg.solve(both, right)
            response = np.linalg.solve(both, np.concatenate([H.T, np.zeros_like(H.T)]))
            u, u_free = (H @ v).reshape(-1, 2), (H @ free[:n]).reshape(-1, 2)
            active = ALWAYS.active(system.gap(q), u[:, 0], h)
            p = np.zeros_like(u)
            if active.any():
                rows = np.repeat(active, 2)
                b = u_free.copy()
                b[:, 0] += system.e * u[:, 0]
                W = (H @ response[:n])[np.ix_(rows, rows)]
                problem = LocalProblem(W, b[active].ravel(), system.mu[active], 2)
                p[active] = solve(problem, NSGS(tol=1e-13)).r.reshape(-1, 2)
            end = free + response @ p.ravel()
            state, report = stepper.step(state)
            np.testing.assert_allclose(state.v, end[:n], rtol=0, atol=1e-11)
            np.testing.assert_allclose(state.q, end[n:], rtol=0, atol=1e-12)
            np.testing.assert_allclose(report.p, p, rtol=0, atol=1e-11)
            hits += int((p != 0).any())
    assert hits > 12


def test_only_theta_below_one_half_is_warned_about(make_system):
    system = make_system(0, e=1.0)
    with pytest.warns(FemContactWarning, match=r"theta = 0.4 is below 1/2 \(RR-8602 eq. 92\)"):
        MoreauJeanVariant(0.4).prepare(system, 0.01, NSGS())
    MoreauJeanVariant(1.0).prepare(system, 0.01, NSGS())  # any warning of ours is an error here


def test_the_registry_knows_it():
    assert SCHEMES["moreau-jean-variant"] is MoreauJeanVariant
