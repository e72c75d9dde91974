"""Cone solvers: one file each, one line of :mod:`fem_contact.solvers.registry` each."""

from __future__ import annotations

from fem_contact.solvers.base import Solver, SolverResult, SolverStatus, Watch, solve
from fem_contact.solvers.nsgs import NSGS
from fem_contact.solvers.registry import SOLVERS

__all__ = ["NSGS", "SOLVERS", "Solver", "SolverResult", "SolverStatus", "Watch", "solve"]
