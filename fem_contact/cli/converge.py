"""``fem-contact converge``: the order of a scheme on a case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fem_contact.cli.folder import output_folder

if TYPE_CHECKING:
    from fem_contact.io.case import Case


@click.command()
@click.argument("case")
@click.option(
    "--dt",
    "sizes",
    multiple=True,
    required=True,
    metavar="H[,H...]",
    help="Step size, several with commas; may be repeated. Numbers or texts such as '1 us'.",
)
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    metavar="NAME",
    help="Scheme in place of the case's, or a table { name = ..., ... }; repeated to compare.",
)
@click.option("--reference", metavar="H", help="Compare with the run at this step size, not a closed form.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value: scheme.t_end=2.0."
)
@output_folder("converge.md, .csv and .png")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
def command(
    case: str,
    sizes: tuple[str, ...],
    schemes: tuple[str, ...],
    reference: str | None,
    overrides: tuple[str, ...],
    output: Path,
    quiet: bool,
) -> None:
    """Run CASE at several step sizes and fit the orders of its errors in q and v.

    A rigid model is compared with its closed form where it has one, any other case with the run of the
    finest step size. The errors are taken at the points of the grid, in the uniform, L1 and L2 norms in time.
    """
    from fem_contact.cli.folder import make_folder
    from fem_contact.cli.progress import bar
    from fem_contact.io.case import find_case, load_case
    from fem_contact.post.convergence import plain, table, write_tables
    from fem_contact.post.plots import save
    from fem_contact.post.plots.convergence import convergence_figure
    from fem_contact.studies.converge import converge

    loaded = load_case(find_case(case), overrides)
    steps = [_time(size, loaded.units) for text in sizes for size in text.split(",")]
    finest = None if reference is None else _time(reference, loaded.units)
    make_folder(output)
    with bar(None, quiet) as progress:
        results = converge(loaded, steps, schemes, reference=finest, progress=progress)
    title = loaded.title or loaded.name
    tables = write_tables(results, title, output / "converge")
    picture = save(convergence_figure({"": results}, title, _lengths(loaded)), output / "converge.png")
    if quiet:
        return
    for result in results:
        click.echo(f"{result.label}: error against {result.reference}")
        click.echo("\n".join(plain(table(result))))
        click.echo()
    click.echo(f"tables: {', '.join(str(path) for path in tables)}")
    click.echo(f"picture: {picture}")


def _lengths(case: Case) -> bool:
    """Whether all coordinates of a case are lengths."""
    return case.model is None or not case.model.settings.system().angles


def _time(text: str, units: str) -> float:
    """A step size as a number in the case's unit system."""
    from fem_contact.errors import CaseError, UnitError
    from fem_contact.units import convert

    try:
        return float(text)
    except ValueError:
        pass
    try:
        return convert(text, "time", units)
    except UnitError as error:
        raise CaseError(f"--dt {text:.40}: {error}") from None
