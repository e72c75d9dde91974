"""Contact problems for the tests of solvers: rigid-body assemblies and random matrices, all solvable.

Rigid bodies: A = H N H^T and b = H v, with N = M^-1 (block diagonal) and v the bodies' free velocity. The
assemblies can all be blown up from a point deep below the ground, v_i = x_i - c: every contact then
separates with u_N > mu |u_T|. That is the Slater condition of Acary, Cadoux, Lemarechal, Malick (2011, ZAMM),
so that a solution exists, with A rank-deficient or not. The non-symmetric ones have N = M^-1 (1 + skew),
like an implicit gyroscopic term: x^T N x > 0 still, and A has the same kernel, so the argument stands.
The random matrices are positive definite, where a solution exists for every b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, coo_matrix, csr_matrix

from fem_contact.problems.local import LocalProblem

FloatArray = NDArray[np.float64]

#: Sparse storage below this share of blocks that are not zero (and from this many contacts on).
SPARSE_BELOW, SPARSE_FROM = 0.2, 40


@dataclass
class Assembly:
    """Bodies and their contacts; body -1 is the ground.

    ``x`` (n, dim) centres, ``mass`` (n,), ``inertia`` (n, 1 or 3) about the axes; contact k of body
    ``pairs[k, 0]`` upon ``pairs[k, 1]`` at ``points[k]``, with ``normals[k]`` towards the first.
    """

    x: FloatArray
    mass: FloatArray
    inertia: FloatArray
    pairs: NDArray[np.int64]
    points: FloatArray
    normals: FloatArray

    @property
    def dim(self) -> int:
        return self.x.shape[1]


def jacobian(assembly: Assembly) -> csr_matrix:
    """H (dim*c, dofs*n): relative velocity of the contacts, normal first, from the bodies' velocities."""
    dim, c = assembly.dim, len(assembly.pairs)
    dofs = 3 if dim == 2 else 6
    frames = _frames(assembly.normals)
    rows, columns, values = [], [], []
    for side, sign in ((0, 1.0), (1, -1.0)):
        moving = np.flatnonzero(assembly.pairs[:, side] >= 0)
        body = assembly.pairs[moving, side]
        arm = assembly.points[moving] - assembly.x[body]
        linear = frames[moving]
        if dim == 2:  # omega x arm = omega (-arm_y, arm_x)
            turning = np.einsum("kij,kj->ki", linear, np.column_stack([-arm[:, 1], arm[:, 0]]))[:, :, None]
        else:  # frame . (omega x arm) = omega . (arm x frame)
            turning = np.cross(arm[:, None, :], linear)
        block = sign * np.concatenate([linear, turning], axis=2)
        rows.append((dim * moving[:, None, None] + np.arange(dim)[:, None] + np.zeros(dofs, int)).ravel())
        columns.append((dofs * body[:, None, None] + np.zeros((dim, 1), int) + np.arange(dofs)).ravel())
        values.append(block.ravel())
    shape = (dim * c, dofs * len(assembly.x))
    return csr_matrix(
        coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)
    )


def pose(
    assembly: Assembly,
    mu: float | tuple[float, float],
    rng: np.random.Generator,
    *,
    shake: float = 0.0,
    h: float = 5e-3,
    gravity: float = 9.81,
    skew: float = 0.0,
    sparse: bool | None = None,
    frictionless: bool = False,
) -> LocalProblem:
    """One time step of an assembly under gravity, its bodies moving at random with speed ``shake``."""
    dim, H = assembly.dim, jacobian(assembly)
    N = []
    for mass, inertia in zip(assembly.mass, assembly.inertia, strict=True):
        inverse = 1.0 / np.concatenate([np.full(dim, mass), inertia])
        S = rng.uniform(-1.0, 1.0, (len(inverse),) * 2)
        root = np.sqrt(inverse)
        N.append(np.diag(inverse) + 0.25 * skew * (S - S.T) * root[:, None] * root)
    v = shake * rng.standard_normal((len(assembly.x), 3 if dim == 2 else 6))
    v[:, dim - 1] -= h * gravity
    A, b, d = csr_matrix(H @ block_diag(N, "csr") @ H.T), H @ v.ravel(), dim
    if frictionless:
        A, b, d = A[::dim, ::dim], b[::dim], 1
    c = len(assembly.pairs)
    low, high = mu if isinstance(mu, tuple) else (mu, mu)
    if sparse is None:
        sparse = c >= SPARSE_FROM and A.nnz < SPARSE_BELOW * (d * c) ** 2
    return LocalProblem(A if sparse else A.toarray(), b, rng.uniform(low, high, c), d)


