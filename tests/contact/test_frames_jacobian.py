"""Frames and the Jacobian H: the derivative of the gap and of the slip, rigid motions, two sides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fem_contact.contact.frames import tangents
from fem_contact.contact.jacobian import contact_jacobian
from fem_contact.contact.laws import ContactLaw
from fem_contact.contact.obstacles import Circle, Plane, Polyline
from fem_contact.contact.pairs import Contacts, Side, node_contacts
from fem_contact.errors import MeshError, ModelError
from fem_contact.mesh.mesh import Mesh

TRIANGLES = Mesh(
    points=np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [0.0, 1.0], [1.0, 1.1], [2.0, 1.0]]),
    cells=np.array([[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]]),
).with_group("bottom", nodes=[0, 1, 2])
BARS = Mesh(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([[0, 1], [1, 2]]), "bar2").with_group(
    "right", nodes=[2]
)
LAW = ContactLaw(0.5, 0.25)


def contacts_by_hand(body, other, normals):
    c = len(normals)
    return Contacts(body, other, np.zeros(c), np.asarray(normals, float), np.zeros(c), np.zeros(c))


@settings(deadline=None)
@given(st.lists(st.floats(0.0, 6.3), min_size=1, max_size=5))
def test_frames_are_orthonormal_and_turn_clockwise(angles):
    n = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    t = tangents(n)
    np.testing.assert_allclose(np.einsum("ci,ci->c", n, t), 0.0, atol=1e-16)
    np.testing.assert_allclose(np.hypot(*t.T), 1.0, rtol=1e-15)
    np.testing.assert_allclose(n[:, 0] * t[:, 1] - n[:, 1] * t[:, 0], -1.0, rtol=1e-15)


def test_tangent_of_a_floor_is_ex():
    np.testing.assert_array_equal(tangents(np.array([[0.0, 1.0]])), [[1.0, 0.0]])


@pytest.mark.parametrize(
    "obstacle",
    [
        Plane((0, -0.5), (0.2, 1.0)),
        Circle((1.0, -3.0), 2.0),
        Circle((1.0, 1.0), 9.0, True),
        Polyline(((-9, -1), (9, -2))),
    ],
)
def test_jacobian_is_the_derivative_of_gap_and_slip(obstacle):
    contacts = node_contacts(TRIANGLES, "bottom", obstacle, LAW)
    H = contact_jacobian(contacts, 12, 2).toarray()
    nodes = TRIANGLES.group("bottom").nodes
    t, step = tangents(contacts.normals), 1e-6

    def gap_and_slip(q):
        moved = (TRIANGLES.points + q.reshape(-1, 2))[nodes]
        slip = np.einsum("ci,ci->c", moved - TRIANGLES.points[nodes], t)
        return np.stack([obstacle.gap(moved), slip], axis=1).ravel()

    columns = [(gap_and_slip(step * e) - gap_and_slip(-step * e)) / (2 * step) for e in np.eye(12)]
    np.testing.assert_allclose(H, np.array(columns).T, atol=1e-9)
    np.testing.assert_array_equal(contacts.gap, obstacle.gap(TRIANGLES.points[nodes]))
    assert contacts.names == ("bottom",) * 3
    np.testing.assert_array_equal([contacts.mu, contacts.e], [[0.5] * 3, [0.25] * 3])


def test_rigid_motions():
    """u = (n, t) . velocity of the material point, for two translations and a rotation."""
    obstacle = Circle((1.0, -3.0), 2.0)
    contacts = node_contacts(TRIANGLES, "bottom", obstacle, LAW)
    H = contact_jacobian(contacts, 12, 2)
    n, t = contacts.normals, tangents(contacts.normals)
    for velocity in (
        np.tile([1.0, 0.0], (6, 1)),
        np.tile([0.0, 1.0], (6, 1)),
        np.stack([-TRIANGLES.points[:, 1], TRIANGLES.points[:, 0]], axis=1),
    ):
        u = (H @ velocity.ravel()).reshape(3, 2)
        at = velocity[[0, 1, 2]]
        want = np.stack([np.einsum("ci,ci->c", n, at), np.einsum("ci,ci->c", t, at)], axis=1)
        np.testing.assert_allclose(u, want, rtol=1e-15, atol=1e-15)
    # Turning about the centre of the disk changes no gap.
    about = np.stack([-(TRIANGLES.points[:, 1] + 3.0), TRIANGLES.points[:, 0] - 1.0], axis=1)
    np.testing.assert_allclose((H @ about.ravel())[::2], 0.0, atol=1e-15)


def test_bars_have_a_normal_row_only():
    contacts = node_contacts(BARS, "right", Plane((2.5, 0.0), (-1.0, 0.0)), LAW)
    np.testing.assert_array_equal(contacts.gap, [0.5])
    H = contact_jacobian(contacts, 3, 1)
    np.testing.assert_array_equal(H.toarray(), [[0.0, 0.0, -1.0]])
    assert H.nnz == 1


def test_a_node_against_the_middle_of_an_edge():
    n = np.array([[0.6, 0.8]])
    t = np.array([[0.8, -0.6]])
    body = Side.of_nodes(np.array([4]))
    other = Side(np.array([[1, 2]]), np.array([[0.5, 0.5]]))
    H = contact_jacobian(contacts_by_hand(body, other, n), 12, 2).toarray()
    v = np.random.default_rng(0).standard_normal((6, 2))
    relative = v[4] - 0.5 * (v[1] + v[2])
    np.testing.assert_allclose(H @ v.ravel(), [n[0] @ relative, t[0] @ relative], rtol=1e-14)
    # Both sides moving together do not move apart, and H^T r is in equilibrium.
    np.testing.assert_allclose(H @ np.tile([0.3, -0.7], 6), 0.0, atol=1e-16)
    force = (H.T @ [2.0, -1.0]).reshape(6, 2)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(force[4], 2.0 * n[0] - t[0], rtol=1e-15)


def test_two_sides_that_share_a_node_add_up():
    side = Side(np.array([[0, 1]]), np.array([[0.25, 0.75]]))
    H = contact_jacobian(contacts_by_hand(side, Side.of_nodes(np.array([1])), [[0.0, 1.0]]), 4, 2).toarray()
    np.testing.assert_array_equal(H, [[0.0, 0.25, 0.0, -0.25], [0.25, 0.0, -0.25, 0.0]])


def test_groups_that_cannot_touch():
    with pytest.raises(MeshError, match="no group 'top'; its groups are: bottom"):
        node_contacts(TRIANGLES, "top", Plane(), LAW)
    with pytest.raises(ModelError, match="contact group 'none' has no nodes"):
        node_contacts(TRIANGLES.with_group("none", nodes=[]), "none", Plane(), LAW)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-0.1, 0.0), r"friction coefficient mu = -0.1: it must be a number >= 0"),
        ((np.inf, 0.0), r"friction coefficient mu = inf"),
        ((0.5, 1.1), r"restitution coefficient e = 1.1: it must be in \[0, 1\]"),
        ((0.5, np.nan), r"restitution coefficient e = nan"),
    ],
)
def test_laws_out_of_range(arguments, message):
    with pytest.raises(ModelError, match=message):
        ContactLaw(*arguments)
