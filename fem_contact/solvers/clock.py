"""Seconds spent on solving: compilation, which happens once after installation, is not counted."""

from __future__ import annotations

import threading
import time

from numba.core.event import Event, Listener, register


class _Compilation(threading.local, Listener):
    """Seconds that Numba has spent compiling, a sum of each thread's own.

    Reading a kernel from the cache raises no such event. Events nest where kernels call kernels.
    """

    def __init__(self) -> None:
        self._depth, self._since, self._seconds = 0, 0.0, 0.0

    def on_start(self, event: Event) -> None:
        if self._depth == 0:
            self._since = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Event) -> None:
        # Another thread's first event may be an end, when it began before this module was imported.
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            self._seconds += time.perf_counter() - self._since

    @property
    def seconds(self) -> float:
        """The sum so far, of finished compilations."""
        return self._seconds


_compilation = _Compilation()
register("numba:compile", _compilation)


def solving_seconds() -> float:
    """A clock for time limits: only differences of it mean anything, as of ``time.perf_counter``.

    It stands still while the calling thread compiles a kernel, so that a limit means the same in a fresh
    installation as in any later process.
    """
    return time.perf_counter() - _compilation.seconds
