"""NSGS on many contacts: against complementarity, enumeration, its own finish, and honest about failure."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fem_contact.errors import ModelError, ProblemError
from fem_contact.problems import LocalProblem, project, residual
from fem_contact.solvers import NSGS, SOLVERS, SolverStatus, solve
from fem_contact.solvers.gauss_seidel import nsgs_kernels as kernels
from fem_contact.solvers.gauss_seidel import status_kernels as status_kernels

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, c, d=2, mu_max=0.7, rank=None, skew=0.0):
    """A = G G^T with d*c rows, of full rank plus a diagonal, or of the given rank; b in its range then."""
    rng = np.random.default_rng(seed)
    m = d * c
    G = rng.standard_normal((m, m if rank is None else rank))
    A = G @ G.T / m
    if rank is None:
        A += 0.3 * np.eye(m)
        b = rng.standard_normal(m)
    else:
        b = G @ rng.standard_normal(rank)
    if skew:
        E = rng.standard_normal((m, m))
        A += skew * (E - E.T)
    return LocalProblem(A, b, rng.uniform(0.0, mu_max, c), d)


def normal_lcp(A, b):
    """0 <= r complementary to A r + b >= 0 by trying every set of closed contacts."""
    for closed in itertools.product((False, True), repeat=len(b)):
        closed = np.array(closed)
        r = np.zeros(len(b))
        if closed.any():
            r[closed] = np.linalg.solve(A[np.ix_(closed, closed)], -b[closed])
        if np.all(r >= 0.0) and np.all((A @ r + b)[~closed] >= 0.0):
            return r
    raise AssertionError("no solution")


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("finish", [False, True])
@pytest.mark.parametrize("c", [1, 3, 10, 40])
def test_random_problems(c, d, finish):
    for seed in range(10):
        problem = random_problem(seed, c, d)
        result = solve(problem, NSGS(finish=finish))
        assert result.converged
        assert result.residual == residual(problem, result.r) <= 1e-10
        np.testing.assert_array_equal(result.w, problem.A @ result.r + problem.b)
        if finish:
            assert result.residual <= 1e-13


@pytest.mark.parametrize("c", [2, 5])
def test_strong_friction_that_couples_contacts(c):
    """mu up to 10: full sweeps can run in circles, the answer is still found and still exact."""
    circles = 0
    for seed in range(1000, 1100):
        problem = random_problem(seed, c, mu_max=10.0)
        result = solve(problem, NSGS(max_iter=2000))
        assert result.converged
        assert result.residual <= 1e-14
        circles += result.iterations > 30
    assert circles  # some needed the shorter steps or the enumeration


@pytest.mark.parametrize("seed", [929, 1252, 2843])
def test_two_contacts_that_no_sweep_settles(seed):
    """mu near 10 on both: even short steps do not settle, every status is then tried in turn."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((4, 4))
    problem = LocalProblem(G @ G.T / 4 + 0.05 * np.eye(4), rng.standard_normal(4), rng.uniform(0, 10, 2))
    result = solve(problem, NSGS(max_iter=2000))
    assert result.converged
    assert result.residual <= 1e-14
    assert not solve(problem, NSGS(max_iter=2000, finish=False)).converged


@settings(deadline=None)
@given(seeds, st.floats(0.0, 10.0))
def test_status_by_the_natural_map(seed, mu):
    """The face that r - (w + mu |w_T| n) projects to, whatever the sign of its normal component."""
    r, w = np.random.default_rng(seed).standard_normal((2, 2))
    z = r - w - [mu * abs(w[1]), 0.0]
    p = project(z, np.array([mu]))
    code = kernels._status_of_map(r, w, 0, mu, 2)
    if code == kernels.OPEN:
        np.testing.assert_array_equal(p, 0.0)
    elif code == kernels.STICK:
        np.testing.assert_array_equal(p, z)
    else:
        sign = 1.0 if code == kernels.SLIP_PLUS else -1.0
        assert p[0] > 0.0
        assert p[1] == pytest.approx(sign * mu * p[0], rel=1e-14)
        assert z[1] * sign > 0.0


