"""Compiled parts of a step of the theta family: arrays in, arrays out, nothing allocated.

``hptr``, ``hidx``, ``hval`` are H by rows. ``now`` and ``then`` hold (K q, K v, M v, C v) of the state that a
step starts from and ends in. Forces are weighted by theta, the velocities of q_{k+1} = q_k + h v_{k+theta_q}
by theta_q.
"""

from __future__ import annotations

from numba import njit

from fem_contact.problems._kernels import SUMS
from fem_contact.schemes._step_kernels import (
    add_rows,
    choose_rows,
    contact_state,
    contact_works,
    half_dot,
    load,
    spread,
)
from fem_contact.schemes.base import (
    DAMPING,
    ELASTIC,
    EXTERNAL,
    KINETIC,
    NORMAL,
    NUMERICAL,
    RESIDUAL,
    SUPPORT,
    TANGENTIAL,
    TOTAL,
)


@njit(cache=True)
def right_hand_side(h, theta, constant, basis, amplitude, fields, now, free, F, rhs):
    """F = F_{k+theta} and rhs = h F - h K q - h^2 theta K v - h C v, zero on prescribed dofs."""
    load(constant, basis, amplitude, fields, F)
    Kq, Kv, Cv = now[0], now[1], now[3]
    for i in range(len(rhs)):
        rhs[i] = free[i] * (h * (F[i] - Kq[i] - Cv[i]) - h * h * theta * Kv[i])


@njit(cache=True)
def update(h, theta_q, q, v, x, q_new, v_new):
    """v_{k+1} = v_k + x and q_{k+1} = q_k + h v_{k+theta_q}; x holds the change of v."""
    for i in range(len(x)):
        v_new[i] = v[i] + x[i]
        q_new[i] = q[i] + h * (v[i] + theta_q * x[i])


@njit(cache=True, fastmath=SUMS)
def step_works(h, theta, theta_q, F, v, x, now, q, q_new, then, damped):
    """External and damping work, and (1/2 - theta_q) |dv|_M^2 + (1/2 - theta) |dq|_K^2.

    HAL 04230941 eq. 56-58, where theta_q = theta.
    """
    Kq, Mv, Cv = now[0], now[2], now[3]
    Kq_new, Mv_new, Cv_new = then[0], then[2], then[3]
    external = 0.0
    damping = 0.0
    for i in range(len(x)):
        external += (v[i] + theta_q * x[i]) * F[i]
    if damped:
        for i in range(len(x)):
            damping -= (v[i] + theta_q * x[i]) * ((1.0 - theta) * Cv[i] + theta * Cv_new[i])
    inertial = 0.0
    if theta_q != 0.5:
        for i in range(len(x)):
            inertial += x[i] * (Mv_new[i] - Mv[i])
    elastic = 0.0
    if theta != 0.5:
        for i in range(len(x)):
            elastic += (q_new[i] - q[i]) * (Kq_new[i] - Kq[i])
    return h * external, h * damping, (0.5 - theta_q) * inertial + (0.5 - theta) * elastic


@njit(cache=True)
def respond(h, theta_q, active, r, d, G, used, share, q, v, p, x, q_new, v_new):
    """From the solved impulses to the end of the step: p, x += Mhat^{-1} H^T p (when G holds it), q, v."""
    spread(active, r, d, p)
    if len(G) > 0:
        add_rows(G, used, share, choose_rows(p, used, share), x)
    update(h, theta_q, q, v, x, q_new, v_new)


@njit(cache=True)
def finish(
    hptr,
    hidx,
    hval,
    g0,
    h,
    theta,
    theta_q,
    F,
    q,
    v,
    x,
    now,
    q_new,
    v_new,
    then,
    damped,
    u,
    p,
    d,
    gap_new,
    u_new,
    p_new,
    work_normal,
    work_tangential,
    before,
    scalars,
):
    """Gaps and contact velocities of the new state; all energies and works of the step into ``scalars``
    (order of ``schemes.base.SCALARS``, the support's work left at zero), and the residual of their identity
    against the energy ``before``."""
    contact_state(hptr, hidx, hval, g0, q_new, v_new, d, gap_new, u_new)
    external, damping, numerical = step_works(h, theta, theta_q, F, v, x, now, q, q_new, then, damped)
    normal, tangential = contact_works(theta_q, u, u_new, p, d, work_normal, work_tangential)
    kinetic, elastic = half_dot(v_new, then[2]), half_dot(q_new, then[0])
    scalars[KINETIC], scalars[ELASTIC], scalars[TOTAL] = kinetic, elastic, kinetic + elastic
    scalars[EXTERNAL], scalars[DAMPING], scalars[NUMERICAL] = external, damping, numerical
    scalars[NORMAL], scalars[TANGENTIAL], scalars[SUPPORT] = normal, tangential, 0.0
    scalars[RESIDUAL] = kinetic + elastic - before - (external + damping + normal + tangential + numerical)
    for i in range(len(p)):
        for a in range(d):
            p_new[i, a] = p[i, a]
