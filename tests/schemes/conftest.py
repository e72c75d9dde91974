"""Random contact systems and a plain NumPy step to hold the compiled one against."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_contact.expressions import Expression
from fem_contact.fem.force import Force
from fem_contact.systems.linear import LinearSystem


def random_system(
    seed: int, n: int = 8, contacts: int = 3, d: int = 2, damped: bool = True, e: float | None = None
):
    """Symmetric positive definite M, K, C, a full H, contacts near closed, a force that closes them."""
    rng = np.random.default_rng(seed)

    def spd(size: float) -> np.ndarray:
        B = rng.normal(size=(n, n))
        return size * (B @ B.T / n + 0.1 * np.eye(n))

    H = rng.normal(size=(d * contacts, n))
    press = -8.0 * H[::d].sum(axis=0)  # so that contacts stay, slip and stick as well as bounce
    return LinearSystem(
        M=csr_matrix(spd(1.0)),
        K=csr_matrix(spd(20.0)),
        C=csr_matrix(spd(0.3)) if damped else None,
        H=csr_matrix(H),
        g0=rng.uniform(0.0, 0.02, contacts),
        mu=rng.uniform(0.0, 1.5, contacts) if d > 1 else np.zeros(contacts),
        e=rng.uniform(0.0, 1.0, contacts) if e is None else np.full(contacts, e),
        force=Force(press + rng.normal(size=n)),
        dim=d,
        length=1e-3,
        wave_speed=1.0,
    )


def shaken(system: LinearSystem, seed: int) -> LinearSystem:
    """The same under loads that vary in time, its damping matrix with a skew (gyroscopic) part."""
    rng = np.random.default_rng(2000 + seed)
    n = system.n
    G = rng.normal(size=(n, n))
    loads = Force(
        np.zeros(n), 10.0 * rng.normal(size=(2, n)), (Expression("sin(30*t)"), Expression("sign(cos(50*t))"))
    )
    return replace(system, C=system.C + csr_matrix(G - G.T), force=system.force + loads)


def random_start(system: LinearSystem, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1000 + seed)
    return np.zeros(system.n), 3.0 * rng.normal(size=system.n)


@pytest.fixture
def make_system():
    return random_system


@pytest.fixture
def make_start():
    return random_start


@pytest.fixture
def shake():
    return shaken
