"""The signs that RR-8602 claims: Propositions 1-4, Corollary 1, Lemma 3, and what friction leaves of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fem_contact.contact.activation import Activation
from fem_contact.schemes import MoreauJean
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.newmark import Newmark
from fem_contact.timeloop import simulate

ALWAYS = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=0.0)
RANDOM = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SEEDS, SHARE = st.integers(0, 10_000), st.floats(0.0, 1.0)
ROUND_OFF = 1e-13


def scale_of(run) -> float:
    works = (np.abs(run["steps/work/" + w]).max() for w in ("external", "damping", "contact_normal"))
    return max(run.steps.energy.total.max(), *works)


def run_of(scheme, system, start):
    """Any warning of the program is an error here: the scheme is within its bounds, or so it says."""
    return simulate(system, scheme, dt=0.01, t_end=0.3, initial=start)


def gains(run, energy="total"):
    """dE (or dH) beyond what loads and damping give."""
    change = np.diff(run["steps/energy/" + energy])
    return (change - (run.steps.work.external + run.steps.work.damping)[1:]) / scale_of(run)


@st.composite
def krenk_hogsberg(draw):
    """Parameters under eq. 74-75, its limits included."""
    alpha_m = draw(st.floats(-0.9, 0.5))
    alpha_f = max(alpha_m, 0.0) + draw(SHARE) * (0.5 - max(alpha_m, 0.0))
    excess = alpha_f - alpha_m + draw(SHARE) * (0.5 - alpha_f)  # up to nu = 1/2 - alpha_m
    gamma = 0.5 + excess
    beta = 0.5 * gamma + draw(SHARE)
    return KrenkHogsberg(alpha_m=alpha_m, alpha_f=alpha_f, gamma=gamma, beta=beta, activation=ALWAYS)


@st.composite
def hht(draw):
    """Parameters under eq. 82."""
    alpha = draw(st.floats(0.0, 1 / 3))
    gamma = 0.5 + alpha + draw(SHARE) * (0.5 - alpha)
    return HHT(alpha, beta=0.5 * gamma + draw(SHARE), gamma=gamma, activation=ALWAYS)


@st.composite
def newmark(draw):
    """Parameters under eq. 90."""
    gamma = draw(st.floats(0.5, 1.5))
    return Newmark(0.5 * gamma + draw(SHARE), gamma, ALWAYS)


@RANDOM
@given(seed=SEEDS, e=SHARE, share=SHARE)
def test_proposition_1(make_system, make_start, shake, seed, e, share):
    """Moreau-Jean with 1/2 <= theta <= 1/(1 + e) (eq. 44-45)."""
    system = shake(make_system(seed, d=1, e=e), seed)
    theta = 0.5 + share * (1.0 / (1.0 + e) - 0.5)
    run = run_of(MoreauJean(theta, ALWAYS), system, make_start(system, seed))
    assert gains(run).max() <= ROUND_OFF


@RANDOM
@given(seed=SEEDS, scheme=st.one_of(krenk_hogsberg(), hht(), newmark()))
def test_propositions_2_3_and_4(make_system, make_start, shake, seed, scheme):
    """dH - W_ext - W_damp <= 0 for any loads and damping, without friction (eq. 73, 81, 89)."""
    system = shake(make_system(seed, d=1), seed)
    run = run_of(scheme, system, make_start(system, seed))
    assert gains(run, "algorithmic").max() <= ROUND_OFF
    assert run.steps.work.algorithmic.max() <= ROUND_OFF * scale_of(run)
    assert run.steps.contact.work_normal.max() <= ROUND_OFF * scale_of(run)
    # H is an energy: not below E.
    surplus = run["steps/energy/algorithmic"] - run.steps.energy.total
    assert surplus.min() >= -ROUND_OFF * scale_of(run)


@pytest.mark.parametrize(
    "scheme",
    [
        KrenkHogsberg(rho_inf=0.2, activation=ALWAYS),
        HHT(0.3, activation=ALWAYS),
        Newmark(0.4, 0.7, ALWAYS),
        GeneralizedAlpha(rho_inf=0.2, activation=ALWAYS),
    ],
    ids=lambda scheme: scheme.name,
)
def test_impulses_are_met_and_energy_is_lost(scheme, make_system, make_start):
    """The propositions do not hold for want of anything to dissipate."""
    system = make_system(0, d=1)
    run = run_of(scheme, system, make_start(system, 0))
    assert np.count_nonzero(run.steps.contact.p) > 5
    assert run.steps.work.algorithmic.min() < -1e-6 * scale_of(run)
    assert run.steps.contact.work_normal.min() < -1e-3 * scale_of(run)


@RANDOM
@given(seed=SEEDS, rho_inf=SHARE)
def test_generalized_alpha_dissipates_without_damping_under_constant_loads(
    make_system, make_start, seed, rho_inf
):
    """The special case after Lemma 3: H - F.q never rises."""
    system = make_system(seed, d=1, damped=False)
    run = run_of(GeneralizedAlpha(rho_inf=rho_inf, activation=ALWAYS), system, make_start(system, seed))
    assert gains(run, "algorithmic").max() <= ROUND_OFF
    assert np.abs(run.steps.work.damping).max() == 0.0


@RANDOM
@given(seed=SEEDS, beta=st.floats(0.25, 1.0))
def test_corollary_1_gamma_one_half(make_system, make_start, shake, seed, beta):
    """H changes by the work of the contacts alone (eq. 91)."""
    system = shake(make_system(seed, d=2), seed)
    run = run_of(Newmark(beta, 0.5, ALWAYS), system, make_start(system, seed))
    work = run.steps.work
    assert np.all(work.algorithmic == 0.0)
    contact = (work.contact_normal + work.contact_tangential)[1:] / scale_of(run)
    np.testing.assert_allclose(gains(run, "algorithmic"), contact, rtol=0, atol=ROUND_OFF)


@RANDOM
@given(seed=SEEDS, gamma=st.floats(0.5, 1.0), e=SHARE)
def test_corollary_1_gamma_equal_to_2_beta(make_system, make_start, shake, seed, gamma, e):
    """H is E, which dissipates whatever e is (eq. 92); nothing but contact does for gamma = 1/2 (eq. 93)."""
    system = shake(make_system(seed, d=1, e=e), seed)
    run = run_of(Newmark(0.5 * gamma, gamma, ALWAYS), system, make_start(system, seed))
    assert np.array_equal(run["steps/energy/algorithmic"], run.steps.energy.total)
    assert gains(run).max() <= ROUND_OFF
    if gamma == 0.5:
        assert np.all(run.steps.work.numerical == 0.0)


@RANDOM
@given(seed=SEEDS, scheme=st.one_of(krenk_hogsberg(), hht(), newmark()), d=st.sampled_from((1, 2)))
def test_lemma_3(make_system, make_start, shake, seed, scheme, d):
    """u_{N,k+1/2} P_N = (1 - e) u_{N,k} P_N / 2 <= 0 at every contact (eq. 70-71), with friction too."""
    system = shake(make_system(seed, d=d), seed)
    run = run_of(scheme, system, make_start(system, seed))
    contact = run.steps.contact
    assert contact.work_normal.max() <= ROUND_OFF * scale_of(run)
    expected = 0.5 * (1.0 - system.e) * contact.u[:-1, :, 0] * contact.p[1:, :, 0]
    # The solver meets Newton's law to its tolerance, 1e-10 (1 + |b|).
    np.testing.assert_allclose(contact.work_normal[1:], expected, rtol=0, atol=1e-9 * scale_of(run))


def test_friction_can_create_energy_as_in_moreau_jean(make_system, make_start):
    """Not covered by the report: the sign of u_{T,k+1/2} . P_T is free, its law being in u_{k+1}."""
    largest = 0.0
    for seed in range(20):
        system = replace(make_system(seed, e=0.5), mu=np.full(3, 0.8))
        run = run_of(Newmark(activation=ALWAYS), system, make_start(system, seed))
        largest = max(largest, run.steps.contact.work_tangential.max() / scale_of(run))
    assert largest > 1e-3
