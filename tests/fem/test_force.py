"""Forces: evaluation in parts and as a whole, sums, refused shapes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fem_contact.errors import ModelError
from fem_contact.expressions import Expression
from fem_contact.fem.force import FieldLoad, Force

N = 4
FIELD = FieldLoad(
    csr_matrix(np.arange(8.0).reshape(4, 2)), np.array([[1.0, 2.0], [3.0, 5.0]]), Expression("t*x + y")
)
FORCE = Force(
    constant=[1.0, 2.0, 3.0, 4.0],
    basis=[[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 1.0]],
    amplitudes=(Expression("sin(t)"), Expression("t**2")),
    fields=(FIELD,),
)


def test_the_parts_add_up():
    t = 0.5
    f = np.array([t * 1 + 2, t * 3 + 5])
    expected = np.array([1.0, 2, 3, 4]) + np.arange(8.0).reshape(4, 2) @ f
    expected += [np.sin(t), 0, 2 * t**2, t**2]
    np.testing.assert_allclose(FORCE.at(t), expected, rtol=1e-15)
    table = FORCE.amplitude_table([0.0, t])
    assert table.shape == (2, 2)
    parts = FORCE.constant + table[1] @ FORCE.basis + FORCE.fields_at(t)
    np.testing.assert_allclose(parts, FORCE.at(t), rtol=1e-15)


def test_zero():
    zero = Force.zero(N)
    assert zero.is_constant
    assert zero.basis.shape == (0, N)
    assert zero.amplitude_table([0.0, 1.0, 2.0]).shape == (3, 0)
    np.testing.assert_array_equal(zero.at(3.0), np.zeros(N))
    np.testing.assert_array_equal((zero + FORCE).at(0.3), FORCE.at(0.3))


def test_sums_merge_equal_amplitudes():
    both = FORCE + FORCE
    assert both.amplitudes == FORCE.amplitudes
    assert len(both.fields) == 2
    np.testing.assert_allclose(both.at(0.7), 2 * FORCE.at(0.7), rtol=1e-15)
    other = FORCE + Force(np.ones(N), np.ones((1, N)), (Expression("cos(t)"),))
    assert [str(a) for a in other.amplitudes] == ["sin(t)", "t**2", "cos(t)"]
    np.testing.assert_allclose(other.at(0.7), FORCE.at(0.7) + 1 + np.cos(0.7), rtol=1e-15)


def test_scaled():
    np.testing.assert_allclose(FORCE.scaled(-3.0).at(0.7), -3.0 * FORCE.at(0.7), rtol=1e-15)


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        FORCE.constant[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        FORCE.basis[0, 0] = 7.0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Force(np.zeros((2, 2))), "needs constant"),
        (
            lambda: Force(np.zeros(3), np.zeros((1, 4)), (Expression("t"),)),
            r"basis \(1, n\), got \(3,\), \(1, 4\)",
        ),
        (lambda: Force(np.zeros(3), np.zeros((2, 3)), (Expression("t"),)), r"got \(3,\), \(2, 3\)"),
        (
            lambda: Force(np.zeros(3), np.zeros((1, 3)), (Expression("t*x"),)),
            "'t\\*x' of a force may depend on t",
        ),
        (lambda: Force(np.zeros(3), fields=(FIELD,)), r"needs P \(3, 2\), got \(4, 2\)"),
        (lambda: Force.zero(2) + Force.zero(3), "cannot add forces on 2 and 3 dofs"),
    ],
)
def test_refused_forces(build, message):
    with pytest.raises(ModelError, match=message):
        build()
