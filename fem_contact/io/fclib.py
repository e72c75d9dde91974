"""Local contact problems in the layout of FCLIB (HDF5), so that they can be solved again elsewhere.

FCLIB's ``fclib_local``: W sparse (here by columns, nz = -1), vectors q and mu, and ``spacedim``. Its
sign and order are ours: u = W r + q, normal component first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from fem_contact.errors import ProblemError
from fem_contact.problems.local import LocalProblem


def write_problem(
    problem: LocalProblem, path: str | Path, *, guess: NDArray[np.float64] | None = None, **info: Any
) -> Path:
    """Write a local problem; ``info`` becomes attributes of the group ``fclib_local/info``.

    Raises
    ------
    ProblemError
        When the file cannot be written.
    """
    path = Path(path)
    W = csc_matrix(problem.A)
    with _new_file(path) as file:
        local = file.create_group("fclib_local")
        local["spacedim"] = np.array([problem.d], np.int32)
        matrix = local.create_group("W")
        for name, value in (("m", W.shape[0]), ("n", W.shape[1]), ("nzmax", W.nnz), ("nz", -1)):
            matrix[name] = np.array([value], np.int32)
        matrix["p"], matrix["i"] = W.indptr.astype(np.int32), W.indices.astype(np.int32)
        matrix["x"] = W.data
        vectors = local.create_group("vectors")
        vectors["q"], vectors["mu"] = problem.b, problem.mu
        if guess is not None:
            file["guesses/number_of_guesses"] = np.array([1], np.int32)
            file["guesses/1/r"] = guess
        note = local.create_group("info")
        for name, value in info.items():
            if value is not None:
                note.attrs[name] = value
    return path


def read_problem(path: str | Path) -> LocalProblem:
    """Read a local problem; the three sparse layouts of FCLIB (triplet, by columns, by rows).

    Raises
    ------
    ProblemError
        When the file is missing, is not FCLIB's, or does not hold a well-formed local problem.
    """
    path = Path(path)
    if not path.exists():
        raise ProblemError(f"{path}: there is no such problem file")
    try:
        with h5py.File(path, "r") as file:
            local = file["fclib_local"]
            if "V" in local or "R" in local:
                raise ProblemError("it holds equality constraints (V, R), which this version does not solve")
            d = int(local["spacedim"][0])
            W = _matrix(local["W"])
            return LocalProblem(W.toarray(), local["vectors/q"][...], local["vectors/mu"][...], d)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ProblemError(f"{path}: this is not a local problem in FCLIB's layout ({error})") from None
    except ProblemError as error:
        raise ProblemError(f"{path}: {error}") from None


def write_solution(path: str | Path, r: NDArray[np.float64], u: NDArray[np.float64]) -> Path:
    """Write FCLIB's /solution: datasets ``r`` and ``u``. ProblemError when it cannot be written."""
    path = Path(path)
    with _new_file(path) as file:
        file["solution/r"], file["solution/u"] = r, u
    return path


@contextmanager
def _new_file(path: Path) -> Iterator[h5py.File]:
    """A file that takes its name once it is whole; ProblemError when it cannot be written."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with h5py.File(temporary, "w") as file:
            yield file
        os.replace(temporary, path)
    except OSError as error:
        raise ProblemError(f"{path}: the file cannot be written ({error})") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _matrix(group: h5py.Group) -> Any:
    m, n, nz = (int(group[name][0]) for name in ("m", "n", "nz"))
    p, i, x = group["p"][...], group["i"][...], group["x"][...]
    if nz >= 0:
        return coo_matrix((x[:nz], (i[:nz], p[:nz])), (m, n))
    if nz not in (-1, -2):
        raise ValueError(f"nz = {nz} names no sparse layout")
    matrix = csc_matrix((x, i, p), (m, n)) if nz == -1 else csr_matrix((x, i, p), (m, n))
    matrix.check_format(full_check=True)  # indices of a damaged file may point anywhere
    return matrix
