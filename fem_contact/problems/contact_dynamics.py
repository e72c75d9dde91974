"""Moreau's Contact Dynamics operator S(q, v) of one contact, and the sets that its limits are compared with.

After "Asymptotic contact law and tangential indeterminacy", sections 2 and 3. There the admissible side is
g <= 0 and n = -grad g/|grad g| points into it; here the gap is positive when open and the normal row H_N of
H is its gradient, so that n = H_N^T/|H_N| and a closed contact is gap <= 0. Its disc D1 is the interval
[-mu, mu] H_T^T/|H_N|, which need not be orthogonal to n (its hypothesis H3 asks for no more), so that

    R(q) = {H^T p : |p_T| <= mu p_N},   T(q) = {v : H_N v = 0}.

With W = H M^{-1} H^T and u = H v everything below is in the two components of the contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ProblemError

FloatArray = NDArray[np.float64]

#: gamma(q) below this share of what it adds up counts as zero where the sets A change with its sign.
ZERO = 1e-12


class ContactLaw(NamedTuple):
    """One contact at a configuration: M (n, n), H (1 or 2, n), M^{-1} H^T (n, 1 or 2), W and mu."""

    M: FloatArray
    H: FloatArray
    response: FloatArray
    W: FloatArray
    mu: float


class ImpulseSet(NamedTuple):
    """A(q, u-): its end points u- and u~, and whether what lies between belongs to it."""

    before: FloatArray
    after: FloatArray
    whole: bool


def contact_law(M: FloatArray, H: FloatArray, mu: float) -> ContactLaw:
    """What the functions below need of M(q), H(q) and mu.

    Raises
    ------
    ProblemError
        When H is not the one or two rows of one contact, or the normal row is zero.
    """
    M, H = np.asarray(M, np.float64), np.atleast_2d(np.asarray(H, np.float64))
    if len(H) not in (1, 2) or M.shape != (H.shape[1],) * 2:
        raise ProblemError(f"H has shape {H.shape} and M {M.shape}: one contact in the plane is meant")
    if not np.any(H[0]):
        raise ProblemError("the normal row of H is zero: the gap has no gradient here")
    response = np.asarray(np.linalg.solve(M, H.T), np.float64)
    return ContactLaw(M, H, response, H @ response, float(mu))


def impulse(law: ContactLaw, u: FloatArray) -> FloatArray:
    """The impulse p with u + W p of least kinetic energy, u_N + (W p)_N = 0 and |p_T| <= mu p_N.

    The energy is a parabola in p_T along the line of admissible u_N. Its vertex is the p_T that stops the
    slip; the cone leaves -mu |u_N|/(W_NN - mu W_NT) <= p_T <= mu |u_N|/(W_NN + mu W_NT), without a bound on
    a side whose denominator is not positive.

    Parameters
    ----------
    u : (1,) or (2,) float
        Velocity of the contact before, u_N < 0.
    """
    W, mu = law.W, law.mu
    if len(u) == 1:
        return np.array([-u[0] / W[0, 0]])
    slip = W[1, 1] - W[0, 1] * W[1, 0] / W[0, 0]
    # Dependent rows leave rounding in `slip`: friction is then a second name of the normal impulse.
    p_T = (W[1, 0] * u[0] / W[0, 0] - u[1]) / slip if slip > ZERO * W[1, 1] else 0.0
    forward, back = W[0, 0] + mu * W[0, 1], W[0, 0] - mu * W[0, 1]
    if forward > 0.0:
        p_T = min(p_T, -mu * u[0] / forward)
    if back > 0.0:
        p_T = max(p_T, mu * u[0] / back)
    return np.array([-(u[0] + W[0, 1] * p_T) / W[0, 0], p_T])


def operator(law: ContactLaw, v: FloatArray, closed: bool = True) -> tuple[FloatArray, FloatArray]:
    """S(q, v) and the impulse p that makes it: v where the contact is open or v_N >= 0, otherwise

        S(q, v) = Proj_q(0, (v + M^{-1} R(q)) n T(q)),

    the admissible velocity of least kinetic energy ("n": intersection).

    Parameters
    ----------
    v : (n,) float
    closed : bool
        Whether gap(q) <= 0.

    Returns
    -------
    v_plus : (n,), p : (1,) or (2,)
    """
    u = law.H @ v
    if not closed or u[0] >= 0.0:
        return np.array(v, np.float64), np.zeros(len(u))
    p = impulse(law, u)
    return v + law.response @ p, p


def gamma(law: ContactLaw) -> float:
    """min over w in D1 of n . M^{-1} (n + w) = (W_NN - mu |W_NT|)/|H_N|^2; not positive: tangential jumps."""
    W_NT = abs(law.W[0, 1]) if len(law.W) == 2 else 0.0
    return float((law.W[0, 0] - law.mu * W_NT) / (law.H[0] @ law.H[0]))


def tangential_set(law: ContactLaw, v: FloatArray) -> ImpulseSet:
    """A(q, u-) of a closed contact with u-_N = 0, one friction direction (section 3).

    {u-} when gamma > 0; {u-, u~} when gamma < 0 and [u-, u~] when gamma = 0, with u~ the velocity of least
    kinetic energy in (u- + M^{-1} R) n T: along the ray p = s (1, -W_NN/W_NT), s >= 0.

    Parameters
    ----------
    v : (n,) float
        u-; its normal component is taken for zero.
    """
    v = np.array(v, np.float64)
    sign = gamma(law) * (law.H[0] @ law.H[0]) / law.W[0, 0]
    if sign > ZERO or len(law.W) == 1:
        return ImpulseSet(v, v, False)
    ray = np.array([1.0, -law.W[0, 0] / law.W[0, 1]])
    s = max(0.0, -float(ray[1] * (law.H[1] @ v)) / float(ray @ law.W @ ray))
    return ImpulseSet(v, v + law.response @ (s * ray), bool(sign >= -ZERO))


def kinetic_norm(M: FloatArray, v: FloatArray) -> float:
    """|v|_q = (v . M(q) v)^{1/2}."""
    return float(np.sqrt(v @ M @ v))
