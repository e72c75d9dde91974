"""The linear mechanical system with constant matrices that the theta and Newmark families step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_contact.errors import ModelError
from fem_contact.fem.force import Force
from fem_contact.fem.supports import PrescribedMotion
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LinearSystem:
    """M dv + (K q + C v) dt = F(t) dt + H^T di, u = H v, g = g0 + (H q)_N.

    Acary & Collins-Craft (HAL 04230941), eq. 31. All dofs are kept: those that ``motion`` prescribes
    are held to it by the schemes.

    Attributes
    ----------
    M, K, C : (n, n) csr_matrix
        Mass, stiffness, damping; M and K symmetric. C may be left out.
    H : (d*c, n) csr_matrix
        Contact Jacobian, normal row of each contact first. May be left out (no contact).
    g0 : (c,) float
        Gap at q = 0 (length), positive when open.
    mu, e : (c,) float
        Friction and restitution coefficients.
    force : Force
        External force F(t).
    motion : PrescribedMotion or None
        Dofs whose displacement is given.
    dim : int
        d, components of a contact: 1 (normal only), 2 (plane).
    normals : (c, 2) float
        Contact normals, for whoever draws them.
    contact_nodes : (c,) int
        Node of each contact in ``mesh``.
    length, wave_speed : float
        Scales (smallest edge, fastest wave) that open tolerances are set from.
    mesh : Mesh or None
    material : Elastic, Rod or None
        What the dofs live on and what it is made of, for recording only: no scheme looks at them.
    dofs_per_node : int
        2 for bodies in the plane, 1 for bars.

    Raises
    ------
    ModelError
        When shapes disagree, a matrix is not symmetric or a number is out of range.
    """

    # What may be left out is filled in when the system is made, so that nobody else meets a None.
    M: csr_matrix
    K: csr_matrix
    C: csr_matrix = None
    H: csr_matrix = None
    g0: FloatArray = None  # type: ignore[assignment]
    mu: FloatArray = None  # type: ignore[assignment]
    e: FloatArray = None  # type: ignore[assignment]
    force: Force = None  # type: ignore[assignment]
    motion: PrescribedMotion | None = None
    dim: int = 2
    normals: FloatArray = None  # type: ignore[assignment]
    contact_nodes: NDArray[np.int64] = None  # type: ignore[assignment]
    length: float = 1.0
    wave_speed: float = 1.0
    mesh: Mesh | None = None
    material: Any = None
    dofs_per_node: int = 2

    def __post_init__(self) -> None:
        n = self.M.shape[0]
        put = object.__setattr__
        put(self, "M", _square(self.M, n, "M", symmetric=True))
        put(self, "K", _square(self.K, n, "K", symmetric=True))
        put(self, "C", csr_matrix((n, n)) if self.C is None else _square(self.C, n, "C", symmetric=False))
        put(self, "H", csr_matrix((0, n)) if self.H is None else csr_matrix(self.H, dtype=np.float64))
        if self.dim not in (1, 2, 3):
            raise ModelError(f"dim = {self.dim}: a contact has 1, 2 or 3 components")
        if self.H.shape[1] != n or self.H.shape[0] % self.dim:
            raise ModelError(f"H has shape {self.H.shape}; with {n} dofs it must be ({self.dim}*c, {n})")
        c = self.H.shape[0] // self.dim
        put(self, "g0", _vector(self.g0, c, "g0", 0.0))
        put(self, "mu", _vector(self.mu, c, "mu", 0.0))
        put(self, "e", _vector(self.e, c, "e", 0.0))
        put(self, "force", Force.zero(n) if self.force is None else self.force)
        put(
            self,
            "normals",
            np.empty((c, 2)) if self.normals is None else np.asarray(self.normals, np.float64),
        )
        nodes = np.arange(c) if self.contact_nodes is None else self.contact_nodes
        put(self, "contact_nodes", np.asarray(nodes, np.int64))
        if self.mu.min(initial=0.0) < 0.0:
            raise ModelError(f"mu must be >= 0, got {self.mu.min()}")
        if self.e.min(initial=0.0) < 0.0 or self.e.max(initial=0.0) > 1.0:
            raise ModelError("e must be in [0, 1]")
        if len(self.force.constant) != n:
            raise ModelError(f"the force has {len(self.force.constant)} components, the system {n} dofs")

    @property
    def n(self) -> int:
        """Number of dofs."""
        return int(self.M.shape[0])

    @property
    def contacts(self) -> int:
        """Number of contacts c."""
        return int(self.H.shape[0] // self.dim)

    def gap(self, q: FloatArray) -> FloatArray:
        """g = g0 + (H q)_N, shape (c,)."""
        return self.g0 + (self.H @ q)[:: self.dim]

    def contact_velocity(self, v: FloatArray) -> FloatArray:
        """u = H v, shape (c, d), normal component first."""
        return (self.H @ v).reshape(self.contacts, self.dim)

    def energy(self, q: FloatArray, v: FloatArray) -> tuple[float, float]:
        """Kinetic 1/2 v.Mv and elastic 1/2 q.Kq energy (HAL 04230941 eq. 37)."""
        return 0.5 * float(v @ (self.M @ v)), 0.5 * float(q @ (self.K @ q))


def _square(matrix: Any, n: int, name: str, *, symmetric: bool) -> csr_matrix:
    matrix = csr_matrix(matrix, dtype=np.float64)
    if matrix.shape != (n, n):
        raise ModelError(f"{name} has shape {matrix.shape}, expected ({n}, {n})")
    if not np.all(np.isfinite(matrix.data)):
        raise ModelError(f"{name} holds numbers that are not finite")
    if symmetric:
        skew = abs(matrix - matrix.T).max() if matrix.nnz else 0.0
        if skew > 1e-12 * abs(matrix).max():
            raise ModelError(f"{name} is not symmetric: |{name} - {name}^T| reaches {skew:.3g}")
    matrix.sort_indices()
    return matrix


def _vector(value: Any, count: int, name: str, default: float) -> FloatArray:
    vector = np.full(count, default) if value is None else np.array(value, dtype=np.float64)
    if vector.shape == ():
        vector = np.full(count, float(vector))
    if vector.shape != (count,):
        raise ModelError(f"{name} has shape {vector.shape}, expected ({count},)")
    if not np.all(np.isfinite(vector)):
        raise ModelError(f"{name} holds numbers that are not finite")
    return vector
