"""Which approach velocity restitution refers to, where a contact moves along something curved."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ModelError
from fem_contact.schemes import MoreauJean, MoreauJeanFremond, MoreauJeanVariant
from fem_contact.schemes.newton import RESTITUTIONS
from fem_contact.schemes.projected import CombinedProjected
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.timeloop import simulate

RADIUS, SPEED, E = 1.0, 1.0, 0.5


def puck() -> LagrangianSystem:
    """A point mass inside a circle without gravity or friction, on the circle and moving along it."""

    def mass(q, p, M):
        M[...] = np.eye(2)

    def force(t, q, v, p, F):
        F[...] = 0.0

    def gap(q, p, g):
        g[0] = RADIUS - np.hypot(*q)

    def jacobian(q, p, H):
        H[0] = -q / np.hypot(*q)

    return LagrangianSystem(
        n=2,
        contacts=1,
        dim=1,
        mass=mass,
        force=force,
        gap=gap,
        jacobian=jacobian,
        e=E,
        start=(np.array([RADIUS, 0.0]), np.array([0.0, SPEED])),
    )


def late_velocities(restitution: str, h: float, kind=MoreauJean) -> np.ndarray:
    """Contact velocities of the second half of a run with the case files' activation, gaps alone."""
    scheme = kind(restitution=restitution, activation=Activation(gamma=0.0, velocity_tol=np.inf))
    run = simulate(puck(), scheme, dt=h, t_end=1.0)
    return run.steps.contact.u[len(run.steps.t) // 2 :, 0, 0]


@pytest.mark.parametrize("kind", [MoreauJean, MoreauJeanVariant, CombinedProjected])
@pytest.mark.parametrize("h", [1e-2, 5e-3])
def test_its_own_velocity_lets_a_contact_rest(h, kind):
    """RR-8029 eq. 28: u' = -e u dies out geometrically, e^50 of the first step's v^2 h/R at h = 1e-2."""
    assert np.abs(late_velocities("own", h, kind)).max() < 1e-12


@pytest.mark.parametrize("kind", [MoreauJean, MoreauJeanVariant, CombinedProjected])
@pytest.mark.parametrize("h", [1e-2, 5e-3])
def test_the_frame_of_the_step_keeps_it_bouncing(h, kind):
    """A contact at rest is one that approaches by a = h v^2/R when seen from the next step.

    Either u = -e (u - a), at u = e a/(1 + e), or it opens and is back a few steps later, at a few times a.
    """
    assert 0.99 * E / (1.0 + E) * h < np.abs(late_velocities("frame", h, kind)).max() < 3.0 * h


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_both_are_the_same_at_a_first_impact_on_a_plane(restitution):
    from fem_contact.systems.rigid.bouncing_ball import BouncingBall

    runs = [
        simulate(BouncingBall().system(), MoreauJean(restitution=name), dt=1e-2, t_end=2.0)
        for name in ("frame", restitution)
    ]
    assert np.array_equal(runs[0].steps.contact.u, runs[1].steps.contact.u)


def test_what_is_refused():
    with pytest.raises(ModelError, match=r"restitution = 'new': it must be one of own, frame"):
        MoreauJean(restitution="new")
    with pytest.raises(ModelError, match="its law has one velocity u_k"):
        MoreauJeanFremond(restitution="own")
