"""Errors and warnings of the program: each carries one clear line, meant to be shown as it is."""

from __future__ import annotations


class FemContactError(Exception):
    """Base of every error that a user can mend; ``str(error)`` is the line to show."""


class MeshError(FemContactError):
    """A mesh or a geometry that cannot be used."""


class ModelError(FemContactError):
    """A material, support, load, contact, scheme or initial state that makes no sense."""


class CaseError(FemContactError):
    """A case file that is refused; the message names the file, the key and what is allowed."""


class ExpressionError(FemContactError):
    """An expression in t, x, y that is refused."""


class UnitError(FemContactError):
    """A quantity with a unit that is unknown or of the wrong dimension."""


class ProblemError(FemContactError):
    """A local contact problem (A, b, mu) that is not well formed."""


class ConvergenceError(FemContactError):
    """A contact problem that a solver did not solve to the tolerance asked for.

    Attributes
    ----------
    step : int or None
        Index k+1 of the step that failed.
    error : float
        The residual that was reached (see :func:`fem_contact.problems.residual`).
    problem : LocalProblem or None
        The offending problem.
    """

    def __init__(
        self, message: str, *, step: int | None = None, error: float = float("nan"), problem: object = None
    ):
        super().__init__(message)
        self.step = step
        self.error = error
        self.problem = problem


class RunFileError(FemContactError):
    """A run file that is missing, damaged, unfinished or would be overwritten."""


class FemContactWarning(UserWarning):
    """Something allowed that a careful user would want to know."""
