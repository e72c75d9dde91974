"""The granular flows are what they say: grains in contact, posed with a solution, the same at every call."""

from __future__ import annotations

import numpy as np
import pytest

from . import granular

KINDS = ["column", "silo", "drum", "shaken", "rest"]


def small(kind, seed=0, **settings):
    return granular.flow(kind, 6, 6, np.random.default_rng(seed), **{"mu": 0.3, "settle": 46, **settings})


@pytest.mark.parametrize("kind", KINDS)
def test_same_at_every_call(kind):
    one, other = small(kind), small(kind)
    np.testing.assert_array_equal(one.dense(), other.dense())
    np.testing.assert_array_equal(one.b, other.b)
    assert not np.array_equal(one.b, small(kind, seed=1).b)


@pytest.mark.parametrize("kind", KINDS)
def test_as_many_contacts_as_packed_grains_have(kind):
    """Between one and two a grain, and A a Gram matrix of too low a rank or nearly so."""
    problem = small(kind, steps=5)
    assert 36 <= problem.contacts <= 36 * 2.5
    A = problem.dense()
    np.testing.assert_allclose(A, A.T, atol=1e-13)
    assert np.linalg.eigvalsh(A).min() > -1e-12


def test_restitution_counts_in_the_normal_component():
    plain, elastic = small("shaken", steps=0), small("shaken", steps=0, e=0.5)
    np.testing.assert_array_equal(plain.b[1::2], elastic.b[1::2])
    assert np.all(elastic.b[::2] <= plain.b[::2])


@pytest.mark.parametrize("kind", ["silo", "drum", "rest"])
def test_no_velocity_of_the_free_grains_is_out_of_reach(kind):
    """b = H v: what the right-hand side asks for lies in the range of H, so that a solution exists."""
    problem = small(kind, steps=5)
    if kind != "drum":
        A = problem.dense()
        r = np.linalg.lstsq(A, -problem.b, rcond=1e-10)[0]
        np.testing.assert_allclose(A @ r, -problem.b, atol=1e-9)


def test_settled_grains_hardly_overlap():
    rng = np.random.default_rng(0)
    x, radius, width = granular.settled(6, 6, rng, spread=0.3, size=1.0, drum=False)
    walls = np.array([[[0.0, 0.0], [width, 0.0]], [[width, 0.0], [width, 50.0]], [[0.0, 50.0], [0.0, 0.0]]])
    state = granular.Flow(granular.Scene(walls), x, radius, np.zeros((36, 3)), 1.0, 0.15)
    for _ in range(46):
        state = granular.replace(state.step(0.3, 0.0, 200, reach=0.2), v=np.zeros((36, 3)))
    gaps = state.contacts(reach=0.01)[2]
    assert len(gaps) > 36
    assert gaps.min() > -0.02