@settings(deadline=None)
@given(seeds, st.integers(1, 6))
def test_without_friction_it_is_a_linear_complementarity_problem(seed, c):
    problem = random_problem(seed, c, 2, mu_max=0.0)
    result = solve(problem, NSGS())
    np.testing.assert_allclose(result.r[::2], normal_lcp(problem.A[::2, ::2], problem.b[::2]), atol=1e-12)
    np.testing.assert_array_equal(result.r[1::2], 0.0)
    assert result.converged
    assert result.residual <= 1e-14


@settings(deadline=None)
@given(seeds, st.integers(1, 6))
def test_bars_are_a_linear_complementarity_problem(seed, c):
    problem = random_problem(seed, c, d=1)
    result = solve(problem, NSGS())
    np.testing.assert_allclose(result.r, normal_lcp(problem.A, problem.b), atol=1e-12)
    assert result.residual <= 1e-14


def test_frictionless_contact_that_opens_or_pulls_straight():
    """Without friction and tangential motion an open contact is a solution, a pulling one is not."""
    opening = solve(LocalProblem(np.eye(2), np.array([1.0, 0.0]), np.zeros(1)), NSGS())
    np.testing.assert_array_equal(opening.r, 0.0)
    assert opening.converged
    assert opening.iterations == 0
    pulling = LocalProblem(np.eye(2), np.array([1.0, 0.0]), np.zeros(1))
    np.testing.assert_array_equal(solve(pulling, NSGS(), guess=np.array([-1.0, 0.0])).r, 0.0)


