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
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.systems.lagrangian import Function, LagrangianSystem

FloatArray = NDArray[np.float64]


def energies(system: LagrangianSystem, q: FloatArray, v: FloatArray, scalars: FloatArray) -> None:
    """Kinetic, potential and total energy into the scalars of a report."""
    kinetic, potential = system.energy(q, v)
    scalars[[base.KINETIC, base.ELASTIC, base.TOTAL]] = kinetic, potential, kinetic + potential


def contact_works(u_theta: FloatArray, p: FloatArray, report: StepReport) -> None:
    """u_{N,theta} p_N and u_{T,theta} . p_T of each contact, from u_theta and p, (c, d)."""
    kernels.contact_works(u_theta, p, report.work_normal, report.work_tangential)


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
    q_theta, v_theta, mean, dv = np.empty((4, system.n))
    kernels.blend(theta, state.q, new.q, q_theta)
    kernels.blend(theta, state.v, new.v, v_theta)
    kernels.blend(theta_q, state.v, new.v, mean)
    t = state.t + theta * h
    external = h * kernels.dot(mean, _part(system, system.loads, t, q_theta, v_theta))
    damping = h * kernels.dot(mean, _part(system, system.damping, t, q_theta, v_theta))
    everything = h * kernels.dot(mean, system.forces(t, q_theta, v_theta))
    M_start, M_end = system.mass_matrix(state.q), system.mass_matrix(new.q)
    numerical = kernels.numerical_work(theta_q, M_start, mass, M_end, state.v, new.v, dv)
    V_start, V_end = _potential(system, state.q), _potential(system, new.q)
    numerical += V_end - V_start + everything - external - damping + joint_work
    kinetic = kernels.half_square(M_end, new.v)
    before = kernels.half_square(M_start, state.v) + V_start
    normal, tangential = float(report.work_normal.sum()), float(report.work_tangential.sum())
    works = external + damping + normal + tangential + numerical
    scalars = report.scalars
    scalars[base.KINETIC], scalars[base.ELASTIC], scalars[base.TOTAL] = kinetic, V_end, kinetic + V_end
    scalars[base.EXTERNAL], scalars[base.DAMPING], scalars[base.NUMERICAL] = external, damping, numerical
    scalars[base.NORMAL], scalars[base.TANGENTIAL], scalars[base.SUPPORT] = normal, tangential, 0.0
    scalars[base.RESIDUAL] = kinetic + V_end - before - works


def _potential(system: LagrangianSystem, q: FloatArray) -> float:
    return 0.0 if system.potential is None else float(system.potential(q, system.parameters))


def _part(
    system: LagrangianSystem, function: Function | None, t: float, q: FloatArray, v: FloatArray
) -> FloatArray:
    F = np.zeros(system.n)
    if function is not None:
        function(t, q, v, system.parameters, F)
    return F
