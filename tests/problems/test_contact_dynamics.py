"""Moreau's operator S and the sets A against their definitions, by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem_contact.errors import ProblemError
from fem_contact.problems import contact_dynamics as cd

SEEDS = st.integers(0, 2**32 - 1)


def random_law(seed: int, mu: float | None = None) -> tuple[cd.ContactLaw, np.ndarray]:
    """A contact with strong coupling between normal and tangent, and a velocity that closes it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    B = rng.normal(size=(n, n))
    M = B @ B.T + 0.1 * np.eye(n)
    H = rng.normal(size=(2, n))
    law = cd.contact_law(M, H, float(rng.uniform(0.0, 3.0)) if mu is None else mu)
    v = rng.normal(size=n)
    return law, v if H[0] @ v < 0.0 else -v


def least_energy(law: cd.ContactLaw, v: np.ndarray) -> float:
    """Kinetic energy of the projection, by trying ratios p_T/p_N = tan(angle) of the cone one by one."""
    u = law.H @ v
    ratios = np.unique(np.concatenate([np.linspace(-law.mu, law.mu, 200_001), [0.0]]))
    pull = law.W[0, 0] + law.W[0, 1] * ratios
    ratios, pull = ratios[pull > 0.0], pull[pull > 0.0]
    p_N = -u[0] / pull
    p = np.array([p_N, ratios * p_N])
    energies = 0.5 * v @ law.M @ v + u @ p + 0.5 * np.einsum("ik,ij,jk->k", p, law.W, p)
    return float(energies.min())


@given(SEEDS)
def test_S_has_the_least_kinetic_energy_of_the_admissible_velocities(seed):
    law, v = random_law(seed)
    v_plus, p = cd.operator(law, v)
    energy = 0.5 * v_plus @ law.M @ v_plus
    scale = 0.5 * v @ law.M @ v
    best = least_energy(law, v)
    assert energy <= best + 1e-9 * scale
    # The grid of ratios comes near: energy is a parabola in p_T, but p_T is not bounded where gamma < 0.
    assert energy >= best - 1e-3 * scale or cd.gamma(law) < 0.05
    size = np.abs(law.H[0]) @ np.abs(v_plus) + np.abs(law.W[0]) @ np.abs(p)
    assert abs(law.H[0] @ v_plus) <= 1e-13 * size
    assert p[0] > 0.0
    assert abs(p[1]) <= law.mu * p[0] * (1.0 + 1e-10)


@given(SEEDS)
def test_S_solves_the_projection_as_a_quadratic_program(seed):
    """Optimality over the cone: v+ . M (w - v+) >= 0 for all admissible w (the projection of 0)."""
    law, v = random_law(seed)
    v_plus, _ = cd.operator(law, v)
    u = law.H @ v
    rng = np.random.default_rng(seed)
    ratios = np.concatenate([rng.uniform(-law.mu, law.mu, 200), [-law.mu, law.mu]])
    for ratio in ratios:
        pull = law.W[0, 0] + law.W[0, 1] * ratio
        if pull > 1e-6:
            w = v + law.response @ (np.array([1.0, ratio]) * -u[0] / pull)
            assert v_plus @ law.M @ (w - v_plus) >= -1e-9 * cd.kinetic_norm(law.M, w) * cd.kinetic_norm(
                law.M, v
            )


@given(SEEDS)
def test_proposition_1(seed):
    """u+ . r <= 0 and |u+|_q <= |v|_q."""
    law, v = random_law(seed)
    v_plus, p = cd.operator(law, v)
    power = (law.H @ v_plus) @ p
    assert power <= 1e-11 * (np.abs(law.H @ v_plus) @ np.abs(p) + 1.0)
    assert cd.kinetic_norm(law.M, v_plus) <= cd.kinetic_norm(law.M, v) * (1.0 + 1e-12)


@given(SEEDS)
def test_an_open_or_parting_contact_keeps_its_velocity(seed):
    law, v = random_law(seed)
    for velocity, closed in ((v, False), (-v, True)):
        v_plus, p = cd.operator(law, velocity, closed)
        assert np.array_equal(v_plus, velocity)
        assert not p.any()


