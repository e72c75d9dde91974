"""Every solver on every saved problem, against the clock: trials, their table and their CSV file."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import FemContactError, FemContactWarning, ModelError, ProblemError
from fem_contact.io.fclib import read_problem
from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import SOLVERS, Solver, solve
from fem_contact.solvers.clock import solving_seconds


@dataclass(frozen=True)
class Trial:
    """One solver on one problem.

    Attributes
    ----------
    problem, solver : str
        Path in the folder, without its extension; name of the solver.
    contacts, components : int
    solved : bool
        Whether the residual came below the tolerance within the time limit.
    seconds : float
        Time taken, compilation not included.
    residual : float
        As reached, see :func:`fem_contact.problems.residual`.
    iterations : int
    note : str
        How it ended, or why the solver refused.
    """

    problem: str
    contacts: int
    components: int
    solver: str
    solved: bool
    seconds: float
    residual: float
    iterations: int
    note: str


def make_solver(name: str | None, tol: float, max_iter: int | None = None) -> Solver:
    """A registered solver by its name; ``auto`` (where there is one, else ``nsgs``) for None.

    Raises
    ------
    ModelError
        When there is no solver of that name, or it refuses its settings.
    """
    if name is None:
        name = "auto" if "auto" in SOLVERS else "nsgs"
    if name not in SOLVERS:
        raise ModelError(f"solver '{name}': there are {', '.join(sorted(SOLVERS))}")
    settings: dict[str, Any] = {"tol": tol} if max_iter is None else {"tol": tol, "max_iter": max_iter}
    return SOLVERS[name](**settings)


def problem_files(folder: str | Path) -> list[Path]:
    """Every .hdf5 file under a folder, in order. ProblemError when there is no such folder or no file."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ProblemError(f"{folder}: there is no such folder")
    found = sorted(path for path in folder.rglob("*.hdf5") if path.is_file())
    if not found:
        raise ProblemError(f"{folder}: there is no .hdf5 file in it")
    return found


def compare(
    folder: str | Path,
    names: Sequence[str] = (),
    *,
    seconds: float = 8.0,
    tol: float = 1e-10,
    progress: Callable[[Trial], None] | None = None,
) -> list[Trial]:
    """Run every named solver (all when none is named) on every problem under a folder.

    A solver first solves the smallest problem of each kind (components, sparse or dense) unobserved, so that
    its kernels are loaded; what else it compiles later is not counted either. A file that holds no problem is
    left out with a warning.

    Returns
    -------
    list of Trial
        By problem, then in the order of the names.

    Raises
    ------
    ProblemError
        When nothing under the folder is a problem.
    ModelError
        When a solver has no such name.
    """
    folder = Path(folder)
    chosen = {name: make_solver(name, tol) for name in (names or SOLVERS)}
    files = problem_files(folder)
    warm: set[tuple[int, bool]] = set()
    trials: list[Trial] = []
    for path in sorted(files, key=lambda path: path.stat().st_size):
        try:
            problem = read_problem(path)
        except ProblemError as error:
            warnings.warn(f"left out: {error}", FemContactWarning, stacklevel=2)
            continue
        kind = (problem.d, problem.sparse)
        label = path.relative_to(folder).with_suffix("").as_posix()
        for name, solver in chosen.items():
            if kind not in warm:
                with suppress(FemContactError):
                    solve(problem, solver, tol=tol, seconds=seconds)
            trials.append(_trial(label, problem, name, solver, tol, seconds))
            if progress is not None:
                progress(trials[-1])
        warm.add(kind)
    if not trials:
        raise ProblemError(f"{folder}: none of its {len(files)} .hdf5 files holds a contact problem")
    return sorted(trials, key=lambda trial: trial.problem)


def _trial(label: str, problem: LocalProblem, name: str, solver: Solver, tol: float, seconds: float) -> Trial:
    started = solving_seconds()
    try:
        result = solve(problem, solver, tol=tol, seconds=seconds)
    except FemContactError as error:
        nothing = (False, solving_seconds() - started, float("nan"), 0)
        return Trial(label, problem.contacts, problem.d, name, *nothing, f"refused: {error}")
    taken = solving_seconds() - started
    note = result.status.name.lower().replace("_", " ")
    solved = result.converged and taken <= seconds
    if result.converged and not solved:
        note = "converged after the time limit"
    return Trial(
        label, problem.contacts, problem.d, name, solved, taken, result.residual, result.iterations, note
    )


def time_table(trials: Sequence[Trial]) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Names of the problems and of the solvers, and the times (problems, solvers), infinite if not solved."""
    problems = list(dict.fromkeys(trial.problem for trial in trials))
    solvers = list(dict.fromkeys(trial.solver for trial in trials))
    times = np.full((len(problems), len(solvers)), np.inf)
    for trial in trials:
        if trial.solved:
            times[problems.index(trial.problem), solvers.index(trial.solver)] = trial.seconds
    return problems, solvers, times


def table(trials: Sequence[Trial]) -> list[str]:
    """Lines: problem, contacts, and for each solver its seconds, or in brackets the residual it reached."""
    problems, solvers, times = time_table(trials)
    found = {(trial.problem, trial.solver): trial for trial in trials}
    rows = [["problem", "contacts", *solvers]]
    for problem in problems:
        row = [found[problem, solver] for solver in solvers]
        size = f"{row[0].contacts} x {row[0].components}"
        rows.append([problem, size, *(_cell(trial) for trial in row)])
    solved = np.isfinite(times).sum(axis=0)
    rows.append(["solved", f"of {len(problems)}", *(str(count) for count in solved)])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(trial: Trial) -> str:
    if trial.solved:
        return f"{trial.seconds:.3g} s"
    return "refused" if np.isnan(trial.residual) else f"({trial.residual:.1e})"


def write_csv(trials: Sequence[Trial], path: str | Path) -> Path:
    """One line a trial, under the names of its attributes. ProblemError when it cannot be written."""
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Trial)])
            writer.writeheader()
            writer.writerows(asdict(trial) for trial in trials)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise ProblemError(f"{path}: cannot be written ({error.strerror})") from None
    return path