def disks(
    rows: int, width: int, rng: np.random.Generator, *, keep: float = 1.0, mass: float = 1.0
) -> Assembly:
    """Disks in staggered rows on the ground, centres jittered; a share ``keep`` of the contacts."""
    k, j = np.divmod(np.arange(rows * width), width)
    x = np.column_stack([j + 0.5 * (k % 2), 0.5 + np.sqrt(0.75) * k]).astype(float)
    return _packing(x, 1.05, k == 0, rng, keep, mass)


def spheres(
    layers: int, side: int, rng: np.random.Generator, *, keep: float = 1.0, mass: float = 1.0
) -> Assembly:
    """Spheres in hexagonal layers on the ground, centres jittered; a share ``keep`` of the contacts."""
    k, i, j = (a.ravel() for a in np.meshgrid(*map(np.arange, (layers, side, side)), indexing="ij"))
    shift = k % 2
    x = np.column_stack(
        [
            j + 0.5 * (i % 2) + 0.5 * shift,
            np.sqrt(0.75) * i + shift * np.sqrt(1.0 / 12.0),
            0.5 + np.sqrt(2.0 / 3.0) * k,
        ]
    )
    return _packing(x, 1.05, k == 0, rng, keep, mass)


def rocks(layers: int, side: int, rng: np.random.Generator, *, keep: float = 0.8) -> Assembly:
    """Like :func:`spheres`, with contact normals up to 0.2 rad off the lines of centres and oblong bodies.

    Blown up, u_N > 4.9 |u_T|: for mu below that.
    """
    pile = spheres(layers, side, rng, keep=keep)
    for k, n in enumerate(pile.normals):
        t = np.cross(n, rng.standard_normal(3))
        pile.normals[k] = n + np.tan(0.2 * rng.uniform()) * t / np.linalg.norm(t)
    pile.normals /= np.linalg.norm(pile.normals, axis=1)[:, None]
    pile.inertia *= rng.uniform(0.4, 2.0, pile.inertia.shape)
    return pile


def capsules(rows: int, width: int, length: float = 2.0) -> Assembly:
    """Parallel capsules in staggered rows that touch at both ends, on the ground: hyperstatic."""
    plane = disks(rows, width, np.random.default_rng(0))
    n, twice = len(plane.x), np.repeat(np.arange(len(plane.pairs)), 2)
    ends = np.tile([-0.5 * length, 0.5 * length], len(plane.pairs))

    def lift(a: FloatArray, y: FloatArray) -> FloatArray:
        return np.column_stack([a[:, 0], y, a[:, 1]])

    across = plane.mass * (0.25 * 0.25 + length**2 / 12.0)
    inertia = np.column_stack([across, plane.mass * 0.125, across])
    x, points = lift(plane.x, np.zeros(n)), lift(plane.points[twice], ends)
    return Assembly(
        x, plane.mass, inertia, plane.pairs[twice], points, lift(plane.normals[twice], 0.0 * ends)
    )


def polyhedra(layers: int, side: int, rng: np.random.Generator, *, keep: float = 0.7) -> Assembly:
    """Like :func:`rocks`, with patches of contact: a vertex (1 point), an edge (2) or a face (3 or 4).

    The points of a patch share their normal and lie 0.1 to 0.2 off its middle, as collision detection of
    convex polyhedra gives them. Blown up, u_N > 4.9 |u_T| at the middle of a patch, as at that of a rock.
    """
    pile = rocks(layers, side, rng, keep=keep)
    counts = rng.integers(1, 5, len(pile.pairs))
    patch = np.repeat(np.arange(len(counts)), counts)
    corner = np.arange(len(patch)) - np.repeat(np.cumsum(counts) - counts, counts)
    frames = _frames(pile.normals)[patch]
    angle = 2.0 * np.pi * corner / counts[patch] + rng.uniform(0.0, np.pi, len(counts))[patch]
    reach = np.where(counts[patch] > 1, rng.uniform(0.1, 0.2, len(patch)), 0.0)[:, None]
    spread = np.cos(angle)[:, None] * frames[:, 1] + np.sin(angle)[:, None] * frames[:, 2]
    points = pile.points[patch] + reach * spread
    return Assembly(pile.x, pile.mass, pile.inertia, pile.pairs[patch], points, pile.normals[patch])


