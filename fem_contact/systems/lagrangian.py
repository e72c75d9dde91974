"""The nonlinear mechanical system M(q), F(t, q, v), g(q), H(q), which a scheme linearises as it iterates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import ModelError
from fem_contact.mesh.mesh import Mesh

FloatArray = NDArray[np.float64]
Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class LagrangianSystem:
    """M(q) dv = F(t, q, v) dt + H(q)^T di + G(q)^T dj, u = H(q) v, g(q) >= 0, phi(q) = 0, G = dphi/dq.

    RR-8029 eq. 1 and 16 (its G is our H^T), with joints as equalities. F is every force but those of
    contacts and joints: loads, springs, damping and what the motion of the frame or of M(q) asks for.

    The functions write every entry of their last arguments, ``p`` being ``parameters``; compiled by Numba
    or plain Python.

    Attributes
    ----------
    n, contacts, dim, joints : int
        Coordinates; contacts c of d = ``dim`` components (1: normal only, 2: the plane); equalities m.
    mass : (q, p, M), M (n, n)
    force : (t, q, v, p, F), F (n,)
    gap : (q, p, g), g (c,), positive when open
    jacobian : (q, p, H), H (d*c, n), normal row of each contact first: the gradient of its gap
    joint : (q, p, phi), phi (m,);  joint_jacobian : (q, p, G), G (m, n)
    tangents : (t, q, v, p, K, C), K = -dF/dq, C = -dF/dv, both (n, n)
        By differences when left out. An approximation slows the iterations down, the solution stays the same.
    potential : (q, p) -> V
        Energy of the forces that have one (springs, weight); zero when left out.
    loads, damping : (t, q, v, p, F)
        Parts of ``force`` that are loads from outside without a potential, and damping; zero when left out.
    parameters : (k,) float
    mu, e : (c,) float
        Friction and restitution.
    names, contact_names : tuple of str
        Of the coordinates and contacts, for whoever prints or draws them.
    angles : tuple of str
        Names of the coordinates that are angles (rad); the others are lengths.
    start : (q0, v0)
        Where the system starts when nobody says otherwise.
    length, wave_speed : float
        Scales of length and velocity that open activation tolerances are set from.

    Raises
    ------
    ModelError
        When counts and arrays disagree, a number is out of range, or M is not positive definite at the start.
    """

    n: int
    mass: Function
    force: Function
    contacts: int = 0
    dim: int = 2
    joints: int = 0
    gap: Function | None = None
    jacobian: Function | None = None
    joint: Function | None = None
    joint_jacobian: Function | None = None
    tangents: Function | None = None
    potential: Function | None = None
    loads: Function | None = None
    damping: Function | None = None
    parameters: FloatArray = field(default_factory=lambda: np.zeros(0))
    mu: Any = None
    e: Any = None
    names: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    angles: tuple[str, ...] = ()
    start: tuple[FloatArray, FloatArray] = None  # type: ignore[assignment]
    length: float = 1.0
    wave_speed: float = 1.0

    #: For whoever records any kind of system: there is no mesh, and no material on it.
    mesh: Mesh | None = field(default=None, init=False)
    material: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.n < 1 or self.contacts < 0 or self.joints < 0:
            raise ModelError(
                "a system has at least one coordinate, and no negative count of contacts or joints"
            )
        if self.dim not in (1, 2):
            raise ModelError(f"dim = {self.dim}: a contact in the plane has 1 or 2 components")
        for count, functions in (
            (self.contacts, ("gap", "jacobian")),
            (self.joints, ("joint", "joint_jacobian")),
        ):
            missing = [name for name in functions if count and getattr(self, name) is None]
            if missing:
                raise ModelError(f"the function '{missing[0]}' is missing")
        put(self, "parameters", np.array(self.parameters, np.float64).ravel())
        put(self, "mu", _per_contact(self.mu, self.contacts, "mu"))
        put(self, "e", _per_contact(self.e, self.contacts, "e"))
        if self.mu.min(initial=0.0) < 0.0:
            raise ModelError(f"mu must be >= 0, got {self.mu.min()}")
        if self.e.min(initial=0.0) < 0.0 or self.e.max(initial=0.0) > 1.0:
            raise ModelError("e must be in [0, 1]")
        put(self, "names", self.names or tuple(f"q{i + 1}" for i in range(self.n)))
        put(self, "contact_names", self.contact_names or tuple(str(i + 1) for i in range(self.contacts)))
        if len(self.names) != self.n or len(self.contact_names) != self.contacts:
            raise ModelError("there must be one name for each coordinate and each contact")
        unknown = [name for name in self.angles if name not in self.names]
        if unknown:
            raise ModelError(f"angles: there is no coordinate '{unknown[0]}'")
        q, v = (np.zeros(self.n), np.zeros(self.n)) if self.start is None else self.start
        put(self, "start", (_state(q, self.n, "q"), _state(v, self.n, "v")))
        M = self.mass_matrix(self.start[0])
        if not np.all(np.isfinite(M)) or np.linalg.eigvalsh(M)[0] <= 0.0:
            raise ModelError("the mass matrix is not positive definite at the start")

    @property
    def dofs_per_node(self) -> int:
        """All coordinates: the system counts as one node."""
        return self.n

    @property
    def contact_nodes(self) -> NDArray[np.int64]:
        """Numbers of the contacts, in place of nodes."""
        return np.arange(self.contacts)

    @property
    def normals(self) -> FloatArray:
        """There is no single normal direction in the plane of the drawing: NaN."""
        return np.full((self.contacts, 2), np.nan)

    @property
    def g0(self) -> FloatArray:
        """Gap where the system starts, (c,)."""
        return self.gaps(self.start[0])

    def mass_matrix(self, q: FloatArray) -> FloatArray:
        """M(q), (n, n)."""
        M = np.zeros((self.n, self.n))
        self.mass(q, self.parameters, M)
        return M

    def forces(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """F(t, q, v), (n,)."""
        F = np.zeros(self.n)
        self.force(t, q, v, self.parameters, F)
        return F

    def gaps(self, q: FloatArray) -> FloatArray:
        """g(q), (c,)."""
        g = np.zeros(self.contacts)
        if self.gap is not None:
            self.gap(q, self.parameters, g)
        return g

    def contact_jacobian(self, q: FloatArray) -> FloatArray:
        """H(q), (d*c, n)."""
        H = np.zeros((self.dim * self.contacts, self.n))
        if self.jacobian is not None:
            self.jacobian(q, self.parameters, H)
        return H

    def joint_errors(self, q: FloatArray) -> FloatArray:
        """phi(q), (m,)."""
        phi = np.zeros(self.joints)
        if self.joint is not None:
            self.joint(q, self.parameters, phi)
        return phi

    def joint_matrix(self, q: FloatArray) -> FloatArray:
        """G(q) = dphi/dq, (m, n)."""
        G = np.zeros((self.joints, self.n))
        if self.joint_jacobian is not None:
            self.joint_jacobian(q, self.parameters, G)
        return G

    def energy(self, q: FloatArray, v: FloatArray) -> tuple[float, float]:
        """Kinetic energy 1/2 v.M(q)v and potential V(q)."""
        potential = 0.0 if self.potential is None else float(self.potential(q, self.parameters))
        return 0.5 * float(v @ self.mass_matrix(q) @ v), potential


def _per_contact(value: Any, count: int, name: str) -> FloatArray:
    array = np.zeros(count) if value is None else np.array(value, np.float64)
    if array.shape == ():
        array = np.full(count, float(array))
    if array.shape != (count,) or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} must be {count} finite numbers, one for each contact")
    return array


def _state(value: Any, n: int, name: str) -> FloatArray:
    array = np.array(value, np.float64)
    if array.shape != (n,) or not np.all(np.isfinite(array)):
        raise ModelError(f"initial {name} must be {n} finite numbers")
    return array
