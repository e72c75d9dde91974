"""Meshes built by hand for the tests of the finite elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fem_contact.mesh.mesh import Group, Mesh


def _rectangle(nx: int, ny: int, lx: float = 1.0, ly: float = 1.0, skew: float = 0.0, seed: int = 0) -> Mesh:
    """nx by ny cells cut along random diagonals; interior points moved by up to skew cell sizes."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(nx + 1) / nx, np.arange(ny + 1) / ny)
    inside = (x > 0) & (x < 1) & (y > 0) & (y < 1)
    x = x + inside * rng.uniform(-skew, skew, x.shape) / nx
    y = y + inside * rng.uniform(-skew, skew, y.shape) / ny
    node = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    a, b, c, d = node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1]
    flip = rng.random(a.shape) < 0.5
    first = np.where(flip[..., None], np.stack([a, b, d], -1), np.stack([a, b, c], -1))
    second = np.where(flip[..., None], np.stack([b, c, d], -1), np.stack([a, c, d], -1))
    cells = np.concatenate([first.reshape(-1, 3), second.reshape(-1, 3)])
    sides = {"bottom": node[0], "right": node[:, -1], "top": node[-1, ::-1], "left": node[::-1, 0]}
    groups = {name: Group(line, np.column_stack([line[:-1], line[1:]])) for name, line in sides.items()}
    groups["body"] = Group(node.ravel(), elements=np.arange(len(cells)))
    points = np.column_stack([lx * x.ravel(), ly * y.ravel()])
    return Mesh(points, cells, "tri3", groups)


def _line(n: int, length: float = 1.0) -> Mesh:
    """n equal bars along x, some of them with their nodes swapped."""
    s = np.arange(n + 1) / n
    points = np.column_stack([length * s, np.zeros(n + 1)])
    cells = np.column_stack([np.arange(n), np.arange(1, n + 1)])
    cells[1::3] = cells[1::3, ::-1]
    groups = {"left": Group([0]), "right": Group([n]), "body": Group(np.arange(n + 1), elements=np.arange(n))}
    return Mesh(points, cells, "bar2", groups)


@pytest.fixture(scope="session")
def rectangle() -> Callable[..., Mesh]:
    return _rectangle


@pytest.fixture(scope="session")
def line() -> Callable[..., Mesh]:
    return _line
