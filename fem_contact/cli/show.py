"""``fem-contact show``: energies, works and statistics of runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
def command(runs: tuple[Path, ...]) -> None:
    """Print what RUN says: settings, energies, works, contacts, solver; several runs side by side."""
    from fem_contact.io.run import open_run
    from fem_contact.post.report import report

    names = [path.name for path in runs]
    if len(set(names)) < len(names):
        names = [str(path) for path in runs]
    click.echo(report([open_run(path) for path in runs], names))
