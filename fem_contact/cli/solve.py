"""``fem-contact solve``: a saved contact problem, once more."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("problem", type=click.Path(path_type=Path))
@click.option("--tol", type=float, default=1e-10, show_default=True, help="Residual to reach.")
@click.option("--max-iter", type=int, default=10_000, show_default=True, help="Iterations at most.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the solution (HDF5: r and u).")
def command(problem: Path, tol: float, max_iter: int, output: Path | None) -> int:
    """Solve a local contact PROBLEM (FCLIB's HDF5 layout) and judge the answer.

    Exit status 1 when the residual stays above the tolerance.
    """
    from fem_contact.errors import ConvergenceError
    from fem_contact.io.fclib import read_problem, write_solution
    from fem_contact.problems import OPEN, SLIP, STICK, status
    from fem_contact.solvers import NSGS, solve

    local = read_problem(problem)
    result = solve(local, NSGS(tol=tol, max_iter=max_iter))
    states = status(local, result.r)
    counts = ", ".join(
        f"{(states == code).sum()} {name}"
        for code, name in ((OPEN, "open"), (STICK, "stick"), (SLIP, "slip"))
    )
    click.echo(f"{local.contacts} contacts of {local.d} components: {counts}")
    click.echo(f"residual {result.residual:.3e} after {result.iterations} iterations")
    if output is not None:
        write_solution(output, result.r, result.w)
        click.echo(f"solution: {output}")
    if not result.converged:
        raise ConvergenceError(f"{problem}: {result.status.value} (residual {result.residual:.3g})")
    return 0