def boxes(levels: int, columns: int, dim: int, *, mass_ratio: float = 1.0, brick: bool = False) -> Assembly:
    """Boxes 1 x 1 (x 1) on the ground, 2 (in space 4) contacts a face: a tower, stacks, or a brick wall.

    ``brick``: rows staggered by half a box, each box upon two. ``mass_ratio``: the uppermost's mass to the
    lowest's. Blown up from deep below c, |u_T| / u_N is 0 upon a box of the same column and as small as
    wanted elsewhere, heights being stretched more than widths.
    """
    half = 0.5
    x: list[list[float]] = []
    pairs: list[tuple[int, int]] = []
    points: list[list[float]] = []
    for k in range(levels):
        shift = half * (k % 2) if brick else 0.0
        for j in range(columns):
            me = len(x)
            x.append([j + shift, *([0.0] * (dim - 2)), k + half])
            for i in range(columns) if k else (-1,):
                other = half * ((k - 1) % 2) if brick else 0.0
                low, high = j + shift - half, j + shift + half
                if i >= 0:
                    low, high = max(low, i + other - half), min(high, i + other + half)
                if high - low < 1e-9:
                    continue
                below = (k - 1) * columns + i if k else -1
                for end in (low, high):
                    for y in (-half, half) if dim == 3 else (None,):
                        pairs.append((me, below))
                        points.append([end, float(k)] if y is None else [end, y, float(k)])
    mass = np.geomspace(1.0, mass_ratio, levels).repeat(columns)
    normals = np.tile(np.eye(dim)[-1], (len(pairs), 1))
    inertia = np.repeat(mass[:, None] / 6.0, 1 if dim == 2 else 3, axis=1)
    return Assembly(np.array(x), mass, inertia, np.array(pairs), np.array(points), normals)


def random_spd(
    c: int,
    d: int,
    condition: float,
    mu: float | tuple[float, float],
    rng: np.random.Generator,
    skew: float = 0.0,
) -> LocalProblem:
    """A = Q diag(1 .. 1/condition) Q^T plus a skew part of relative size ``skew``, b and mu at random."""
    m = d * c
    Q = np.linalg.qr(rng.standard_normal((m, m)))[0]
    A = (Q * np.geomspace(1.0, 1.0 / condition, m)) @ Q.T
    S = rng.standard_normal((m, m))
    A += skew * np.linalg.norm(A) / np.linalg.norm(S - S.T) * (S - S.T)
    low, high = mu if isinstance(mu, tuple) else (mu, mu)
    return LocalProblem(A, rng.standard_normal(m), rng.uniform(low, high, c), d)


def _frames(normals: FloatArray) -> FloatArray:
    """Orthonormal rows (n, t) or (n, t, s) of every contact, (c, dim, dim)."""
    if normals.shape[1] == 2:
        return np.stack([normals, np.column_stack([-normals[:, 1], normals[:, 0]])], axis=1)
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    t = np.cross(normals, axis)
    t /= np.linalg.norm(t, axis=1)[:, None]
    return np.stack([normals, t, np.cross(normals, t)], axis=1)


