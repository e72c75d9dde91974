"""The cases that come with the program."""

from __future__ import annotations

import tomllib
from pathlib import Path

from fem_contact.errors import CaseError
from fem_contact.io.case.settings import did_you_mean, shorten

_PACKAGE = Path(__file__).resolve().parents[2]


def bundled_folder() -> Path:
    """The folder of the bundled cases: that of the installed package, or the repository's."""
    installed = _PACKAGE / "bundled" / "cases"
    return installed if installed.is_dir() else _PACKAGE.parent / "cases"


def bundled_cases() -> dict[str, Path]:
    """Name -> file of the bundled cases, sorted by name."""
    return {path.stem: path for path in sorted(bundled_folder().glob("*.toml"))}


def case_title(path: Path) -> str:
    """The title of a case file as one printable line, without validating it; "" when it has none."""
    try:
        title = tomllib.loads(path.read_text(encoding="utf-8")).get("title", "")
    except (OSError, ValueError):
        return ""
    return shorten(title, 100) if isinstance(title, str) else ""


def find_case(name: str | Path) -> Path:
    """The file of a case: a path, or the name of a bundled case.

    Raises
    ------
    CaseError
        When there is neither; the message lists the bundled cases.
    """
    text = str(name)
    known = bundled_cases()
    if text in known and not Path(text).is_file():
        return known[text]
    try:
        path = Path(name)
        if path.is_file():
            return path
        is_folder = path.is_dir()
    except (OSError, ValueError):  # too long a name, a zero byte
        is_folder = False
    if is_folder:
        raise CaseError(f"{shorten(text, 200)}: is a folder, not a case file")
    if "/" in text or "\\" in text or text.endswith(".toml"):
        raise CaseError(f"{shorten(text, 200)}: there is no such case file")
    names = ", ".join(known) or "none"
    hint = did_you_mean(text, known)
    raise CaseError(f"{shorten(text, 200)}: no case file and no bundled case{hint}; bundled: {names}")
