"""Contact problems and their error measure."""

from fem_contact.problems.local import OPEN, SLIP, STICK, LocalProblem, project, residual, status

__all__ = ["OPEN", "SLIP", "STICK", "LocalProblem", "project", "residual", "status"]
