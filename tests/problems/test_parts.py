"""The parts of the residual: they add up to it, name the worst contact and vanish at a solution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fem_contact.errors import ProblemError
from fem_contact.problems import OPEN, SLIP, STICK, LocalProblem, residual, residual_parts

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(seeds, st.integers(1, 3), st.integers(1, 6))
def test_faults_add_up_to_the_residual(seed, d, c):
    rng = np.random.default_rng(seed)
    A, b, r = rng.standard_normal((d * c, d * c)), *rng.standard_normal((2, d * c))
    problem = LocalProblem(A, b, rng.uniform(0.0, 2.0, c), d)
    parts = residual_parts(problem, r)
    np.testing.assert_allclose(
        np.linalg.norm(parts.fault) / (1.0 + np.linalg.norm(b)), residual(problem, r), rtol=1e-12
    )
    assert parts.fault[parts.worst] == parts.fault.max()


@pytest.mark.parametrize(
    ("r", "w", "primal", "dual", "complementarity", "status"),
    [
        ((0.0, 0.0, 0.0), (1.0, 3.0, 4.0), 0.0, 0.0, 0.0, OPEN),
        ((1.0, 0.1, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, STICK),
        ((1.0, -0.3, -0.4), (0.0, 3.0, 4.0), 0.0, 0.0, 0.0, SLIP),
        ((-2.0, 0.0, 0.0), (0.0, 0.0, 0.0), 2.0, 0.0, 0.0, OPEN),  # pulls
        ((0.0, 0.0, 0.0), (-2.0, 0.0, 0.0), 0.0, 2.0, 0.0, OPEN),  # goes in
        ((1.0, 0.0, 0.0), (0.7, 0.0, 0.0), 0.0, 0.0, 0.7, STICK),  # pushes while it opens
    ],
)
def test_one_contact_by_hand(r, w, primal, dual, complementarity, status):
    parts = residual_parts(LocalProblem(np.zeros((3, 3)), np.array(w), np.array([0.5]), 3), np.array(r))
    found = [parts.primal[0], parts.dual[0], parts.complementarity[0]]
    np.testing.assert_allclose(found, [primal, dual, complementarity], atol=1e-15)
    assert parts.status[0] == status
    assert (parts.fault[0] > 0.0) == (primal + dual + complementarity > 0.0)


def test_nothing_and_the_wrong_shape():
    empty = LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 2)
    assert residual_parts(empty, np.zeros(0)).worst == -1
    with pytest.raises(ProblemError, match="shape"):
        residual_parts(empty, np.zeros(2))
