"""Run the studies: each run once, kept in a folder, from which a second call or a killed one goes on."""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fem_contact._version import __version__
from fem_contact.errors import FemContactWarning, RunFileError
from fem_contact.io.build import build
from fem_contact.io.case import find_case, load_case
from fem_contact.io.execute import run_case
from fem_contact.io.run import is_finished, open_run
from fem_contact.post.plots import save, style
from fem_contact.studies.base import Quantity, RunSpec, Study
from fem_contact.timeloop import Progress


@dataclass(frozen=True)
class Made:
    """A run of a study.

    Attributes
    ----------
    spec : RunSpec
    path : Path
    steps : int
    seconds : float
        That it took when it was made.
    reused : bool
        Whether it was there before.
    warnings : tuple of str
        What the program warned of when it was made.
    """

    spec: RunSpec
    path: Path
    steps: int
    seconds: float
    reused: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """A study that was made.

    Attributes
    ----------
    name : str
    study : Study
    runs : tuple of Made
    picture : Path
    quantities : tuple of Quantity
    seconds : float
        Of this call: runs, numbers and drawing.
    """

    name: str
    study: Study
    runs: tuple[Made, ...]
    picture: Path
    quantities: tuple[Quantity, ...]
    seconds: float


def make(
    name: str,
    study: Study,
    folder: Path,
    *,
    quick: bool = False,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Make the runs of a study (or take them from where they are kept), its numbers and its picture.

    Parameters
    ----------
    folder : the runs are kept in its ``runs``, the picture in its ``figures``
    quick : whether the short runs are taken
    fresh : whether runs that are there are made again
    progress : function of (steps done, steps in all) of the run that is made

    Raises
    ------
    FemContactError
        When a run fails; the steps before remain, and the next call goes on from them.
    """
    started = time.perf_counter()
    for part in ("runs", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    made = {
        key: obtain(spec, folder / "runs", fresh=fresh, progress=progress)
        for key, spec in study.needs(quick).items()
    }
    data = study.evaluate({key: open_run(run.path) for key, run in made.items()})
    quantities = tuple(study.quantities(data))
    with style():
        picture = save(study.draw(data), folder / "figures" / f"{name}.png")
    return Result(name, study, tuple(made.values()), picture, quantities, time.perf_counter() - started)


def obtain(spec: RunSpec, folder: Path, *, fresh: bool = False, progress: Progress | None = None) -> Made:
    """A run from the folder, made there first if it is missing, unfinished or ``fresh``."""
    case = load_case(find_case(spec.case), spec.overrides)
    path = folder / f"{spec.case}-{_digest(case.text)}.h5"
    reused = not fresh and is_finished(path)
    if reused:
        record = _record(path)
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FemContactWarning)
            started = time.perf_counter()
            run_case(build(case), path, resume=not fresh, overwrite=fresh, progress=progress)
            seconds = time.perf_counter() - started
        record = {
            "command": spec.command(path.name),
            "seconds": seconds,
            "warnings": list(dict.fromkeys(str(w.message) for w in caught)),
        }
        write_text(_record_path(path), json.dumps(record, indent=1))
    return Made(
        spec,
        path,
        int(open_run(path).attrs["steps"]),
        float(record.get("seconds", float("nan"))),
        reused,
        tuple(record.get("warnings", ())),
    )


def _digest(text: str) -> str:
    """Short name of a case as it is run by this version."""
    return hashlib.sha256(f"{__version__}\n{text}".encode()).hexdigest()[:10]


def _record_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _record(path: Path) -> dict[str, Any]:
    """How a run was made; nothing where that is not known."""
    with suppress(OSError, ValueError):
        found = json.loads(_record_path(path).read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    return {}


def write_text(path: Path, text: str) -> None:
    """Write a whole text file or none."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise RunFileError(f"{path}: cannot be written ({error.strerror})") from None
