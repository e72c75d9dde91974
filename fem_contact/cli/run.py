"""``fem-contact run``: a case into a run file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("case")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Run file to write [default: CASE.h5 here]."
)
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a value, as scheme.name=moreau-jean.",
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint; start where there is none.")
@click.option("--overwrite", is_flag=True, help="Replace a finished run.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
def command(
    case: str, output: Path | None, overrides: tuple[str, ...], resume: bool, overwrite: bool, quiet: bool
) -> int:
    """Run CASE, a case file or the name of a bundled case."""
    import time

    from fem_contact.cli.progress import bar
    from fem_contact.errors import RunFileError
    from fem_contact.io.build import build
    from fem_contact.io.case import find_case, load_case
    from fem_contact.io.execute import run_case
    from fem_contact.io.run import is_finished

    path = find_case(case)
    output = Path(f"{path.stem}.h5") if output is None else output
    if not output.parent.is_dir():
        raise RunFileError(f"{output}: there is no folder {output.parent}")
    already = resume and is_finished(output)
    model = build(load_case(path, overrides))
    started = time.perf_counter()
    with bar(model.steps, quiet) as progress:
        run = run_case(model, output, resume=resume, overwrite=overwrite, progress=progress)
    if quiet:
        return 0
    if already:
        click.echo(f"{output}: already complete ({model.steps} steps)")
        return 0
    elapsed = time.perf_counter() - started
    worst = abs(run.steps.residual).max() / max(abs(run.steps.energy.total).max(), 1e-300)
    click.echo(
        f"{output}: {run.scheme}, {model.steps} steps in {elapsed:.1f} s, energy identity to {worst:.1e}"
    )
    return 0
