"""How Contact Dynamics sees a tangential contact: the sets A(q, u-) and A_eps(q, u-) and their distance.

"Asymptotic contact law and tangential indeterminacy", section 3. A_eps holds S(q_eps, u_eps) of every q_eps
and u_eps in the balls of radius eps about q and u-, norms and distances being Euclidean in the coordinates
of the system. Theorem 1: as eps falls, d_H(A, A_eps) falls to zero when gamma(q) < 0, or when gamma(q) = 0
and gamma takes positive values at closed configurations however near; otherwise only d_H({u-, u~}, A_eps)
does.

A_eps is known by samples. They all belong to it, so that its excess from A is found too small, never too
large, and the excess of A from it too large, never too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.problems.contact_dynamics import (
    ContactLaw,
    ImpulseSet,
    contact_law,
    gamma,
    operator,
    tangential_set,
)
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]

#: Points that stand for the segment [u-, u~] in the excess of A: it is known to half their spacing.
POINTS = 401

#: Draws at most for a configuration from which an aimed sample can be made.
TRIES = 8

#: Steps of the aims along [u-, u~], equidistributed in [0, 1].
GOLDEN = 0.6180339887498949


class StudyRow(NamedTuple):
    """One radius of :func:`theorem_study`.

    Attributes
    ----------
    eps : float
    to_set, to_ends : float
        d_H(A, A_eps) and d_H({u-, u~}, A_eps) from all samples.
    change : float
        By how much either moves when half of the samples are left out: what sampling leaves open.
    """

    eps: float
    to_set: float
    to_ends: float
    change: float


class Study(NamedTuple):
    """gamma(q), A(q, u-) and a row for each radius."""

    gamma: float
    target: ImpulseSet
    rows: tuple[StudyRow, ...]


def theorem_study(
    system: LagrangianSystem,
    q: FloatArray,
    v: FloatArray,
    radii: FloatArray,
    samples: int = 4000,
    seed: int = 0,
) -> Study:
    """Hausdorff distances of A_eps(q, u-) from A(q, u-) and from {u-, u~}, radius by radius.

    Parameters
    ----------
    system : one contact in the plane
    q, v : (n,) float
        A closed contact and a velocity u- along it: gap(q) = 0, H_N(q) u- = 0.
    radii : (k,) float
        eps.
    samples : int
        For each radius.

    Raises
    ------
    ModelError
        When the system has not one contact with friction, or (q, v) is not a tangential contact.
    """
    if system.contacts != 1 or system.dim != 2:
        raise ModelError("the sets A(q, u-) are those of one contact with one direction of friction")
    law = contact_law(system.mass_matrix(q), system.contact_jacobian(q), system.mu[0])
    gap, u_N = float(system.gaps(q)[0]), float(law.H[0] @ v)
    if abs(gap) > 1e-9 * system.length or abs(u_N) > 1e-9 * float(np.abs(law.H[0]) @ np.abs(v)):
        raise ModelError(f"gap = {gap:.3g} and u_N = {u_N:.3g}: a tangential contact has 0 and 0")
    target = tangential_set(law, v)
    ends = target._replace(whole=False)
    rows = []
    for eps in radii:
        found = sample_set(system, q, v, float(eps), samples, np.random.default_rng(seed))
        both = [hausdorff(s, found) for s in (target, ends)]
        half = [hausdorff(s, found[::2]) for s in (target, ends)]
        change = max(abs(a - b) for a, b in zip(both, half, strict=True))
        rows.append(StudyRow(float(eps), both[0], both[1], change))
    return Study(gamma(law), target, tuple(rows))


def sample_set(
    system: LagrangianSystem,
    q: FloatArray,
    v: FloatArray,
    eps: float,
    samples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """``samples`` elements of A_eps(q, u-), (samples, n).

    q_eps and u_eps are uniform in their balls or, one in three each, on the spheres. One sample in three is
    aimed as in the paper's proof: where gamma(q_eps) > 0, a small normal velocity -s gamma |H_N|^2 makes
    an impulse s H^T (1, +-mu) that stops part of the slip; s is chosen for a part that the samples before
    left out. The velocities between u- and u~ come from such normal velocities alone, as small as
    gamma(q_eps), which chance would seldom find.
    """
    found = np.empty((samples, system.n))
    for i in range(samples):
        for _ in range(TRIES if i % 3 == 0 else 1):
            q_eps, v_eps = (x + eps * _in_ball(system.n, rng) for x in (q, v))
            law = contact_law(system.mass_matrix(q_eps), system.contact_jacobian(q_eps), system.mu[0])
            closed = bool(system.gaps(q_eps)[0] <= 0.0)
            aimed = _aimed(law, v_eps, (i // 3 * GOLDEN) % 1.0) if i % 3 == 0 and closed else None
            if aimed is not None and np.linalg.norm(aimed - v) <= eps:
                v_eps = aimed
                break
        found[i] = operator(law, v_eps, closed)[0]
    return found


def _aimed(law: ContactLaw, v: FloatArray, part: float) -> FloatArray | None:
    """``v`` with the normal velocity for which S stops ``part`` of its slip; None where gamma <= 0."""
    n, u = law.H[0], law.H @ v
    ray = np.array([1.0, -float(np.copysign(law.mu, u[1]))])
    pull = float(law.W[0] @ ray)
    if gamma(law) <= 0.0:
        return None
    s = -part * float(ray[1] * u[1]) / float(ray @ law.W @ ray)
    return v + (-s * pull - u[0]) / float(n @ n) * n


def hausdorff(target: ImpulseSet, points: FloatArray) -> float:
    """d_H of {u-, u~} or [u-, u~] and the set of ``points`` (k, n)."""
    along = target.after - target.before
    square = float(along @ along)
    relative = points - target.before
    if target.whole and square > 0.0:
        s = np.clip(relative @ along / square, 0.0, 1.0)
        excess = float(np.linalg.norm(relative - s[:, None] * along, axis=1).max())
        members = target.before + np.linspace(0.0, 1.0, POINTS)[:, None] * along
    else:
        members = np.array([target.before, target.after])
        distances = np.linalg.norm(points[:, None] - members, axis=2)
        excess = float(distances.min(axis=1).max())
    back = max(float(np.linalg.norm(points - member, axis=1).min()) for member in members)
    return max(excess, back)


def _in_ball(n: int, rng: np.random.Generator) -> FloatArray:
    """Uniform in the unit ball, or, one in three, on its sphere."""
    direction = rng.normal(size=n)
    radius = 1.0 if rng.integers(3) == 0 else float(rng.uniform()) ** (1.0 / n)
    return direction * (radius / float(np.linalg.norm(direction)))