def _packing(
    x: FloatArray, reach: float, lowest: NDArray[np.bool_], rng: np.random.Generator, keep: float, mass: float
) -> Assembly:
    """Round bodies of diameter 1 that touch neighbours nearer than ``reach``, and the ground if lowest."""
    from scipy.spatial import cKDTree

    n, dim = x.shape
    near = np.sort(cKDTree(x).query_pairs(reach, output_type="ndarray"), axis=1)
    near = near[np.lexsort((near[:, 1], near[:, 0]))]
    near = near[rng.uniform(size=len(near)) < keep]
    x = x + (0.05 if keep < 1.0 else 0.0) * rng.uniform(-1.0, 1.0, x.shape)
    ground = np.flatnonzero(lowest)
    feet = x[ground].copy()
    feet[:, -1] = 0.0
    pairs = np.concatenate([near, np.column_stack([ground, np.full(len(ground), -1)])])
    points = np.concatenate([0.5 * (x[near[:, 0]] + x[near[:, 1]]), feet])
    lines = x[near[:, 0]] - x[near[:, 1]]
    lines /= np.linalg.norm(lines, axis=1)[:, None]
    normals = np.concatenate([lines, np.tile(np.eye(dim)[-1], (len(ground), 1))])
    masses = np.full(n, mass) * (rng.uniform(0.5, 2.0, n) if keep < 1.0 else 1.0)
    share, turns = (0.125, 1) if dim == 2 else (0.1, 3)
    return Assembly(x, masses, np.repeat(share * masses[:, None], turns, axis=1), pairs, points, normals)


def bank(large: bool = False) -> list[tuple[str, LocalProblem]]:
    """Named problems, the same at every call; with ``large``, those of up to 7,000 contacts as well."""
    posed = list({**_small_bodies(), **_random(), **(_large_bodies() if large else {})}.items())
    made = [(name, make(np.random.default_rng(seed))) for seed, (name, make) in enumerate(posed)]
    patches = enumerate(_polyhedra().items(), start=1000)
    return made + [
        (name, make(np.random.default_rng(seed)))
        for seed, (name, make) in patches
        if large or not name.startswith("large")
    ]


def _polyhedra() -> dict[str, Callable[[np.random.Generator], LocalProblem]]:
    return {
        "polyhedra": lambda g: pose(polyhedra(2, 3, g), 0.3, g, shake=0.1, skew=3e-3),
        "polyhedra-rest": lambda g: pose(polyhedra(2, 3, g), 0.8, g),
        "large-polyhedra": lambda g: pose(polyhedra(3, 5, g, keep=0.6), 0.5, g, shake=0.1, skew=3e-3),
        "large-polyhedra-rest": lambda g: pose(polyhedra(3, 5, g, keep=0.6), 0.8, g),
    }


def _small_bodies() -> dict[str, Callable[[np.random.Generator], LocalProblem]]:
    return {
        "one-sphere": lambda g: pose(spheres(1, 1, g), 0.3, g, shake=0.5),
        "one-box-2d": lambda g: pose(boxes(1, 1, 2), 0.8, g, shake=0.5),
        "one-box-sliding": lambda g: pose(boxes(1, 1, 3), 0.3, g, shake=1.0),
        "disks-rest": lambda g: pose(disks(6, 6, g), 0.3, g),
        "disks-shaken": lambda g: pose(disks(8, 8, g, keep=0.8), 0.3, g, shake=0.3),
        "disks-rough": lambda g: pose(disks(8, 6, g, keep=0.9), 1.5, g, shake=0.1),
        "disks-smooth": lambda g: pose(disks(6, 8, g, keep=0.8), 0.0, g, shake=0.1),
        "disks-mixed-skew": lambda g: pose(disks(8, 8, g, keep=0.8), (0.0, 1.5), g, shake=0.3, skew=3e-3),
        "disks-heavy": lambda g: pose(disks(6, 6, g, keep=0.9, mass=1e3), 0.8, g, shake=0.1),
        "disks-d1": lambda g: pose(disks(6, 8, g), 0.0, g, shake=0.1, frictionless=True),
        "spheres-rest": lambda g: pose(spheres(3, 3, g), 0.3, g),
        "spheres-shaken": lambda g: pose(spheres(3, 4, g, keep=0.7), 0.3, g, shake=0.3),
        "spheres-rough-skew": lambda g: pose(spheres(3, 4, g, keep=0.7), 0.8, g, shake=0.1, skew=3e-3),
        "spheres-smooth": lambda g: pose(spheres(3, 3, g, keep=0.7), 0.0, g, shake=0.1),
        "spheres-light": lambda g: pose(spheres(2, 4, g, keep=0.8, mass=1e-3), 0.8, g, shake=0.1),
        "rocks": lambda g: pose(rocks(3, 4, g), 0.8, g, shake=0.2, skew=1e-3),
        "rocks-mixed": lambda g: pose(rocks(2, 4, g), (0.0, 1.5), g, shake=0.1, skew=3e-3),
        "capsules": lambda g: pose(capsules(4, 4), 0.3, g, skew=3e-3),
        "capsules-shaken": lambda g: pose(capsules(4, 5), 0.8, g, shake=0.2),
        "tower-2d": lambda g: pose(boxes(10, 1, 2), 0.8, g),
        "tower-2d-shaken": lambda g: pose(boxes(8, 1, 2), 0.3, g, shake=0.1, skew=3e-3),
        "tower": lambda g: pose(boxes(6, 1, 3), 0.8, g),
        "tower-shaken": lambda g: pose(boxes(10, 1, 3), 0.8, g, shake=0.02, skew=3e-3),
        "tower-top-heavy": lambda g: pose(boxes(6, 1, 3, mass_ratio=100.0), 0.8, g),
        "tower-d1": lambda g: pose(boxes(8, 1, 3), 0.0, g, frictionless=True),
        "wall-2d": lambda g: pose(boxes(5, 4, 2, brick=True), 0.8, g),
        "wall": lambda g: pose(boxes(4, 4, 3, brick=True), 0.8, g),
        "wall-shaken-skew": lambda g: pose(boxes(4, 4, 3, brick=True), 0.3, g, shake=0.1, skew=3e-3),
        "wall-smooth": lambda g: pose(boxes(3, 3, 3, brick=True), 0.0, g, shake=0.1),
        "huge-mu": lambda g: pose(boxes(5, 1, 3), 50.0, g, shake=0.1),
        "huge-mu-spheres": lambda g: pose(spheres(2, 3, g), 50.0, g, shake=0.1),
    }


