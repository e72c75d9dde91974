"""Folders that a command writes into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def output_folder(files: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option -o of a command that writes such files into a folder."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        default=Path("."),
        metavar="DIR",
        help=f"Folder for {files}, made if missing; the current one when left out.",
    )


def make_folder(path: Path) -> None:
    """Make a folder and those above it, if they are missing."""
    from fem_contact.errors import RunFileError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFileError(f"{path}: the folder cannot be made ({error.strerror})") from None
