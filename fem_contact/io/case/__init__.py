"""Case files: TOML, validated, every error one line that names the file and the key."""

from __future__ import annotations

from fem_contact.io.case.bundled import bundled_cases, bundled_folder, case_title, find_case
from fem_contact.io.case.case import Case, load_case

__all__ = ["Case", "bundled_cases", "bundled_folder", "case_title", "find_case", "load_case"]
