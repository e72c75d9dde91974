"""Compiled exact solution of one contact in space.

Slip: w_N = 0 and w_T = -alpha r_T with alpha > 0 and |r_T| = mu r_N. Without r_N, by the first row of
A r + b = 0, this reads (S + alpha 1) r_T = -s with a 2 x 2 matrix S, and one unknown alpha is left (a
quartic: Bonnefon & Daviet 2011, "Quartic formulation of Coulomb 3D frictional contact"). It is found here
by a bracketed Newton method on mu r_N / |r_T| - 1, which is nearly linear in alpha (as 1 / |r_T| is, the
secular equation of trust regions), in the axes of the symmetric part of S: no digit is lost there to the
condition of S.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

from numba import njit

from fem_contact.problems._kernels import project_cone3

EPS = 2.220446049250313e-16

#: Newton steps and bisections at most; three to six are usual.
STEPS = 80


@njit(cache=True, error_model="numpy")
def _tangential(d_1, d_2, skew, s_1, s_2):
    """x of [[d_1, skew], [-skew, d_2]] x = -s, no difference taken where both d are positive."""
    det = d_1 * d_2 + skew * skew
    return (skew * s_2 - d_2 * s_1) / det, -(skew * s_1 + d_1 * s_2) / det


@njit(cache=True, error_model="numpy")
def _slip_length(l_1, l_2, skew, s_1, s_2, n_1, n_2, a_nn, b_n, mu):
    """The slip solution (r_N, x_1, x_2, found) by bracketed Newton on alpha."""
    low = max(0.0, -l_2)
    guess = -mu * b_n / a_nn
    size = math.hypot(s_1, s_2) / guess
    # Where r_N is as without tangential coupling, alpha is at least this.
    alpha = max(low, abs(s_1) / guess - l_1, abs(s_2) / guess - l_2)
    if alpha == low:
        alpha = low + (1e-8 * size if l_2 <= 0.0 else 0.0)
    below, above = low, math.inf
    r_n = x_1 = x_2 = 0.0
    found = False
    for _ in range(STEPS):
        d_1, d_2 = l_1 + alpha, l_2 + alpha
        x_1, x_2 = _tangential(d_1, d_2, skew, s_1, s_2)
        length = math.sqrt(x_1 * x_1 + x_2 * x_2)
        r_n = -(b_n + n_1 * x_1 + n_2 * x_2) / a_nn
        fault = mu * r_n / length - 1.0
        if not math.isfinite(fault):
            return r_n, x_1, x_2, False
        found = abs(fault) <= 1e-8
        if abs(fault) <= 2.0 * EPS:
            break
        if fault < 0.0:
            below = alpha
        else:
            above = alpha
        y_1, y_2 = _tangential(d_1, d_2, skew, x_1, x_2)
        change = -(n_1 * y_1 + n_2 * y_2) / a_nn
        slope = mu * (change - r_n * ((x_1 * y_1 + x_2 * y_2) / (length * length))) / length
        new = alpha - fault / slope if slope > 0.0 else -1.0
        if found and abs(new - alpha) <= EPS * alpha:
            break
        if not below < new < above:
            if above == math.inf:
                new = 4.0 * alpha + size
            elif below > low:
                new = low + math.sqrt((below - low) * (above - low))
            else:
                new = low + (above - low) / 64.0
        if new == alpha:
            break
        alpha = new
    length = math.sqrt(x_1 * x_1 + x_2 * x_2)
    scale = mu * r_n / length if length > 0.0 else 0.0
    return r_n, scale * x_1, scale * x_2, found and r_n > 0.0


@njit(cache=True, error_model="numpy")
def _by_projection(a_nn, a_n1, a_n2, a_1n, a_2n, a_11, a_12, a_21, a_22, b_n, b_1, b_2, mu):
    """Fixed point of r = P_K(r - rho (w + mu |w_T| n)), the best of 200 steps: where nothing else holds."""
    size = abs(a_nn) + abs(a_11) + abs(a_22)
    rho = 1.0 / size if size > 0.0 else 1.0
    r_n = r_1 = r_2 = 0.0
    best, best_n, best_1, best_2 = math.inf, 0.0, 0.0, 0.0
    for _ in range(200):
        w_n = a_nn * r_n + a_n1 * r_1 + a_n2 * r_2 + b_n
        w_1 = a_1n * r_n + a_11 * r_1 + a_12 * r_2 + b_1
        w_2 = a_2n * r_n + a_21 * r_1 + a_22 * r_2 + b_2
        lift = mu * math.sqrt(w_1 * w_1 + w_2 * w_2)
        p_n, p_1, p_2 = project_cone3(r_n - rho * (w_n + lift), r_1 - rho * w_1, r_2 - rho * w_2, mu)
        fault = (p_n - r_n) ** 2 + (p_1 - r_1) ** 2 + (p_2 - r_2) ** 2
        if fault < best:
            best, best_n, best_1, best_2 = fault, r_n, r_1, r_2
        if fault == 0.0 or not math.isfinite(fault):
            break
        r_n, r_1, r_2 = p_n, p_1, p_2
    return best_n, best_1, best_2


@njit(cache=True, error_model="numpy")
def solve_cone3(a_nn, a_n1, a_n2, a_1n, a_2n, a_11, a_12, a_21, a_22, b_n, b_1, b_2, mu):
    """Exact solution (r_N, r_1, r_2) of one contact in space: take-off, stick or slip.

    With the symmetric part of A positive definite a solution exists and is found; a tangential
    direction that cannot move gets no impulse when it sticks. Where there is no solution (b outside
    the range of a singular A, jammed) the best of a projection method is given.
    """
    if b_n >= 0.0:
        return 0.0, 0.0, 0.0
    if a_nn <= 0.0:
        return _by_projection(a_nn, a_n1, a_n2, a_1n, a_2n, a_11, a_12, a_21, a_22, b_n, b_1, b_2, mu)
    if mu == 0.0:
        return -b_n / a_nn, 0.0, 0.0
    p_1, p_2 = a_1n / a_nn, a_2n / a_nn
    m_11, m_22 = a_11 - p_1 * a_n1, a_22 - p_2 * a_n2
    m_12, m_21 = a_12 - p_1 * a_n2, a_21 - p_2 * a_n1
    off, skew, half = 0.5 * (m_12 + m_21), 0.5 * (m_12 - m_21), 0.5 * (m_11 - m_22)
    radius = math.sqrt(off * off + half * half)
    mean = 0.5 * (m_11 + m_22)
    cos, sin = 1.0, 0.0
    # Otherwise the axes are arbitrary, and squares near underflow would not give orthonormal ones.
    if radius > 0.25 * EPS * abs(mean):
        cos, sin = (radius + half, off) if half >= 0.0 else (off, radius - half)
        length = math.sqrt(cos * cos + sin * sin)
        cos, sin = cos / length, sin / length
    l_1, l_2 = mean + radius, mean - radius
    t_1, t_2 = b_1 - p_1 * b_n, b_2 - p_2 * b_n
    s_1, s_2 = cos * t_1 + sin * t_2, cos * t_2 - sin * t_1
    # What is round-off is zero: a direction that cannot move must not seem to move a little.
    zero = 4.0 * EPS * (abs(a_11) + abs(a_22))
    l_1, l_2 = (l_1 if abs(l_1) > zero else 0.0), (l_2 if abs(l_2) > zero else 0.0)
    skew = skew if abs(skew) > zero else 0.0
    zero = 4.0 * EPS * (abs(b_1) + abs(b_2) - (abs(p_1) + abs(p_2)) * b_n)
    s_1, s_2 = (s_1 if abs(s_1) > zero else 0.0), (s_2 if abs(s_2) > zero else 0.0)
    n_1, n_2 = cos * a_n1 + sin * a_n2, cos * a_n2 - sin * a_n1
    x_1 = x_2 = 0.0
    if l_1 * l_2 + skew * skew != 0.0:
        x_1, x_2 = _tangential(l_1, l_2, skew, s_1, s_2)
        stuck = True
    else:
        stuck = s_2 == 0.0 and (s_1 == 0.0 or l_1 != 0.0)
        x_1 = -s_1 / l_1 if l_1 != 0.0 else 0.0
    r_n = -(b_n + n_1 * x_1 + n_2 * x_2) / a_nn
    limit = mu * r_n
    if not (stuck and r_n >= 0.0 and x_1 * x_1 + x_2 * x_2 <= limit * limit):
        r_n, x_1, x_2, found = _slip_length(l_1, l_2, skew, s_1, s_2, n_1, n_2, a_nn, b_n, mu)
        if not found:
            return _by_projection(a_nn, a_n1, a_n2, a_1n, a_2n, a_11, a_12, a_21, a_22, b_n, b_1, b_2, mu)
    return r_n, cos * x_1 - sin * x_2, sin * x_1 + cos * x_2
