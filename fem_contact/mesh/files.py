"""Opening files with one clear line for all that can be wrong with them."""

from __future__ import annotations

from pathlib import Path

from fem_contact.errors import MeshError


def is_there(path: Path) -> bool:
    """Whether there is a file or folder of that name; False for names that cannot be."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, a zero byte
        return False


def read_bytes(path: Path, what: str) -> bytes:
    """The content of a ``what`` ("mesh", "geometry") file.

    Raises
    ------
    MeshError
        When it is missing, a directory, not readable or empty.
    """
    if not is_there(path):
        raise MeshError(f"{what} file {str(path)[:200]!r} does not exist")
    if path.is_dir():
        raise MeshError(f"{path} is a directory, not a {what} file")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MeshError(f"{what} file {path} cannot be read: {error.strerror}") from None
    if not content.strip():
        raise MeshError(f"{what} file {path} is empty")
    return content
