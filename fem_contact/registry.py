"""Things by name, imported when asked for: a run pays for the ones that it uses."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any


class Registry(MutableMapping[str, Any]):
    """Mapping of name to class, given as (module, class); a class of one's own may be put in."""

    def __init__(self, places: dict[str, Any]):
        self._places = dict(places)

    def __getitem__(self, name: str) -> Any:
        place = self._places[name]
        if isinstance(place, tuple):
            module, attribute = place
            return getattr(importlib.import_module(module), attribute)
        return place

    def __setitem__(self, name: str, thing: Any) -> None:
        self._places[name] = thing

    def __delitem__(self, name: str) -> None:
        del self._places[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
