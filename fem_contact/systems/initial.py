"""Initial positions and velocities (q, v) of a system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from fem_contact.errors import ModelError
from fem_contact.systems.kinds import System
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.linear import LinearSystem

FloatArray = NDArray[np.float64]


def rest(system: LinearSystem) -> tuple[FloatArray, FloatArray]:
    """q = 0 and v = 0, except for dofs whose motion is prescribed, which start on it."""
    return _on_motion(system, np.zeros(system.n), np.zeros(system.n))


def usual_start(system: System) -> tuple[FloatArray, FloatArray]:
    """Where a system starts when nobody says otherwise: a body at rest, a rigid model as it says."""
    if isinstance(system, LagrangianSystem):
        q, v = system.start
        return q.copy(), v.copy()
    return rest(system)


def moving(system: LinearSystem, velocity: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """q = 0 and the same velocity at every node; prescribed dofs start on their motion.

    Parameters
    ----------
    velocity : (dofs_per_node,) or (2,) float
        For bars only the x component is used.
    """
    per_node = np.asarray(velocity, dtype=np.float64)[: system.dofs_per_node]
    if len(per_node) != system.dofs_per_node or not np.all(np.isfinite(per_node)):
        raise ModelError(f"initial velocity must be {system.dofs_per_node} finite numbers, got {velocity!r}")
    return _on_motion(system, np.zeros(system.n), np.tile(per_node, system.n // system.dofs_per_node))


def preload(system: LinearSystem, loads: bool = True) -> tuple[FloatArray, FloatArray]:
    """Static equilibrium K q = F(0) with the supports applied and every contact node held, v = 0.

    Neither slip nor separation at the contact nodes: Acary & Collins-Craft (HAL 04230941), section 5.2.

    Parameters
    ----------
    loads : bool
        Whether F(0) is applied, or the prescribed displacements alone.

    Raises
    ------
    ModelError
        When the body is not held, so that K is singular.
    """
    q, v = rest(system)
    held = np.zeros(system.n, bool)
    held[system.H.indices] = True
    if system.motion is not None:
        held[system.motion.dofs] = True
    free = np.flatnonzero(~held)
    if not len(free):
        return q, v
    F = system.force.at(0.0) if loads else np.zeros(system.n)
    right = (F - system.K @ q)[free]
    try:
        q[free] = splu(csc_matrix(system.K[free][:, free])).solve(right)
    except RuntimeError:
        raise _not_held() from None
    left_over = np.abs((system.K @ q - F)[free]).max()
    if not left_over <= 1e-6 * np.abs(right).max():  # a singular K leaves its load, or NaN
        raise _not_held()
    return q, v


def _not_held() -> ModelError:
    return ModelError(
        "preload: the supports and contacts do not hold the body, its stiffness matrix is singular"
    )


def _on_motion(system: LinearSystem, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    if system.motion is not None:
        start = np.zeros(1)
        q[system.motion.dofs] = system.motion.values(start)[0]
        v[system.motion.dofs] = system.motion.rates(start)[0]
    return q, v
