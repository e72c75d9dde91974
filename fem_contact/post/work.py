"""Who did which work where: tangential and normal works, and the status of every contact at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Status of a contact during a step.
OPEN, STICK, SLIP_PLUS, SLIP_MINUS = range(4)

#: Names of the statuses, in the order of their codes.
STATUS_NAMES = ("open", "stick", "slip +", "slip −")

#: An impulse p_N below this share of the largest one of the run is no contact.
OPEN_TOLERANCE = 1e-9

#: A contact slips when |p_T| reaches mu p_N within this share of it.
CONE_TOLERANCE = 1e-8


def tangential_work(run: Run) -> FloatArray:
    """(N+1, c) tangential work u_{T,k+theta} . p_T of each contact and step, as recorded (energy)."""
    return np.asarray(run.steps.contact.work_tangential, np.float64)


def normal_work(run: Run) -> FloatArray:
    """(N+1, c) normal work u_{N,k+theta} p_N of each contact and step, as recorded (energy)."""
    return np.asarray(run.steps.contact.work_normal, np.float64)


def largest_tangential_work(run: Run) -> FloatArray:
    """(N+1,) largest tangential work over the contacts at each step, max_alpha u_T . p_T (energy).

    Signed: it is positive as soon as one contact creates energy, and at most zero when none does
    (Acary & Collins-Craft, HAL 04230941, figures 6c and 7c). NaN when the run has no contact.
    """
    work = tangential_work(run)
    if not work.shape[1]:
        return np.full(len(work), np.nan)
    return work.max(axis=1)


def contact_status(run: Run) -> NDArray[np.int8]:
    """(N+1, c) status of each contact during the step that ends there: OPEN, STICK, SLIP_PLUS or SLIP_MINUS.

    The impulse p tells it, whatever velocity the scheme writes its law in (u_{k+1} or u_{k+theta}):

    - open when p_N <= OPEN_TOLERANCE * max p_N over the run;
    - slip when |p_T| >= (1 - CONE_TOLERANCE) mu p_N, on the border of the Coulomb cone. Friction opposes
      sliding, so the direction is that of -p_T: SLIP_PLUS along +t, SLIP_MINUS along -t;
    - stick otherwise, inside the cone.

    Where mu p_N = 0 the impulse has no tangential part and the velocity decides: slip along u_T, stick when
    |u_T| is below OPEN_TOLERANCE of its largest value. Contacts without a tangential direction (bars) are
    open or, when closed, "stick". Row 0, before any step, is open.

    Raises
    ------
    ModelError
        For contacts in space (d = 3), where a slip has no sign.
    """
    p = np.asarray(run.steps.contact.p, np.float64)
    if p.shape[2] > 2:
        raise ModelError(
            f"contact status: contacts with {p.shape[2]} components have no sign of slip; 1 or 2 allowed"
        )
    closed = p[:, :, 0] > OPEN_TOLERANCE * p[:, :, 0].max(initial=0.0)
    status = np.full(closed.shape, OPEN, np.int8)
    status[closed] = STICK
    if p.shape[2] == 2:
        limit = np.asarray(run.contact.mu, np.float64) * p[:, :, 0]
        direction = -p[:, :, 1]
        slips = np.abs(direction) >= (1.0 - CONE_TOLERANCE) * limit
        frictionless = closed & (limit == 0.0)
        if frictionless.any():
            u_T = np.asarray(run.steps.contact.u, np.float64)[:, :, 1]
            direction = np.where(frictionless, u_T, direction)
            moving = np.abs(u_T) > OPEN_TOLERANCE * np.abs(u_T).max()
            slips = np.where(frictionless, moving, slips)
        status[closed & slips & (direction > 0.0)] = SLIP_PLUS
        status[closed & slips & (direction < 0.0)] = SLIP_MINUS
    status[0] = OPEN
    return status


@dataclass(frozen=True)
class ContactLine:
    """The contacts in the order in which they lie along the boundary.

    Attributes
    ----------
    order : (c,) int
        Contacts (columns of the run's contact arrays) along the boundary, the body on the left of the way.
    s : (c,) float
        Arc length of ``order``'s contacts from the first one (length); contact numbers 0, 1, ... in a run
        without a mesh.
    chains : tuple of (first, last+1)
        Ranges of ``order`` that are connected; separate pieces of boundary follow each other at the mean
        distance of neighbours.
    has_length : bool
        Whether ``s`` is a length.
    """

    order: IntArray
    s: FloatArray
    chains: tuple[tuple[int, int], ...]
    has_length: bool


def contact_line(run: Run) -> ContactLine:
    """Lay the contacts out along the boundary of the undeformed mesh."""
    count = np.asarray(run.steps.contact.p).shape[1]
    mesh = run.mesh
    if mesh is None or not count:
        return ContactLine(np.arange(count), np.arange(count, dtype=np.float64), ((0, count),), False)
    nodes = np.asarray(run.contact.nodes, np.int64)
    contact_of = {int(node): i for i, node in enumerate(nodes)}
    if len(contact_of) != count:  # a node in two contacts has no place of its own on a line
        return ContactLine(np.arange(count), np.arange(count, dtype=np.float64), ((0, count),), False)
    chains = _chains(list(contact_of), _boundary_successors(mesh, set(contact_of)))
    steps = [np.linalg.norm(np.diff(mesh.points[chain], axis=0), axis=1) for chain in chains]
    inside = np.concatenate(steps)
    spacing = float(inside.mean()) if inside.size else 1.0
    s: list[float] = []
    ranges = []
    for chain, lengths in zip(chains, steps, strict=True):
        start = s[-1] + spacing if s else 0.0
        ranges.append((len(s), len(s) + len(chain)))
        s.extend(start + np.concatenate([[0.0], np.cumsum(lengths)]))
    order = np.array([contact_of[node] for chain in chains for node in chain], np.int64)
    return ContactLine(order, np.array(s), tuple(ranges), True)


def _boundary_successors(mesh, nodes: set[int]) -> dict[int, int]:  # type: ignore[no-untyped-def]
    """Next contact node along each boundary edge between two contact nodes."""
    if mesh.cells.shape[1] < 3:
        return {}
    from fem_contact.mesh.boundary import boundary_edges

    return {int(a): int(b) for a, b in boundary_edges(mesh) if int(a) in nodes and int(b) in nodes}


def _chains(nodes: list[int], successor: dict[int, int]) -> list[list[int]]:
    """Maximal chains of nodes linked by ``successor``; closed ones are cut at their first node."""
    has_before = set(successor.values())
    left = dict.fromkeys(nodes)
    chains = []
    # Open chains start where nothing comes before; what is left over afterwards lies on closed ones.
    for start in [*(node for node in nodes if node not in has_before), *nodes]:
        if start not in left:
            continue
        chain = []
        node: int | None = start
        while node is not None and node in left:
            del left[node]
            chain.append(node)
            node = successor.get(node)
        chains.append(chain)
    return chains


def contact_forces(run: Run) -> FloatArray:
    """(N+1, d) resultant contact force, sum over contacts of p / h in each contact's own frame (force).

    The mean over the step that ends there; row 0 is zero. For contacts on one plane it is the resultant
    normal and tangential force; on a curved obstacle the sum of the magnitudes along n and t.
    """
    p = np.asarray(run.steps.contact.p, np.float64).sum(axis=1)
    t = np.asarray(run.steps.t, np.float64)
    forces = np.zeros_like(p)
    forces[1:] = p[1:] / np.diff(t)[:, None]
    return forces
