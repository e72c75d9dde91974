"""Compiled parts of a step of the Newmark family: arrays in, arrays out, nothing allocated.

``now`` and ``then`` hold, by rows, the products of the state that a step starts from and ends in:
K q, K y, M v, M a, C v, C v*, F with y = h v + h^2 (1/2 - beta) a and v* = v + h (1 - gamma) a, so that
q + y and v* are q_{k+1} and v_{k+1} but for a_{k+1} and w. ``z`` and ``z_new`` hold the filters zeta of
q, K q and, where loads and damping are filtered, C v, F; no rows without filters.
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

#: Rows of ``now`` and ``then``.
KQ, KY, MV, MA, CV, CS, FORCE = range(7)
#: Rows of the filters.
Z_Q, Z_KQ, Z_CV, Z_F = range(4)
#: What the scheme records beside ``base.SCALARS``: places in ``extra``.
H_ENERGY, H_WORK, H_RESIDUAL = range(3)


@njit(cache=True)
def right_hand_side(alpha_m, alpha_f, s, now, F_new, free, rhs):
    """The equation of motion of the step without what depends on a_{k+1}, zero on prescribed dofs.

    rhs = s F_{k+1} + (1-s) F_k - alpha_m M a - K q - (1-alpha_f) K y - s C v* - (1-s) C v.
    """
    Kq, Ky, Ma, Cv, Cs, F = now[KQ], now[KY], now[MA], now[CV], now[CS], now[FORCE]
    for i in range(len(rhs)):
        rhs[i] = free[i] * (
            s * (F_new[i] - Cs[i])
            + (1.0 - s) * (F[i] - Cv[i])
            - alpha_m * Ma[i]
            - Kq[i]
            - (1.0 - alpha_f) * Ky[i]
        )


@njit(cache=True)
def free_change(h, gamma, a, a_new, change):
    """change = h (1 - gamma) a_k + h gamma a_{k+1}, that of the velocity without contact."""
    for i in range(len(change)):
        change[i] = h * ((1.0 - gamma) * a[i] + gamma * a_new[i])


@njit(cache=True)
def respond(h, beta, gamma, active, r, d, G, used, share, q, v, a, p, x, q_new, v_new, a_new):
    """From the solved impulses to the end of the step (RR-8602 eq. 27f-27i): p, q, v, a.

    x = (a_{k+1}, w), to which the rows of G, when it holds any, add what the impulses do.
    """
    n = len(q)
    spread(active, r, d, p)
    if len(G) > 0:
        add_rows(G, used, share, choose_rows(p, used, share), x)
    for i in range(n):
        a_new[i] = x[i]
        v_new[i] = v[i] + h * ((1.0 - gamma) * a[i] + gamma * x[i]) + x[n + i]
        q_new[i] = q[i] + h * v[i] + h * h * ((0.5 - beta) * a[i] + beta * x[i]) + 0.5 * h * x[n + i]


@njit(cache=True)
def forecasts(h, beta, gamma, v, a, y, v_star):
    """y = h v + h^2 (1/2 - beta) a and v* = v + h (1 - gamma) a."""
    for i in range(len(v)):
        y[i] = h * v[i] + h * h * (0.5 - beta) * a[i]
        v_star[i] = v[i] + h * (1.0 - gamma) * a[i]


@njit(cache=True)
def filter_one(nu, x, x_new, z, z_new):
    """(1/2 + nu) zeta_{k+1} + (1/2 - nu) zeta_k = x_{k+1} - x_k (RR-8602 eq. 55 over nu)."""
    for i in range(len(x)):
        z_new[i] = (x_new[i] - x[i] - (0.5 - nu) * z[i]) / (0.5 + nu)


@njit(cache=True)
def filter_all(nu, q, now, q_new, then, z, z_new):
    """The filters that the scheme has at the end of the step."""
    if len(z) > 0:
        filter_one(nu, q, q_new, z[Z_Q], z_new[Z_Q])
        filter_one(nu, now[KQ], then[KQ], z[Z_KQ], z_new[Z_KQ])
    if len(z) > 2:
        filter_one(nu, now[CV], then[CV], z[Z_CV], z_new[Z_CV])
        filter_one(nu, now[FORCE], then[FORCE], z[Z_F], z_new[Z_F])


@njit(cache=True, fastmath=SUMS)
def difference_dot(a, a_new, b, b_new):
    """(a_new - a) . (b_new - b)."""
    total = 0.0
    for i in range(len(a)):
        total += (a_new[i] - a[i]) * (b_new[i] - b[i])
    return total


@njit(cache=True, fastmath=SUMS)
def work_of(gamma, q, q_new, f, f_new):
    """(q_{k+1} - q_k) . ((1 - gamma) f_k + gamma f_{k+1})."""
    total = 0.0
    for i in range(len(q)):
        total += (q_new[i] - q[i]) * ((1.0 - gamma) * f[i] + gamma * f_new[i])
    return total


@njit(cache=True)
def given_works(gamma, eta, damped, q, q_new, now, then, z, z_new):
    """Work of the loads and of damping (RR-8602 eq. 67-68; with filters as on the left of eq. 69)."""
    external = work_of(gamma, q, q_new, now[FORCE], then[FORCE])
    if len(z) > 2:
        external -= eta * work_of(gamma, q, q_new, z[Z_F], z_new[Z_F])
    damping = 0.0
    if damped:
        damping = -work_of(gamma, q, q_new, now[CV], then[CV])
        if len(z) > 2:
            damping += eta * work_of(gamma, q, q_new, z[Z_CV], z_new[Z_CV])
    return external, damping


@njit(cache=True)
def algorithmic_surplus(h, beta, gamma, nu, eta, a, Ma, z):
    """H - E = h^2/4 (2 beta - gamma) a.M a + eta/2 (nu - gamma + 1/2) zeta.K zeta (RR-8602 eq. 66)."""
    surplus = 0.0
    if 2.0 * beta != gamma:
        surplus += 0.5 * h * h * (2.0 * beta - gamma) * half_dot(a, Ma)
    if len(z) > 0:
        surplus += eta * (nu - gamma + 0.5) * half_dot(z[Z_Q], z[Z_KQ])
    return surplus


@njit(cache=True)
def algorithmic_work(h, beta, gamma, nu, eta, q, a, now, z, q_new, a_new, then, z_new):
    """The quadratic terms on the right of the balance of H (RR-8602 eq. 69, 72, 80, 88)."""
    work = 0.0
    if gamma != 0.5 and 2.0 * beta != gamma:
        inertial = difference_dot(a, a_new, now[MA], then[MA])
        work += 0.5 * h * h * (0.5 - gamma) * (2.0 * beta - gamma) * inertial
    if eta + 0.5 - gamma != 0.0:
        work += (eta + 0.5 - gamma) * difference_dot(q, q_new, now[KQ], then[KQ])
    if len(z) > 0:
        filtered = difference_dot(z[Z_Q], z_new[Z_Q], z[Z_KQ], z_new[Z_KQ])
        work += eta * nu * (gamma - nu - 0.5) * filtered
    return work


@njit(cache=True)
def finish(
    hptr,
    hidx,
    hval,
    g0,
    d,
    h,
    beta,
    gamma,
    nu,
    eta,
    damped,
    q,
    a,
    now,
    z,
    q_new,
    v_new,
    a_new,
    then,
    z_new,
    u,
    p,
    gap_new,
    u_new,
    p_new,
    work_normal,
    work_tangential,
    energy,
    surplus,
    scalars,
    extra,
):
    """Gaps and contact velocities of the new state; all energies and works of the step into ``scalars``
    (order of ``schemes.base.SCALARS``, the support's work left at zero) and ``extra``, with the residuals of
    both balances against ``energy`` and ``surplus`` (H - E) of the state before. Returns the new surplus."""
    contact_state(hptr, hidx, hval, g0, q_new, v_new, d, gap_new, u_new)
    external, damping = given_works(gamma, eta, damped, q, q_new, now, then, z, z_new)
    normal, tangential = contact_works(0.5, u, u_new, p, d, work_normal, work_tangential)
    algorithmic = algorithmic_work(h, beta, gamma, nu, eta, q, a, now, z, q_new, a_new, then, z_new)
    surplus_new = algorithmic_surplus(h, beta, gamma, nu, eta, a_new, then[MA], z_new)
    kinetic, elastic = half_dot(v_new, then[MV]), half_dot(q_new, then[KQ])
    numerical = algorithmic - (surplus_new - surplus)
    given = external + damping + normal + tangential
    scalars[KINETIC], scalars[ELASTIC], scalars[TOTAL] = kinetic, elastic, kinetic + elastic
    scalars[EXTERNAL], scalars[DAMPING], scalars[NUMERICAL] = external, damping, numerical
    scalars[NORMAL], scalars[TANGENTIAL], scalars[SUPPORT] = normal, tangential, 0.0
    scalars[RESIDUAL] = kinetic + elastic - energy - (given + numerical)
    extra[H_ENERGY], extra[H_WORK] = kinetic + elastic + surplus_new, algorithmic
    extra[H_RESIDUAL] = kinetic + elastic + surplus_new - (energy + surplus) - (given + algorithmic)
    for i in range(len(p)):
        for c in range(d):
            p_new[i, c] = p[i, c]
    return surplus_new
