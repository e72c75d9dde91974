"""``fem-contact compare-solvers``: every solver on a folder of saved problems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fem_contact.cli.folder import output_folder

if TYPE_CHECKING:
    from fem_contact.io.compare import Trial


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0, min_open=True),
    default=8.0,
    show_default=True,
    help="Time limit of one solver on one problem.",
)
@click.option("--tol", type=float, default=1e-10, show_default=True, help="Residual to reach.")
@click.option("--solvers", metavar="A,B", help="Names of the solvers, with commas; all when left out.")
@output_folder("compare-solvers.csv and .png")
def command(folder: Path, seconds: float, tol: float, solvers: str | None, output: Path) -> None:
    """Run the solvers on every .hdf5 problem under FOLDER, each with a time limit.

    Prints the seconds taken, or in brackets the residual reached, and writes all trials (CSV) and the
    performance profile (PNG).
    """
    from fem_contact.errors import ProblemError
    from fem_contact.io.compare import compare, table, time_table, write_csv
    from fem_contact.post.plots import save
    from fem_contact.post.plots.profile import profile_figure

    names = tuple(name.strip() for name in solvers.split(",") if name.strip()) if solvers else ()
    if solvers is not None and not names:
        raise click.UsageError("--solvers names no solver")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProblemError(f"{output}: the folder cannot be made ({error.strerror})") from None
    trials = compare(folder, names, seconds=seconds, tol=tol, progress=_show)
    if sys.stderr.isatty():
        click.echo("\x1b[2K", err=True, nl=False)
    for line in table(trials):
        click.echo(line)
    click.echo(f"trials: {write_csv(trials, output / 'compare-solvers.csv')}")
    _, labels, times = time_table(trials)
    title = f"residual {tol:g} within {seconds:g} s"
    picture = save(profile_figure(labels, times, title), output / "compare-solvers.png")
    click.echo(f"profile: {picture}")


def _show(trial: Trial) -> None:
    """One line a trial on a terminal, gone when the next one comes."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[2K{trial.problem}: {trial.solver} {trial.seconds:.2g} s\r", err=True, nl=False)
