"""Supports that move: exact displacements, their work in the budget, a closed form."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.obstacles import Plane
from fem_contact.contact.pairs import node_contacts
from fem_contact.fem.loads import gravity
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.supports import Support
from fem_contact.mesh.generate import mesh_shape
from fem_contact.mesh.shapes import SHAPES
from fem_contact.schemes import MoreauJean, MoreauJeanFremond, MoreauJeanVariant
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.newmark import Newmark
from fem_contact.systems.body import assemble_body
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

SCHEMES = (
    *(scheme(theta) for scheme in (MoreauJean, MoreauJeanFremond, MoreauJeanVariant) for theta in (0.5, 0.8)),
    Newmark(),
    Newmark(0.4, 0.7),
    HHT(0.2),
    GeneralizedAlpha(rho_inf=0.1),
    KrenkHogsberg(rho_inf=0.3),
)


@cache
def dragged_block(motion: str) -> tuple[LinearSystem, float]:
    """A damped block on a floor with friction, its top edge dragged and pressed; and the work that takes."""
    mesh = mesh_shape(SHAPES["rectangle"](width=2.0, height=1.0), size=0.5)
    material = Elastic(E=100.0, nu=0.3, density=1.0)
    floor = node_contacts(mesh, "bottom", Plane(), ContactLaw(mu=0.3, e=0.0))
    system = assemble_body(
        mesh,
        material,
        supports=[Support("top", x=motion, y="-0.01*t")],
        force=gravity(mesh, material, (0.0, -1.0)),
        contacts=[floor],
        alpha=0.1,
        beta=0.001,
    )
    run = simulate(system, MoreauJean(), dt=1e-3, t_end=0.5)
    return system, float(run.steps.work.support.sum())


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{scheme.name}-{SCHEMES.index(scheme)}")
@pytest.mark.parametrize("motion", ["0.02*sin(3*t)", "-0.01*t", "0.01*abs(t - 0.2)"])
def test_the_identity_closes_with_support_work(scheme, motion):
    """All schemes see the same support do the same work, too, to O(h)."""
    system, work = dragged_block(motion)
    run = simulate(system, scheme, dt=1e-3, t_end=0.5, every=1)
    dofs = system.motion.dofs
    np.testing.assert_array_equal(run.fields.q[:, dofs], system.motion.values(run.fields.t))
    np.testing.assert_array_equal(run.fields.v[:, dofs], system.motion.rates(run.fields.t))
    largest = run.steps.energy.total.max()
    assert np.abs(run.steps.work.support).max() > 1e-3 * largest
    assert np.abs(run.steps.contact.p[..., 1]).max() > 0.0
    works = sum(
        run["steps/work/" + w]
        for w in ("external", "damping", "contact_normal", "contact_tangential", "numerical")
    )
    np.testing.assert_allclose(np.diff(run.steps.energy.total), works[1:], rtol=0, atol=1e-13 * largest)
    assert np.abs(run.steps.residual).max() <= 1e-13 * largest
    if "residual_algorithmic" in run.steps:
        assert np.abs(run.steps.residual_algorithmic).max() <= 1e-13 * largest
    assert abs(run.steps.work.support.sum() - work) < 0.04 * abs(work)


@pytest.mark.parametrize(
    "scheme",
    [
        MoreauJean(),
        MoreauJeanVariant(),
        Newmark(0.3, 0.5),
        HHT(0.2),
        GeneralizedAlpha(rho_inf=0.2),
        KrenkHogsberg(rho_inf=0.5),
    ],
    ids=lambda scheme: scheme.name,
)
def test_a_bar_driven_at_its_end_answers_as_its_wave_solution(scheme):
    """q(0, t) = a (1 - cos w t)^2: a wave q(x, t) = q(0, t - x/c), until it returns."""
    length, E, density, a, w = 1.0, 1.0, 1.0, 1e-2, 12.0
    errors = []
    for elements in (50, 100, 200):
        mesh = mesh_shape(SHAPES["line"](length=length, elements=elements), size=None)
        system = assemble_body(
            mesh, Rod(E=E, density=density, area=1.0), supports=[Support("left", x=f"{a}*(1-cos({w}*t))**2")]
        )
        run = simulate(system, scheme, dt=0.5 * length / elements, t_end=0.9, every=1)
        x = mesh.points[:, 0]
        late = np.clip(0.9 - x, 0.0, None)
        exact = a * (1 - np.cos(w * late)) ** 2
        errors.append(np.abs(run.fields.q[-1] - exact).max())
    assert errors[2] < 0.02 * a
    assert 1.5 < np.log2(errors[1] / errors[2]) < 2.5
