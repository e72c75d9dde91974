"""Anderson mixing: what a slow fixed-point iteration of a few unknowns has shown, put to use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Iterations of a step after which they are mixed: without the derivatives of H they are slow where a contact
#: curves within the way of a step. And how much worse than the best an error makes the mixing start anew.
PATIENCE, LOST = 6, 10.0


class Anderson:
    """The affine combination of the last images whose residuals, image - point, cancel best.

    D. G. Anderson (1965), in the form of H. F. Walker and P. Ni (SIAM J. Numer. Anal. 49, 2011): with
    f_i = image_i - x_i and their differences as columns dF, gamma = argmin |f - dF gamma| and the next point
    is image - dImage gamma. On a linear iteration it finds what GMRES would.
    """

    def __init__(self, n: int, depth: int = 5):
        self._residuals = np.zeros((depth + 1, n))
        self._images = np.zeros((depth + 1, n))
        self._depth, self._seen = depth, 0

    def restart(self) -> None:
        """Forget what was seen."""
        self._seen = 0

    def mix(self, x: FloatArray, image: FloatArray) -> None:
        """The next point, in place of ``image`` of the point ``x``."""
        slot = self._seen % (self._depth + 1)
        self._residuals[slot], self._images[slot] = image - x, image
        self._seen += 1
        kept = min(self._seen, self._depth + 1)
        if kept < 2:
            return
        others = [(slot - back) % (self._depth + 1) for back in range(1, kept)]
        dF = (self._residuals[slot] - self._residuals[others]).T
        dImage = (self._images[slot] - self._images[others]).T
        gamma = np.linalg.lstsq(dF, self._residuals[slot], rcond=1e-12)[0]
        image -= dImage @ gamma


class PatientMixing:
    """Anderson mixing of the Newton iterations of a step that takes more than ``PATIENCE`` of them."""

    def __init__(self, n: int):
        self._anderson, self._best = Anderson(n), np.inf

    def begin(self) -> None:
        """A step begins."""
        self._anderson.restart()
        self._best = np.inf

    def see(self, error: float) -> None:
        """The error of an iterate; one that is lost means that a contact has changed its mind."""
        if error > LOST * self._best:
            self._anderson.restart()
        self._best = min(self._best, error)

    def mix(self, iteration: int, x: FloatArray, image: FloatArray) -> bool:
        """The next point in place of ``image``, and whether it was changed."""
        if iteration < PATIENCE:
            return False
        self._anderson.mix(x, image)
        return True
