"""What a time-stepping scheme is: frozen settings that prepare a stepper for a system and a step size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System

FloatArray = NDArray[np.float64]

#: Scalars of a step, in the order of ``StepReport.scalars`` and under the run file's names.
SCALARS = (
    "energy/kinetic",
    "energy/elastic",
    "energy/total",
    "work/external",
    "work/damping",
    "work/contact_normal",
    "work/contact_tangential",
    "work/numerical",
    "work/support",
    "residual",
    "solver/error",
)
(KINETIC, ELASTIC, TOTAL, EXTERNAL, DAMPING, NORMAL, TANGENTIAL, NUMERICAL, SUPPORT, RESIDUAL, ERROR) = range(
    len(SCALARS)
)


@dataclass
class State:
    """All that a step needs of the past: stepping from a stored state gives the same digits.

    Attributes
    ----------
    k : int
        Index of the step; t = k h.
    t : float
    q, v : (n,) float
        Positions (displacements) and velocities.
    p : (c, d) float
        Contact impulses of the step that ended here: the next step's guess.
    extra : dict of arrays
        Whatever else a scheme carries (accelerations, say).
    """

    k: int
    t: float
    q: FloatArray
    v: FloatArray
    p: FloatArray
    extra: dict[str, FloatArray] = field(default_factory=dict)

    def copy(self) -> State:
        """A deep copy."""
        extra = {name: array.copy() for name, array in self.extra.items()}
        return State(self.k, self.t, self.q.copy(), self.v.copy(), self.p.copy(), extra)


class StepReport:
    """What a step did, in arrays that are used again at every step.

    Attributes
    ----------
    scalars : (len(SCALARS),) float
        Energies at the end of the step, works of the step, residual of its energy identity, solver error.
    iterations : int
        Of the cone solver.
    gap : (c,), u : (c, d), p : (c, d), work_normal : (c,), work_tangential : (c,)
        At the contacts: gap and velocity at the end of the step, impulse and works of the step.
    active : (c,) bool
        Contacts that took part in the step.
    extras : tuple of str, extra : (len(extras),) float
        Names (in the run file, below /steps) and values of what only this scheme has to say: its algorithmic
        energy, Newton iterations, ...
    """

    def __init__(self, contacts: int, d: int, extras: tuple[str, ...] = ()):
        self.extras = extras
        self.extra = np.zeros(len(extras))
        self.scalars = np.zeros(len(SCALARS))
        self.iterations = 0
        self.gap = np.zeros(contacts)
        self.u = np.zeros((contacts, d))
        self.p = np.zeros((contacts, d))
        self.work_normal = np.zeros(contacts)
        self.work_tangential = np.zeros(contacts)
        self.active = np.zeros(contacts, np.bool_)

    def __getitem__(self, name: str) -> float:
        """A scalar by its name in the run file, such as "energy/total"."""
        if name in self.extras:
            return float(self.extra[self.extras.index(name)])
        return float(self.scalars[SCALARS.index(name)])


class Stepper(Protocol):
    """A scheme bound to a system, a step size and a solver. Owns work space, no history.

    ``extras`` names the scalars that its reports hold beyond ``SCALARS``.
    """

    extras: tuple[str, ...]

    def start(self, q: FloatArray, v: FloatArray) -> tuple[State, StepReport]:
        """The state at t = 0 and the report of its energies."""
        ...

    def step(self, state: State) -> tuple[State, StepReport]:
        """One step; the arguments are left as they were."""
        ...

    def advance(self, state: State, new: State, report: StepReport) -> None:
        """One step from ``state`` into ``new`` and ``report``, without allocation."""
        ...

    def problem(self) -> LocalProblem:
        """The contact problem of the last step."""
        ...


class Scheme(Protocol):
    """Settings of a scheme: a frozen dataclass whose fields are keys of the case file's [scheme] table."""

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor what is constant and return the stepper."""
        ...
