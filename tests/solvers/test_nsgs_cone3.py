"""One contact in space: the exact solve over 100,000 random problems, its symmetries and degenerate cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from fem_contact.problems import LocalProblem, residual
from fem_contact.problems._kernels import relative_residual
from fem_contact.solvers.gauss_seidel.cone3_kernels import solve_cone3
from fem_contact.solvers.gauss_seidel.nsgs_kernels import solve_one

EPS = np.finfo(float).eps
seeds = st.integers(0, 2**32 - 1)


@njit
def _solve_all(A, b, mu, r, reached):
    w, one = np.empty(3), np.empty(1)
    for i in range(len(mu)):
        a = A[i]
        r[i, 0], r[i, 1], r[i, 2] = solve_cone3(
            a[0, 0],
            a[0, 1],
            a[0, 2],
            a[1, 0],
            a[2, 0],
            a[1, 1],
            a[1, 2],
            a[2, 1],
            a[2, 2],
            b[i, 0],
            b[i, 1],
            b[i, 2],
            mu[i],
        )
        one[0] = mu[i]
        reached[i] = relative_residual(A[i], b[i], one, 3, r[i], w)


def solved(A, b, mu):
    A, b, mu = (np.ascontiguousarray(x, dtype=float) for x in (A, b, mu))
    r, reached = np.empty_like(b), np.empty(len(mu))
    _solve_all(A, b, mu, r, reached)
    return r, reached


def one(A, b, mu):
    """One problem: (r, residual by the definition)."""
    r = solved(np.asarray(A, dtype=float)[None], np.asarray(b, dtype=float)[None], [mu])[0][0]
    return r, residual(LocalProblem(A, b, np.array([mu]), 3), r)


def random_problems(count, seed, largest_condition, skew=0.0):
    """Blocks Q diag(1, s, t) Q^T in any order of the eigenvalues, b normal, mu in [0, 10], some zero."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((count, 3, 3)))[0]
    small = 10.0 ** -rng.uniform(0.0, np.log10(largest_condition), count)
    eigenvalues = np.stack([np.ones(count), small ** rng.random(count), small], axis=1)
    A = np.einsum("nij,nj,nkj->nik", Q, rng.permuted(eigenvalues, axis=1), Q)
    A = 0.5 * (A + A.transpose(0, 2, 1))
    if skew:
        E = rng.uniform(-1.0, 1.0, (count, 3, 3))
        A = A + skew * (E - E.transpose(0, 2, 1)) * eigenvalues.min(axis=1)[:, None, None]
    mu = rng.uniform(0.0, 10.0, count)
    mu[rng.random(count) < 0.05] = 0.0
    return A, rng.standard_normal((count, 3)), mu


def test_residual_of_100_000_problems():
    """At most 10 eps (1 + |r|): round-off of A r itself; thus below 1e-10 unless |r| > 4e4."""
    A, b, mu = random_problems(100_000, 0, 1e8)
    r, reached = solved(A, b, mu)
    size = np.linalg.norm(r, axis=1)
    assert np.all(reached <= 10.0 * EPS * (1.0 + size))
    assert np.all(reached[size < 4e4] <= 1e-10)
    assert np.mean(size < 4e4) > 0.85  # the others: b along the weak direction of an ill-conditioned A
    limit, tangential = mu * r[:, 0], np.linalg.norm(r[:, 1:], axis=1)
    assert np.sum(size == 0.0) > 40_000  # take-off, stick and slip all occur
    assert np.sum((size > 0.0) & (tangential < 0.999 * limit)) > 5_000
    slip = (mu > 0.0) & (size > 0.0) & (np.abs(tangential - limit) <= 1e-12 * limit)
    assert np.sum(slip) > 5_000
    assert np.all(tangential <= limit * (1.0 + 1e-14))


