"""Anderson mixing: exact on linear iterations, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ConvergenceError
from fem_contact.schemes import MoreauJean
from fem_contact.schemes.lagrangian import mixing
from fem_contact.schemes.lagrangian.mixing import Anderson
from fem_contact.systems.rigid.slider_crank_clearance import SliderCrankClearance
from fem_contact.timeloop import simulate


def test_a_linear_iteration_ends_after_as_many_steps_as_unknowns():
    rng = np.random.default_rng(0)
    n = 4
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    A *= 0.9 / np.abs(np.linalg.eigvals(A)).max()
    solution = np.linalg.solve(np.eye(n) - A, b)
    mixing, x = Anderson(n, depth=n), np.zeros(n)
    for _ in range(n + 2):
        image = A @ x + b
        mixing.mix(x, image)
        x = image
    np.testing.assert_allclose(x, solution, rtol=0, atol=1e-9)
    plain = np.zeros(n)
    for _ in range(n + 2):
        plain = A @ plain + b
    assert np.abs(plain - solution).max() > 1e-3


def test_it_forgets_when_told():
    mixing = Anderson(1)
    image = np.array([2.0])
    mixing.mix(np.zeros(1), np.array([1.0]))
    mixing.restart()
    mixing.mix(np.ones(1), image)
    assert image[0] == 2.0


def test_a_pin_that_curves_within_the_way_of_a_step_converges(monkeypatch):
    """The rate without mixing is 0.66 an iteration at the impact of step 23: 50 are not enough."""
    scheme = MoreauJean(activation=Activation(gamma=1.0))
    system = SliderCrankClearance().system()
    run = simulate(system, scheme, dt=2e-5, t_end=1e-3)
    assert run.steps.newton.iterations.max() < 20
    assert run.steps.contact.p.max() > 0.0
    monkeypatch.setattr(mixing, "PATIENCE", 1000)
    with pytest.raises(ConvergenceError, match=r'step 23 .*take a smaller dt, or frame = "start"'):
        simulate(system, scheme, dt=2e-5, t_end=1e-3)
