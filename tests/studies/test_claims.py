"""Every study made, by its short runs, and what the papers claim held against its numbers."""

from __future__ import annotations

import math
import re

import pytest

from fem_contact.studies.execute import make
from fem_contact.studies.registry import STUDIES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs that several studies need are made once."""
    return tmp_path_factory.mktemp("papers")


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_what_the_papers_claim(name, folder):
    result = make(name, STUDIES[name], folder, quick=True)
    assert result.picture.stat().st_size > 10_000
    numbers = {quantity.name: quantity.ours for quantity in result.quantities}
    assert numbers
    assert all(math.isfinite(value) for value in numbers.values())
    for pattern, low, high in CLAIMS[name]:
        found = {key: value for key, value in numbers.items() if re.search(pattern, key)}
        assert found, pattern
        for key, value in found.items():
            assert low <= value <= high, key


INF = math.inf
#: Quantities by pattern, and where they must lie. Bounds are the papers' words (first order, at rest,
#: chatter) or the sizes of their numbers; what a short run cannot show is not asked of it.
CLAIMS: dict[str, list[tuple[str, float, float]]] = {
    "stick": [
        ("^impacts", 2, 2),
        (r"friction work at the first impact, moreau-jean$", 1e-4, INF),
        (r"friction work at the first impact, moreau-jean-fremond$", -INF, 0.0),
        (r"largest rise of the energy in a step, moreau-jean-fremond$", 0.0, 1e-12),
    ],
    "kane": [
        (r"change of the energy, moreau-jean$", 1e-3, INF),
        (r"change of the energy, moreau-jean-fremond$", -INF, 0.0),
    ],
    "block": [
        ("positive friction work, Moreau-Jean", 1, INF),
        ("positive friction work, Frémond", 0, 0),
        ("largest residual", 0.0, 1e-11),
    ],
    "ball-orders": [("L1 order", 0.85, 1.15)],
    "ball-multiplier": [("order of tau", 0.85, 1.15)],
    "ball-chatter": [
        ("largest speed after t = 4 s, direct, explicit", 0.05, INF),
        ("largest speed after t = 4 s, (direct, free|combined|moreau)", 0.0, 1e-4),
    ],
    "ball-energies": [("largest rise", 0.1, INF), ("at the end / at the start, e = 1", 1.05, INF)],
    "slider-roller": [
        ("(speed of the slider|turns) .*direct-projected", 1e-3, INF),
        ("(speed of the slider|turns) .*(moreau-jean|combined-projected)", 0.0, 1e-12),
    ],
    "rocking-block": [
        ("largest angular velocity .*direct", 0.05, INF),
        ("largest angular velocity .*combined", 0.0, 1e-9),
    ],
    "bar-trapezoidal": [
        ("contact time", 3.8e-4, 3.95e-4),
        ("violation", 0.0, 1e-15),
        ("contact velocity", 0.09, 0.11),
        ("spread", 20.0, INF),
    ],
    "bar-moreau-jean": [
        ("contact time", 3.85e-4, 3.89e-4),
        ("mean contact force", 1255.0, 1275.0),
        ("violation, h = 5e-7", 2.4e-8, 2.6e-8),
        ("violation, h = 5e-5", 0.0, 0.1 * 5e-5),
    ],
    "bar-elements": [("1000 elements", 1.0, 1.05), (" 10 elements", 2.0, INF)],
    "bar-steps": [("h = 2e-05", 1.0, 1.05), ("h = 2e-07", 2.0, INF)],
    "bar-restitution": [("steps with an impulse", 100, INF)],
    "bar-combined": [("violation", 0.0, 1e-15), ("mean contact force", 1255.0, 1275.0)],
    "bar-damping": [
        ("ringing .*θ = 1/2", 0.03, INF),
        ("ringing .*(θ = 1$|alpha)", 0.0, 0.005),
        ("energy kept, moreau-jean, θ = 1$", 0.0, 0.95),
        ("energy kept, (moreau-jean, θ = 1/2|generalized)", 0.99, 1.0),
    ],
    "ring-pendulum": [
        ("frames at the start", 9e-4, INF),
        ("frames at the end", 0.0, 5e-4),
        ("combined", 0.0, 1e-12),
    ],
    "crank-motion": [("angle", 0.0, 1e-10), ("revolutions", 1.9, 2.3)],
    "crank-corners": [
        ("violation, h = 0.0001", 0.65 * 1.324e-4, 1.35 * 1.324e-4),
        ("difference", 0.0, 1e-12),
    ],
    "crank-portrait": [("projected", 0.0, 1e-10)],
    "crank-velocity": [
        ("opens again, direct", 10, INF),
        ("opens again, (moreau|combined)", 0, 4),
    ],
    "crank-table": [
        ("violation, moreau-jean, h = 0.0001", 0.65 * 1.324e-4, 1.35 * 1.324e-4),
        ("violation, moreau-jean, h = 1e-05", 0.65 * 1.234e-5, 1.35 * 1.234e-5),
        ("violation, .*projected", 0.0, 1e-10),
        ("mean, Newton iterations, moreau-jean", 1.8, 3.2),
    ],
    "crank-clearance": [("violation, combined", 0.0, 1e-10), ("joints, combined", 0.0, 1e-10)],
    "tangential-sets": [
        ("order .*rod", 0.9, 1.1),
        ("order .*punch", -0.1, 0.1),
        (r"^d_H\(A, .*punch", 0.4, 0.6),
    ],
    "balances": [("largest residual", 0.0, 1e-11)],
}


def test_every_study_has_its_claims():
    assert set(CLAIMS) == set(STUDIES)
