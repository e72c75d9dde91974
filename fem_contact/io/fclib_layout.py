"""The pieces of an FCLIB file: matrices in three sparse layouts, vectors, texts, solutions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from fem_contact.errors import ProblemError

FloatArray = NDArray[np.float64]

#: Layouts by name and their mark ``nz``; triplets are marked by their number.
LAYOUTS = {"columns": -1, "rows": -2, "triplets": 0}
#: What FCLIB keeps as texts in ``info``; all else is an attribute.
TEXTS = ("title", "description", "math_info")


@dataclass(frozen=True)
class Solution:
    """A solution or a guess, under FCLIB's names.

    Attributes
    ----------
    r, u : (d*c,) float
        Impulses and relative velocities of the contacts.
    v : (n,) float or None
        Velocities of the bodies (global problems).
    l : (p,) float or None
        Multipliers of the equality constraints, where there are any.
    """

    r: FloatArray
    u: FloatArray
    v: FloatArray | None = None
    l: FloatArray | None = None


@contextmanager
def new_file(path: Path, copy_of: Path | None = None) -> Iterator[h5py.File]:
    """A file that takes its name once it is whole; ProblemError when it cannot be written."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        if copy_of is not None:
            shutil.copyfile(copy_of, temporary)
        with h5py.File(temporary, "w" if copy_of is None else "r+") as file:
            yield file
        os.replace(temporary, path)
    except OSError as error:
        raise ProblemError(f"{path}: the file cannot be written ({error})") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def read_integer(group: h5py.Group, name: str) -> int:
    """A number that FCLIB keeps as an array of one."""
    return int(np.ravel(group[name][()])[0])


def read_matrix(group: h5py.Group) -> Any:
    """A matrix in any of FCLIB's layouts.

    Triplets are read like CSparse's (``i`` rows, ``p`` columns), which is what Siconos writes; the other
    way about, as a comment in fclib.h has it, where only that fits the shape.
    """
    m, n, nz = (read_integer(group, name) for name in ("m", "n", "nz"))
    p, i, x = group["p"][...], group["i"][...], group["x"][...]
    if nz >= 0:
        rows, columns, x = i[:nz], p[:nz], x[:nz]
        if not _inside(rows, columns, m, n) and _inside(columns, rows, m, n):
            rows, columns = columns, rows
        return coo_matrix((x, (rows, columns)), (m, n))
    if nz not in (-1, -2):
        raise ValueError(f"nz = {nz} names no sparse layout")
    matrix = csc_matrix((x, i, p), (m, n)) if nz == -1 else csr_matrix((x, i, p), (m, n))
    matrix.check_format(full_check=True)  # indices of a damaged file may point anywhere
    return matrix


def _inside(rows: NDArray[Any], columns: NDArray[Any], m: int, n: int) -> bool:
    return bool(rows.max(initial=-1) < m and columns.max(initial=-1) < n)


def write_matrix(parent: h5py.Group, name: str, matrix: Any, layout: str) -> None:
    """Write a matrix, without its zeros."""
    if layout not in LAYOUTS:
        raise ProblemError(f"sparse layout '{layout}': one of {', '.join(LAYOUTS)}")
    matrix = csc_matrix(matrix, copy=True) if layout == "columns" else csr_matrix(matrix, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    p, i, nz = matrix.indptr, matrix.indices, LAYOUTS[layout]
    if layout == "triplets":
        triplets = matrix.tocoo()
        p, i, nz = triplets.col, triplets.row, matrix.nnz
    group = parent.create_group(name)
    for key, value in (("m", matrix.shape[0]), ("n", matrix.shape[1]), ("nzmax", matrix.nnz), ("nz", nz)):
        group[key] = np.array([value], np.int32)
    group["p"], group["i"], group["x"] = p.astype(np.int32), i.astype(np.int32), matrix.data


def read_info(group: h5py.Group) -> dict[str, Any]:
    """The texts and the attributes of ``info``."""
    found: dict[str, Any] = {}
    for name, value in group.items():
        if isinstance(value, h5py.Dataset):
            content = value[()]
            found[name] = content.decode(errors="replace") if isinstance(content, bytes) else content
    return {**found, **group.attrs}


def write_info(parent: h5py.Group, info: dict[str, Any]) -> None:
    """Write ``info``: FCLIB's texts ended by a zero byte, as C wants them, anything else as attributes."""
    group = parent.create_group("info")
    for name, value in info.items():
        if name in TEXTS and value is not None:
            text = str(value).encode()
            group[name] = np.array(text, dtype=f"S{len(text) + 1}")
        elif value is not None:
            group.attrs[name] = value


def read_solution_group(group: h5py.Group) -> Solution:
    """One solution or guess; r must be there, u is empty where it is not."""
    found = {field.name: group[field.name][...] for field in fields(Solution) if field.name in group}
    return Solution(found["r"], found.get("u", np.zeros(0)), found.get("v"), found.get("l"))


def write_solution_group(group: h5py.Group, solution: Solution) -> None:
    """One solution or guess. FCLIB itself refuses one without u, and without v in a global problem."""
    for field in fields(Solution):
        value = getattr(solution, field.name)
        if value is not None:
            group[field.name] = np.asarray(value, dtype=np.float64)