def test_the_compiled_residual_is_the_definition():
    A, b, mu = random_problems(200, 3, 1e2)
    r, _ = solved(A, b, mu)
    r += 0.1 * np.random.default_rng(0).standard_normal(r.shape)
    w = np.empty(3)
    for i in range(200):
        compiled = relative_residual(A[i], b[i], mu[i : i + 1], 3, r[i], w)
        assert compiled == pytest.approx(
            residual(LocalProblem(A[i], b[i], mu[i : i + 1], 3), r[i]), rel=1e-12
        )
        np.testing.assert_allclose(w, A[i] @ r[i] + b[i], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("skew", [3e-3, 0.3])
def test_blocks_that_are_not_symmetric(skew):
    """The symmetric part stays positive definite."""
    _, reached = solved(*random_problems(50_000, 2, 1e3, skew))
    assert reached.max() <= 1e-11


def slip_by_quartic(A, b, mu):
    """All slip solutions by NumPy's polynomial roots: |adj(S + alpha) s|^2 a_nn^2 = (mu det r_N a_nn)^2."""
    P = np.polynomial.Polynomial
    S = A[1:, 1:] - np.outer(A[1:, 0], A[0, 1:]) / A[0, 0]
    s = b[1:] - A[1:, 0] * b[0] / A[0, 0]
    det = P([np.linalg.det(S), np.trace(S), 1.0])
    x = [
        P([S[0, 1] * s[1] - S[1, 1] * s[0], -s[0]]),
        P([S[1, 0] * s[0] - S[0, 0] * s[1], -s[1]]),
    ]
    normal = (-b[0] * det - A[0, 1] * x[0] - A[0, 2] * x[1]) * (1.0 / A[0, 0])
    found = []
    for root in (x[0] ** 2 + x[1] ** 2 - mu**2 * normal**2).roots():
        if abs(root.imag) < 1e-9 * abs(root) and root.real > 0.0:
            alpha = root.real
            r = np.array([normal(alpha), x[0](alpha), x[1](alpha)]) / det(alpha)
            if r[0] > 0.0:
                found.append(r)
    return found


def test_slip_agrees_with_the_quartic():
    A, b, mu = random_problems(2000, 7, 30.0)
    r, _ = solved(A, b, mu)
    compared = 0
    for i in range(2000):
        limit = mu[i] * r[i, 0]
        if limit > 0.0 and abs(np.linalg.norm(r[i, 1:]) - limit) <= 1e-12 * limit:
            distance = min(np.linalg.norm(q - r[i]) for q in slip_by_quartic(A[i], b[i], mu[i]))
            assert distance <= 1e-6 * np.linalg.norm(r[i])
            compared += 1
    assert compared > 100


@settings(deadline=None)
@given(seeds, st.floats(-4.0, 4.0))
def test_turning_the_tangential_axes(seed, angle):
    """The frame about n is arbitrary: r turns with it."""
    A, b, mu = random_problems(20, seed, 1e2)
    mu = np.minimum(mu, 0.5)  # one solution
    Q = np.eye(3)
    Q[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    r, _ = solved(A, b, mu)
    turned, _ = solved(Q @ A @ Q.T, b @ Q.T, mu)
    unique = mu * np.linalg.norm(A[:, 0, 1:], axis=1) < 0.9 * A[:, 0, 0]
    np.testing.assert_allclose((turned - r @ Q.T)[unique], 0.0, atol=1e-8 * (1.0 + np.abs(r).max()))


def test_in_a_plane_it_is_the_contact_of_the_plane():
    """Without coupling to the second direction, and nothing moving there."""
    A, b, mu = random_problems(3000, 5, 1e3)
    mu = np.minimum(mu, 0.5)
    A[:, 2, :2] = A[:, :2, 2] = 0.0
    A[:, 2, 2] = 1.0
    b[:, 2] = 0.0
    unique = mu * np.abs(A[:, 0, 1]) < 0.9 * A[:, 0, 0]
    r, _ = solved(A, b, mu)
    for i in np.flatnonzero(unique):
        flat = solve_one(A[i, 0, 0], A[i, 0, 1], A[i, 1, 0], A[i, 1, 1], b[i, 0], b[i, 1], mu[i])
        np.testing.assert_allclose(r[i], [*flat, 0.0], atol=1e-11 * (1.0 + abs(flat[0]) + abs(flat[1])))


@pytest.mark.parametrize(
    ("b", "mu", "r"),
    [
        ((-2.0, 3.0, 4.0), 0.5, (1.0, -0.3, -0.4)),  # driven tangentially: slips against the motion
        ((-2.0, 0.0, 0.0), 0.5, (1.0, 0.0, 0.0)),
        ((-2.0, 3.0, 4.0), 0.0, (1.0, 0.0, 0.0)),
        ((2.0, 3.0, 4.0), 0.5, (0.0, 0.0, 0.0)),
        ((-2.0, 0.0, -4.0), 2.0, (1.0, 0.0, 2.0)),
    ],
)
def test_tangential_directions_that_cannot_move(b, mu, r):
    answer, reached = one(np.diag([2.0, 0.0, 0.0]), np.array(b), mu)
    np.testing.assert_allclose(answer, r, rtol=1e-15)
    assert reached <= 1e-15


def test_one_tangential_direction_that_cannot_move():
    """A_TT of rank one: the pull along the locked axis is met by a slip, none by a stick."""
    A = np.diag([1.0, 2.0, 0.0])
    stick, reached = one(A, np.array([-1.0, 0.5, 0.0]), 0.5)
    np.testing.assert_array_equal(stick, [1.0, -0.25, 0.0])
    assert reached == 0.0
    slip, reached = one(A, np.array([-1.0, 0.5, 0.1]), 0.5)
    assert np.linalg.norm(slip[1:]) == pytest.approx(0.5, rel=1e-15)
    assert slip[2] < -0.2
    assert reached <= 1e-15


@pytest.mark.parametrize("seed", range(20))
def test_block_of_rank_one_or_two(seed):
    """b in the range of a semidefinite block: a solution with w = 0 or a slip or an opening exists."""
    rng = np.random.default_rng(seed)
    for rank in (1, 2):
        V = rng.standard_normal((3, rank))
        V[0, 0] = 2.0 + abs(V[0, 0])
        A, b = V @ V.T, V @ rng.standard_normal(rank)
        _, reached = one(A, b, 0.3)
        assert reached <= 1e-13


@pytest.mark.parametrize("seed", range(20))
def test_round_off_does_not_move_a_locked_direction(seed):
    """A of rank one or two in turned axes: a change of b in the last digit hardly changes r."""
    rng = np.random.default_rng(seed)
    for rank in (1, 2):
        V = rng.standard_normal((3, rank))
        V[0, 0] = 3.0
        A = V @ V.T
        b = -A @ np.array([1.0, 0.2, -0.1])
        first, reached = one(A, b, 5.0)
        assert reached <= 1e-13
        for _ in range(5):
            other, reached = one(A, b * (1.0 + 2.0 * EPS * rng.choice([-1.0, 0.0, 1.0], 3)), 5.0)
            assert reached <= 1e-13
            np.testing.assert_allclose(other, first, atol=1e-12)


@pytest.mark.parametrize("tiny", [1e-150, 1e-158, 1e-160, 1e-161, 1e-162, 1e-200, 1e-300])
def test_coupling_near_underflow(tiny):
    """Tangential axes that hardly differ: squares of what they differ by underflow, in part or wholly."""
    for off in (tiny, -tiny):
        A = np.array([[2.0, 0.1, 0.2], [0.1, 0.0, off], [0.2, off, 0.0]])
        A[1:, 1:] += np.outer([0.05, 0.1], [0.1, 0.2]) + np.eye(2)
        r, reached = one(A, np.array([-1.0, 0.3, 0.4]), 0.3)
        assert reached <= 1e-15
        A = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, off], [0.0, off, 1.0]])
        r, reached = one(A, np.array([-1.0, 0.3, 0.4]), 0.3)
        assert reached <= 1e-15
        np.testing.assert_allclose(r, [0.5, -0.09, -0.12], rtol=1e-14)


