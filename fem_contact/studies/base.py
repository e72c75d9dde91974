"""What a study is: the runs that a figure or table of a paper needs, how it is drawn, and its numbers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fem_contact.record import Run

Runs = Mapping[str, "Run"]


@dataclass(frozen=True)
class RunSpec:
    """A run: a bundled case and the changes made to it.

    Attributes
    ----------
    case : str
        Name of a bundled case.
    overrides : tuple of str
        ``"scheme.dt=1e-4"``, as after ``--set``.
    """

    case: str
    overrides: tuple[str, ...] = ()

    def also(self, *overrides: str) -> RunSpec:
        """The same with more changes."""
        return RunSpec(self.case, (*self.overrides, *overrides))

    def command(self, output: str) -> str:
        """The command line that makes this run."""
        words = ["fem-contact", "run", self.case, "-o", output]
        for override in self.overrides:
            words += ["--set", override]
        return shlex.join(words)


@dataclass(frozen=True)
class Quantity:
    """A number beside the paper's.

    Attributes
    ----------
    name : str
    paper : float, str or None
        What the paper prints: a number, words where it describes the number, None where it says nothing.
    ours : float
    unit : str
    """

    name: str
    paper: float | str | None
    ours: float
    unit: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours over the paper's, None where the paper has no number to divide by."""
        if isinstance(self.paper, str) or not self.paper:
            return None
        return self.ours / self.paper


def _the_runs(runs: Runs) -> Any:
    return runs


def _nothing(data: Any) -> Sequence[Quantity]:
    return ()


@dataclass(frozen=True)
class Study:
    """A figure or table of a paper, made anew. Nothing is computed until somebody asks for it.

    Attributes
    ----------
    figures : tuple of str
        Which figures or tables of which paper: ``("RR-8029 figure 12",)``.
    title : str
        What it shows, in one line.
    look : str
        What to look at.
    draw : function of data -> Figure
    runs : mapping of name to RunSpec
        The runs that it needs.
    evaluate : function of runs -> data
        What is computed from the runs, once, for the drawing and the numbers; the runs when left out.
    quantities : function of data -> sequence of Quantity
    differs : str
        What is not as in the paper, and why.
    quick : mapping of name to RunSpec, or None
        The runs in place of ``runs`` when a quick look is asked for; the same ones when left out.
    shortened : str
        What the quick look leaves out or shortens.
    """

    figures: tuple[str, ...]
    title: str
    look: str
    draw: Callable[[Any], Figure]
    runs: Mapping[str, RunSpec] = field(default_factory=dict)
    evaluate: Callable[[Runs], Any] = _the_runs
    quantities: Callable[[Any], Sequence[Quantity]] = _nothing
    differs: str = ""
    quick: Mapping[str, RunSpec] | None = None
    shortened: str = ""

    def needs(self, quick: bool) -> Mapping[str, RunSpec]:
        """The runs of the full study or of the quick look."""
        return self.runs if self.quick is None or not quick else self.quick


def settings(name: str, dt: float, t_end: float, **more: Any) -> str:
    """An override that replaces the whole [scheme] table: keys of the case's own scheme are gone.

    >>> settings("hht", 1e-4, 0.1, alpha=0.1)
    'scheme={ name = "hht", dt = 0.0001, t_end = 0.1, alpha = 0.1 }'
    """
    table = {"name": name, "dt": dt, "t_end": t_end, **more}
    return f"scheme={_toml(table)}"


def _toml(value: Any) -> str:
    """A value as TOML, in one line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)
