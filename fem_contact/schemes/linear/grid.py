"""Functions of time, tabulated on the grid t_k = k h."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class GridTable:
    """f_{k+theta} = (1 - theta) f(k h) + theta f((k + 1) h) for k = 0, 1, ..., evaluated in blocks.

    The blocks start at fixed k, whatever step a run starts from, so that a resumed run reads the same digits.
    """

    def __init__(
        self, function: Callable[[FloatArray], FloatArray], h: float, theta: float, block: int = 1024
    ):
        self._function, self._h, self._theta, self._block = function, h, theta, block
        self._first, self._rows = -1, np.empty((0, 0))

    def row(self, k: int) -> FloatArray:
        """f_{k+theta}, shape (m,)."""
        place = k - self._first
        if self._first < 0 or not 0 <= place < self._block:
            self._first = k - k % self._block
            place = k - self._first
            times = np.arange(self._first, self._first + self._block + 1, dtype=np.float64) * self._h
            values = np.asarray(self._function(times), dtype=np.float64)
            self._rows = (1.0 - self._theta) * values[:-1] + self._theta * values[1:]
        return self._rows[place]
