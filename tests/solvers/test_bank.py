"""The bank of problems is what it says: solvable, hyperstatic, slightly non-symmetric, of all sizes."""

from __future__ import annotations

import numpy as np
import pytest

from . import bank

BANK = bank.bank(large=True)
RANDOM = [name for name, _ in BANK if name.startswith("random")]


def test_same_at_every_call():
    all_of_them = dict(BANK)
    for name, one in bank.bank():
        other = all_of_them[name]
        np.testing.assert_array_equal(one.b, other.b)
        np.testing.assert_array_equal(one.dense(), other.dense())


def test_sizes():
    assert len({name for name, _ in BANK}) == len(BANK)
    sizes = {d: [p.contacts for _, p in BANK if p.d == d] for d in (1, 2, 3)}
    assert min(sizes[3]) == 1
    assert 600 <= max(sizes[3]) < 700
    assert 6900 < max(sizes[2]) <= 7000
    assert max(problem.contacts for _, problem in bank.bank()) < 160
    assert all(problem.sparse for _, problem in BANK if problem.contacts > 700)
    mus = np.concatenate([problem.mu for _, problem in BANK])
    assert {0.0, 0.3, 0.8, 1.5, 50.0} <= set(mus)


def test_symmetric_but_for_less_than_a_third_of_a_percent():
    skews = {}
    for name, problem in BANK:
        skew = abs(problem.A - problem.A.T).max()
        skews[name] = float(skew / abs(problem.A).max())
    assert max(skews.values()) < 3e-3
    assert sum(skew > 1e-4 for skew in skews.values()) >= 10
    assert sum(skew < 1e-14 for skew in skews.values()) >= 20


@pytest.mark.parametrize(
    "name", ["tower", "wall", "capsules", "disks-rest", "spheres-rest", "tower-d1", "polyhedra"]
)
def test_hyperstatic(name):
    A = dict(BANK)[name].dense()
    assert np.linalg.matrix_rank(A) < 0.8 * len(A)


@pytest.mark.parametrize("name", RANDOM)
def test_random_ones_are_definite(name):
    A = dict(BANK)[name].dense()
    assert np.linalg.eigvalsh(A + A.T).min() > 0.0


def test_assemblies_can_be_blown_up(monkeypatch):
    """Slater's condition: velocities of the bodies at which every contact has u_N > mu |u_T|."""
    checked = 0

    def check(assembly, mu, *_, **__):
        nonlocal checked
        checked += 1
        H, dim = bank.jacobian(assembly), assembly.dim
        highest = mu[1] if isinstance(mu, tuple) else mu
        margins = []
        for widths in (0.0, 1.0):
            v = np.zeros((len(assembly.x), 3 if dim == 2 else 6))
            v[:, :dim] = widths * (assembly.x - assembly.x.mean(axis=0))
            v[:, dim - 1] = assembly.x[:, dim - 1] + widths * 1e4
            u = (H @ v.ravel()).reshape(-1, dim)
            margins.append((u[:, 0] - highest * np.linalg.norm(u[:, 1:], axis=1)).min())
        assert max(margins) > 0.1

    monkeypatch.setattr(bank, "pose", check)
    bank.bank(large=True)
    assert checked == len(BANK) - len(RANDOM)


def test_rigid_motion_is_felt_by_the_ground_alone():
    """H of a pile: no contact between bodies feels a translation or a rotation of them all."""
    rng = np.random.default_rng(0)
    for pile in (bank.rocks(3, 3, rng), bank.disks(4, 4, rng, keep=0.8), bank.boxes(4, 3, 3, brick=True)):
        dim = pile.dim
        spin = rng.standard_normal(1 if dim == 2 else 3)
        moved = rng.standard_normal(dim) + (
            spin * np.column_stack([-pile.x[:, 1], pile.x[:, 0]]) if dim == 2 else np.cross(spin, pile.x)
        )
        v = np.column_stack([moved, np.tile(spin, (len(pile.x), 1))])
        u = (bank.jacobian(pile) @ v.ravel()).reshape(-1, dim)
        between = pile.pairs[:, 1] >= 0
        assert np.abs(u[between]).max() < 1e-12
        assert np.abs(u[~between]).max() > 0.1
