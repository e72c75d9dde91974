"""Problems that several tests of solvers pose: at random, or about a known solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import bsr_matrix

from fem_contact.problems import LocalProblem

#: A = 1, mu = 1/2, in space: b and the r that solves it.
ONE_CONTACT = pytest.mark.parametrize(
    ("b", "expected"),
    [
        ((0.5, 1.0, 0.0), (0.0, 0.0, 0.0)),
        ((-2.0, 0.3, 0.4), (2.0, -0.3, -0.4)),
        ((-2.0, 3.0, 4.0), (2.0, -0.6, -0.8)),
    ],
    ids=["open", "stick", "slip"],
)


def random_problem(seed, c, d, mu_max=0.6, skew=0.0, sparse=False):
    """A = G G^T + I/2, plus a skew part."""
    rng = np.random.default_rng(seed)
    m = d * c
    G, E = rng.standard_normal((2, m, m))
    A = G @ G.T / m + 0.5 * np.eye(m) + skew * (E - E.T)
    return LocalProblem(
        bsr_matrix(A, blocksize=(d, d)) if sparse else A,
        rng.standard_normal(m),
        rng.uniform(0.0, mu_max, c),
        d,
    )


def faces(rng, c, d, mu):
    """Random r, w with r in K, w + mu |w_T| n in its dual, orthogonal: open, sticking, slipping contacts."""
    r, w = np.zeros((2, c, d))
    for i in range(c):
        status = rng.integers(3) if d > 1 else rng.integers(2)
        direction = rng.standard_normal(d - 1)
        direction /= np.linalg.norm(direction) if d > 1 else 1.0
        if status == 0:
            w[i, 0], w[i, 1:] = rng.uniform(0.1, 1.0), rng.standard_normal(d - 1)
        else:
            r[i, 0] = rng.uniform(0.1, 1.0)
            share = 1.0 if status == 2 else rng.uniform(0.0, 0.9)
            r[i, 1:] = share * mu[i] * r[i, 0] * direction
            if status == 2:
                w[i, 1:] = -rng.uniform(0.1, 1.0) * direction
    return r.ravel(), w.ravel()


def constructed(seed, c, d, rank=None, skew=0.0, mu_max=0.8):
    """A problem with a known solution: A = G G^T of full or given rank, b = w - A r."""
    rng = np.random.default_rng(seed)
    m = c * d
    G = rng.standard_normal((m, m if rank is None else rank))
    A = G @ G.T / m + (0.2 * np.eye(m) if rank is None else 0.0)
    E = rng.standard_normal((m, m))
    A = A + skew * (E - E.T)
    mu = rng.uniform(0.05, mu_max, c)
    r, w = faces(rng, c, d, mu)
    return LocalProblem(A, w - A @ r, mu, d), r, w
