"""One contact in the plane: the exact solve over 100,000 random problems, and its degenerate cases."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from fem_contact.problems import LocalProblem, residual
from fem_contact.problems._kernels import relative_residual
from fem_contact.solvers import NSGS, solve
from fem_contact.solvers.gauss_seidel.nsgs_kernels import solve_one

EPS = np.finfo(float).eps


@njit
def _solve_all(A, b, mu, r, reached):
    w, one = np.empty(2), np.empty(1)
    for i in range(len(mu)):
        r[i, 0], r[i, 1] = solve_one(A[i, 0, 0], A[i, 0, 1], A[i, 1, 0], A[i, 1, 1], b[i, 0], b[i, 1], mu[i])
        one[0] = mu[i]
        reached[i] = relative_residual(A[i], b[i], one, 2, r[i], w)


def random_problems(count, seed, largest_condition):
    """SPD blocks R(angle) diag(1, 1/cond) R^T, b normal, mu in [0, 10] with some zeros."""
    rng = np.random.default_rng(seed)
    small = 10.0 ** -rng.uniform(0.0, math.log10(largest_condition), count)
    angle = rng.uniform(0.0, np.pi, count)
    c, s = np.cos(angle), np.sin(angle)
    A = np.empty((count, 2, 2))
    A[:, 0, 0], A[:, 1, 1] = c * c + small * s * s, s * s + small * c * c
    A[:, 0, 1] = A[:, 1, 0] = c * s * (1.0 - small)
    mu = rng.uniform(0.0, 10.0, count)
    mu[rng.random(count) < 0.05] = 0.0
    return A, rng.standard_normal((count, 2)), mu


def by_enumeration(A, b, mu):
    """Every case of every problem with NumPy: candidates (4, n, 2) and how far each is from valid."""
    zero = np.zeros(len(mu))
    candidates, faults = [np.zeros_like(b)], [np.maximum(-b[:, 0], 0.0)]
    stick = np.linalg.solve(A, -b[..., None])[..., 0]
    candidates.append(stick)
    faults.append(np.maximum(np.abs(stick[:, 1]) - mu * stick[:, 0], 0.0))
    for s in (1.0, -1.0):
        slope = A[:, 0, 0] + s * mu * A[:, 0, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            r_n = -b[:, 0] / slope
            w_t = b[:, 1] + (A[:, 1, 0] + s * mu * A[:, 1, 1]) * r_n
        candidates.append(np.stack([r_n, s * mu * r_n], axis=1))
        faults.append(np.maximum.reduce([np.where(r_n < 0.0, np.inf, 0.0), s * w_t, zero]))
    return np.array(candidates), np.array(faults)


def solved(A, b, mu):
    r, reached = np.empty_like(b), np.empty(len(mu))
    _solve_all(A, b, mu, r, reached)
    return r, reached


def test_residual_of_100_000_problems():
    """At most 1e-10, or the round-off of r itself where |r| is large (b along the weak direction)."""
    A, b, mu = random_problems(100_000, 0, 1e8)
    r, reached = solved(A, b, mu)
    size = np.abs(r).max(axis=1)
    assert np.all(reached <= np.maximum(1e-15, 8.0 * EPS * (1.0 + size)))
    assert np.all(reached[size < 1e4] <= 1e-10)
    cases = np.bincount((r[:, 0] > 0) + 2 * ((r[:, 0] > 0) & (np.abs(r[:, 1]) >= mu * r[:, 0])), minlength=4)
    assert cases[0] > 40_000  # take-off, stick and slip all occur
    assert cases[1] > 5_000
    assert cases[3] > 5_000


def test_where_r_is_large_no_doubles_do_better():
    """Sticking, |r| > 1e6: the exact solution rounded to doubles has w = A r + b beyond 1e-10 as well.

    In exact arithmetic; so no scaling or refinement of the solve could reach 1e-10 there. What is reached is
    within a factor of ten of that rounding.
    """
    A, b, mu = random_problems(20_000, 3, 1e8)
    r, _ = solved(A, b, mu)
    sticking = (r[:, 0] > 0.0) & (np.abs(r[:, 1]) < 0.99 * mu * r[:, 0])
    chosen = np.flatnonzero(sticking & (np.abs(r).max(axis=1) > 1e6))
    assert len(chosen) > 50
    rounded, reached = [], []
    for i in chosen:
        (a, p), (q, c) = [[Fraction(x) for x in row] for row in A[i]]
        f, g = (Fraction(x) for x in b[i])
        det = a * c - p * q
        exact = (p * g - c * f) / det, (q * f - a * g) / det
        for x, y, faults in ((float(exact[0]), float(exact[1]), rounded), (*r[i].tolist(), reached)):
            x, y = Fraction(x), Fraction(y)
            w = math.hypot(float(a * x + p * y + f), float(q * x + c * y + g))
            faults.append(w / (1.0 + np.linalg.norm(b[i])))
    assert np.mean(np.array(rounded) > 1e-10) > 0.2
    assert np.median(reached) <= 10.0 * np.median(rounded)


def test_agreement_with_enumeration():
    """The answer is a valid case, and the only one where the problem has a unique solution."""
    A, b, mu = random_problems(100_000, 1, 1e3)
    r, _ = solved(A, b, mu)
    candidates, faults = by_enumeration(A, b, mu)
    valid = faults <= 1e-12
    assert np.all(valid.any(axis=0))
    distance = np.abs(candidates - r).max(axis=2) / (1.0 + np.abs(r).max(axis=1))
    distance = np.where(valid, distance, np.inf)
    assert distance.min(axis=0).max() <= 1e-10
    # Several cases hold only where friction couples strongly, mu |a_nt| > a_nn; else the answer is the one.
    unique = mu * np.abs(A[:, 0, 1]) < 0.99 * A[:, 0, 0]
    spread = np.where(valid, distance, 0.0).max(axis=0)
    assert unique.sum() > 10_000
    assert spread[unique].max() <= 1e-10


def test_blocks_that_are_not_quite_symmetric():
    A, b, mu = random_problems(20_000, 2, 1e3)
    A[:, 0, 1] *= 1.0 + 1e-6
    _, reached = solved(A, b, np.minimum(mu, 1.0))
    assert np.all(reached <= 1e-10)


@pytest.mark.parametrize(
    ("b", "mu", "r"),
    [
        ((-2.0, 0.0), 0.5, (1.0, 0.0)),
        ((-2.0, 3.0), 0.5, (1.0, -0.5)),  # driven tangentially: slips against the motion
        ((-2.0, -3.0), 0.5, (1.0, 0.5)),
        ((-2.0, 3.0), 0.0, (1.0, 0.0)),
        ((2.0, 3.0), 0.5, (0.0, 0.0)),
    ],
)
def test_tangential_direction_that_cannot_move(b, mu, r):
    problem = LocalProblem(np.diag([2.0, 0.0]), np.array(b), np.array([mu]))
    result = solve(problem, NSGS())
    np.testing.assert_array_equal(result.r, r)
    assert result.converged
    assert result.residual == 0.0


@pytest.mark.parametrize("b", [(-1.0, 0.5), (-1.0, -3.0), (-1.0, 0.0), (1.0, -3.0), "in the range"])
@pytest.mark.parametrize("mu", [0.0, 0.3, 4.0])
@pytest.mark.parametrize("slope", [0.5, -0.5, 2.0])
def test_block_of_rank_one(b, mu, slope):
    """A = v v^T: the contact can move in one direction only, along v."""
    v = np.array([1.0, slope])
    A, b = np.outer(v, v), -1.5 * v if b == "in the range" else np.array(b)
    r = np.array(solve_one(*A.ravel(), *b, mu))
    stops = slope * b[0] == b[1]  # by an impulse along v, split so that it is in K
    opens = b[0] >= 0.0
    slides = []
    for side in (1.0, -1.0):  # w_N = 0 with r = r_N (1, side mu): w is along (0, 1) in (N, T)
        push = 1.0 + side * mu * slope
        slides.append(push > 0.0 and side * (b[1] - b[0] * slope) <= 0.0)
    reached = residual(LocalProblem(A, b, np.array([mu])), r)
    if stops or opens or any(slides):
        assert reached <= 1e-14
    else:  # no solution at all (jammed), which the residual shows
        assert reached > 0.01


def test_nothing_can_move():
    """No solution exists: said so, without an exception."""
    for d in (1, 2):
        result = solve(LocalProblem(np.zeros((d, d)), -np.ones(d), np.ones(1), d), NSGS(max_iter=3))
        assert not result.converged
        assert result.residual > 0.1


def test_two_solutions_of_a_strongly_coupled_block():
    """mu a_nt > a_nn with b_N > 0: jammed or taking off, both valid; the answer is one of them."""
    A, b, mu = np.array([[1.0, 1.9], [1.9, 4.0]]), np.array([0.05, 1.0]), np.array([3.0])
    r = np.array(solve_one(*A.ravel(), *b, mu[0]))
    np.testing.assert_array_equal(r, 0.0)
    stick = np.linalg.solve(A, -b)
    assert residual(LocalProblem(A, b, mu), stick) <= 1e-14 or stick[0] < 0.0
    assert residual(LocalProblem(A, b, mu), r) == 0.0
