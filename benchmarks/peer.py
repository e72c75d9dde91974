"""``auto`` against four solvers of Siconos on a folder of saved problems, each with the same time limit.

    python -m benchmarks.peer FOLDER [--python /usr/bin/python3] [--seconds 8]

FOLDER holds FCLIB files of two or three components. Siconos runs in the Python named, which must have its
module ``siconos`` (Debian's package python3-siconos) and SciPy. Both sides are timed without start and
reading, and both answers are judged by the residual of :func:`fem_contact.problems.residual` at 1e-10.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from fem_contact.errors import FemContactError
from fem_contact.io.compare import problem_files
from fem_contact.io.fclib import read_problem
from fem_contact.problems.local import LocalProblem, residual
from fem_contact.solvers import solve
from fem_contact.solvers.auto import Auto

CHILD = Path(__file__).with_name("_siconos_solve.py")
SOLVERS = ("NSGS", "NSN_AC", "ADMM", "VI_EG")
TOLERANCE = 1e-10
#: Seconds for a process to start and to read the problem.
START = 3.0


def has_siconos(python: str) -> bool:
    """Whether that Python can import Siconos and SciPy."""
    try:
        asked = [python, "-c", "import siconos.numerics, scipy.sparse"]
        return subprocess.run(asked, capture_output=True, timeout=60.0).returncode == 0
    except OSError:
        return False


def ours(problem: LocalProblem, limit: float) -> float:
    """Seconds of ``auto``, infinite where it does not solve within the limit."""
    started = time.perf_counter()
    result = solve(problem, Auto(tol=TOLERANCE), seconds=limit)
    taken = time.perf_counter() - started
    return taken if result.converged and taken <= limit else float("inf")


def theirs(problem: LocalProblem, solver: str, python: str, limit: float, folder: Path) -> float:
    """Seconds of a solver of Siconos, infinite where it does not solve within the limit."""
    source, target = folder / "problem.npz", folder / "answer.npz"
    target.unlink(missing_ok=True)
    A = csc_matrix(problem.A)
    arrays = {"data": A.data, "indices": A.indices, "indptr": A.indptr}
    np.savez(source, b=problem.b, mu=problem.mu, d=problem.d, **arrays)
    try:
        command = [python, str(CHILD), str(source), solver, str(target)]
        subprocess.run(command, capture_output=True, timeout=limit + START)
        answer = np.load(target)
        r, taken = answer["r"], float(answer["seconds"])
    except (subprocess.TimeoutExpired, OSError):
        return float("inf")
    solved = np.all(np.isfinite(r)) and residual(problem, r) <= TOLERANCE
    return taken if solved and taken <= limit else float("inf")


def summary(times: NDArray[np.float64]) -> list[str]:
    """Solved counts and the median ratio, of times (problems, 1 + solvers), ours first."""
    best = times[:, 1:].min(axis=1)
    both = np.isfinite(times[:, 0]) & np.isfinite(best)
    solved = np.isfinite(times).sum(axis=0)
    lines = [f"solved, of {len(times)}: auto {solved[0]}"]
    lines[0] += "".join(f", {name} {count}" for name, count in zip(SOLVERS, solved[1:], strict=True))
    lines.append(f"left unsolved by all four: {int(np.isinf(best).sum())}, by auto: {len(times) - solved[0]}")
    if both.any():
        ratio = np.median(times[both, 0] / best[both])
        lines.append(
            f"auto over the best of the four, median of the {both.sum()} that both solve: {ratio:.2f}"
        )
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default="/usr/bin/python3", help="the Python that has Siconos")
    parser.add_argument("--seconds", type=float, default=8.0, help="time limit of a solve")
    given = parser.parse_args()
    if not has_siconos(given.python):
        sys.exit(f"{given.python} has not both siconos and scipy (Debian: python3-siconos, python3-scipy)")
    try:
        files = problem_files(given.folder)
    except FemContactError as error:
        sys.exit(str(error))
    warm: set[tuple[int, bool]] = set()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for path in sorted(files, key=lambda path: path.stat().st_size):
            problem = read_problem(path)
            if problem.d == 1:
                continue
            if (problem.d, problem.sparse) not in warm:
                warm.add((problem.d, problem.sparse))
                ours(problem, given.seconds)
            row = [ours(problem, given.seconds)]
            row += [theirs(problem, s, given.python, given.seconds, Path(name)) for s in SOLVERS]
            rows.append(row)
            cells = [f"{n} {t:.3g}" for n, t in zip(("auto", *SOLVERS), row, strict=True)]
            print(f"{path.stem} ({problem.contacts} x {problem.d}):", ", ".join(cells), flush=True)
    print("\n".join(summary(np.array(rows).reshape(-1, 1 + len(SOLVERS)))))


if __name__ == "__main__":
    main()
