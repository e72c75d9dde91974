"""Folders that a command writes into."""

from __future__ import annotations

from pathlib import Path


def make_folder(path: Path) -> None:
    """Make a folder and those above it, if they are missing."""
    from fem_contact.errors import RunFileError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFileError(f"{path}: the folder cannot be made ({error.strerror})") from None
