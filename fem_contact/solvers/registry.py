"""Solvers by name, imported when asked for: a run pays for the one that it uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any

#: Name -> module and class. A new solver is one file and one line here.
_PLACES: dict[str, Any] = {
    "auto": ("fem_contact.solvers.auto", "Auto"),
    "nsgs": ("fem_contact.solvers.nsgs", "NSGS"),
    "semismooth": ("fem_contact.solvers.semismooth", "SemismoothNewton"),
    "interior": ("fem_contact.solvers.interior", "InteriorPoint"),
    "admm": ("fem_contact.solvers.admm", "ADMM"),
    "projection": ("fem_contact.solvers.projection", "Projection"),
    "extragradient": ("fem_contact.solvers.extragradient", "Extragradient"),
    "lcp": ("fem_contact.solvers.lcp", "LCP"),
}


class SolverRegistry(MutableMapping[str, Any]):
    """Mapping of solver name to its class; a class of one's own may be put in as well."""

    def __init__(self, places: dict[str, Any]):
        self._places = places

    def __getitem__(self, name: str) -> Any:
        place = self._places[name]
        if isinstance(place, tuple):
            module, attribute = place
            return getattr(importlib.import_module(module), attribute)
        return place

    def __setitem__(self, name: str, solver: Any) -> None:
        self._places[name] = solver

    def __delitem__(self, name: str) -> None:
        del self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


SOLVERS = SolverRegistry(_PLACES)
