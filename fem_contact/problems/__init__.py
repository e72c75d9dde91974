"""Contact problems and their error measure."""

from fem_contact.problems.local import OPEN, SLIP, STICK, LocalProblem, project, residual, status
from fem_contact.problems.parts import ResidualParts, residual_parts

__all__ = [
    "OPEN",
    "SLIP",
    "STICK",
    "LocalProblem",
    "ResidualParts",
    "project",
    "residual",
    "residual_parts",
    "status",
]
