"""The global problem: its condensation to the contacts, velocities, multipliers, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_matrix, diags

from fem_contact.errors import ProblemError
from fem_contact.problems import residual
from fem_contact.problems.global_problem import (
    SMALL_BODY,
    GlobalProblem,
    compact,
    condense,
    multipliers,
    velocities,
)

from ..solvers import bank


def block(mu=0.5, pull=3.0):
    """A mass of 2 kg on the ground: weight 20 N s, pulled sideways."""
    H = [[0.0, 1.0], [1.0, 0.0]]
    return GlobalProblem(2.0 * np.eye(2), H, [pull, -20.0], [mu], [0.0, 0.0])


def test_a_block_by_hand():
    local = condense(block())
    np.testing.assert_allclose(local.dense(), 0.5 * np.eye(2), rtol=1e-15)
    np.testing.assert_allclose(local.b, [-10.0, 1.5], rtol=1e-15)
    assert (local.d, local.contacts) == (2, 1)
    stick, slip = np.array([20.0, -3.0]), np.array([20.0, -10.0])
    assert residual(local, stick) < 1e-15
    np.testing.assert_allclose(velocities(block(), stick), 0.0, atol=1e-15)
    pulled = block(pull=14.0)
    assert residual(condense(pulled), slip) < 1e-15
    np.testing.assert_allclose(velocities(pulled, slip), [2.0, 0.0], atol=1e-15)
    assert multipliers(pulled, slip).shape == (0,)


def test_a_joint_by_hand():
    """Two unit masses on a line held 1 m/s apart: G = [-1, 1], g = -1; the contact feels both."""
    problem = GlobalProblem(
        np.eye(2), [[1.0, 0.0]], [3.0, 0.0], [0.0], [0.25], d=1, G=[[-1.0, 1.0]], g=[-1.0]
    )
    local = condense(problem)
    np.testing.assert_allclose(local.dense(), [[0.5]], rtol=1e-14)
    np.testing.assert_allclose(local.b, [1.25], rtol=1e-14)  # (3 - 1)/2 + 1/4
    np.testing.assert_allclose(velocities(problem, [2.0]), [2.0, 3.0], rtol=1e-14)
    np.testing.assert_allclose(multipliers(problem, [2.0]), [3.0], rtol=1e-14)


def random_problem(seed, n, c, d, joints=0, bodies=False):
    """Symmetric or not; one coupled body, or many small ones of different sizes, unknowns shuffled."""
    rng = np.random.default_rng(seed)

    def mass(k):
        B = rng.standard_normal((k, k))
        return B @ B.T + k * np.eye(k) + 0.1 * (B - B.T)

    if bodies:
        sizes = rng.choice([1, 3, 6], size=n // 6)
        M = block_diag([mass(k) for k in sizes], "csr")
        order = rng.permutation(M.shape[0])
        M = M[order][:, order]
    else:
        M = csr_matrix(mass(n))
    n = M.shape[0]
    H = rng.standard_normal((d * c, n)) * (rng.uniform(size=(d * c, n)) < 0.5)
    G, g = (rng.standard_normal((joints, n)), rng.standard_normal(joints)) if joints else (None, None)
    f, b = rng.standard_normal(n), rng.standard_normal(d * c)
    return GlobalProblem(M, H, f, rng.uniform(0, 1, c), b, d, G, g)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(7, 40),
    c=st.integers(0, 6),
    d=st.integers(1, 3),
    joints=st.integers(0, 3),
    bodies=st.booleans(),
)
def test_the_local_problem_moves_as_the_global_one(seed, n, c, d, joints, bodies):
    problem = random_problem(seed, n, c, d, min(joints, n // 6), bodies)
    local = condense(problem)
    r = np.random.default_rng(seed + 1).standard_normal(d * c)
    v, l = velocities(problem, r), multipliers(problem, r)
    scale = 1.0 + np.abs(v).max() + np.abs(l).max(initial=0.0)
    left = problem.M @ v - problem.H.T @ r - problem.f
    if joints and len(l):
        left -= problem.G.T @ l
        np.testing.assert_allclose(problem.G @ v, -problem.g, atol=1e-8 * scale)
    assert np.abs(left).max() < 1e-8 * scale
    np.testing.assert_allclose(local.velocity(r), problem.H @ v + problem.b, atol=1e-8 * scale)


@pytest.mark.parametrize("n", [SMALL_BODY, SMALL_BODY + 1, 400])
def test_small_bodies_and_large_ones(n):
    """By inverses of blocks and by LU factors, 400 contacts in more than one chunk: the same."""
    problem = random_problem(0, n, 100, 3)
    H, M = problem.H.toarray(), problem.M.toarray()
    expected = H @ np.linalg.solve(M, H.T)
    np.testing.assert_allclose(condense(problem).dense(), expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("dim", [2, 3])
def test_rigid_piles(dim):
    """The Delassus matrix of a pile is that of the solvers' bank, and sparse."""
    rng = np.random.default_rng(3)
    pile = bank.disks(8, 8, rng, keep=0.9) if dim == 2 else bank.spheres(3, 5, rng, keep=0.9)
    posed = bank.pose(pile, 0.3, np.random.default_rng(0))
    masses = np.column_stack([np.repeat(pile.mass[:, None], dim, axis=1), pile.inertia]).ravel()
    falling = np.zeros((len(pile.x), masses.size // len(pile.x)))
    falling[:, dim - 1] = -5e-3 * 9.81
    problem = GlobalProblem(
        diags(masses), bank.jacobian(pile), masses * falling.ravel(), posed.mu, np.zeros(len(posed.b)), dim
    )
    local = condense(problem)
    assert local.sparse
    np.testing.assert_allclose(local.dense(), posed.dense(), atol=1e-12)
    np.testing.assert_allclose(local.b, posed.b, atol=1e-12)


def test_compact_counts_what_is_not_zero():
    A = np.zeros((100, 100))
    A[:20] = 1.0
    assert isinstance(compact(A), np.ndarray)  # a fifth
    A[0, 0] = 0.0
    assert compact(A).nnz == 1999
    stored = csr_matrix(np.ones((100, 100)))
    stored.data[:] = 0.0
    assert compact(stored).nnz == 0
    assert stored.nnz == 10_000  # left as it was
    assert isinstance(compact(csr_matrix((99, 99))), np.ndarray)


BAD = {
    "M": (
        {"M": np.eye(3)},
        r"M has shape \(3, 3\); 2 unknowns and 1 contacts of 2 components need \(2, 2\)",
    ),
    "H": ({"H": np.eye(3)}, r"H has shape \(3, 3\); .* need \(2, 2\)"),
    "b": ({"b": np.zeros(3)}, r"b has shape \(3,\); .* need \(2,\)"),
    "f": ({"f": np.zeros((2, 2))}, r"f has shape \(2, 2\) and mu \(1,\), expected \(n,\) and \(c,\)"),
    "d": ({"d": 4}, "d = 4: a contact has 1, 2 or 3 components"),
    "mu": ({"mu": [-0.5]}, "mu must be >= 0, got -0.5"),
    "nan": ({"M": np.array([[np.nan, 0.0], [0.0, 1.0]])}, "M holds numbers that are not finite"),
    "inf": ({"f": [np.inf, 0.0]}, "f holds numbers that are not finite"),
    "g missing": ({"G": np.eye(2)}, "equality constraints need both G and g"),
    "G": ({"G": np.eye(3), "g": np.ones(3)}, r"G has shape \(3, 3\) and g \(3,\); 2 unknowns need \(p, 2\)"),
    "g": ({"G": np.eye(2), "g": np.array([0.0, np.nan])}, "g holds numbers that are not finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name):
    change, message = BAD[name]
    good = {"M": np.eye(2), "H": np.eye(2), "f": np.zeros(2), "mu": np.ones(1), "b": np.zeros(2)}
    GlobalProblem(**good)
    with pytest.raises(ProblemError, match=message):
        GlobalProblem(**{**good, **change})


@pytest.mark.parametrize("n", [2, SMALL_BODY + 1])
def test_singular_matrices(n):
    M = np.ones((n, n))
    problem = GlobalProblem(M, np.eye(2, n), np.zeros(n), np.ones(1), np.zeros(2))
    with pytest.raises(ProblemError, match="M is singular"):
        condense(problem)


def test_impulses_of_another_shape():
    for function in (velocities, multipliers):
        with pytest.raises(ProblemError, match=r"r has shape \(3,\), expected \(2,\)"):
            function(block(), np.zeros(3))
