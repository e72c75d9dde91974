"""Energies and works of a step on a Lagrangian system, and the residual of their identity.

With Mm = M(q_{k+theta}), v_theta = v_k + theta dv (theta_q, where the positions have a weight of their own)
and F = F_pot + F_load + F_damp + F_inertia, any step that satisfies Mm dv = h F + H^T p + G^T lambda has

    dT = v_theta . (h F + H^T p + G^T lambda) + (1/2 - theta) |dv|_Mm^2
         + 1/2 v' . (M' - Mm) v' - 1/2 v . (M - Mm) v,

so that dE = dT + dV is W_ext + W_damp + u_theta . p plus a numerical part that holds no impulse but those
of the joints:

    W_num = (1/2 - theta) |dv|_Mm^2 + 1/2 v'.(M' - Mm) v' - 1/2 v.(M - Mm) v
            + dV + h v_theta . (F_pot + F_inertia) + lambda . G v_theta.

It vanishes for constant M and theta = 1/2 where V is linear or quadratic; HAL 04230941 eq. 56 is that case.
What is left over, dE - W_ext - W_damp - u_theta . p - W_num, tells how well the momentum of the step
balances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fem_contact.schemes import base
from fem_contact.schemes.base import State, StepReport
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]


def energies(system: LagrangianSystem, q: FloatArray, v: FloatArray, scalars: FloatArray) -> None:
    """Kinetic, potential and total energy into the scalars of a report."""
    kinetic, potential = system.energy(q, v)
    scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, potential, kinetic + potential


def contact_works(u_theta: FloatArray, p: FloatArray, report: StepReport) -> None:
    """u_{N,theta} p_N and u_{T,theta} . p_T of each contact, from u_theta and p, (c, d)."""
    report.work_normal[...] = u_theta[:, 0] * p[:, 0]
    report.work_tangential[...] = np.einsum("ij,ij->i", u_theta[:, 1:], p[:, 1:])


def account(
    system: LagrangianSystem,
    state: State,
    new: State,
    report: StepReport,
    *,
    h: float,
    weights: tuple[float, float],
    mass: FloatArray,
    joint_work: float,
) -> None:
    """Energies, works and residual of a step into ``report``, whose contact works are there already.

    Parameters
    ----------
    weights : theta of the forces and theta_q of the positions
    mass : (n, n) M(q_{k+theta})
    joint_work : lambda . G v_{theta_q}
    """
    theta, theta_q = weights
    scalars, p = report.scalars, system.parameters
    energies(system, new.q, new.v, scalars)
    t = state.t + theta * h
    q_theta = (1.0 - theta) * state.q + theta * new.q
    v_theta = (1.0 - theta) * state.v + theta * new.v
    mean = (1.0 - theta_q) * state.v + theta_q * new.v
    external = h * float(mean @ _part(system, system.loads, t, q_theta, v_theta))
    damping = h * float(mean @ _part(system, system.damping, t, q_theta, v_theta))
    everything = h * float(mean @ system.forces(t, q_theta, v_theta))
    dv = new.v - state.v
    numerical = (0.5 - theta_q) * float(dv @ mass @ dv)
    numerical += 0.5 * float(new.v @ (system.mass_matrix(new.q) - mass) @ new.v)
    numerical -= 0.5 * float(state.v @ (system.mass_matrix(state.q) - mass) @ state.v)
    if system.potential is not None:
        numerical += float(system.potential(new.q, p)) - float(system.potential(state.q, p))
    numerical += everything - external - damping + joint_work
    normal, tangential = float(report.work_normal.sum()), float(report.work_tangential.sum())
    scalars[base.EXTERNAL], scalars[base.DAMPING], scalars[base.NUMERICAL] = external, damping, numerical
    scalars[base.NORMAL], scalars[base.TANGENTIAL], scalars[base.SUPPORT] = normal, tangential, 0.0
    works = external + damping + normal + tangential + numerical
    scalars[base.RESIDUAL] = scalars[base.TOTAL] - sum(system.energy(state.q, state.v)) - works


def _part(system: LagrangianSystem, function: object, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
    F = np.zeros(system.n)
    if callable(function):
        function(t, q, v, system.parameters, F)
    return F