@given(seeds, st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_enumeration_of_every_status(seed, c):
    """The answer is found among the 4^c statuses solved with NumPy."""
    problem = random_problem(seed, c, mu_max=0.5)
    A, b, mu = problem.A, problem.b, problem.mu
    found = []
    for statuses in itertools.product("o+-s", repeat=c):
        columns = []
        rows = []
        for i, s in enumerate(statuses):
            e = np.eye(2 * c)[:, 2 * i : 2 * i + 2]
            if s in "+-":
                columns.append(e[:, 0] + (1 if s == "+" else -1) * mu[i] * e[:, 1])
                rows.append(2 * i)
            elif s == "s":
                columns += [e[:, 0], e[:, 1]]
                rows += [2 * i, 2 * i + 1]
        r = np.zeros(2 * c)
        if columns:
            B = np.array(columns).T
            r = B @ np.linalg.solve((A @ B)[rows], -b[rows])
        if residual(problem, r) < 1e-12:
            found.append(r)
    result = solve(problem, NSGS())
    assert min(np.abs(result.r - r).max() for r in found) <= 1e-10


@settings(deadline=None)
@given(seeds, st.integers(2, 8))
def test_order_of_the_contacts_does_not_matter(seed, c):
    problem = random_problem(seed, c, mu_max=0.3)
    order = np.random.default_rng(seed + 1).permutation(c)
    k = (2 * order[:, None] + [0, 1]).ravel()
    other = LocalProblem(problem.A[np.ix_(k, k)], problem.b[k], problem.mu[order])
    np.testing.assert_allclose(solve(other, NSGS()).r, solve(problem, NSGS()).r[k], atol=1e-11)


def solvable_problem(seed, c, rank):
    """Rank-deficient A, with b made from a solution that opens, sticks and slips: (problem, r, w)."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((2 * c, rank))
    A, mu, code = G @ G.T / (2 * c), rng.uniform(0.0, 0.5, c), rng.integers(0, 3, c)
    normal, side = rng.uniform(0.5, 2.0, c), rng.choice([-1.0, 1.0], c)
    r, w = np.zeros((c, 2)), np.zeros((c, 2))
    r[:, 0] = np.where(code > 0, normal, 0.0)
    share = np.where(code == 1, rng.uniform(-1.0, 1.0, c), side)
    r[:, 1] = share * mu * r[:, 0]
    w[:, 0] = np.where(code == 0, rng.uniform(0.0, 1.0, c), 0.0)
    w[:, 1] = np.where(
        code == 0, rng.standard_normal(c), np.where(code == 2, -side * rng.uniform(0.1, 1.0, c), 0.0)
    )
    return LocalProblem(A, w.ravel() - A @ r.ravel(), mu), r.ravel(), w.ravel()


@pytest.mark.parametrize("rank", [3, 6, 10])
def test_more_reactions_than_motions(rank):
    """Hyperstatic: r is not unique. A rare failure is admitted, never hidden."""
    converged = 0
    for seed in range(50):
        problem, r, _ = solvable_problem(seed, 8, rank)
        assert residual(problem, r) <= 1e-14
        result = solve(problem, NSGS(max_iter=2000))
        converged += result.converged
        assert result.converged == (residual(problem, result.r) <= 1e-10)
    assert converged >= 49


def test_hyperstatic_table():
    """A rigid block (3 motions) pressed on three points of a floor: the reactions carry its weight."""
    x = np.array([-1.0, 0.0, 1.0])
    H = np.zeros((6, 3))
    H[::2, 1], H[::2, 2], H[1::2, 0], H[1::2, 2] = 1.0, x, 1.0, 0.5
    mass = np.diag([1.0, 1.0, 0.3])
    v = np.array([0.1, -1.0, 0.0])
    problem = LocalProblem(H @ np.linalg.inv(mass) @ H.T, H @ v, np.full(3, 0.5))
    result = solve(problem, NSGS())
    assert result.converged
    np.testing.assert_allclose(v + np.linalg.inv(mass) @ H.T @ result.r, 0.0, atol=1e-9)
    np.testing.assert_allclose((H.T @ result.r)[:2], [-0.1, 1.0], atol=1e-9)


@settings(deadline=None)
@given(seeds, st.integers(1, 8))
def test_guess_equal_to_the_solution(seed, c):
    problem = random_problem(seed, c)
    first = solve(problem, NSGS())
    again = solve(problem, NSGS(), guess=first.r)
    assert again.iterations <= 2
    np.testing.assert_allclose(again.r, first.r, atol=1e-13)
    assert again.converged


def test_too_few_sweeps_are_admitted():
    problem = random_problem(3, 20)
    result = solve(problem, NSGS(max_iter=1, finish=False))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert not result.converged
    assert result.iterations == 1
    assert result.residual == residual(problem, result.r) > 1e-10


def test_no_contact():
    result = solve(LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0)), NSGS())
    assert result.converged
    assert result.iterations == 0
    assert result.r.shape == result.w.shape == (0,)


@settings(deadline=None)
@given(seeds, st.integers(1, 10), st.sampled_from([1e-3, 1.0, 1e4]))
def test_exact_finish(seed, c, size):
    """Sticking and sliding contacts dissipate to round-off: r_T w_T <= 0, r in K, w_N r_N = 0."""
    problem = random_problem(seed, c)
    problem = LocalProblem(problem.A, size * problem.b, problem.mu)
    result = solve(problem, NSGS(finish=True))
    rough = solve(problem, NSGS(finish=False))
    scale = np.abs(problem.b).max() * max(np.abs(result.r).max(), 1e-300)
    r, w = result.r.reshape(-1, 2), result.w.reshape(-1, 2)
    assert np.all(r[:, 1] * w[:, 1] <= 1e-13 * scale)
    assert np.all(np.abs(r[:, 0] * w[:, 0]) <= 1e-13 * scale)
    assert np.all(np.abs(r[:, 1]) <= problem.mu * r[:, 0] * (1.0 + 1e-14))
    assert result.residual <= max(rough.residual, 1e-13)


def test_finish_takes_away_what_the_sweeps_leave():
    left, exact = 0.0, 0.0
    for seed in range(30):
        problem = random_problem(seed, 15, mu_max=0.3)
        for finish in (False, True):
            result = solve(problem, NSGS(finish=finish))
            work = (result.r * result.w)[1::2].max()
            left, exact = (max(left, work), exact) if not finish else (left, max(exact, work))
    assert exact <= 1e-14
    assert left > 10.0 * exact  # otherwise this test would show nothing


@pytest.mark.parametrize("d", [1, 2])
def test_a_guess_far_away(d):
    """Round-off of 1e8 stays in the running w; the answer is judged on A r + b itself."""
    for seed in range(5):
        problem = random_problem(seed, 6, d)
        guess = 1e8 * np.random.default_rng(seed).standard_normal(6 * d)
        result = solve(problem, NSGS(finish=False), guess)
        assert result.converged
        np.testing.assert_allclose(result.r, solve(problem, NSGS()).r, atol=1e-8)


def test_a_tolerance_that_cannot_be_reached():
    """Neither sweeps nor finish reach 1e-18: all sweeps are made, the best effort is given as such."""
    problem = random_problem(0, 12)
    result = solve(problem, NSGS(tol=1e-18, max_iter=60))
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert result.iterations == 60
    assert 1e-18 < result.residual < 1e-5


@settings(deadline=None)
@given(seeds, st.integers(2, 10))
def test_unsymmetric_sweeps(seed, c):
    """Sweeps alone follow w through the columns of A: as many as with the transpose kept apart."""
    problem = random_problem(seed, c, mu_max=0.3, skew=0.05)
    r, w = np.zeros(2 * c), problem.b.copy()
    At = np.ascontiguousarray(problem.A.T)
    order, old = np.arange(c), np.empty(3)
    kernels.sweep(problem.A, At, problem.mu, 2, 1.0, order, False, r, w, old)
    np.testing.assert_allclose(w, problem.A @ r + problem.b, atol=1e-12)
    assert kernels.natural_map(r[-2:], w[-2:], problem.mu[-1:], 2) <= 1e-12  # the last one is solved
    one = np.zeros(2 * c)
    NSGS(max_iter=1, finish=False).prepare(c, 2).solve_into(problem.A, problem.b, problem.mu, one)
    np.testing.assert_array_equal(one, r)
    two = np.zeros(2 * c)
    NSGS(max_iter=2, finish=False, tol=1e-300).prepare(c, 2).solve_into(problem.A, problem.b, problem.mu, two)
    kernels.sweep(problem.A, At, problem.mu, 2, 1.0, order, False, r, w, old)
    np.testing.assert_allclose(two, r, atol=1e-13)


def test_new_matrix_with_the_same_status():
    """``fresh=True`` forgets the factors, even where the status is the one they belong to."""
    A = random_problem(5, 4).A
    b, mu = np.tile([-1.0, 0.0], 4), np.full(4, 50.0)
    prepared = NSGS().prepare(4, 2)
    diagonal = np.diag(np.linspace(1.0, 3.0, 8))
    for matrix in (diagonal, diagonal + 0.05 * A / np.abs(A).max()):
        r = np.zeros(8)
        prepared.solve_into(matrix, b, mu, r, fresh=True)
        assert np.all(r[::2] > 0.0)
        np.testing.assert_allclose(matrix @ r, -b, atol=1e-14)


@settings(deadline=None)
@given(seeds, st.integers(1, 10))
def test_slightly_unsymmetric(seed, c):
    problem = random_problem(seed, c, skew=1e-3)
    result = solve(problem, NSGS())
    assert result.converged
    assert residual(problem, result.r) <= 1e-12


@given(
    st.integers(1, 5),
    seeds,
    st.sampled_from([1e-12, 1e-10, 1e-4]),
    st.integers(1, 300),
    st.booleans(),
    st.sampled_from(["any", "indefinite", "singular", "mixed"]),
    st.integers(1, 2),
)
@settings(max_examples=300, deadline=None)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_never_converged_without_being_so(c, seed, tol, max_iter, finish, kind, d):
    """Whatever the matrix, the status follows from the residual computed apart from the solver."""
    rng = np.random.default_rng(seed)
    m = d * c
    G = rng.standard_normal((m, m))
    A = {
        "any": G,
        "indefinite": G + G.T,
        "singular": np.outer(G[0], G[0]),
        "mixed": G @ np.diag(10.0 ** rng.uniform(-6, 6, m)) @ G.T,
    }[kind]
    mu = np.where(rng.random(c) < 0.3, 0.0, rng.uniform(0, 5, c))
    problem = LocalProblem(A, rng.standard_normal(m), mu, d)
    result = solve(problem, NSGS(tol=tol, max_iter=max_iter, finish=finish))
    w = A @ result.r + problem.b
    difference = 0.0
    for i in range(c):
        r_i, w_i = result.r[d * i : d * i + d], w[d * i : d * i + d]
        z_n, z_t = r_i[0] - w_i[0], 0.0
        if d == 2:
            z_n, z_t = z_n - mu[i] * abs(w_i[1]), r_i[1] - w_i[1]
        p = np.zeros(2)
        if z_n >= 0.0 and abs(z_t) <= mu[i] * z_n:
            p[:] = z_n, z_t
        elif mu[i] * abs(z_t) > -z_n:
            p[0] = (z_n + mu[i] * abs(z_t)) / (1.0 + mu[i] ** 2)
            p[1] = np.copysign(mu[i] * p[0], z_t)
        if d == 1:
            p[0] = max(z_n, 0.0)
        difference += np.sum((r_i - p[:d]) ** 2)
    reached = np.sqrt(difference) / (1.0 + np.linalg.norm(problem.b))
    assert result.iterations <= max_iter
    if result.converged:
        assert reached <= tol * (1.0 + 1e-6) + 1e-15 * (1.0 + np.abs(A).max()) * (
            1.0 + np.abs(result.r).max()
        )
    else:
        assert not reached <= 0.99 * tol - 1e-15 * (1.0 + np.abs(A).max()) * (1.0 + np.abs(result.r).max())


@pytest.mark.parametrize("c", [2, 5, 12])
def test_prepared_solver_remembers_and_forgets(c):
    """One work space for problems of many sizes; ``fresh=False`` only saves the factors."""
    prepared = NSGS().prepare(12, 2)
    r = np.zeros(24)
    prepared.solve_into(random_problem(1, 12).A, random_problem(1, 12).b, random_problem(1, 12).mu, r)
    first = random_problem(2, c)
    rng = np.random.default_rng(c)
    for step in range(6):
        b = rng.standard_normal(2 * c)
        problem = LocalProblem(first.A, b, first.mu)
        r = np.zeros(2 * c)
        prepared.solve_into(problem.A, problem.b, problem.mu, r, fresh=step == 0)
        np.testing.assert_allclose(r, solve(problem, NSGS()).r, atol=1e-13)
    other = random_problem(4, c)
    r = np.zeros(2 * c)
    prepared.solve_into(other.A, other.b, other.mu, r, fresh=True)
    assert residual(other, r) <= 1e-13


@given(seeds, st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_linear_solve_on_a_status(seed, c):
    """factor_status and solve_status against NumPy, any mixture of open, stick and the two slips."""
    problem = random_problem(seed, c)
    rng = np.random.default_rng(seed)
    status = rng.integers(0, 4, c)
    size = 2 * c
    rows, columns, pivots = np.empty((3, size), np.int64)
    lu, x, r = np.empty((size, size)), np.empty(size), np.zeros(size)
    numbers = status_kernels.factor_status(problem.A, problem.mu, 2, status, rows, columns, lu, pivots)
    assert numbers == (np.array([0, 2, 1, 1])[status].sum(),) * 2
    status_kernels.solve_status(problem.b, problem.mu, 2, status, rows, columns, *numbers, lu, pivots, x, r)
    w = (problem.A @ r + problem.b).reshape(c, 2)
    r = r.reshape(c, 2)
    scale = 1e-11 * (1.0 + np.abs(r).max())
    np.testing.assert_array_equal(r[status == kernels.OPEN], 0.0)
    np.testing.assert_allclose(w[status != kernels.OPEN, 0], 0.0, atol=scale)
    np.testing.assert_allclose(w[status == kernels.STICK, 1], 0.0, atol=scale)
    for code, sign in ((kernels.SLIP_PLUS, 1.0), (kernels.SLIP_MINUS, -1.0)):
        np.testing.assert_array_equal(r[status == code, 1], sign * (problem.mu * r[:, 0])[status == code])


@pytest.mark.parametrize("seed", range(20))
def test_singular_status_is_solved_by_a_correction(seed):
    """Unknowns without a pivot keep their value, the others make w vanish on the rows of the status."""
    rng = np.random.default_rng(seed)
    c, rank = 6, 4
    G = rng.standard_normal((2 * c, rank))
    A, mu, status = G @ G.T, np.full(c, 0.3), rng.integers(1, 4, c)
    b = G @ rng.standard_normal(rank)
    rows, columns, pivots = np.empty((3, 2 * c), np.int64)
    lu, x = np.empty((2 * c, 2 * c)), np.empty(2 * c)
    count, found = status_kernels.factor_status(A, mu, 2, status, rows, columns, lu, pivots)
    assert count > found == rank
    r = rng.uniform(1.0, 2.0, 2 * c)
    status_kernels.put_on_faces(mu, 2, status, r)
    before = r.copy()
    work = status, rows, columns, count, found, lu, pivots, x
    status_kernels.solve_status(A @ r + b, mu, 2, *work, r)
    np.testing.assert_allclose((A @ r + b)[rows[:count]], 0.0, atol=1e-11 * np.abs(A).max())
    np.testing.assert_array_equal(r[columns[found:count]], before[columns[found:count]])
    for code, sign in ((kernels.SLIP_PLUS, 1.0), (kernels.SLIP_MINUS, -1.0)):
        np.testing.assert_array_equal(r[1::2][status == code], sign * (mu * r[::2])[status == code])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: NSGS(tol=0.0), ModelError, "nsgs tol = 0.0: it must be a positive number"),
        (lambda: NSGS(tol=float("nan")), ModelError, "nsgs tol = nan"),
        (lambda: NSGS(tol=float("inf")), ModelError, "nsgs tol = inf"),
        (lambda: NSGS(max_iter=0), ModelError, "nsgs max_iter = 0: it must be at least 1"),
        (lambda: NSGS().prepare(1, 4), ModelError, "nsgs solves contacts of 1, 2 or 3 components, not 4"),
        (lambda: NSGS(relaxation=0.0), ModelError, "solver relaxation = 0.0: it must lie between 0 and 2"),
        (lambda: NSGS(relaxation=2.0), ModelError, "solver relaxation = 2.0"),
        (lambda: NSGS(relaxation=float("nan")), ModelError, "solver relaxation = nan"),
        (lambda: NSGS(seed=-1), ModelError, "solver seed = -1: it must not be negative"),
        (
            lambda: solve(random_problem(0, 2), NSGS(), np.zeros(3)),
            ProblemError,
            "the guess must be 4 finite numbers",
        ),
        (
            lambda: solve(random_problem(0, 1), NSGS(), [np.nan, 0]),
            ProblemError,
            "the guess must be 2 finite numbers",
        ),
    ],
)
def test_refusals(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_registry():
    assert SOLVERS["nsgs"] is NSGS


def test_the_guess_is_left_as_it_was():
    guess = np.ones(6)
    solve(random_problem(0, 3), NSGS(), guess)
    np.testing.assert_array_equal(guess, 1.0)
