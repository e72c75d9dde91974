"""Contact problems in the layout of FCLIB (HDF5), so that they can be solved again elsewhere.

FCLIB's ``fclib_local`` is u = W r + V l + q with V^T r + R l + s = 0, its ``fclib_global`` is
M v = H r + G l + f, G^T v + b = 0, u = H^T v + w: H and G are the transposes of ours. Sign and order are
ours: the normal component comes first. One file holds a problem, and its solution and guesses if known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from fem_contact.errors import ProblemError
from fem_contact.io import fclib_layout as layouts
from fem_contact.io.fclib_layout import Solution
from fem_contact.problems.global_problem import (
    GlobalProblem,
    compact,
    condense,
    multipliers,
    velocities,
)
from fem_contact.problems.local import LocalProblem

FloatArray = NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True)
class SavedProblem:
    """A problem as read: the local one to solve, and what it was condensed from.

    Attributes
    ----------
    local : LocalProblem
    whole : GlobalProblem or None
        Of a file with a global problem.
    info : dict
        Texts (title, description, math_info) and attributes.
    """

    local: LocalProblem
    whole: GlobalProblem | None
    info: dict[str, Any]
    _multipliers: Callable[[FloatArray], FloatArray] | None = None

    def solution(self, r: FloatArray) -> Solution:
        """All that FCLIB wants to know of a solution, from its r."""
        l = None if self._multipliers is None else self._multipliers(r)
        return _solution(self.local if self.whole is None else self.whole, r, l)


def read_problem(path: str | Path) -> LocalProblem:
    """Read the local problem of a file; equality constraints are eliminated, a global problem condensed.

    A is sparse when less than a fifth of a large matrix is not zero, dense otherwise.

    Raises
    ------
    ProblemError
        When the file is missing, is not FCLIB's, or does not hold a well-formed problem.
    """
    return read_saved(path).local


def read_global(path: str | Path) -> GlobalProblem:
    """Read a global problem as it is. ProblemError as of :func:`read_problem`."""
    return _read(path, "global problem", lambda file: _read_global(file["fclib_global"]))


def read_saved(path: str | Path) -> SavedProblem:
    """Read a local or a global problem with its description. ProblemError as of :func:`read_problem`."""

    def read(file: h5py.File) -> SavedProblem:
        name = "fclib_local" if "fclib_local" in file else "fclib_global"
        if name not in file:
            raise KeyError("it has neither fclib_local nor fclib_global")
        info = layouts.read_info(file[name]["info"]) if "info" in file[name] else {}
        if name == "fclib_local":
            local, of_r = _read_local(file[name])
            return SavedProblem(local, None, info, of_r)
        whole = _read_global(file[name])
        return SavedProblem(condense(whole), whole, info)

    return _read(path, "contact problem", read)


def read_solution(path: str | Path) -> Solution:
    """Read /solution. ProblemError when the file is missing or has none."""
    return _read(path, "solution", lambda file: layouts.read_solution_group(file["solution"]))


def read_guesses(path: str | Path) -> list[Solution]:
    """Read /guesses; empty when the file has none. ProblemError when it is missing or damaged."""

    def read(file: h5py.File) -> list[Solution]:
        if "guesses" not in file:
            return []
        count = layouts.read_integer(file["guesses"], "number_of_guesses")
        return [layouts.read_solution_group(file[f"guesses/{k + 1}"]) for k in range(count)]

    return _read(path, "file of guesses", read)


def write_problem(
    problem: LocalProblem | GlobalProblem,
    path: str | Path,
    *,
    guess: FloatArray | None = None,
    guesses: Sequence[FloatArray] = (),
    solution: FloatArray | None = None,
    layout: str = "columns",
    **info: Any,
) -> Path:
    """Write a problem; the group of the file is ``fclib_local`` or ``fclib_global``.

    Parameters
    ----------
    guess, guesses, solution : (d*c,) float, each
        r of one guess, of several, and of a solution; u and what else FCLIB wants is computed.
    layout : "columns", "rows" or "triplets"
        Of the matrices.
    **info
        ``title``, ``description`` and ``math_info`` become FCLIB's texts, others attributes of ``info``.

    Raises
    ------
    ProblemError
        When the file cannot be written, or the layout has no such name.
    """
    path = Path(path)
    started = ([guess] if guess is not None else []) + list(guesses)
    with layouts.new_file(path) as file:
        if isinstance(problem, LocalProblem):
            group = file.create_group("fclib_local")
            layouts.write_matrix(group, "W", problem.A, layout)
            vectors = {"q": problem.b, "mu": problem.mu}
        else:
            group = file.create_group("fclib_global")
            layouts.write_matrix(group, "M", problem.M, layout)
            layouts.write_matrix(group, "H", problem.H.T, layout)
            vectors = {"f": problem.f, "w": problem.b, "mu": problem.mu}
            if problem.g is not None:
                layouts.write_matrix(group, "G", problem.G.T, layout)
                vectors["b"] = problem.g
        group["spacedim"] = np.array([problem.d], np.int32)
        for name, vector in vectors.items():
            group[f"vectors/{name}"] = vector
        layouts.write_info(group, info)
        if started:
            file["guesses/number_of_guesses"] = np.array([len(started)], np.int32)
        for k, r in enumerate(started):
            layouts.write_solution_group(file.create_group(f"guesses/{k + 1}"), _solution(problem, r))
        if solution is not None:
            layouts.write_solution_group(file.create_group("solution"), _solution(problem, solution))
    return path


def write_solution(
    path: str | Path, r: FloatArray, u: FloatArray, v: FloatArray | None = None, l: FloatArray | None = None
) -> Path:
    """Write FCLIB's /solution alone: ``r``, ``u`` and, where given, ``v`` and ``l``.

    The C library reads a solution only beside its problem: see :func:`add_solution`. ProblemError when the
    file cannot be written.
    """
    path = Path(path)
    with layouts.new_file(path) as file:
        layouts.write_solution_group(file.create_group("solution"), Solution(r, u, v, l))
    return path


def add_solution(source: str | Path, solution: Solution, path: str | Path) -> Path:
    """Write a copy of the problem file ``source`` with this solution in place of any that it had.

    ``path`` may be ``source`` itself. ProblemError when the file cannot be written.
    """
    path = Path(path)
    with layouts.new_file(path, copy_of=Path(source)) as file:
        if "solution" in file:
            del file["solution"]
        layouts.write_solution_group(file.create_group("solution"), solution)
    return path


def _solution(problem: LocalProblem | GlobalProblem, r: FloatArray, l: FloatArray | None = None) -> Solution:
    r = np.asarray(r, dtype=np.float64).ravel()
    if r.shape != problem.b.shape:
        raise ProblemError(f"r has shape {r.shape}, expected {problem.b.shape}")
    if isinstance(problem, LocalProblem):
        return Solution(r, problem.velocity(r), l=l)
    v = velocities(problem, r)
    return Solution(r, problem.H @ v + problem.b, v, None if problem.g is None else multipliers(problem, r))


def _read(path: str | Path, kind: str, read: Callable[[h5py.File], T]) -> T:
    """Read a part of a file; every way in which it can fail becomes one line that names the file."""
    path = Path(path)
    if not path.exists():
        raise ProblemError(f"{path}: there is no such problem file")
    try:
        with h5py.File(path, "r") as file:
            return read(file)
    except (OSError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ProblemError(f"{path}: this is not a {kind} in FCLIB's layout ({error})") from None
    except ProblemError as error:
        raise ProblemError(f"{path}: {error}") from None


def _read_global(group: h5py.Group) -> GlobalProblem:
    vectors, d = group["vectors"], layouts.read_integer(group, "spacedim")
    M, H = layouts.read_matrix(group["M"]), layouts.read_matrix(group["H"])
    G = layouts.read_matrix(group["G"]).T if "G" in group else None
    g = vectors["b"][...] if G is not None else None
    return GlobalProblem(M, H.T, vectors["f"][...], vectors["mu"][...], vectors["w"][...], d, G, g)


def _read_local(group: h5py.Group) -> tuple[LocalProblem, Callable[[FloatArray], FloatArray] | None]:
    """The local problem with l = -R^-1 (V^T r + s) eliminated, and l as a function of r."""
    vectors, d = group["vectors"], layouts.read_integer(group, "spacedim")
    W, q, mu = layouts.read_matrix(group["W"]), vectors["q"][...], vectors["mu"][...]
    if "V" not in group and "R" not in group:
        return LocalProblem(compact(W), q, mu, d), None
    V, R, s = csc_matrix(layouts.read_matrix(group["V"])), layouts.read_matrix(group["R"]), vectors["s"][...]
    if W.shape != (len(q), len(q)) or V.shape != (len(q), len(s)) or R.shape != (len(s), len(s)):
        raise ValueError(f"W {W.shape}, V {V.shape}, R {R.shape}, q {q.shape} and s {s.shape} disagree")
    try:
        factor = splu(csc_matrix(R))
    except RuntimeError:
        raise ProblemError("R of its equality constraints is singular: they cannot be eliminated") from None
    A = W.toarray() - V @ factor.solve(V.T.toarray())
    problem = LocalProblem(compact(A), q - V @ factor.solve(s), mu, d)
    return problem, lambda r: -factor.solve(V.T @ r + s)