def test_nothing_can_move():
    """No solution exists: a finite answer whose residual says so."""
    r, reached = one(np.zeros((3, 3)), np.array([-1.0, 0.5, 0.0]), 0.5)
    assert np.all(np.isfinite(r))
    assert reached > 0.1


@settings(deadline=None)
@given(seeds, st.sampled_from([1e-6, 1.0, 1e6]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_scale_of_mass_and_velocity(seed, mass, speed):
    """A / mass and speed b: the impulse is mass * speed times the one before."""
    A, b, mu = random_problems(20, seed, 10.0)
    mu = np.minimum(mu, 0.5)
    unique = mu * np.linalg.norm(A[:, 0, 1:], axis=1) < 0.9 * A[:, 0, 0]
    r, _ = solved(A, b, mu)
    scaled, _ = solved(A / mass, speed * b, mu)
    np.testing.assert_allclose((scaled / (mass * speed))[unique], r[unique], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["any", "indefinite", "skew", "not finite"])
def test_matrices_without_a_theory(kind):
    """No exception and no endless loop; a good residual or an honest one."""
    rng = np.random.default_rng(0)
    G = rng.standard_normal((3000, 3, 3))
    A = {
        "any": G,
        "indefinite": G + G.transpose(0, 2, 1),
        "skew": G - G.transpose(0, 2, 1),
        "not finite": np.where(np.arange(3000)[:, None, None] % 2 == 0, np.inf, G),
    }[kind]
    b, mu = rng.standard_normal((3000, 3)), rng.uniform(0.0, 3.0, 3000)
    r, reached = solved(A, b, mu)
    opens = b[:, 0] >= 0.0
    np.testing.assert_array_equal(r[opens], 0.0)
    if kind == "any":
        assert np.mean(reached <= 1e-10) > 0.6
