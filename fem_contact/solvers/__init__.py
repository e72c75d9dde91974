"""Cone solvers. One file and one line of ``SOLVERS`` each."""

from __future__ import annotations

from fem_contact.solvers.base import Solver, SolverResult, SolverStatus, solve
from fem_contact.solvers.nsgs import NSGS

SOLVERS: dict[str, type[Solver]] = {"nsgs": NSGS}

__all__ = ["NSGS", "SOLVERS", "Solver", "SolverResult", "SolverStatus", "solve"]
