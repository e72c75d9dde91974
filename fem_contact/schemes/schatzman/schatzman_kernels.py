"""Compiled parts of a Schatzman-Paoli step on a linear system."""

from __future__ import annotations

from numba import njit

from fem_contact.problems._kernels import SUMS
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
def advance(h, q, w, x, q_new, w_new, v_new):
    """w' = w + x, q' = q + h w', v' = (w + w')/2."""
    for i in range(len(q)):
        w_new[i] = w[i] + x[i]
        q_new[i] = q[i] + h * w_new[i]
        v_new[i] = w[i] + 0.5 * x[i]


@njit(cache=True, fastmath=SUMS)
def works(h, theta, F, q, w, now, q_new, w_new, v_new, then):
    """W_ext = h v'.F, W_num = dV - h v'.K q_{k+theta}, energies T' and V' and the energy before.

    ``now`` and ``then`` hold (K q, K w, M w, C w) of the two states.
    """
    Kq, Mw, Kq_new, Mw_new = now[0], now[2], then[0], then[2]
    external, pull, kinetic, elastic, kinetic_before, elastic_before = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(q)):
        external += v_new[i] * F[i]
        pull += v_new[i] * ((1.0 - theta) * Kq[i] + theta * Kq_new[i])
        kinetic += w_new[i] * Mw_new[i]
        elastic += q_new[i] * Kq_new[i]
        kinetic_before += w[i] * Mw[i]
        elastic_before += q[i] * Kq[i]
    numerical = 0.5 * (elastic - elastic_before) - h * pull
    return h * external, numerical, 0.5 * kinetic, 0.5 * elastic, 0.5 * (kinetic_before + elastic_before)


@njit(cache=True)
def contact_works(u, p, work_normal, work_tangential):
    """u_N p_N and u_T . p_T of each contact at the velocity v_{k+1}, and their sums."""
    normal, tangential = 0.0, 0.0
    for i in range(len(p)):
        work_normal[i] = u[i, 0] * p[i, 0]
        total = 0.0
        for a in range(1, p.shape[1]):
            total += u[i, a] * p[i, a]
        work_tangential[i] = total
        normal += work_normal[i]
        tangential += total
    return normal, tangential


@njit(cache=True)
def balance(before, kinetic, elastic, parts, scalars):
    """All scalars of a step; parts = (loads, support, damping, normal, tangential, numerical)."""
    loads, support, damping, normal, tangential, numerical = parts
    scalars[KINETIC], scalars[ELASTIC], scalars[TOTAL] = kinetic, elastic, kinetic + elastic
    scalars[EXTERNAL], scalars[SUPPORT], scalars[DAMPING] = loads + support, support, damping
    scalars[NORMAL], scalars[TANGENTIAL], scalars[NUMERICAL] = normal, tangential, numerical
    works = loads + support + damping + normal + tangential + numerical
    scalars[RESIDUAL] = kinetic + elastic - before - works
