"""What a Newton matrix is made of, and what its factors are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LinearSolve = Callable[[FloatArray], FloatArray]


class NewtonSystem(Protocol):
    """The matrix A of a problem, from which Newton matrices are made."""

    A: FloatArray | bsr_matrix

    def factor(
        self, B: FloatArray, C: FloatArray, shift: FloatArray, contacts: IntArray
    ) -> LinearSolve | None:
        """x -> (diag(B) + diag(C) (A + shift I))^-1 x restricted to ``contacts``, None when singular.

        Parameters
        ----------
        B, C : (c, d, d) float
            Blocks of all contacts.
        shift : (c,) float
            Added to the diagonal of A, by contacts; makes the matrix regular where A is not.
        contacts : (k,) int
            Contacts in increasing order; x has d*k entries.

        The factors are good until the next call.
        """
        ...
