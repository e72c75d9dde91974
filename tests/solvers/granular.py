"""Granular flows of rigid disks in the plane: what a contact dynamics code poses in its time steps.

A small nonsmooth contact dynamics loop of Moreau and Jean: implicit in the contact impulses, free velocities
under gravity, contacts where the gap predicted half a step ahead is closed, w = u + e u_before in the normal
component. Scenes: grains settle on a floor between walls, a column falls over, a silo empties through a
hole in its floor, a drum turns, a floor shakes. The bodies' state is advanced by rough solves (so many
Gauss-Seidel sweeps, the habit of such codes), the problem of the last step is returned unsolved.

All these problems have a solution. With e = 0 and walls at rest, b = H v; with a turning drum or a floor that
shakes, the velocities of the boundary are those of a rigid motion of all, so that b = H v once more. The
scenes with e > 0 have no two walls that face each other, so that all grains can be blown up from a point
outside (see :mod:`.bank`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags
from scipy.spatial import cKDTree

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import NSGS
from fem_contact.solvers.base import Watch

from .bank import Assembly, jacobian

FloatArray = NDArray[np.float64]

GRAVITY = 9.81


@dataclass(frozen=True)
class Scene:
    """Walls (segments with the grains on their left), perhaps a drum about the origin, and their motion."""

    segments: FloatArray
    drum: float = 0.0
    turning: float = 0.0
    shaking: float = 0.0

    def boundary(self, x: FloatArray, radius: FloatArray, reach: FloatArray):
        """Grain, point, normal and velocity of every grain-wall contact nearer than ``reach``."""
        grains, points, normals, velocities = [], [], [], []
        for a, b in self.segments.reshape(-1, 2, 2):
            t = (b - a) / np.linalg.norm(b - a)
            along = np.clip((x - a) @ t, 0.0, np.linalg.norm(b - a))
            foot = a + along[:, None] * t
            away = x - foot
            distance = np.linalg.norm(away, axis=1)
            near = np.flatnonzero((distance - radius < reach) & (away @ np.array([-t[1], t[0]]) > 0.0))
            grains.append(near)
            points.append(foot[near])
            normals.append(away[near] / distance[near, None])
            velocities.append(np.tile([self.shaking, 0.0], (len(near), 1)))
        if self.drum:
            distance = np.linalg.norm(x, axis=1)
            near = np.flatnonzero(self.drum - distance - radius < reach)
            n = -x[near] / distance[near, None]
            foot = -self.drum * n
            grains.append(near)
            points.append(foot)
            normals.append(n)
            velocities.append(self.turning * np.column_stack([-foot[:, 1], foot[:, 0]]))
        return tuple(np.concatenate(list_) for list_ in (grains, points, normals, velocities))


@dataclass(frozen=True)
class Flow:
    """Grains in a scene: centres, radii and velocities (x, y, spin)."""

    scene: Scene
    x: FloatArray
    radius: FloatArray
    v: FloatArray
    density: float
    h: float

    def contacts(self, reach: float = 0.0) -> tuple[Assembly, FloatArray, FloatArray]:
        """The contacts half a step ahead with gaps up to ``reach``, velocities of their other side, gaps."""
        ahead = self.x + 0.5 * self.h * self.v[:, :2]
        near = cKDTree(ahead).query_pairs(2.0 * self.radius.max() + reach, output_type="ndarray")
        near = np.sort(near, axis=1)
        near = near[np.lexsort((near[:, 1], near[:, 0]))]
        i, j = near.T
        lines = ahead[i] - ahead[j]
        distance = np.linalg.norm(lines, axis=1)
        touching = distance - self.radius[i] - self.radius[j] <= reach
        i, j, lines, distance = i[touching], j[touching], lines[touching], distance[touching]
        n = lines / distance[:, None]
        wall, feet, walls, moved = self.scene.boundary(ahead, self.radius, reach)
        mass = self.density * np.pi * self.radius**2
        pairs = np.concatenate([np.column_stack([i, j]), np.column_stack([wall, np.full(len(wall), -1)])])
        points = np.concatenate([ahead[j] + self.radius[j, None] * n, feet])
        normals = np.concatenate([n, walls])
        inertia = (0.5 * mass * self.radius**2)[:, None]
        velocities = np.concatenate([np.zeros((len(i), 2)), moved])
        gaps = np.concatenate(
            [
                distance - self.radius[i] - self.radius[j],
                ((ahead[wall] - feet) * walls).sum(axis=1) - self.radius[wall],
            ]
        )
        return Assembly(ahead, mass, inertia, pairs, points, normals), velocities, gaps

    def pose(self, mu: FloatArray | float, e: float, reach: float = 0.0):
        """The local problem of the step, H and the inverse masses (as a diagonal matrix).

        With a ``reach`` the gaps count: w_N >= 0 says that they are closed at most by the end of the step.
        """
        assembly, moved, gaps = self.contacts(reach)
        H = jacobian(assembly)
        N = diags(1.0 / np.column_stack([assembly.mass, assembly.mass, assembly.inertia]).ravel())
        free = self.v.copy()
        free[:, 1] -= self.h * GRAVITY
        n = assembly.normals
        across = np.column_stack([-n[:, 1], n[:, 0]])
        wall = np.column_stack([(moved * n).sum(axis=1), (moved * across).sum(axis=1)]).ravel()
        before = H @ self.v.ravel() - wall
        b = H @ free.ravel() - wall
        b[::2] += e * np.minimum(before[::2], 0.0)
        if reach:
            b[::2] += gaps / self.h
        c = len(assembly.pairs)
        return LocalProblem(H @ N @ H.T, b, np.broadcast_to(mu, c).copy(), 2), H, N

    def step(self, mu: float, e: float, sweeps: int, reach: float = 0.0) -> Flow:
        """One step, with so many sweeps at most."""
        problem, H, N = self.pose(mu, e, reach)
        watch = Watch(problem, 1e-6)
        solver = NSGS(max_iter=sweeps, finish=False)
        solver.attempt(problem, np.zeros(len(problem.b)), watch)
        return self.moved(N @ (H.T @ watch.best))

    def moved(self, kicks: FloatArray) -> Flow:
        """A step further, with these changes of velocity by the contacts."""
        v = self.v + kicks.reshape(-1, 3)
        v[:, 1] -= self.h * GRAVITY
        return replace(self, x=self.x + self.h * v[:, :2], v=v)


def settled(columns: int, rows: int, rng: np.random.Generator, *, spread: float, size: float, drum: bool):
    """Grains in loose staggered rows, radii 0.5 size (1 +- spread), and how wide they lie."""
    n = rows * columns
    radius = 0.5 * size * (1.0 + spread * rng.uniform(-1.0, 1.0, n))
    k, j = np.divmod(np.arange(n), columns)
    pitch = 1.02 * size * (1.0 + spread)
    x = np.column_stack([pitch * (j + 0.5 + 0.5 * (k % 2)), pitch * (0.5 + 0.88 * k)])
    x += 0.01 * size * rng.uniform(-1.0, 1.0, x.shape)
    width = pitch * (columns + 0.5)
    if drum:
        x -= [0.5 * width, 0.5 * pitch * 0.88 * rows]
    return x, radius, width


def start(
    kind: str,
    columns: int,
    rows: int,
    rng: np.random.Generator,
    *,
    mu: float,
    settle: int = 60,
    sweeps: int = 40,
    spread: float = 0.3,
    size: float = 1.0,
    density: float = 1.0,
    h: float = 5e-3,
) -> Flow:
    """Grains in the scene ``kind`` at its start, at rest after ``settle`` steps between walls.

    ``kind``: "rest", "column", "silo", "drum" or "shaken". ``columns`` x ``rows`` grains of mean diameter
    ``size``; ``mu`` while they settle.
    """
    x, radius, width = settled(columns, rows, rng, spread=spread, size=size, drum=kind == "drum")
    tall = 4.0 * rows * size
    floor, right = [[0.0, 0.0], [width, 0.0]], [[width, 0.0], [width, tall]]
    left = [[0.0, tall], [0.0, 0.0]]
    if kind == "drum":
        reach = float((np.linalg.norm(x, axis=1) + radius).max()) + 0.02 * size
        box = Scene(np.zeros((0, 2, 2)), reach)
    else:
        box = Scene(np.array([floor, right, left]))
    rest = np.zeros((len(x), 3))
    # Without inertia, a quarter of a diameter of fall a step: grains in free fall would take far longer.
    state = Flow(box, x, radius, rest, density, np.sqrt(0.25 * size / GRAVITY))
    for _ in range(settle):
        state = replace(state.step(mu, 0.0, sweeps, reach=0.2 * size), v=rest)
    state = replace(state, h=h)
    wide = 100.0 * width
    hole = 0.5 * width + np.array([-3.0, 3.0]) * size
    scenes = {
        "rest": box,
        "column": Scene(np.array([[[0.0, 0.0], [wide, 0.0]], left])),
        "silo": Scene(np.array([[[0.0, 0.0], [hole[0], 0.0]], [[hole[1], 0.0], [width, 0.0]], right, left])),
        "drum": replace(box, turning=0.5 * np.sqrt(GRAVITY / box.drum) if box.drum else 0.0),
        "shaken": Scene(np.array([[[-wide, 0.0], [wide, 0.0]]]), shaking=0.3 * np.sqrt(GRAVITY * size)),
    }
    return replace(state, scene=scenes[kind])


def flow(
    kind: str,
    columns: int,
    rows: int,
    rng: np.random.Generator,
    *,
    mu: float | tuple[float, float],
    e: float = 0.0,
    steps: int = 20,
    sweeps: int = 40,
    **grains: float,
) -> LocalProblem:
    """The problem after ``steps`` steps of the scene ``kind`` from its :func:`start`.

    Friction ``mu`` (a pair: each contact of the problem its own); restitution ``e`` in the scene.
    """
    low, high = mu if isinstance(mu, tuple) else (mu, mu)
    mean = 0.5 * (low + high)
    state = start(kind, columns, rows, rng, mu=mean, sweeps=sweeps, **grains)
    for _ in range(steps):
        state = state.step(mean, e, sweeps)
    c = len(state.contacts()[0].pairs)
    return state.pose(rng.uniform(low, high, c) if high > low else mean, e)[0]
