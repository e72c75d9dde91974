"""The Newmark family on the bundled bar and block, and on a block in equilibrium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.obstacles import Plane
from fem_contact.contact.pairs import node_contacts
from fem_contact.fem.loads import gravity
from fem_contact.fem.materials import Elastic
from fem_contact.fem.supports import Support
from fem_contact.io.build import build
from fem_contact.io.case import find_case, load_case
from fem_contact.mesh.generate import mesh_shape
from fem_contact.mesh.shapes import SHAPES
from fem_contact.record import Run
from fem_contact.schemes import MoreauJean, MoreauJeanVariant
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.newmark import Newmark
from fem_contact.systems.body import assemble_body
from fem_contact.systems.initial import preload
from fem_contact.timeloop import simulate

SCHEMES = (
    MoreauJeanVariant(0.7),
    Newmark(),
    Newmark(0.4, 0.7),
    HHT(0.1),
    GeneralizedAlpha(rho_inf=0.5),
    KrenkHogsberg(rho_inf=0.5),
)
NAMES = [f"{scheme.name}-{i}" for i, scheme in enumerate(SCHEMES)]


@pytest.fixture(scope="module")
def bar():
    return build(load_case(find_case("impacting_bar")))


@pytest.fixture(scope="module")
def block():
    return build(load_case(find_case("pmma_sliding_block")))


def run_of(model, scheme, steps: int) -> Run:
    return simulate(
        model.system,
        replace(scheme, activation=model.scheme.activation),
        dt=model.dt,
        t_end=steps * model.dt,
        initial=model.initial,
        solver=model.solver,
        every=steps,
        probes=model.probes,
    )


def closes(run: Run) -> None:
    largest = run.steps.energy.total.max()
    assert np.abs(run.steps.residual).max() <= 1e-11 * largest
    if "residual_algorithmic" in run.steps:
        assert np.abs(run.steps.residual_algorithmic).max() <= 1e-11 * largest
    assert run.steps.contact.work_normal.max() <= 1e-14 * largest


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_balances_and_rebound_of_the_bar(scheme, bar):
    run = run_of(bar, scheme, bar.steps)
    closes(run)
    t, p = run.steps.t, run.steps.contact.p[:, 0, 0] / bar.dt
    pressed = (t > 1.5e-4) & (t < 4.5e-4)
    assert abs(p[pressed].mean() / 1271.472 - 1) < 1e-3  # E S v0/c0
    touching = np.flatnonzero(p)
    assert (
        abs((t[touching[-1]] - t[touching[0]]) - 3.8545e-4) < 8 * bar.dt
    )  # 2 L/c0, the front's width beside it
    assert abs(run.steps.probes.tip.v[t > 6e-4, 0].mean() - 0.1) < 1e-4


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_balances_of_the_block(scheme, block):
    """Preload, friction, a load that jumps at t = 0: 300 steps."""
    run = run_of(block, scheme, 300)
    closes(run)
    assert np.abs(run.steps.contact.work_tangential).max() > 1e-6 * run.steps.energy.total.max()


def test_generalized_alpha_damps_the_oscillations_that_an_impact_leaves(bar):
    """With rho_inf = 1/2, without the loss of energy of theta = 1."""
    runs = [
        run_of(bar, s, bar.steps) for s in (MoreauJean(0.5), MoreauJean(1.0), GeneralizedAlpha(rho_inf=0.5))
    ]
    after = runs[0].steps.t > 6e-4
    rest = [np.std(run.steps.probes.tip.v[after, 0]) for run in runs]
    lost = [1.0 - run.steps.energy.total[-1] / run.steps.energy.total[0] for run in runs]
    assert rest[0] > 1e-3  # m/s, of a rebound at 0.1
    assert rest[2] < 1e-10
    assert lost[1] > 0.04
    assert 0.0 < lost[2] < 0.003


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_block_in_equilibrium_stays_there(scheme):
    """Pressed onto the floor: at every step w takes back what the unbalanced a of the contact nodes gives."""
    mesh = mesh_shape(SHAPES["rectangle"](width=40.0, height=25.0), size=6.0)
    material = Elastic(E=5750.0, nu=0.358, density=1.17e-3, thickness=15.0)
    system = assemble_body(
        mesh,
        material,
        supports=[Support("top", y=-0.005)],
        force=gravity(mesh, material, (0.0, -1e-3)),
        contacts=[node_contacts(mesh, "bottom", Plane(), ContactLaw(mu=0.5, e=0.0))],
    )
    q, v = preload(system)
    run = simulate(system, scheme, dt=1e-4, t_end=0.05, initial=(q, v), every=1)
    assert np.abs(run.fields.q - q).max() < 1e-12
    assert np.abs(run.fields.v).max() < 1e-10
    assert np.all(run.fields.q[:, system.motion.dofs] == -0.005)
    assert run.steps.contact.p[1:, :, 0].min() > 0.0
