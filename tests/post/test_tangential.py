"""Theorem 1 of the asymptotic contact law, both of its cases, and the distances it is seen by."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import ModelError
from fem_contact.post.tangential import hausdorff, sample_set, theorem_study
from fem_contact.problems.contact_dynamics import ImpulseSet, contact_law, tangential_set
from fem_contact.systems.rigid.painleve_rod import PainleveRod
from fem_contact.systems.rigid.slanted_punch import SlantedPunch
from fem_contact.systems.rigid.slider_crank import SliderCrank

RADII = np.array([1e-1, 1e-2, 1e-3])
STEEP = float(np.arctan(2.0))  # where critical friction is least, 4/3

FALLS = {
    "gamma < 0": PainleveRod(mu=2.0),
    "gamma < 0 everywhere": SlantedPunch(mu=1.5),
    "gamma changes sign": PainleveRod(mu=PainleveRod.critical_friction(np.pi / 4.0)),
    "gamma touches zero from above": PainleveRod(mu=PainleveRod.critical_friction(STEEP), angle=STEEP),
}


@pytest.mark.parametrize("name", FALLS)
def test_first_case_the_distance_falls(name):
    """gamma(q) < 0, or gamma(q) = 0 with gamma > 0 at closed configurations nearby: d_H = O(eps)."""
    system = FALLS[name].system()
    study = theorem_study(system, *system.start, RADII, samples=2500)
    assert study.target.whole == name.startswith("gamma c") or study.target.whole == name.startswith(
        "gamma t"
    )
    assert np.linalg.norm(study.target.after - study.target.before) > 0.5
    distances = np.array([row.to_set for row in study.rows])
    # Aims cover [u-, u~] to 2/(samples/3) of its length where every aim is met; a few are not.
    assert np.all(distances <= 2.0 * RADII + 4.0 / (2500 / 3) * study.target.whole)
    assert np.all(distances > 0.1 * RADII)
    if study.target.whole:
        assert min(row.to_ends for row in study.rows) > 0.4


def test_second_case_it_does_not():
    """gamma = 0 everywhere: half of [u-, u~] is farther than d from A_eps, which tends to its ends."""
    system = SlantedPunch().system()
    study = theorem_study(system, *system.start, RADII, samples=1500)
    length = float(np.linalg.norm(study.target.after - study.target.before))
    assert study.gamma == 0.0
    assert study.target.whole
    assert length == pytest.approx(1.0, rel=1e-12)
    for row, eps in zip(study.rows, RADII, strict=True):
        assert row.to_set == pytest.approx(length / 2.0, abs=eps)
        assert 0.1 * eps < row.to_ends <= 2.0 * eps


def test_without_painleves_paradox_the_law_is_continuous():
    system = PainleveRod(mu=0.5).system()
    study = theorem_study(system, *system.start, RADII, samples=500)
    assert study.gamma > 0.0
    assert np.array_equal(study.target.after, study.target.before)
    assert all(row.to_set <= 2.0 * row.eps for row in study.rows)


def test_samples_are_of_the_balls(monkeypatch):
    """All that is handed to S lies within eps, what was aimed included; some of it on the spheres."""
    from fem_contact.post import tangential

    system, eps = FALLS["gamma changes sign"].system(), 1e-2
    q, v = system.start
    seen, results, true = [], [], tangential.operator

    def spy(law, velocity, closed):
        seen.append((law.H.copy(), velocity.copy(), closed))
        results.append(true(law, velocity, closed)[0])
        return results[-1], np.zeros(2)

    monkeypatch.setattr(tangential, "operator", spy)
    found = sample_set(system, q, v, eps, 600, np.random.default_rng(0))
    assert np.array_equal(found, results)
    away = np.array([np.linalg.norm(velocity - v) for _, velocity, _ in seen])
    assert away.max() <= eps * (1.0 + 1e-12)
    assert np.count_nonzero(away > 0.999999 * eps) > 50
    turned = np.array([np.arccos(np.clip(-H[0, 2], -1.0, 1.0)) for H, _, _ in seen])
    assert np.abs(turned - q[2]).max() <= eps * (1.0 + 1e-9)
    closed = np.array([state for _, _, state in seen])
    assert 0.3 < closed.mean() < 0.9
    target = tangential_set(contact_law(system.mass_matrix(q), system.contact_jacobian(q), system.mu[0]), v)
    along = target.after - target.before
    part = (found - v) @ along / (along @ along)
    assert np.mean((part > 0.1) & (part < 0.9)) > 0.1


def test_hausdorff_distances_by_hand():
    a, b = np.zeros(2), np.array([1.0, 0.0])
    points = np.array([[0.0, 0.1], [0.25, 0.0], [1.0, 0.0]])
    assert hausdorff(ImpulseSet(a, b, False), points) == pytest.approx(0.25)
    assert hausdorff(ImpulseSet(a, b, True), points) == pytest.approx(0.375, abs=1e-3)
    far = points + np.array([[0.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    assert hausdorff(ImpulseSet(a, b, True), far) == pytest.approx(2.0)
    assert hausdorff(ImpulseSet(a, a, True), points) == pytest.approx(1.0)


def test_what_is_not_a_tangential_contact_is_refused():
    rod = PainleveRod().system()
    q, v = rod.start
    lift = np.array([0.0, 1e-3, 0.0])
    for q0, v0 in ((q + lift, v), (q, v + lift)):
        with pytest.raises(ModelError, match="a tangential contact has 0 and 0"):
            theorem_study(rod, q0, v0, RADII)
    crank = SliderCrank().system()
    with pytest.raises(ModelError, match="one contact"):
        theorem_study(crank, *crank.start, RADII)
