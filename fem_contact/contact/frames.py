"""Local contact frames (n, t)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def tangents(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """t = (n_y, -n_x): the normal turned clockwise, so that t = e_x on a floor with n = e_y.

    Parameters
    ----------
    normals : (c, 2) unit vectors.

    Returns
    -------
    (c, 2) unit vectors, orthogonal to ``normals``.
    """
    return np.stack([normals[:, 1], -normals[:, 0]], axis=1)
