"""The Newmark family: both balances, the contact law, a plain twin of the step, restarts, settings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, kron

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning, ModelError
from fem_contact.schemes import SCHEMES, MoreauJean
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.linear import linear_stepper
from fem_contact.schemes.linear.products import Products
from fem_contact.schemes.newmark import Newmark
from fem_contact.solvers import NSGS
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

from .newmark_twin import DenseStep

ALWAYS = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=0.0)
#: Closed contacts do not come and go with the sign of a round-off.
STEADY = Activation(gamma=1.0, gap_tol=0.05, velocity_tol=1e-9)
RANDOM = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
FOUR = (Newmark, HHT, GeneralizedAlpha, KrenkHogsberg)
SOME = (
    Newmark(activation=STEADY),
    Newmark(0.3025, 0.6, STEADY),
    HHT(0.2, activation=STEADY),
    GeneralizedAlpha(rho_inf=0.5, activation=STEADY),
    GeneralizedAlpha(alpha_m=-0.2, alpha_f=0.0, activation=STEADY),
    KrenkHogsberg(rho_inf=0.5, activation=STEADY),
)
NAMES = [f"{scheme.name}-{i}" for i, scheme in enumerate(SOME)]

beta, gamma, unit = st.floats(0.0, 1.0), st.floats(0.0, 1.5), st.floats(0.0, 1.0)
alphas = {"alpha_m": st.floats(-1.0, 0.5), "alpha_f": st.floats(0.0, 0.5), "beta": beta, "gamma": gamma}
ANY = st.one_of(
    st.builds(Newmark, beta=beta, gamma=gamma, activation=st.just(ALWAYS)),
    st.builds(HHT, alpha=st.floats(0.0, 1 / 3), beta=beta, gamma=gamma, activation=st.just(ALWAYS)),
    st.builds(GeneralizedAlpha, rho_inf=unit, activation=st.just(ALWAYS)),
    st.builds(GeneralizedAlpha, **alphas, activation=st.just(ALWAYS)),
    st.builds(KrenkHogsberg, rho_inf=unit, activation=st.just(ALWAYS)),
    st.builds(KrenkHogsberg, **alphas, activation=st.just(ALWAYS)),
)


def scale_of(run) -> float:
    """The largest energy or work of the run."""
    works = (np.abs(run["steps/work/" + w]).max() for w in ("external", "damping", "contact_normal"))
    return max(run.steps.energy.total.max(), np.abs(run["steps/energy/algorithmic"]).max(), *works)


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
@settings(max_examples=100, **RANDOM)
@given(seed=st.integers(0, 10_000), scheme=ANY, d=st.sampled_from((1, 2, 3)), damped=st.booleans())
@example(seed=1655, scheme=GeneralizedAlpha(rho_inf=0.0, activation=ALWAYS), d=3, damped=False)
def test_both_balances_close_at_every_step(make_system, make_start, shake, seed, scheme, d, damped):
    """Any parameters, friction, loads that vary and jump, damping with a skew part (RR-8602 eq. 66-93)."""
    system = make_system(seed, d=d, damped=damped, contacts=3 if d < 3 else 2)
    if damped:
        system = shake(system, seed)
    run = simulate(system, scheme, dt=0.01, t_end=0.3, initial=make_start(system, seed))
    assert np.abs(run.steps.residual).max() <= 1e-13 * scale_of(run)
    assert np.abs(run.steps.residual_algorithmic).max() <= 1e-13 * scale_of(run)
    works = sum(
        run["steps/work/" + w]
        for w in ("external", "damping", "contact_normal", "contact_tangential", "numerical")
    )
    np.testing.assert_allclose(np.diff(run.steps.energy.total), works[1:], rtol=0, atol=1e-13 * scale_of(run))


def test_works_and_energies_are_those_of_the_report(make_system, make_start, shake):
    """HHT by eq. 66, 78, 79 and 80 from the recorded q, v and the accelerations of a twin run."""
    seed, h, alpha = 3, 0.01, 0.25
    system = shake(make_system(seed), seed)
    scheme = HHT(alpha, beta=0.45, gamma=0.8, activation=STEADY)
    stepper = scheme.prepare(system, h, NSGS())
    state, report = stepper.start(*make_start(system, seed))
    states, reports = [state], [report]
    for _ in range(40):
        state, report = stepper.step(state)
        states.append(state)
        reports.append(report)
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    a = np.array([s.extra["a"] for s in states])
    F = np.array([system.force.at(k * h) for k in range(41)])
    M, K, C = (A.toarray() for A in (system.M, system.K, system.C))
    F, v_before = np.concatenate([F[:1], F]), np.concatenate([v[:1], v])  # F_{-1} = F_0, v_{-1} = v_0
    beta, gamma = 0.45, 0.8
    z = np.zeros_like(q)
    for k in range(40):  # eq. 54 with nu = 1/2
        z[k + 1] = 0.5 * (q[k + 1] - q[k])
    H = 0.5 * (
        np.einsum("ki,ij,kj->k", v, M, v)
        + np.einsum("ki,ij,kj->k", q, K, q)
        + 0.5 * h * h * (2 * beta - gamma) * np.einsum("ki,ij,kj->k", a, M, a)
        + 4 * alpha * (1 - gamma) * np.einsum("ki,ij,kj->k", z, K, z)
    )
    dq, da, dz = np.diff(q, axis=0), np.diff(a, axis=0), np.diff(z, axis=0)

    def weighted(x):
        x_gamma = gamma * x[1:] + (1 - gamma) * x[:-1]
        return (1 - alpha) * x_gamma[1:] + alpha * x_gamma[:-1]

    external = np.einsum("ki,ki->k", dq, weighted(F))
    damping = -np.einsum("ki,ij,kj->k", dq, C, weighted(v_before))
    algorithmic = (
        -0.5 * h * h * (gamma - 0.5) * (2 * beta - gamma) * np.einsum("ki,ij,kj->k", da, M, da)
        - (gamma - 0.5 - alpha) * np.einsum("ki,ij,kj->k", dq, K, dq)
        - 2 * alpha * (1 - gamma) * np.einsum("ki,ij,kj->k", dz, K, dz)
    )
    contact = np.array([np.sum(0.5 * (s.u + r.u) * r.p) for s, r in itertools.pairwise(reports)])
    told = {name: np.array([r[name] for r in reports]) for name in (*_SCALARS, "energy/algorithmic")}
    scale = 1e-12 * H.max()
    assert np.abs(contact).max() > 1e-3 * H.max()
    np.testing.assert_allclose(told["energy/algorithmic"], H, rtol=0, atol=scale)
    np.testing.assert_allclose(told["work/external"][1:], external, rtol=0, atol=scale)
    np.testing.assert_allclose(told["work/damping"][1:], damping, rtol=0, atol=scale)
    np.testing.assert_allclose(told["work/algorithmic"][1:], algorithmic, rtol=0, atol=scale)
    np.testing.assert_allclose(np.diff(H), external + damping + algorithmic + contact, rtol=0, atol=scale)


_SCALARS = ("work/external", "work/damping", "work/algorithmic")


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("scheme", SOME, ids=NAMES)
def test_the_compiled_step_is_the_plain_one(scheme, d, make_system, make_start, shake):
    h, hits = 0.01, 0
    for seed in range(3):
        system = shake(make_system(seed, d=d, e=0.3), seed)
        plain = DenseStep(system, scheme.parameters(), STEADY, h)
        stepper = scheme.prepare(system, h, NSGS(tol=1e-13))
        state, _ = stepper.start(*make_start(system, seed))
        np.testing.assert_allclose(state.extra["a"], plain.start(state.q, state.v), rtol=1e-10, atol=1e-10)
        for k in range(25):
            q, v, a, p = plain(k, state.q, state.v, state.extra["a"])
            state, report = stepper.step(state)
            np.testing.assert_allclose(state.q, q, rtol=0, atol=1e-12)
            np.testing.assert_allclose(state.v, v, rtol=0, atol=1e-11)
            np.testing.assert_allclose(state.extra["a"], a, rtol=0, atol=1e-9)
            np.testing.assert_allclose(report.p, p, rtol=0, atol=1e-11)
            hits += int((p != 0).any())
    assert hits > 15


@pytest.mark.parametrize("scheme", SOME, ids=NAMES)
def test_impact_law_and_coulomb_hold_at_every_active_contact(scheme, make_system, make_start, shake):
    seen = np.zeros(2, int)
    for seed in range(5):
        system = shake(make_system(seed, e=0.4), seed)
        run = simulate(system, scheme, dt=0.01, t_end=0.3, initial=make_start(system, seed))
        contact = run.steps.contact
        u, before, p = contact.u[1:], contact.u[:-1], contact.p[1:]
        closed = p[..., 0] > 1e-9
        newton = u[..., 0] + system.e * before[..., 0]
        assert np.abs(newton[closed]).max() < 1e-10
        assert newton[contact.active[1:]].min() > -1e-10
        limit = system.mu * p[..., 0]
        assert (np.abs(p[..., 1]) - limit).max() < 1e-12
        sliding = closed & (np.abs(u[..., 1]) > 1e-8)
        assert np.abs(p[..., 1] + limit * np.sign(u[..., 1]))[sliding].max() < 1e-10
        assert np.all(p[~contact.active[1:]] == 0.0)
        seen += np.array([sliding.sum(), (closed & ~sliding).sum()])
    assert seen.min() > 10, f"slips and sticks seen: {seen}"


@pytest.mark.parametrize("scheme", SOME, ids=NAMES)
def test_solves_in_every_step_instead_of_the_dense_response_give_the_same(
    scheme, make_system, make_start, monkeypatch
):
    system = make_system(3, e=0.2)
    options = {"dt": 0.01, "t_end": 0.3, "initial": make_start(system, 3)}
    dense = simulate(system, scheme, **options)
    monkeypatch.setattr(linear_stepper, "DENSE_RESPONSE", 0)
    sparse = simulate(system, scheme, **options)
    assert np.abs(dense.steps.contact.p).max() > 0.01
    np.testing.assert_allclose(sparse.steps.contact.p, dense.steps.contact.p, rtol=0, atol=1e-11)
    np.testing.assert_allclose(sparse.steps.energy.total, dense.steps.energy.total, rtol=1e-12)


@pytest.mark.parametrize("scheme", SOME, ids=NAMES)
def test_a_step_leaves_its_state_alone_and_restarts_to_the_same_digits(
    scheme, make_system, make_start, shake
):
    system = shake(make_system(2, e=0.5), 2)
    stepper = scheme.prepare(system, 0.01, NSGS())
    state, _ = stepper.start(*make_start(system, 2))
    states = [state.copy()]
    for _ in range(30):
        before = state.copy()
        state, report = stepper.step(state)
        assert _same(before, states[-1])
        states.append(state.copy())
    assert scheme.parameters().filters == 0 or np.abs(state.extra["zeta"]).max() > 1e-3
    again = states[13]
    stepper = scheme.prepare(system, 0.01, NSGS())
    for _ in range(13, 30):
        again, told = stepper.step(again)
    assert again.k == 30
    assert _same(again, states[30])
    assert np.array_equal(told.extra, report.extra)


def _same(a, b) -> bool:
    arrays = [(getattr(a, n), getattr(b, n)) for n in ("q", "v", "p")]
    arrays += [(a.extra[n], b.extra[n]) for n in a.extra]
    return a.extra.keys() == b.extra.keys() and all(np.array_equal(x, y) for x, y in arrays)


@pytest.mark.parametrize(
    "trapezoidal", [HHT(0.0, activation=STEADY), GeneralizedAlpha(rho_inf=1.0, activation=STEADY)]
)
def test_without_damping_at_high_frequency_they_are_newmark(trapezoidal, make_system, make_start, shake):
    """alpha = 0, and rho_inf = 1 with accelerations that start in equilibrium (nu = eta = 0)."""
    for seed in range(3):
        system = shake(make_system(seed), seed)
        options = {"dt": 0.01, "t_end": 0.3, "initial": make_start(system, seed), "solver": NSGS(tol=1e-13)}
        run, newmark = (simulate(system, s, **options) for s in (trapezoidal, Newmark(activation=STEADY)))
        assert np.count_nonzero(newmark.steps.contact.p[..., 0]) > 5
        np.testing.assert_allclose(run.steps.contact.p, newmark.steps.contact.p, rtol=0, atol=1e-10)
        np.testing.assert_allclose(run.steps.energy.total, newmark.steps.energy.total, rtol=1e-11)


def test_newmark_at_its_defaults_is_moreau_jean_at_theta_one_half(make_system, make_start, shake):
    system = shake(make_system(1), 1)
    options = {"dt": 0.01, "t_end": 0.3, "initial": make_start(system, 1), "solver": NSGS(tol=1e-13)}
    ours, theirs = (simulate(system, s(activation=STEADY), **options) for s in (Newmark, MoreauJean))
    assert np.count_nonzero(ours.steps.contact.p[..., 0]) > 5
    np.testing.assert_allclose(ours.steps.contact.p, theirs.steps.contact.p, rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.steps.work.external, theirs.steps.work.external, rtol=0, atol=1e-10)


@pytest.mark.parametrize("nodes", [False, True])
def test_paired_products_are_those_of_the_matrices(nodes):
    """Both layouts: 2 x 2 blocks with M a multiple of the identity in each, and entry by entry."""
    rng = np.random.default_rng(7)
    B = rng.normal(size=(12, 12)) * (rng.random((12, 12)) < 0.4)
    K = csr_matrix(B + B.T + np.diag(rng.random(12)))
    if nodes:
        m = rng.normal(size=(6, 6)) * (rng.random((6, 6)) < 0.5)
        M = csr_matrix(kron(m + m.T + np.eye(6), np.eye(2)))
    else:
        b = rng.normal(size=(12, 12))
        M = csr_matrix(b + b.T)
    products = Products(M, K, csr_matrix((12, 12)))
    q, y, v, a = rng.normal(size=(4, 12))
    out, single = np.empty((4, 12)), np.empty((4, 12))
    products.pairs_into(q, y, v, a, out)
    np.testing.assert_allclose(out, [K @ q, K @ y, M @ v, M @ a], rtol=0, atol=1e-13)
    products.into(q, v, single)
    np.testing.assert_allclose(single[[0, 2]], out[[0, 2]], rtol=0, atol=1e-13)


def test_the_explicit_scheme_needs_no_stiffness_in_its_matrix(make_system, make_start):
    """beta = 0, undamped, lumped: S = M, central differences; q by the recurrence of three positions."""
    full = make_system(0, contacts=1, damped=False)
    system = LinearSystem(M=csr_matrix(np.diag(full.M.diagonal())), K=full.K, force=full.force)
    h, (q0, v0) = 0.01, make_start(full, 0)
    with pytest.warns(FemContactWarning, match="beta = 0, gamma = 0.5 leave 2 beta >= gamma"):
        run = simulate(system, Newmark(beta=0.0), dt=h, t_end=1.0, initial=(q0, v0), every=1)
    M, K, F = system.M.diagonal(), system.K.toarray(), system.force.constant
    q = [q0, q0 + h * v0 + 0.5 * h * h * (F - K @ q0) / M]
    for _ in range(99):
        q.append(2 * q[-1] - q[-2] + h * h * (F - K @ q[-1]) / M)
    np.testing.assert_allclose(run.fields.q, q, rtol=0, atol=1e-11)


# --- settings -----------------------------------------------------------------------------------------


def test_parameters_of_the_report():
    """RR-8602 eq. 28, 29, 57."""
    p = GeneralizedAlpha(rho_inf=0.5).parameters()
    assert (p.alpha_m, p.alpha_f) == pytest.approx((0.0, 1 / 3))
    assert (p.gamma, p.beta) == pytest.approx((5 / 6, 4 / 9))
    p = KrenkHogsberg(alpha_m=0.1, alpha_f=0.3).parameters()
    assert (p.gamma, p.beta, p.nu, p.eta) == pytest.approx((0.7, 0.36, 0.4, 0.2))
    assert p.loads_as_inertia
    assert p.load_weight == 0.9
    p = HHT(0.2).parameters()
    assert (p.gamma, p.beta, p.nu, p.eta) == pytest.approx((0.7, 0.36, 0.5, 0.2))
    p = Newmark().parameters()
    assert (p.beta, p.gamma, p.nu, p.eta) == (0.25, 0.5, 0.5, 0.0)  # not nu = 0, eta = 1/2
    for rho in np.linspace(0.0, 0.99, 12):
        p = GeneralizedAlpha(rho_inf=float(rho)).parameters()
        assert p.eta / p.nu == pytest.approx(2 / 3)  # eq. 64, its ratio the right way up


@pytest.mark.parametrize("scheme", FOUR)
def test_the_defaults_are_within_the_bounds(scheme, make_system):
    scheme().prepare(make_system(0), 0.01, NSGS())  # any warning of ours is an error here
    for value in np.linspace(0.0, 1.0, 11):
        for known in {"rho_inf": value, "alpha": value / 3}.items():
            if known[0] in scheme.__dataclass_fields__:
                scheme(**dict([known])).prepare(make_system(0), 0.01, NSGS())


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        (
            Newmark(0.2, 0.5),
            r"newmark: beta = 0.2, gamma = 0.5 leave 2 beta >= gamma >= 1/2 \(RR-8602 eq. 90\)",
        ),
        (Newmark(0.25, 0.45), r"gamma = 0.45 leave .*eq. 90"),
        (HHT(0.2, gamma=0.6), r"hht: alpha_m = 0, alpha_f = 0.2, .*gamma = 0.6 leave .*eq. 82"),
        (HHT(0.2, beta=0.3), r"beta = 0.3, gamma = 0.7 leave .*eq. 82"),
        (GeneralizedAlpha(alpha_m=0.4, alpha_f=0.2), r"generalized-alpha: alpha_m = 0.4, .* leave .*eq. 75"),
        (
            KrenkHogsberg(alpha_m=0.4, alpha_f=0.45, gamma=0.7),
            r"krenk-hogsberg: .*gamma = 0.7 leave .*eq. 75",
        ),
    ],
)
def test_bounds_are_warned_about_by_equation(scheme, message, make_system):
    with pytest.warns(FemContactWarning, match=message):
        scheme.prepare(make_system(0), 0.01, NSGS())


@pytest.mark.parametrize(
    ("scheme", "values", "message"),
    [
        (Newmark, {"beta": -0.1}, r"newmark: beta = -0.1: it must be at least 0"),
        (Newmark, {"beta": float("inf")}, r"beta = inf: it must be at least 0"),
        (Newmark, {"gamma": -0.1}, r"gamma = -0.1: it must be at least 0"),
        (Newmark, {"gamma": float("nan")}, r"gamma = nan"),
        (HHT, {"alpha": 0.4}, r"hht: alpha = 0.4: it must be in \[0, 0.333333\]"),
        (HHT, {"beta": -1.0}, r"hht: beta = -1.0"),
        (GeneralizedAlpha, {"rho_inf": 1.2}, r"rho_inf = 1.2: it must be in \[0, 1\]"),
        (
            GeneralizedAlpha,
            {"rho_inf": 0.5, "alpha_f": 0.3},
            "rho_inf or alpha_m and alpha_f, not alpha_f beside",
        ),
        (GeneralizedAlpha, {"alpha_m": 0.1}, "alpha_m and alpha_f both, not alpha_m alone"),
        (GeneralizedAlpha, {"alpha_m": 0.6, "alpha_f": 0.5}, r"alpha_m = 0.6: it must be in \[-1, 0.5\]"),
        (KrenkHogsberg, {"alpha_m": 0.1, "alpha_f": 0.7}, r"krenk-hogsberg: alpha_f = 0.7"),
    ],
)
def test_values_out_of_range_or_at_odds_are_refused(scheme, values, message):
    with pytest.raises(ModelError, match=message):
        scheme(**values)


def test_a_mass_matrix_that_is_singular_is_refused_by_name(make_system):
    base = make_system(0)
    M = base.M.toarray()
    M[0], M[:, 0] = 0.0, 0.0
    system = LinearSystem(M=csr_matrix(M), K=base.K, H=base.H)
    with pytest.raises(ModelError, match="M is not positive definite"):
        Newmark().prepare(system, 0.01, NSGS())


@pytest.mark.parametrize("scheme", FOUR)
def test_systems_that_are_not_linear_are_refused_by_name(scheme):
    ball = LagrangianSystem(
        n=1, mass=lambda q, p, M: M.fill(1.0 + q[0] ** 2), force=lambda t, q, v, p, F: F.fill(0.0)
    )
    with pytest.raises(ModelError, match=f"{scheme.name} is defined for linear systems"):
        scheme().prepare(ball, 0.01, NSGS())


def test_the_registry_knows_them():
    assert {s.name: s for s in FOUR}.items() <= SCHEMES.items()
