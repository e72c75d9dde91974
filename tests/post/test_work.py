"""Works and status of single contacts, and their place along the boundary."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import ModelError
from fem_contact.mesh.mesh import Mesh
from fem_contact.post.work import (
    CONE_TOLERANCE,
    OPEN,
    SLIP_MINUS,
    SLIP_PLUS,
    STATUS_NAMES,
    STICK,
    contact_forces,
    contact_line,
    contact_status,
    largest_tangential_work,
)


def single(assemble_run, p, u=None, mu=0.5):
    """A run of one step with the given impulses and velocities, (c, d) each."""
    p = np.asarray(p, float)[None]
    u = np.zeros_like(p) if u is None else np.asarray(u, float)[None]
    rows = [np.concatenate([np.zeros_like(a), a]) for a in (p, u)]
    group = {"mu": np.full(p.shape[1], mu)}
    return assemble_run([0, 1], ([1, 1], [0, 0]), {}, {"p": rows[0], "u": rows[1]}, contact_group=group)


def test_status_of_the_block(block):
    status = contact_status(block)
    assert status.shape == (41, 5)
    assert (status[0] == OPEN).all()
    assert (status[1:, 0] == OPEN).all()
    assert (status[1:, 1] == STICK).all()
    assert (status[1:, 2] == SLIP_PLUS).all()
    assert (status[1:, 3] == SLIP_MINUS).all()
    assert (status[1::2, 4] == SLIP_MINUS).all()
    assert (status[2::2, 4] == STICK).all()
    assert STATUS_NAMES[SLIP_PLUS] == "slip +"


def test_slip_is_opposed_by_the_impulse(assemble_run):
    status = contact_status(single(assemble_run, [[2, -1], [2, 1], [2, -0.5], [0, 0]]))
    assert status[1].tolist() == [SLIP_PLUS, SLIP_MINUS, STICK, OPEN]


@pytest.mark.parametrize(("share", "expected"), [(0.5, SLIP_PLUS), (2.0, STICK)])
def test_border_of_the_cone_has_a_tolerance(assemble_run, share, expected):
    p_T = -(1.0 - share * CONE_TOLERANCE)
    assert contact_status(single(assemble_run, [[2.0, p_T]]))[1, 0] == expected


def test_tiny_impulses_are_open(assemble_run):
    assert contact_status(single(assemble_run, [[1.0, 0.0], [1e-10, 0.0], [1e-8, 0.0]]))[1].tolist() == [
        STICK,
        OPEN,
        STICK,
    ]


def test_without_friction_the_velocity_decides(assemble_run):
    run = single(assemble_run, [[1, 0]] * 4, u=[[0, 2], [0, -1], [0, 1e-12], [0, 0]], mu=0.0)
    assert contact_status(run)[1].tolist() == [SLIP_PLUS, SLIP_MINUS, STICK, STICK]


def test_bars_are_open_or_closed(bar):
    status = contact_status(bar)
    assert (status[6:26] == STICK).all()
    assert (status[:6] == OPEN).all()
    assert (status[26:] == OPEN).all()


def test_status_needs_plane_contacts(assemble_run):
    with pytest.raises(ModelError, match="3 components"):
        contact_status(single(assemble_run, [[1, 0, 0]]))


def test_largest_tangential_work_is_signed(make_block, assemble_run):
    work = largest_tangential_work(make_block())
    assert work[10] == pytest.approx(0.02)
    assert work[9] == 0.0
    negative = {"p": np.ones((2, 2, 2)), "work_tangential": np.array([[0, 0], [-0.3, -0.2]])}
    assert largest_tangential_work(assemble_run([0, 1], ([1, 1], [0, 0]), {}, negative))[1] == pytest.approx(
        -0.2
    )
    none = assemble_run([0, 1], ([1, 1], [0, 0]), {}, {"p": np.zeros((2, 0, 2))})
    assert np.isnan(largest_tangential_work(none)).all()


def test_line_along_the_bottom(block):
    line = contact_line(block)
    assert line.has_length
    assert line.order.tolist() == [0, 1, 2, 3, 4]
    assert line.s == pytest.approx([0, 1, 2, 3, 4])
    assert line.chains == ((0, 5),)


def line_of(assemble_run, mesh, nodes):
    contact = {"p": np.zeros((2, len(nodes), 2))}
    run = assemble_run(
        [0, 1], ([1, 1], [0, 0]), {}, contact, mesh=mesh, contact_group={"nodes": np.array(nodes)}
    )
    return contact_line(run)


def test_line_orders_shuffled_contacts(assemble_run, rectangle):
    line = line_of(assemble_run, rectangle(), [3, 0, 4, 1, 2])
    assert line.order.tolist() == [1, 3, 4, 0, 2]
    assert line.s == pytest.approx([0, 1, 2, 3, 4])


def test_line_turns_corners_and_parts(assemble_run, rectangle):
    # Up the right side from (3, 0): 3, 4, 9, 14; apart from it two nodes of the left side, walked downwards.
    line = line_of(assemble_run, rectangle(), [14, 9, 4, 3, 10, 5])
    assert line.order.tolist() == [3, 2, 1, 0, 4, 5]
    assert line.s == pytest.approx([0, 1, 2, 3, 4, 5])
    assert line.chains == ((0, 4), (4, 6))


def test_line_of_a_closed_boundary(assemble_run):
    angles = np.arange(6) * np.pi / 3
    points = np.concatenate([[[0, 0]], np.stack([np.cos(angles), np.sin(angles)], axis=1)])
    mesh = Mesh(points, np.array([[0, 1 + i, 1 + (i + 1) % 6] for i in range(6)]))
    line = line_of(assemble_run, mesh, [3, 4, 5, 6, 1, 2])
    assert line.order.tolist() == [0, 1, 2, 3, 4, 5]
    assert line.s == pytest.approx(np.arange(6.0))


def test_line_without_a_mesh_counts(assemble_run):
    line = line_of(assemble_run, None, [0, 1, 2])
    assert not line.has_length
    assert line.s.tolist() == [0.0, 1.0, 2.0]


def test_contact_forces_are_impulses_over_steps(block):
    forces = contact_forces(block)
    assert forces[0].tolist() == [0.0, 0.0]
    assert forces[2] == pytest.approx([8.0 / 0.01, 0.3 / 0.01])
    assert forces[1] == pytest.approx([8.0 / 0.01, 1.3 / 0.01])
