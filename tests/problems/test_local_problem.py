"""The local problem: projection on the cone, the natural map, status, refusals, compiled twins."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import bsr_matrix, coo_matrix, csr_matrix

from fem_contact.errors import ProblemError
from fem_contact.problems import OPEN, SLIP, STICK, LocalProblem, project, residual, status
from fem_contact.problems import _kernels as kernels

# Zero or at least 1e-9: squares of smaller numbers would only test underflow.
value = st.floats(-1e3, 1e3).map(lambda x: x if abs(x) > 1e-9 else 0.0)
friction = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]) | st.floats(1e-6, 10.0)


@st.composite
def cones(draw):
    d, c = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    z = np.array(draw(st.lists(value | st.just(0.0), min_size=d * c, max_size=d * c)))
    mu = np.array(draw(st.lists(friction, min_size=c, max_size=c)))
    return z, mu, d


def project_dual(z, mu, d):
    """Projection on K* = {w : w_N >= mu |w_T|}, the polar of -K; K with 1/mu, written out apart."""
    out = np.empty_like(z)
    for i, m in enumerate(mu):
        n, t = z[d * i], z[d * i + 1 : d * i + d]
        size = np.sqrt(t @ t)
        if n >= m * size:
            out[d * i : d * i + d] = z[d * i : d * i + d]
        elif m * n <= -size:
            out[d * i : d * i + d] = 0.0
        else:  # on the ray (m, t/|t|)
            along = (m * n + size) / (1.0 + m * m)
            out[d * i] = m * along
            out[d * i + 1 : d * i + d] = along * t / size if size else 0.0
    return out


@settings(deadline=None)
@given(cones())
def test_moreau_decomposition(cone):
    """z = P_K(z) - P_{K*}(-z), and the two parts are orthogonal."""
    z, mu, d = cone
    p, polar = project(z, mu, d), project_dual(-z, mu, d)
    scale = 1.0 + np.abs(z).max()
    np.testing.assert_allclose(p - polar, z, atol=1e-14 * scale)
    np.testing.assert_allclose((p * polar).reshape(-1, d).sum(axis=1), 0.0, atol=1e-13 * scale**2)


@settings(deadline=None)
@given(cones(), cones())
def test_cone_and_dual_cone(cone, other):
    """P_K is in K and idempotent; r . w >= 0 for every r in K and w in K*."""
    z, mu, d = cone
    p = project(z, mu, d)
    r = p.reshape(-1, d)
    assert np.all(r[:, 0] >= 0.0)
    assert np.all(np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] * (1 + 1e-14) + 1e-300)
    np.testing.assert_allclose(project(p, mu, d), p, rtol=1e-14, atol=1e-290)
    w = project_dual(np.resize(other[0], len(z)), mu, d).reshape(-1, d)
    assert np.all((r * w).sum(axis=1) >= -1e-14 * (1 + np.abs(r).max()) * (1 + np.abs(w).max()))


@pytest.mark.parametrize(
    ("z", "mu", "p"),
    [
        ((2.0, 1.0), 0.5, (2.0, 1.0)),
        ((-1.0, 0.25), 2.0, (0.0, 0.0)),
        ((0.0, 5.0), 0.75, (2.4, 1.8)),
        ((0.0, -5.0), 0.75, (2.4, -1.8)),
        ((1.0, 3.0), 0.0, (1.0, 0.0)),
        ((-1.0, 3.0), 0.0, (0.0, 0.0)),
        ((-1.0, 0.0), 0.0, (0.0, 0.0)),  # on the line of the ray K, behind its tip
        ((-1.0, 0.0), 0.5, (0.0, 0.0)),
    ],
)
def test_projection_by_hand(z, mu, p):
    np.testing.assert_allclose(project(np.array(z), np.array([mu])), p, rtol=1e-15)
    np.testing.assert_allclose(kernels.project_cone(*z, mu), p, rtol=1e-15)


def test_projection_in_three_dimensions():
    np.testing.assert_allclose(
        project(np.array([0.0, 3.0, 4.0]), np.array([0.75]), 3), [2.4, 1.08, 1.44], rtol=1e-15
    )


SOLUTIONS = {
    # name: (w_N, w_T), (r_N, r_T), status; mu = 0.5
    "take-off": ((1.0, -2.0), (0.0, 0.0), OPEN),
    "grazing": ((0.0, 0.0), (0.0, 0.0), OPEN),
    "stick": ((0.0, 0.0), (4.0, -1.0), STICK),
    "slip": ((0.0, 2.0), (4.0, -2.0), SLIP),
    "slip back": ((0.0, -2.0), (4.0, 2.0), SLIP),
}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_residual_is_zero_at_a_solution(name):
    """b = w - A r for a chosen solution, with numbers that are exact in binary."""
    w, r, code = SOLUTIONS[name]
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    problem = LocalProblem(A, np.array(w) - A @ r, np.array([0.5]))
    assert residual(problem, np.array(r)) == 0.0
    assert status(problem, np.array(r)) == [code]


@pytest.mark.parametrize(("w", "r"), [((1.0, 0.0), (0.0, 0.0)), ((0.0, 3.0), (2.0, 0.0))])
def test_residual_without_friction(w, r):
    A = np.eye(2)
    assert residual(LocalProblem(A, np.array(w) - A @ r, np.zeros(1)), np.array(r)) == 0.0


@pytest.mark.parametrize(
    ("w", "r", "mu", "reached"),
    [
        ((-1.0, 0.0), (0.0, 0.0), 0.0, 1.0),  # penetrates
        ((0.0, 0.0), (-1.0, 0.0), 0.0, 1.0),  # pulls
        ((0.0, 0.0), (-1.0, 0.0), 0.5, 1.0),
        ((3.0, 0.0), (2.0, 0.0), 0.5, 2.0),  # presses while leaving
        ((0.0, 0.0), (0.0, 1.0), 0.0, 1.0),  # tangential impulse without friction
        ((0.0, 3.0), (0.0, 0.0), 1.0, 0.0),  # slides without pressure: open
    ],
)
def test_residual_of_what_is_no_solution(w, r, mu, reached):
    b = np.array(w) - np.array(r)
    problem = LocalProblem(np.eye(2), b, np.array([mu]))
    assert residual(problem, np.array(r)) == pytest.approx(reached / (1 + np.linalg.norm(b)), rel=1e-15)


def test_residual_of_slip_in_the_wrong_direction():
    """|r_T| = mu r_N and w_T along r_T: z = r - (w + mu |w_T| n) projected by hand."""
    problem = LocalProblem(np.eye(2), np.array([0.0, 1.0]) - [4.0, 4.0], np.ones(1))
    # r = (4, 4), w = (0, 1): z = (3, 3), in K; so r - P = (1, 1).
    assert residual(problem, np.array([4.0, 4.0])) == pytest.approx(2**0.5 / (1 + 5.0), rel=1e-15)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.integers(1, 4))
def test_residual_is_divided_by_one_plus_b(seed, d, c):
    """Scaling r, b by s scales the natural map by s: the measure tends to it over |b|."""
    rng = np.random.default_rng(seed)
    A, b, r = rng.standard_normal((d * c, d * c)), rng.standard_normal(d * c), rng.standard_normal(d * c)
    mu = rng.uniform(0, 2, c)
    small = residual(LocalProblem(A, b, mu, d), r) * (1 + np.linalg.norm(b))
    large = residual(LocalProblem(A, 1024 * b, mu, d), 1024 * r) * (1 + 1024 * np.linalg.norm(b))
    assert large == pytest.approx(1024 * small, rel=1e-13)


def test_status_of_bars_and_of_nothing():
    problem = LocalProblem(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), d=1)
    assert residual(problem, np.array([0.0, 1.0])) == 0.0
    assert status(problem, np.array([0.0, 1.0]))[0] == OPEN
    assert status(problem, np.array([0.0, 1.0]))[1] != OPEN
    nothing = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0))
    assert residual(nothing, np.zeros(0)) == 0.0
    assert status(nothing, np.zeros(0)).shape == (0,)


@pytest.mark.parametrize(
    ("A", "b", "mu", "d", "message"),
    [
        ([[np.nan, 0], [0, 1]], [0, 0], [0], 2, "A holds numbers that are not finite"),
        (np.eye(2), [np.inf, 0], [0], 2, "b holds numbers that are not finite"),
        (np.eye(2), [0, 0], [np.nan], 2, "mu holds numbers that are not finite"),
        (
            np.eye(3),
            [0, 0, 0],
            [0],
            2,
            r"A has shape \(3, 3\) and b \(3,\); 1 contacts of 2 components need \(2, 2\)",
        ),
        (np.eye(2), [0, 0, 0], [0], 2, r"A has shape \(2, 2\) and b \(3,\)"),
        (np.eye(2), [0, 0], [[0]], 2, r"mu has shape \(1, 1\), expected \(c,\)"),
        (np.eye(2), [0, 0], [-0.5], 2, "mu must be >= 0, got -0.5"),
        (np.eye(4), [0, 0, 0, 0], [0.5], 4, "d = 4: a contact has 1, 2 or 3 components"),
    ],
)
def test_refusals(A, b, mu, d, message):
    with pytest.raises(ProblemError, match=message) as caught:
        LocalProblem(np.array(A, float), np.array(b, float), np.array(mu, float), d)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr"])
def test_sparse_matrices_in_any_form(form):
    """Entries given twice are added up, absent diagonal blocks put in, the matrix given stays as it is."""
    rows, columns = np.array([0, 1, 0, 5, 4, 0, 0]), np.array([0, 1, 0, 5, 1, 3, 3])
    values = np.arange(1.0, 8.0)
    A = coo_matrix((values, (rows, columns)), shape=(6, 6))
    if form == "bsr":
        A = bsr_matrix((np.arange(8.0).reshape(2, 2, 2), [1, 1], [0, 2, 2, 2]), shape=(6, 6))
    elif form == "csr":  # with its duplicates, which tocsr would add up
        order = np.argsort(rows, kind="stable")
        indptr = np.searchsorted(rows[order], np.arange(7))
        A = csr_matrix((values[order], columns[order], indptr), shape=(6, 6))
    elif form == "csc":
        A = A.tocsc()
    whole, stored = A.toarray(), A.data.copy()
    problem = LocalProblem(A, np.zeros(6), np.zeros(3), 2)
    np.testing.assert_array_equal(problem.dense(), whole)
    np.testing.assert_array_equal(A.data, stored)
    at = np.repeat(np.arange(3), np.diff(problem.A.indptr))
    blocks = list(zip(at.tolist(), problem.A.indices.tolist(), strict=True))
    assert blocks == sorted(set(blocks))
    assert {(i, i) for i in range(3)} <= set(blocks)


def test_impulse_of_the_wrong_shape():
    with pytest.raises(ProblemError, match=r"r has shape \(3,\), expected \(2,\)"):
        residual(LocalProblem(np.eye(2), np.zeros(2), np.zeros(1)), np.zeros(3))


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 6))
def test_compiled_twins(seed, d, c):
    rng = np.random.default_rng(seed)
    m = d * c
    A, b, r = rng.standard_normal((m, m)), rng.standard_normal(m), rng.standard_normal(m)
    b[rng.random(m) < 0.2] = 0.0
    r[rng.random(m) < 0.3] = 0.0
    mu = np.where(rng.random(c) < 0.3, 0.0, rng.uniform(0, 2, c))
    problem, w = LocalProblem(A, b, mu, d), np.empty(m)
    reached = kernels.relative_residual(problem.A, problem.b, problem.mu, d, r, w)
    np.testing.assert_allclose(w, problem.velocity(r), rtol=1e-13, atol=1e-13)
    assert reached == pytest.approx(residual(problem, r), rel=1e-12, abs=1e-15)
    shifted = w.reshape(c, d).copy()
    shifted[:, 0] += mu * np.linalg.norm(shifted[:, 1:], axis=1)
    want = np.linalg.norm(r - project(r - shifted.ravel(), mu, d))
    assert kernels.natural_map(r, w, mu, d) == pytest.approx(want, rel=1e-13, abs=1e-15)
    by_definition = want / (1.0 + np.linalg.norm(b))
    assert residual(problem, r) == pytest.approx(by_definition, rel=1e-12, abs=1e-15)
    assert residual(problem, np.repeat(r, 2)[::2]) == residual(problem, r)
    if d > 1:
        z, one = rng.standard_normal(d), kernels.project_cone if d == 2 else kernels.project_cone3
        np.testing.assert_allclose(one(*z, mu[0]), project(z, mu[:1], d), rtol=1e-15)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_residual_of_what_is_not_finite(bad, d):
    """Never a finite number, in whichever component: no solver may pass with it."""
    problem = LocalProblem(np.eye(2 * d), np.ones(2 * d), np.full(2, 0.3), d)
    for k in range(2 * d):
        r = np.zeros(2 * d)
        r[k] = bad
        assert not np.isfinite(residual(problem, r))


def test_kernels_run_as_plain_python():
    """The same numbers with the compiler switched off, so that a debugger can step through."""
    script = (
        "import numpy as np\n"
        "from fem_contact.problems import LocalProblem, residual, _kernels as k\n"
        "assert not hasattr(k.relative_residual, 'signatures')\n"
        "rng = np.random.default_rng(7)\n"
        "for d in (1, 2):\n"
        "    A, b, r = rng.standard_normal((2*d, 2*d)), rng.standard_normal(2*d), rng.standard_normal(2*d)\n"
        "    mu, w = np.array([0.0, 0.7]), np.empty(2*d)\n"
        "    got = k.relative_residual(A, b, mu, d, r, w)\n"
        "    assert abs(got - residual(LocalProblem(A, b, mu, d), r)) < 1e-15\n"
        "from fem_contact.solvers import NSGS, solve\n"
        "G = rng.standard_normal((6, 6))\n"
        "done = solve(LocalProblem(G @ G.T, rng.standard_normal(6), np.full(3, 0.3)), NSGS())\n"
        "assert done.converged and done.residual < 1e-12\n"
        "print('ok')\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "ok\n", done.stderr