def _random() -> dict[str, Callable[[np.random.Generator], LocalProblem]]:
    return {
        "random-d1": lambda g: random_spd(30, 1, 1e2, 0.0, g),
        "random-2d": lambda g: random_spd(30, 2, 1e2, (0.0, 1.5), g),
        "random-2d-ill": lambda g: random_spd(20, 2, 1e6, 0.3, g),
        "random-3d": lambda g: random_spd(30, 3, 1e2, (0.0, 1.5), g),
        "random-3d-skew": lambda g: random_spd(30, 3, 1e2, 0.8, g, skew=3e-3),
        "random-3d-ill": lambda g: random_spd(20, 3, 1e6, 0.3, g),
        "random-one": lambda g: random_spd(1, 3, 10.0, 0.8, g),
    }


def _large_bodies() -> dict[str, Callable[[np.random.Generator], LocalProblem]]:
    return {
        "large-spheres": lambda g: pose(spheres(4, 7, g, keep=0.7), 0.3, g, shake=0.2, skew=3e-3),
        "large-spheres-rest": lambda g: pose(spheres(5, 5, g), 0.8, g),
        "large-rocks": lambda g: pose(rocks(4, 7, g, keep=0.7), 0.8, g, shake=0.1, skew=3e-3),
        "large-capsules": lambda g: pose(capsules(10, 10), 0.3, g, skew=1e-3),
        "large-tower": lambda g: pose(boxes(50, 1, 3), 0.8, g),
        "large-tower-shaken": lambda g: pose(boxes(50, 1, 3), 0.8, g, shake=0.02, skew=3e-3),
        "large-tower-150": lambda g: pose(boxes(150, 1, 3), 0.8, g),
        "large-stacks": lambda g: pose(boxes(15, 10, 3), 0.8, g, shake=0.01, skew=3e-3),
        "large-wall": lambda g: pose(boxes(8, 10, 3, brick=True), 0.8, g, skew=3e-3),
        "large-wall-shaken": lambda g: pose(boxes(8, 10, 3, brick=True), 0.3, g, shake=0.1),
        "large-disks-700": lambda g: pose(disks(15, 20, g, keep=0.8), 0.3, g, shake=0.2),
        "large-disks-2400": lambda g: pose(disks(25, 40, g, keep=0.8), 0.3, g, shake=0.2, skew=1e-3),
        "large-disks-rest-2900": lambda g: pose(disks(25, 40, g), 0.3, g),
        "large-disks-7000": lambda g: pose(disks(40, 72, g, keep=0.82), 0.5, g, shake=0.3),
        "large-disks-rest-7000": lambda g: pose(disks(40, 60, g, keep=0.99), 0.8, g),
    }
