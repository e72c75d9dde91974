"""Progress on a terminal, silence in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(total: int | None, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar as a function of (done, total), the total as last told; None where none is shown."""
    import sys

    if quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="step", file=sys.stderr, leave=False, dynamic_ncols=True) as line:

        def show(done: int, of: int) -> None:
            line.total = of
            line.update(done - line.n)

        yield show
