"""``fem-contact solve``: a saved contact problem, once more."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("problem", type=click.Path(path_type=Path))
@click.option("--solver", "name", metavar="NAME", help="Name of the solver; the default suits any problem.")
@click.option("--tol", type=float, default=1e-10, show_default=True, help="Residual to reach.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0, min_open=True),
    help="Time limit, compiling not counted; none when left out.",
)
@click.option("--max-iter", type=int, help="Iterations at most; the solver's own limit when left out.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write the problem with its solution (HDF5)."
)
def command(
    problem: Path,
    name: str | None,
    tol: float,
    seconds: float | None,
    max_iter: int | None,
    output: Path | None,
) -> int:
    """Solve a contact PROBLEM (FCLIB's HDF5 layout, local or global) and judge the answer.

    The file written holds /solution: r, u and, of a global problem, v. Exit status 1 when the residual
    stays above the tolerance.
    """
    import time

    from fem_contact.errors import ConvergenceError
    from fem_contact.io.compare import make_solver
    from fem_contact.io.fclib import add_solution, read_saved
    from fem_contact.problems import OPEN, SLIP, STICK, residual_parts
    from fem_contact.solvers import solve
    from fem_contact.solvers.clock import solving_seconds

    solver = make_solver(name, tol, max_iter)
    saved = read_saved(problem)
    local = saved.local
    started, since = time.perf_counter(), solving_seconds()
    result = solve(local, solver, seconds=float("inf") if seconds is None else seconds)
    taken = solving_seconds() - since
    compiled = time.perf_counter() - started - taken
    parts = residual_parts(local, result.r)
    counts = ", ".join(
        f"{(parts.status == code).sum()} {label}"
        for code, label in ((OPEN, "open"), (STICK, "stick"), (SLIP, "slip"))
    )
    whole = "" if saved.whole is None else f", condensed from {len(saved.whole.f)} unknowns"
    click.echo(f"{local.contacts} contacts of {local.d} components{whole}: {counts}")
    found = f", found by {result.solver}" if result.solver else ""
    once = f" (and {compiled:.3g} s of compiling, once after installation)" if compiled > 0.1 else ""
    click.echo(
        f"residual {result.residual:.3e} after {result.iterations} iterations in {taken:.3g} s{once}{found}"
    )
    if local.contacts:
        click.echo(
            f"worst contact {parts.worst}: {parts.fault.max():.3e} off; largest distance of an impulse from "
            f"its cone {parts.primal.max():.3e}, of a velocity from the dual cone {parts.dual.max():.3e}, "
            f"complementarity {parts.complementarity.max():.3e}"
        )
    if output is not None:
        add_solution(problem, saved.solution(result.r), output)
        click.echo(f"solution: {output}")
    if not result.converged:
        raise ConvergenceError(f"{problem}: {result.status.value} (residual {result.residual:.3g})")
    return 0
