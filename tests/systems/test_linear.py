"""The linear system, its initial states, and the body assembled from a mesh."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, eye

from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.obstacles import Plane
from fem_contact.contact.pairs import node_contacts
from fem_contact.errors import ModelError
from fem_contact.fem.loads import gravity, traction
from fem_contact.fem.materials import Elastic, Rod
from fem_contact.fem.supports import Support
from fem_contact.mesh.generate import mesh_shape
from fem_contact.mesh.shapes import SHAPES
from fem_contact.schemes import MoreauJean, MoreauJeanFremond
from fem_contact.systems.body import assemble_body
from fem_contact.systems.initial import moving, preload, rest
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

PMMA = Elastic(E=5750.0, nu=0.358, density=1.17e-3, thickness=15.0)


@pytest.fixture(scope="module")
def block_mesh():
    return mesh_shape(SHAPES["rectangle"](width=40.0, height=25.0), size=5.0)


PRESSED = (Support("top", y=-0.005),)


def block(mesh, *, mu=1.0, supports=PRESSED, force=None, point=(0.0, 0.0)):
    floor = node_contacts(mesh, "bottom", Plane(point, (0.0, 1.0)), ContactLaw(mu=mu, e=0.0))
    return assemble_body(mesh, PMMA, supports=supports, force=force, contacts=[floor])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": eye(3, format="csr")}, r"K has shape \(3, 3\), expected \(2, 2\)"),
        ({"M": csr_matrix([[1.0, 0.5], [0.0, 1.0]])}, "M is not symmetric"),
        ({"K": csr_matrix([[np.nan, 0.0], [0.0, 1.0]])}, "K holds numbers that are not finite"),
        ({"H": csr_matrix((2, 3))}, r"H has shape \(2, 3\)"),
        ({"H": csr_matrix((3, 2))}, r"H has shape \(3, 2\)"),
        ({"H": csr_matrix(np.eye(2)), "mu": [0.1, 0.2]}, r"mu has shape \(2,\), expected \(1,\)"),
        ({"H": csr_matrix(np.eye(2)), "mu": [-0.1]}, "mu must be >= 0"),
        ({"H": csr_matrix(np.eye(2)), "e": [1.1]}, r"e must be in \[0, 1\]"),
        ({"H": csr_matrix(np.eye(2)), "g0": [np.inf]}, "g0 holds numbers that are not finite"),
        ({"dim": 4}, "dim = 4"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, message):
    arguments = {"M": eye(2, format="csr"), "K": eye(2, format="csr"), **change}
    with pytest.raises(ModelError, match=message):
        LinearSystem(**arguments)


def test_gap_velocity_and_energy_are_their_definitions():
    system = LinearSystem(
        M=csr_matrix(np.diag([2.0, 3.0])),
        K=csr_matrix([[4.0, 1.0], [1.0, 5.0]]),
        H=csr_matrix([[0.0, 1.0], [1.0, 0.0]]),
        g0=0.5,
    )
    q, v = np.array([0.1, -0.2]), np.array([3.0, 4.0])
    assert system.gap(q) == pytest.approx([0.3])
    assert system.contact_velocity(v) == pytest.approx(np.array([[4.0, 3.0]]))
    assert system.energy(q, v) == pytest.approx((0.5 * (18.0 + 48.0), 0.5 * (0.04 - 0.04 + 0.2)))


def test_preload_of_a_bar_is_the_closed_form():
    """Both ends held, one displaced by d: uniform strain, energy E S d^2 / (2 L)."""
    mesh = mesh_shape(SHAPES["line"](length=2.0, elements=10), size=None)
    rod = Rod(E=100.0, density=1.0, area=0.5)
    system = assemble_body(mesh, rod, supports=[Support("left", x=0.0), Support("right", x=0.01)])
    q, v = preload(system)
    np.testing.assert_allclose(q[np.argsort(mesh.points[:, 0])], np.linspace(0.0, 0.01, 11), atol=1e-15)
    assert np.all(v == 0.0)
    assert system.energy(q, v)[1] == pytest.approx(100.0 * 0.5 * 0.01**2 / (2 * 2.0))


def test_preload_balances_loads_and_holds_contact_nodes(block_mesh):
    system = block(block_mesh, force=traction(block_mesh, PMMA, "left", (2.0, 0.0)))
    q, _ = preload(system)
    bare, _ = preload(system, loads=False)
    held = np.zeros(system.n, bool)
    held[system.H.indices] = held[system.motion.dofs] = True
    out_of_balance = system.K @ q - system.force.at(0.0)
    assert np.abs(out_of_balance[~held]).max() < 1e-9 * np.abs(out_of_balance).max()
    assert np.abs((system.K @ bare)[~held]).max() < 1e-9 * np.abs(system.K @ bare).max()
    assert np.all(q[system.H.indices] == 0.0)
    assert np.all(q[system.motion.dofs] == -0.005)
    assert np.abs(q - bare).max() > 1e-4


def test_a_body_that_is_not_held_cannot_be_preloaded(block_mesh):
    system = assemble_body(block_mesh, PMMA, force=gravity(block_mesh, PMMA, (0.0, -1e-3)))
    with pytest.raises(ModelError, match="stiffness matrix is singular"):
        preload(system)


def test_rest_and_moving_start_on_prescribed_motion(block_mesh):
    system = block(block_mesh, supports=(Support("top", y="0.1 + 0.2*t"),))
    for q, v in (rest(system), moving(system, (3.0, -4.0))):
        assert np.all(q[system.motion.dofs] == 0.1)
        assert np.all(v[system.motion.dofs] == 0.2)
    free = np.setdiff1d(np.arange(system.n), system.motion.dofs)
    assert set(moving(system, (3.0, -4.0))[1][free]) == {3.0, -4.0}


def test_contact_nodes_below_the_floor_are_refused(block_mesh):
    with pytest.raises(
        ModelError, match=r"9 of the 9 nodes of contact group 'bottom' start below .* by 0\.25"
    ):
        block(block_mesh, point=(0.0, 0.25))


def test_contact_nodes_held_along_their_normal_are_refused(block_mesh):
    with pytest.raises(ModelError, match=r"9 contact nodes .* cannot move along their contact normal"):
        block(block_mesh, supports=(Support("bottom", y=0.0),))
    block(block_mesh, supports=(Support("bottom", x=0.0),))  # the tangent may be held


def test_a_bar_against_an_obstacle_beside_it_is_refused():
    mesh = mesh_shape(SHAPES["line"](length=1.0, elements=4), size=None)
    beside = node_contacts(mesh, "left", Plane((0.0, 0.0), (0.0, 1.0)), ContactLaw())
    with pytest.raises(ModelError, match=r"1 contact nodes .* across a bar"):
        assemble_body(mesh, Rod(E=1.0, density=1.0, area=1.0), contacts=[beside])


@pytest.mark.parametrize("scheme", [MoreauJean, MoreauJeanFremond])
def test_static_equilibrium_is_kept_for_ten_thousand_steps(scheme, block_mesh):
    """Gravity and preload in balance: nothing moves by 1e-12 mm, every contact stays closed."""
    system = block(block_mesh, mu=2.0, force=gravity(block_mesh, PMMA, (0.0, -1e-3)))
    q, v = preload(system)
    run = simulate(system, scheme(), dt=1e-4, t_end=1.0, initial=(q, v), every=1000)
    assert np.abs(run.fields.q - q).max() < 1e-12
    assert np.all(run.steps.contact.active[1:])
    assert run.steps.contact.p[1:, :, 0].min() > 0.0
    total = run.steps.contact.p[1:, :, 0].sum(axis=1) / 1e-4
    reaction = (system.K @ q - system.force.at(0.0))[system.H[::2].indices].sum()
    np.testing.assert_allclose(total, reaction, rtol=1e-9)
