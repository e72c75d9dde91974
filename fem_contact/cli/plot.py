"""``fem-contact plot``: the figures of runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder.")
@click.option("--only", multiple=True, metavar="NAME", help="Draw this figure only (may be repeated).")
@click.option("--format", "kind", type=click.Choice(["png", "pdf", "svg"]), default="png", show_default=True)
def command(runs: tuple[Path, ...], output: Path, only: tuple[str, ...], kind: str) -> None:
    """Draw the figures that the RUNs have data for, side by side, one file a figure."""
    from fem_contact.errors import RunFileError
    from fem_contact.io.run import open_run
    from fem_contact.post.plots import FIGURES, applicable, save

    unknown = [name for name in only if name not in FIGURES]
    if unknown:
        raise RunFileError(f"there is no figure '{unknown[0]}'; known figures: {', '.join(FIGURES)}")
    opened = [open_run(path) for path in runs]
    names = applicable(only or list(FIGURES), opened)
    missing = [name for name in only if name not in names]
    if missing:
        raise RunFileError(f"figure '{missing[0]}': not every run has the data for it")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFileError(f"{output}: this folder cannot be made ({error.strerror})") from None
    for path, run in zip(runs, opened, strict=True):
        if not run.complete:
            click.echo(f"note: {path} is unfinished, its figures show what there is", err=True)
    for name in names:
        click.echo(save(FIGURES[name].draw(*opened), output / f"{name}.{kind}"))
