"""SuperLU as contact graphs want it."""

from __future__ import annotations

from typing import Any

from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

#: SuperLU's panels and least supernodes: small ones suit the little fill of contact graphs in the plane.
PANEL, RELAX = 1, 4


def superlu(matrix: csc_matrix, order: str) -> Any:
    """Factors, None when the matrix is singular."""
    try:
        return splu(
            matrix,
            permc_spec=order,
            diag_pivot_thresh=0.01,
            panel_size=PANEL,
            relax=RELAX,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        return None
