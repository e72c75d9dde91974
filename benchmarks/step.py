"""The mean step of the PMMA block against its bare linear algebra, and the whole command against its loop.

    make bench

Bare cost: one cholespy solve with the iteration matrix and two products with K (SciPy), the least that a
step of the theta family needs. Steps and bare cost alternate in short rounds, so that both see the same
machine; the median of the ratios is what counts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from cholespy import CholeskySolverD, MatrixType

from fem_contact.io.build import Model, build
from fem_contact.io.case import load_case
from fem_contact.io.run import RunWriter
from fem_contact.timeloop import contact_tree, drive, run_attributes

ROUNDS = 10


def bare_cost(model: Model, repeats: int = 1000) -> float:
    """Seconds of one cholespy solve and two products with K, in a loop of its own."""
    h, theta, system = model.dt, model.scheme.theta, model.system
    Mhat = (system.M + h * theta * system.C + (h * theta) ** 2 * system.K).tocsr()
    Mhat.sort_indices()
    indptr, indices = Mhat.indptr.astype(np.int32), Mhat.indices.astype(np.int32)
    solver = CholeskySolverD(system.n, indptr, indices, Mhat.data, MatrixType.CSR)
    b, x = np.linspace(-1.0, 1.0, system.n), np.empty(system.n)
    solver.solve(b, x)
    started = time.perf_counter()
    for _ in range(repeats):
        solver.solve(b, x)
        system.K @ x
        system.K @ b
    return (time.perf_counter() - started) / repeats


def step_cost(model: Model, folder: Path) -> tuple[float, float]:
    """Seconds a step of the whole run, all recording and checkpoints on; and of the loop in all."""
    system = model.system
    stepper = model.scheme.prepare(system, model.dt, model.solver)
    attrs = run_attributes(system, model.scheme, model.dt, complete=False)
    writer = RunWriter(folder / "bench.h5", attrs, contact_tree(system), system.mesh)
    writer.begin()
    start = stepper.start(*model.initial)
    started = time.perf_counter()
    drive(
        stepper,
        system,
        model.steps,
        writer,
        start=start,
        tol=model.solver.tol,
        every=model.every,
        chunk=model.checkpoint,
        probes=model.probes,
    )
    loop = time.perf_counter() - started
    writer.discard()
    return loop / model.steps, loop


def whole_command(folder: Path) -> tuple[float, float]:
    """Seconds and peak memory (MB) of ``fem-contact run pmma_sliding_block``."""
    command = [sys.executable, "-m", "fem_contact", "run", "pmma_sliding_block", "-q", "-o"]
    started = time.perf_counter()
    subprocess.run([*command, str(folder / "command.h5"), "--overwrite"], check=True)
    elapsed = time.perf_counter() - started
    return elapsed, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024.0


def help_time() -> float:
    """Seconds of ``fem-contact --help``."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "fem_contact", "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    model = build(load_case("pmma_sliding_block"))
    bare_cost(model, 100)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        step_cost(model, folder)
        for _ in range(ROUNDS):
            before = bare_cost(model)
            step, loop = step_cost(model, folder)
            bare = 0.5 * (before + bare_cost(model))
            rows.append((step, bare, step / bare, loop))
        whole_command(folder)
        commands = [whole_command(folder) for _ in range(3)]
    step, bare, ratio, loop = np.median(rows, axis=0)
    elapsed = float(np.median([c[0] for c in commands]))
    result = {
        "dofs": model.system.n,
        "steps": model.steps,
        "step_us": round(1e6 * step, 1),
        "bare_us": round(1e6 * bare, 1),
        "step_over_bare": round(ratio, 2),
        "step_over_bare_range": [round(f(r[2] for r in rows), 2) for f in (min, max)],
        "command_s": round(elapsed, 2),
        "command_over_loop": round(elapsed / loop, 2),
        "memory_MB": round(max(c[1] for c in commands)),
        "help_s": round(float(np.median([help_time() for _ in range(5)])), 3),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
