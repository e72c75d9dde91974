"""Elasticity matrices, wave speeds and refused values."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fem_contact.errors import ModelError
from fem_contact.fem.materials import Elastic, Rod

ratios = st.floats(-0.9, 0.49)


@given(nu=ratios, E=st.floats(0.1, 1e6))
def test_D_inverts_the_compliance_of_hookes_law(nu, E):
    # (e_xx, e_yy, gamma_xy) under unit stresses, from the three-dimensional law
    plane_stress = np.array([[1, -nu, 0], [-nu, 1, 0], [0, 0, 2 * (1 + nu)]]) / E
    plane_strain = np.array([[1 - nu, -nu, 0], [-nu, 1 - nu, 0], [0, 0, 2]]) * (1 + nu) / E
    for assumption, compliance in (("plane-stress", plane_stress), ("plane-strain", plane_strain)):
        D = Elastic(E, nu, 1.0, assumption=assumption).D
        np.testing.assert_allclose(D @ compliance, np.eye(3), atol=1e-12)


@given(nu=ratios)
def test_D_is_symmetric_and_positive_definite_and_strain_is_the_stiffer(nu):
    stress, strain = (Elastic(2.0, nu, 1.0, assumption=f"plane-{kind}").D for kind in ("stress", "strain"))
    for D in (stress, strain):
        np.testing.assert_array_equal(D, D.T)
        assert np.linalg.eigvalsh(D)[0] > 0
    assert np.linalg.eigvalsh(strain - stress)[0] >= -1e-12
    assert stress[2, 2] == pytest.approx(strain[2, 2], rel=1e-13)  # the shear modulus E / (2 (1 + nu))


def test_out_of_plane_strain_vanishes_in_plane_strain():
    material = Elastic(7.0, 0.3, 1.0, assumption="plane-strain")
    s = material.D @ np.array([0.1, -0.4, 0.2])
    assert material.out_of_plane(s) - 0.3 * (s[0] + s[1]) == pytest.approx(0.0, abs=1e-15)
    assert abs(material.out_of_plane(s)) > 0.1
    assert Elastic(7.0, 0.3, 1.0).out_of_plane(s) == 0.0


def test_wave_speeds():
    E, nu, rho = 5.75e3, 0.358, 1.17e-3
    stress = Elastic(E, nu, rho, 15.0)
    strain = Elastic(E, nu, rho, 15.0, "plane-strain")
    assert stress.wave_speed == pytest.approx(math.sqrt(E / (rho * (1 - nu**2))), rel=1e-14)
    assert strain.wave_speed == pytest.approx(
        math.sqrt(E * (1 - nu) / (rho * (1 + nu) * (1 - 2 * nu))), rel=1e-14
    )
    assert stress.wave_speed == pytest.approx(2374.2, rel=1e-4)  # mm/ms
    assert Rod(E=4.0, density=0.25, area=3.0).wave_speed == 4.0


def test_materials_are_frozen_equal_by_value_and_hashable():
    a, b = Elastic(1, 0.25, 2), Elastic(1.0, 0.25, 2.0)
    assert a == b
    assert hash(a) == hash(b)
    assert a.D is a.D
    with pytest.raises(dataclasses.FrozenInstanceError):
        a.E = 3.0
    with pytest.raises(ValueError, match="read-only"):
        a.D[0, 0] = 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"E": 0.0}, "E must be positive, got 0"),
        ({"E": -1.0}, "E must be positive, got -1"),
        ({"E": math.nan}, "E must be finite, got nan"),
        ({"E": "5"}, "E must be a number, got '5'"),
        ({"E": True}, "E must be a number, got True"),
        ({"density": 0.0}, "density must be positive"),
        ({"density": math.inf}, "density must be finite"),
        ({"thickness": -2.0}, "thickness must be positive"),
        ({"nu": -1.0}, r"nu must be in \(-1, 0.5\], got -1"),
        ({"nu": 0.51}, r"nu must be in \(-1, 0.5\], got 0.51"),
        ({"nu": 0.6, "assumption": "plane-strain"}, r"nu must be in \(-1, 0.5\], got 0.6"),
        ({"nu": 0.5, "assumption": "plane-strain"}, "incompressible"),
        ({"nu": math.nan}, "nu must be finite"),
        (
            {"assumption": "plane_stress"},
            "assumption must be 'plane-stress' or 'plane-strain', got 'plane_stress'",
        ),
    ],
)
def test_refused_values(change, message):
    good = {"E": 1.0, "nu": 0.3, "density": 1.0, "thickness": 1.0}
    Elastic(**good)
    with pytest.raises(ModelError, match=message) as caught:
        Elastic(**{**good, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["E", "density", "area"])
def test_refused_rods(name):
    good = {"E": 1.0, "density": 1.0, "area": 1.0}
    Rod(**good)
    for bad in (0.0, -1.0, math.nan, None):
        with pytest.raises(ModelError, match=f"^{name} must be"):
            Rod(**{**good, name: bad})


def test_incompressible_plane_stress_is_allowed():
    D = Elastic(3.0, 0.5, 1.0).D
    np.testing.assert_allclose(D, [[4, 2, 0], [2, 4, 0], [0, 0, 1]], rtol=1e-15)
