"""``fem-contact cases``: what comes with the program."""

from __future__ import annotations

import click


@click.command()
@click.option("--path", "show_path", is_flag=True, help="Print the file of each case as well.")
def command(show_path: bool) -> None:
    """List the bundled cases: names for `fem-contact run NAME`, with their titles."""
    from fem_contact.io.case.bundled import bundled_cases, case_title

    found = bundled_cases()
    width = max((len(name) for name in found), default=0)
    for name, path in found.items():
        click.echo(f"{name:<{width}}  {case_title(path)}".rstrip())
        if show_path:
            click.echo(f"{'':<{width}}  {path}")
    if not found:
        click.echo("there are no bundled cases")
