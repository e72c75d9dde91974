"""Activation: the truth table, the round-off trap, tolerances from scales, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError

SET = Activation(1.0, 1e-9, 1e-8)


@pytest.mark.parametrize(
    ("gap", "velocity", "active"),
    [
        (0.0, 0.0, True),
        (0.0, -1.0, True),
        (0.0, 1e-18, True),  # closed; its velocity is zero up to round-off
        (0.0, -1e-18, True),
        (1e-12, 1e-12, True),
        (0.0, 1e-3, False),  # leaving
        (-1.0, 1e-3, False),  # leaving, although below
        (-1.0, 0.0, True),
        (-1.0, 1e-8, True),  # at the tolerance of the velocity
        (-1.0, 2e-8, False),
        (1e-9, 0.0, True),  # at the tolerance of the gap
        (2e-9, 0.0, False),
        (0.125, -0.5, False),  # its forecast stays open
        (0.125, -1.0, True),  # its forecast just closes
        (0.125, -2.0, True),
        (1.0, 0.0, False),
    ],
)
def test_truth_table(gap, velocity, active):
    assert SET.active(np.array([gap]), np.array([velocity]), h=0.125)[0] == active


@pytest.mark.parametrize(("gamma", "active"), [(0.0, False), (0.5, False), (1.0, True)])
def test_gamma_is_the_share_of_the_step_forecast(gamma, active):
    assert Activation(gamma, 0.0, 0.0).active(np.array([0.1]), np.array([-1.5]), 0.1)[0] == active


def test_set_read_literally_drops_a_closed_contact():
    """The trap that the tolerances are there for (HAL 04230941 eq. 55 with zero tolerances)."""
    gap, velocity = np.zeros(2), np.array([1e-18, -1e-18])
    np.testing.assert_array_equal(Activation(1.0, 0.0, 0.0).active(gap, velocity, 1e-4), [False, True])
    resolved = Activation().resolved(1.0, 2000.0)
    np.testing.assert_array_equal(resolved.active(gap, velocity, 1e-4), [True, True])


def test_infinite_velocity_tolerance_is_no_test():
    activation = Activation(0.5, 0.0, np.inf)
    np.testing.assert_array_equal(
        activation.active(np.array([-1.0, 0.1]), np.array([5.0, 5.0]), 0.1), [True, False]
    )


def test_open_tolerances_come_from_the_scales():
    assert Activation().resolved(2.0, 3000.0) == Activation(1.0, 2e-9, 1.5e-8)
    assert Activation(0.5, 1e-7).resolved(2.0, 3000.0) == Activation(0.5, 1e-7, 1.5e-8)
    assert Activation(0.5, 0, np.inf).resolved(2.0, 3000.0) == Activation(0.5, 0.0, np.inf)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gamma": -0.1}, r"activation gamma = -0.1: it must be in \[0, 2\]"),
        ({"gamma": 2.5}, r"activation gamma = 2.5"),
        ({"gamma": np.nan}, r"activation gamma = nan"),
        ({"gap_tol": -1e-9}, r"activation gap_tol = -1e-09: it must be >= 0"),
        ({"gap_tol": np.nan}, r"activation gap_tol = nan"),
        ({"velocity_tol": -1.0}, r"activation velocity_tol = -1.0: it must be >= 0"),
    ],
)
def test_refusals(settings, message):
    with pytest.raises(ModelError, match=message):
        Activation(**settings)
