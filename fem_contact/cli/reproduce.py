"""``fem-contact reproduce``: the figures and tables of the papers."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--all", "everything", is_flag=True, help="Every study.")
@click.option("--list", "listing", is_flag=True, help="List the studies and what they show, and end.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the page and the runs."
)
@click.option("--quick", is_flag=True, help="Leave out or shorten the long runs; the page says which.")
@click.option("--fresh", is_flag=True, help="Make all runs again, those that are there too.")
def command(
    names: tuple[str, ...], everything: bool, listing: bool, output: Path | None, quick: bool, fresh: bool
) -> int:
    """Make the figures and tables of the papers anew: the studies NAME, or all of them.

    Writes DIR/index.html, whole in itself, and DIR/table.md, the papers' numbers beside ours. The runs stay
    in DIR/runs: a second call uses them again, and one that was cut off goes on.
    """
    from fem_contact.studies.registry import STUDIES

    if listing:
        _list()
        return 0
    if bool(names) == everything:
        raise click.UsageError("name studies or give --all (--list shows their names)")
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output': the folder to write into")
    wanted = list(dict.fromkeys(names)) or list(STUDIES)
    _check(wanted)
    return _make(wanted, output, quick, fresh)


def _list() -> None:
    from fem_contact.studies.registry import STUDIES

    width = max(len(name) for name in STUDIES)
    for name, study in STUDIES.items():
        click.echo(f"{name:<{width}}  {study.title} ({', '.join(study.figures)})")


def _check(names: list[str]) -> None:
    from fem_contact.errors import CaseError
    from fem_contact.io.case.settings import did_you_mean
    from fem_contact.studies.registry import STUDIES

    for name in names:
        if name not in STUDIES:
            hint = did_you_mean(name, STUDIES)
            raise CaseError(f"there is no study '{name:.40}'{hint}; known studies: {', '.join(STUDIES)}")


def _make(names: list[str], output: Path, quick: bool, fresh: bool) -> int:
    from fem_contact.cli.folder import make_folder
    from fem_contact.cli.progress import bar
    from fem_contact.errors import FemContactError
    from fem_contact.post.convergence import plain
    from fem_contact.studies import page
    from fem_contact.studies.execute import make
    from fem_contact.studies.registry import LEFT_OUT, STUDIES

    make_folder(output)
    results, failed = [], {}
    for name in names:
        try:
            with bar(None) as progress:
                result = make(name, STUDIES[name], output, quick=quick, fresh=fresh, progress=progress)
        except FemContactError as error:
            failed[name] = str(error)
            click.echo(f"fem-contact: error: {name}: {error}", err=True)
            continue
        results.append(result)
        reused = sum(made.reused for made in result.runs)
        click.echo(f"{name}: {len(result.runs)} runs, {reused} of them there before, {result.seconds:.1f} s")
    rows = page.table(results)
    if len(rows) > 1:
        click.echo("\n" + "\n".join(plain(rows, 2)) + "\n")
    index, numbers = page.write(results, failed, output, quick=quick, left_out=LEFT_OUT)
    click.echo(f"table: {numbers}")
    click.echo(f"page: {index}")
    return 1 if failed else 0
