"""The impacting bar: contact time, contact force, rebound and penetration against the exact solution.

A bar of length L, Young's modulus E, density rho and cross section S that hits a rigid wall at speed v0
stays in contact for T = 2 L / c0, c0 = sqrt(E / rho), under the constant force r = E S v0 / c0, and
leaves at the speed it came with (RR-8029, section 6.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fem_contact.fem.materials import Rod
from fem_contact.post.material import has_material, material_of
from fem_contact.post.work import OPEN_TOLERANCE, contact_forces

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class BarTheory:
    """The exact solution for an elastic bar that meets a rigid wall.

    Attributes
    ----------
    contact_time : float
        2 L / c0 (time).
    force : float
        E S v0 / c0 (force).
    speed : float
        v0, before and after (velocity).
    """

    contact_time: float
    force: float
    speed: float


def bar_theory(E: float, density: float, area: float, length: float, speed: float) -> BarTheory:
    """The exact solution (RR-8029, section 6.2) from the bar's data, in one consistent unit system."""
    c0 = float(np.sqrt(E / density))
    return BarTheory(contact_time=2.0 * length / c0, force=E * area * abs(speed) / c0, speed=abs(speed))


def theory_of(run: Run) -> BarTheory | None:
    """The exact solution for the bar of a run: its material, the length of its mesh, its first velocity.

    None when the run is another one: not a rod, not one contact that it moves towards as one, or loaded.
    """
    if run.mesh is None or not has_material(run) or not len(run.fields.t):
        return None
    u_N = np.asarray(run.steps.contact.u)[0, :, 0]
    if len(u_N) != 1 or u_N[0] >= 0.0 or np.any(run.steps.work.external != 0.0):
        return None
    material = material_of(run)
    velocity = np.asarray(run.fields.v[0], np.float64)
    speed = float(np.abs(velocity[0]))
    if not isinstance(material, Rod) or speed == 0.0 or np.ptp(velocity) > 1e-9 * speed:
        return None
    length = float(np.ptp(run.mesh.points[:, 0]))
    return bar_theory(material.E, material.density, material.area, length, speed)


def contact_force(run: Run) -> FloatArray:
    """(N+1,) normal contact force sum_alpha p_N / h, the mean over the step that ends there (force)."""
    return contact_forces(run)[:, 0]


def contact_interval(run: Run) -> tuple[float, float] | None:
    """First and last instant of contact: start of the first step with p_N > 0, end of the last one.

    None without contact. An impulse counts when it exceeds ``OPEN_TOLERANCE`` of the largest one of the run.
    """
    p_N = np.asarray(run.steps.contact.p, np.float64)[:, :, 0].sum(axis=1)
    closed = np.flatnonzero(p_N > OPEN_TOLERANCE * p_N.max(initial=0.0))
    if not len(closed):
        return None
    t = np.asarray(run.steps.t, np.float64)
    return float(t[max(closed[0] - 1, 0)]), float(t[closed[-1]])


def contact_time(run: Run) -> float:
    """Time from the first to the last contact (time); 0 without contact."""
    interval = contact_interval(run)
    return interval[1] - interval[0] if interval else 0.0


def mean_contact_force(run: Run) -> float:
    """Total normal impulse over the contact time (force); 0 without contact."""
    duration = contact_time(run)
    if duration == 0.0:
        return 0.0
    return float(np.asarray(run.steps.contact.p, np.float64)[:, :, 0].sum()) / duration


def violation(run: Run) -> float:
    """Deepest penetration, max(-g) over contacts and steps (length); 0 when no gap is negative."""
    return max(0.0, -float(np.min(np.asarray(run.steps.contact.gap, np.float64), initial=0.0)))


def centre_velocity(run: Run) -> tuple[FloatArray, FloatArray]:
    """Times (S,) and velocity (S, k) of the centre of mass at the sampled fields, k = dofs per node.

    Uniform density: v_G = sum_i w_i v_i with w_i the share of the mesh's length or area at node i, which is
    what a consistent or lumped mass matrix of linear elements gives.
    """
    mesh = run.mesh
    if mesh is None:
        raise ValueError("the velocity of the centre of mass needs a run with a mesh")
    weights = _nodal_shares(mesh)
    v = np.asarray(run.fields.v, np.float64)
    per_node = v.shape[1] // len(mesh.points)
    v_G = np.einsum("i,sik->sk", weights, v.reshape(len(v), len(mesh.points), per_node))
    return np.asarray(run.fields.t, np.float64), v_G


def rebound_velocity(run: Run) -> FloatArray | None:
    """(k,) velocity of the centre of mass, mean over the sampled instants after the last contact.

    None when no field was sampled after it (the run ended too early, or ``output.every`` is too large).
    """
    interval = contact_interval(run)
    times, v_G = centre_velocity(run)
    after = times >= (interval[1] if interval else np.inf) * (1.0 + 1e-12)
    return v_G[after].mean(axis=0) if after.any() else None


def _nodal_shares(mesh) -> FloatArray:  # type: ignore[no-untyped-def]
    corners = mesh.points[mesh.cells]
    if mesh.cells.shape[1] == 2:
        size = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    else:
        a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        size = 0.5 * np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    k = mesh.cells.shape[1]
    share = np.bincount(mesh.cells.ravel(), np.repeat(size / k, k), minlength=len(mesh.points))
    return share / size.sum()
