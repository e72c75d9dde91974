"""``fem-contact export``: the fields of a run for ParaView."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="OUT",
    help="OUT.xdmf or OUT.pvd.",
)
def command(run: Path, output: Path) -> None:
    """Write the sampled displacements, velocities, contact forces and stresses of RUN."""
    from fem_contact.errors import RunFileError
    from fem_contact.io.run import open_run
    from fem_contact.io.vtk import export

    opened = open_run(run)
    if not output.parent.is_dir():
        raise RunFileError(f"{output}: there is no folder {output.parent}")
    if (output.parent / f"{output.stem}.fields.h5").resolve() == run.resolve():
        raise RunFileError(f"{output}: would be written over the run itself; give another name with -o")
    written = export(opened, output)
    click.echo(f"{written[0]} ({len(opened.fields.t)} instants, {len(written)} files)")
