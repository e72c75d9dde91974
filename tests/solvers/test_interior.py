"""The interior point method: its cone algebra, constructed solutions, closed forms, assemblies, limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from fem_contact.errors import ModelError
from fem_contact.problems import LocalProblem, residual
from fem_contact.solvers import NSGS, SolverStatus, solve
from fem_contact.solvers.interior import InteriorPoint
from fem_contact.solvers.paths import interior_kernels as kernels
from fem_contact.solvers.paths.central_path import CentralPath
from fem_contact.solvers.paths.pseudo_time import PseudoTimePath

from . import bank, granular
from .posed import constructed

seeds = st.integers(0, 2**32 - 1)
ASSEMBLIES = dict(bank.bank())
LARGE = ("large-spheres", "large-tower-150", "large-stacks", "large-wall", "large-capsules")


def inside(rng, c, d, room=0.0):
    """Random points inside the cones {|x_T| < x_N}."""
    x = rng.standard_normal((c, d))
    x[:, 0] = np.linalg.norm(x[:, 1:], axis=1) * (1.0 + room) + rng.uniform(0.1, 1.0, c)
    return x.ravel()


def arrow(x):
    """The matrix of a o b = (a . b, a_N b_T + b_N a_T)."""
    L = x[0] * np.eye(len(x))
    L[0], L[:, 0] = x, x
    return L


@settings(deadline=None)
@given(seeds, st.integers(1, 3))
def test_nesterov_todd_scaling(seed, d):
    """W x = W^-1 y, W^2 x = y, W symmetric positive definite and its inverse an inverse."""
    rng = np.random.default_rng(seed)
    c = 4
    x, y = inside(rng, c, d), inside(rng, c, d)
    point, factor = np.empty(c * d), np.empty(c)
    kernels.nesterov_todd(x, y, d, point, factor)
    out, back, B, C = np.empty(c * d), np.empty(c * d), np.empty((c, d, d)), np.empty((c, d, d))
    kernels.scale(point, factor, d, False, x, out)
    kernels.scale(point, factor, d, True, y, back)
    np.testing.assert_allclose(out, back, rtol=1e-9, atol=1e-11)
    kernels.scale(point, factor, d, True, out, back)
    np.testing.assert_allclose(back, x, rtol=1e-9, atol=1e-11)
    kernels.blocks(point, factor, y, d, 1.0, B, C)
    np.testing.assert_allclose(np.einsum("ijk,ik->ij", B, x.reshape(c, d)).ravel(), y, rtol=1e-8, atol=1e-10)
    for block in B:
        np.testing.assert_allclose(block, block.T, rtol=1e-14)
        assert np.linalg.eigvalsh(block).min() > 0.0


@settings(deadline=None)
@given(seeds, st.integers(1, 3), st.floats(0.0, 1.0))
def test_centring_solves_the_jordan_equation(seed, d, target):
    """lambda o z = lambda o lambda + dx o dy - target e."""
    rng = np.random.default_rng(seed)
    c = 3
    scaled, dx, dy, z = inside(rng, c, d), *rng.standard_normal((2, c * d)), np.empty(c * d)
    kernels.centring(scaled, dx, dy, target, d, z)
    unit = np.eye(d)[0]
    for i in range(c):
        k = slice(d * i, d * i + d)
        right = arrow(scaled[k]) @ scaled[k] + arrow(dx[k]) @ dy[k] - target * unit
        np.testing.assert_allclose(arrow(scaled[k]) @ z[k], right, atol=1e-9)


@settings(deadline=None)
@given(seeds, st.integers(1, 3))
def test_longest_step_ends_on_the_boundary(seed, d):
    rng = np.random.default_rng(seed)
    x, dx = inside(rng, 5, d), rng.standard_normal(5 * d)

    def room(t):
        z = (x + t * dx).reshape(5, d)
        return (z[:, 0] - np.linalg.norm(z[:, 1:], axis=1)).min()

    longest = kernels.longest_step(x, dx, d)
    if longest < 1e10:
        assert abs(room(longest)) < 1e-8 * (1.0 + longest)
        assert room(0.999 * longest) > 0.0
    else:
        assert room(1e6) >= 0.0


@pytest.mark.parametrize("d", [2, 3])
def test_coupling_by_central_differences(d):
    """C is the derivative of w + |w_T| n, and the mismatch is that of its linearisation."""
    rng = np.random.default_rng(d)
    y, w, h = rng.standard_normal(d), rng.standard_normal(d), 1e-6
    B, C = np.empty((1, d, d)), np.empty((1, d, d))
    kernels.blocks(np.eye(d)[0], np.ones(1), y, d, 1.0, B, C)

    def shifted(v):
        return v + np.linalg.norm(v[1:]) * np.eye(d)[0]

    for q in range(d):
        slope = (shifted(y + h * np.eye(d)[q]) - shifted(y - h * np.eye(d)[q])) / (2 * h)
        np.testing.assert_allclose(C[0, :, q], slope, atol=1e-9)
    out = np.empty(d)
    kernels.mismatch(w, y, d, 1.0, out)
    np.testing.assert_allclose(out, shifted(y) + C[0] @ (w - y) - y, atol=1e-14)
    kernels.mismatch(w, y, d, 0.0, out)
    np.testing.assert_allclose(out, w + np.linalg.norm(y[1:]) * np.eye(d)[0] - y, atol=1e-14)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("mu", [0.0, 0.01, 0.3, 100.0])
def test_one_contact_in_closed_form(d, mu):
    """A = a I: open, stick r_T = -b_T/a, slip r_T = -mu r_N b_T/|b_T| with r_N = -b_N/a."""
    a = 0.5
    direction = np.array([1.0]) if d == 2 else np.array([0.6, -0.8])
    for normal, slide in ((1.0, 0.7), (-1.0, 0.1), (-1.0, 0.7), (-2.0, 5.0)):
        b = np.concatenate([[normal], slide * direction])
        result = solve(LocalProblem(a * np.eye(d), b, np.array([mu]), d), InteriorPoint())
        r_n = max(-normal, 0.0) / a
        expected = np.concatenate([[r_n], -min(slide / a, mu * r_n) * direction])
        np.testing.assert_allclose(result.r, expected, atol=1e-8)
        assert result.converged


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 3), st.integers(1, 12))
def test_constructed_problems(seed, d, c):
    problem, r, w = constructed(seed, c, d, mu_max=0.2, skew=1e-3)
    result = solve(problem, InteriorPoint())
    assert result.converged
    assert result.residual == residual(problem, result.r) <= 1e-10
    np.testing.assert_allclose(result.r, r, atol=1e-7)
    np.testing.assert_allclose(result.w, w, atol=1e-7)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_central_path_alone(d):
    """Without a finish: the path goes to 1e-8 by itself, in tens of steps whatever the size."""
    for c in (1, 10, 60):
        problem, r, _ = constructed(c, c, d, mu_max=0.2)
        result = solve(problem, InteriorPoint(finish=False, max_iter=40), tol=1e-8)
        assert result.converged
        np.testing.assert_allclose(result.r, r, atol=1e-6)


def test_iterates_stay_inside_the_cones():
    path = CentralPath(ASSEMBLIES["rocks-mixed"])
    means = []
    for _ in range(15):
        path.advance()
        means.append(float(path.x @ path.y))
        for z in (path.x, path.y):
            rows = z.reshape(-1, 3)
            assert (rows[:, 0] - np.linalg.norm(rows[:, 1:], axis=1)).min() > 0.0
    assert means[-1] < 1e-3 * means[0]


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_assemblies(name):
    """Hyperstatic, non-symmetric, smooth and rough: every problem of the bank, from zero."""
    result = solve(ASSEMBLIES[name], InteriorPoint(), seconds=20.0)
    assert result.converged
    assert result.iterations <= 250


@pytest.mark.parametrize("name", LARGE)
def test_large_assemblies_in_few_steps(name):
    """Up to 2000 unknowns of deficient rank in at most 40 factorisations."""
    names = list(dict(bank.bank(large=True)))
    seed = names.index(name)
    problem = bank._large_bodies()[name](np.random.default_rng(seed))
    result = solve(problem, InteriorPoint(max_iter=40), seconds=20.0)
    assert result.converged


@pytest.mark.parametrize("d", [1, 2, 3])
def test_lagging_from_its_definition(d):
    """w + (s + kappa (|w_T| - s)) n - y, and the norm of |w_T| - s."""
    rng = np.random.default_rng(d)
    c, kappa, smooth = 4, 0.3, 0.2
    w, y, s, out = *rng.standard_normal((2, c * d)), rng.uniform(size=c), np.empty(c * d)
    norm = kernels.lagging(w, y, s, d, kappa, smooth, out)
    lag = np.hypot(np.linalg.norm(w.reshape(c, d)[:, 1:], axis=1), smooth) - s if d > 1 else np.zeros(c)
    expected = (w - y).reshape(c, d)
    expected[:, 0] += s + kappa * lag
    np.testing.assert_allclose(out, expected.ravel(), atol=1e-14)
    np.testing.assert_allclose(norm, np.linalg.norm(lag), atol=1e-14)


@pytest.mark.parametrize(
    "name", ["disks-rough", "disks-mixed-skew", "wall-2d", "capsules-shaken", "rocks-mixed"]
)
def test_pseudo_time_arrives_at_the_steady_state(name):
    """s = |w_T|, inside the cones all the way, with the shift and the pseudo-time within their bounds."""
    problem = ASSEMBLIES[name]
    path, d = PseudoTimePath(problem), problem.d
    for _ in range(120):
        assert path.advance() > 0.0
        for z in (path.x, path.y):
            rows = z.reshape(-1, d)
            assert (rows[:, 0] - np.linalg.norm(rows[:, 1:], axis=1)).min() > 0.0
        if residual(problem, path.impulses()) <= 1e-8:
            break
    assert residual(problem, path.impulses()) <= 1e-8
    w = (path.system.A @ path.x + path.b).reshape(-1, d)
    np.testing.assert_allclose(path.s, np.linalg.norm(w[:, 1:], axis=1), atol=1e-6)


def test_a_step_that_stays_short_slows_pseudo_time_and_a_long_one_speeds_it_up():
    path = PseudoTimePath(ASSEMBLIES["wall-2d"])
    path.advance()
    for taken, compare in ((0.05, np.less), (0.4, np.equal), (0.9, np.greater)):
        time, shift = path.time, path.proximal
        path.taken = taken
        path._adapt()
        assert compare(path.time, time)
        assert compare(shift, path.proximal)


@pytest.mark.parametrize("name", ["column", "silo", "drum", "shaken", "rest"])
def test_flows_in_tens_of_steps(name):
    """Grains in the plane, one path: no turning point holds it up."""
    problem = granular.flow(name, 8, 8, np.random.default_rng(1), mu=0.3, settle=48)
    assert problem.contacts > 60
    result = solve(problem, InteriorPoint(max_iter=100), seconds=20.0)
    assert result.converged


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(1, 8))
def test_agreement_with_nsgs_in_the_plane(seed, c):
    problem, _, _ = constructed(seed, c, 2, mu_max=0.2)
    result, other = solve(problem, InteriorPoint()), solve(problem, NSGS())
    assert result.converged
    assert other.converged
    np.testing.assert_allclose(result.w, other.w, atol=1e-8)


@settings(deadline=None, max_examples=30)
@given(seeds, st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))
def test_units_of_mass_and_velocity(seed, mass, speed):
    """A/m and v b have the solution m v r: the path is the same up to round-off."""
    problem, _, _ = constructed(seed, 5, 3, mu_max=0.2)
    m, v = 10.0**mass, 10.0**speed
    other = LocalProblem(problem.A / m, v * problem.b, problem.mu, 3)
    paths = [CentralPath(p) for p in (problem, other)]
    for _ in range(6):
        for path in paths:
            path.advance()
        np.testing.assert_allclose(paths[1].impulses() / (m * v), paths[0].impulses(), rtol=1e-6, atol=1e-8)


def test_no_friction_leaves_no_tangential_impulse():
    for name in ("spheres-smooth", "wall-smooth", "disks-smooth"):
        problem = ASSEMBLIES[name]
        for finish, tol in ((True, 1e-10), (False, 1e-8)):
            result = solve(problem, InteriorPoint(finish=finish, max_iter=30), tol=tol)
            assert result.converged
            np.testing.assert_allclose(
                result.r.reshape(-1, problem.d)[:, 1:], 0.0, atol=10 * tol if finish else 0.0
            )


def test_dense_and_sparse_agree():
    problem, _, _ = constructed(3, 10, 3, mu_max=0.2)
    sparse = LocalProblem(csr_matrix(problem.A), problem.b, problem.mu, 3)
    a, b = (solve(p, InteriorPoint()) for p in (problem, sparse))
    np.testing.assert_allclose(a.r, b.r, atol=1e-9)
    wall = ASSEMBLIES["wall-shaken-skew"]
    dense, bsr = CentralPath(wall), CentralPath(LocalProblem(csr_matrix(wall.A), wall.b, wall.mu, 3))
    for _ in range(5):
        dense.advance()
        bsr.advance()
    assert type(dense.system) is not type(bsr.system)
    np.testing.assert_allclose(dense.impulses(), bsr.impulses(), rtol=1e-5, atol=1e-9)


def test_a_near_guess_is_finished_at_once():
    problem = ASSEMBLIES["wall"]
    first = solve(problem, InteriorPoint())
    guess = first.r * (1.0 + 1e-4 * np.random.default_rng(0).standard_normal(len(first.r)))
    assert solve(problem, InteriorPoint(), guess=guess).iterations <= 4 < first.iterations


@pytest.mark.parametrize("finish", [False, True])
def test_limits_are_honest(finish):
    problem = ASSEMBLIES["wall"]
    for limit in (1, 3):
        result = solve(problem, InteriorPoint(max_iter=limit, finish=finish))
        assert result.status is SolverStatus.ITERATION_LIMIT
        assert result.iterations == limit
        assert result.residual == residual(problem, result.r) > 1e-10
    assert solve(problem, InteriorPoint(), seconds=0.0).status is SolverStatus.TIME_LIMIT


@pytest.mark.parametrize("first", [0.0, 1.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_no_solution_is_not_claimed(d, first):
    """A body that cannot move approaches another: no impulse helps, nor one so large that w is lost in it."""
    A, b = np.zeros((2 * d, 2 * d)), np.zeros(2 * d)
    A[:d, :d], b[::d] = first * np.eye(d), -1.0
    result = solve(LocalProblem(A, b, np.full(2, 0.3), d), InteriorPoint(finish=False))
    assert not result.converged
    assert np.abs(result.r).max() < 1e8
    assert not solve(LocalProblem(A, b, np.full(2, 0.3), d), InteriorPoint()).converged


def test_impulses_beyond_round_off_are_not_looked_at():
    """r = 1e18 would be judged a solution whatever w is: it is not shown."""
    problem = LocalProblem(np.array([[1e-18]]), np.array([-1.0]), np.zeros(1), 1)
    assert residual(problem, np.array([2e18])) == 0.0
    assert not solve(problem, InteriorPoint()).converged


def test_nothing_to_do_and_prepared():
    empty = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 3)
    assert solve(empty, InteriorPoint()).converged
    InteriorPoint().attempt(empty, np.zeros(0), None)
    problem, r, _ = constructed(2, 4, 3, mu_max=0.2)
    x = np.zeros_like(r)
    assert InteriorPoint().prepare(4, 3).solve_into(problem.A, problem.b, problem.mu, x) > 0
    np.testing.assert_allclose(x, r, atol=1e-8)


@pytest.mark.parametrize("setting", [{"tol": -1.0}, {"tol": np.inf}, {"max_iter": 0}])
def test_settings_that_are_not_allowed(setting):
    with pytest.raises(ModelError, match=f"interior {next(iter(setting))}"):
        InteriorPoint(**setting)