def test_S_by_hand_stick_slip_and_painleve():
    """A free point: stick and slip as in Coulomb's law; W_NN + mu W_NT < 0: the slip always stops."""
    law = cd.contact_law(np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]]), 0.5)
    np.testing.assert_allclose(cd.impulse(law, np.array([-1.0, 0.3])), [1.0, -0.3])
    np.testing.assert_allclose(cd.impulse(law, np.array([-1.0, 2.0])), [1.0, -0.5])
    coupled = cd.ContactLaw(np.eye(2), np.eye(2), np.eye(2), np.array([[1.0, -2.0], [-2.0, 5.0]]), 1.0)
    p = cd.impulse(coupled, np.array([-1e-9, -3.0]))
    np.testing.assert_allclose(coupled.W @ p, [1e-9, 3.0], rtol=0, atol=1e-14)
    frictionless = cd.contact_law(np.eye(1), np.eye(1), 0.0)
    np.testing.assert_allclose(cd.impulse(frictionless, np.array([-2.0])), [2.0])


def test_rows_of_H_that_say_the_same():
    H = np.array([[1.0, 2.0], [2.0, 4.0]])
    law = cd.contact_law(np.diag([1.0, 3.0]), H, 0.7)
    v_plus, p = cd.operator(law, np.array([-1.0, -1.0]))
    assert p[1] == 0.0
    assert abs(H[0] @ v_plus) < 1e-14


@given(SEEDS)
def test_gamma_by_brute_force(seed):
    law, _ = random_law(seed)
    size = np.linalg.norm(law.H[0])
    n = law.H[0] / size
    values = [n @ np.linalg.solve(law.M, n + s * law.H[1] / size) for s in np.linspace(-law.mu, law.mu, 41)]
    assert cd.gamma(law) == pytest.approx(min(values), rel=1e-9, abs=1e-12)


@given(SEEDS, st.sampled_from([0.7, 1.0, 1.6]))
def test_the_set_of_a_tangential_contact(seed, over):
    """mu below, at and above the one with gamma = 0: one point, a segment, two points; u~ by brute force."""
    law, v = random_law(seed)
    law = law._replace(mu=over * law.W[0, 0] / abs(law.W[0, 1]))
    v = v - law.H[0] * (law.H[0] @ v) / (law.H[0] @ law.H[0])
    target = cd.tangential_set(law, v)
    np.testing.assert_allclose(target.before, v)
    assert target.whole == (over == 1.0)
    if over < 1.0:
        assert np.array_equal(target.after, v)
        return
    ray = law.response @ np.array([1.0, -law.W[0, 0] / law.W[0, 1]])
    assert abs(law.H[0] @ ray) <= 1e-10 * np.abs(law.H[0]) @ np.abs(ray)
    unit = ray / cd.kinetic_norm(law.M, ray)
    steps = np.linspace(0.0, 3.0 * cd.kinetic_norm(law.M, v), 3001)
    norms = [cd.kinetic_norm(law.M, v + s * unit) for s in steps]
    assert cd.kinetic_norm(law.M, target.after) <= min(norms) + 1e-10
    moved = target.after - v
    assert moved @ law.M @ unit >= -1e-10
    assert cd.kinetic_norm(law.M, moved - (moved @ law.M @ unit) * unit) <= 1e-9 * cd.kinetic_norm(law.M, v)


def test_the_critical_set_is_nonempty_for_a_sliding_contact():
    """The sign of the slip decides: friction that opposes it can stop it, one along it cannot."""
    law = cd.contact_law(
        np.linalg.inv(np.array([[2.0, 1.0], [1.0, 1.0]])), np.array([[0.0, 1.0], [1.0, 0.0]]), 2.0
    )
    assert cd.gamma(law) < 0.0
    assert np.abs(cd.tangential_set(law, np.array([1.0, 0.0])).after).max() < 1e-14
    np.testing.assert_allclose(cd.tangential_set(law, np.array([-1.0, 0.0])).after, [-1.0, 0.0])


@pytest.mark.parametrize(
    ("H", "message"),
    [(np.ones((3, 2)), "H has shape"), (np.ones((2, 3)), "H has shape"), (np.zeros((2, 2)), "zero")],
)
def test_what_is_not_one_contact_is_refused(H, message):
    with pytest.raises(ProblemError, match=message):
        cd.contact_law(np.eye(2), H, 0.1)
