"""Solvers by name, imported when asked for: a run pays for the one that it uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

#: Name -> module and class. A new solver is one file and one line here.
_PLACES = {
    "auto": ("fem_contact.solvers.auto", "Auto"),
    "nsgs": ("fem_contact.solvers.nsgs", "NSGS"),
    "semismooth": ("fem_contact.solvers.semismooth", "SemismoothNewton"),
    "interior": ("fem_contact.solvers.interior", "InteriorPoint"),
    "admm": ("fem_contact.solvers.admm", "ADMM"),
    "projection": ("fem_contact.solvers.projection", "Projection"),
    "extragradient": ("fem_contact.solvers.extragradient", "Extragradient"),
    "lcp": ("fem_contact.solvers.lcp", "LCP"),
}


class SolverRegistry(Mapping[str, Any]):
    """Mapping of solver name to its class."""

    def __getitem__(self, name: str) -> Any:
        module, attribute = _PLACES[name]
        return getattr(importlib.import_module(module), attribute)

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


SOLVERS = SolverRegistry()
