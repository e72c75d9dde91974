"""Runs of one case at several step sizes, compared with a closed form or with the finest of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact.errors import CaseError, ConvergenceError, FemContactWarning, ModelError
from fem_contact.io.build import Model, build
from fem_contact.io.case import Case
from fem_contact.post.convergence import Convergence, common_error, norms
from fem_contact.record import Run
from fem_contact.timeloop import Progress, simulate, step_count

FloatArray = NDArray[np.float64]
Exact = Callable[[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

#: Fewer step sizes give no order.
LEAST = 3

#: The positions and velocities of a run at all its steps are kept in memory (bytes).
MAX_MEMORY = 4e9


def converge(
    case: Case,
    dt: Sequence[float],
    schemes: Sequence[str] = (),
    *,
    reference: float | None = None,
    progress: Progress | None = None,
) -> list[Convergence]:
    """Errors of a case in q and v over step sizes, one result a scheme.

    The errors are taken at the points of each run's grid. A rigid model that has a closed form,
    ``exact(t, q0, v0) -> (q, v)``, is compared with it; any other case with the run of the step size
    ``reference``, or with the finest of ``dt``, which is then not among the results. All runs of a meshed
    case share its mesh.

    Parameters
    ----------
    dt : step sizes, in any order
    schemes : names or tables, see :meth:`Case.with_scheme`; the case's own scheme when left out
    reference : float or None
        Step size of the run to compare with; a closed form is not used then.
    progress : function of (steps done, steps in all)

    Raises
    ------
    CaseError, ModelError
        In one line: too few step sizes, one that does not divide t_end or that is not a multiple of the
        finest one's, an unknown scheme, ...
    ConvergenceError
        When a step of a run is not solved.
    """
    cases = [case.with_scheme(scheme) for scheme in schemes] or [case]
    exact, t_end = closed_form(case) if reference is None else None, cases[0].scheme.t_end
    sizes = step_sizes(dt, t_end, reference, has_reference=exact is None)
    each = sizes if exact is not None else [*sizes, reference or min(dt)]
    # The case's own step size need not divide t_end.
    cases = [other.with_overrides(f"scheme.dt={sizes[0]!r}") for other in cases]
    first = build(cases[0])
    models = [first, *(build(other, mesh=first.mesh) for other in cases[1:])]
    _check_memory(first, sizes)
    count = _Counter(progress, len(models) * sum(step_count(h, t_end) for h in each))
    with _warned_once():
        return [
            _against_exact(model, label, sizes, exact, count)
            if exact is not None
            else _against_run(model, label, sizes, each[-1], count)
            for model, label in zip(models, _labels(cases), strict=True)
        ]


@contextmanager
def _warned_once() -> Iterator[None]:
    """A warning that every run of a scheme gives is given once, after the last run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FemContactWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        warnings.warn(message, FemContactWarning, stacklevel=3)


def closed_form(case: Case) -> Exact | None:
    """The closed form of a rigid model's motion (its ``exact``), or None when it has none."""
    return None if case.model is None else getattr(case.model.settings, "exact", None)


def step_sizes(
    dt: Sequence[float], t_end: float, reference: float | None = None, *, has_reference: bool
) -> list[float]:
    """The step sizes to measure, the largest first; without the finest where that one is the reference.

    Raises
    ------
    ModelError
        As :func:`converge`.
    """
    sizes = sorted((float(h) for h in dt), reverse=True)
    for h in sizes if reference is None else [*sizes, reference]:
        step_count(h, t_end)
    twice = next((a for a, b in pairwise(sizes) if a == b), None)
    if twice is not None:
        raise ModelError(f"the step size {twice:g} is given twice")
    if not has_reference:
        return _enough(sizes, "")
    finest = sizes[-1] if reference is None else reference
    sizes = sizes[:-1] if reference is None else sizes
    _enough(sizes, " besides the finest, which they are compared with")
    for h in sizes:
        ratio = h / finest
        if ratio < 1.5 or abs(ratio - round(ratio)) > 1e-6 * ratio:
            raise ModelError(
                f"dt = {h:g} is not a multiple of {finest:g}, the step size of the run to compare with"
            )
    return sizes


def _enough(sizes: list[float], which: str) -> list[float]:
    if len(sizes) < LEAST:
        raise ModelError(
            f"{len(sizes)} step size{'s' if len(sizes) != 1 else ''}{which}: an order needs at least {LEAST}"
        )
    return sizes


def _labels(cases: Sequence[Case]) -> list[str]:
    """The schemes' names, with their settings where two have the same."""
    names = [case.scheme.name for case in cases]
    return [
        f"{name} {case.scheme.settings}" if names.count(name) > 1 else name
        for name, case in zip(names, cases, strict=True)
    ]


def _check_memory(model: Model, sizes: Sequence[float]) -> None:
    size = 16.0 * model.system.n * model.t_end / min(sizes)
    if size > MAX_MEMORY:
        raise ModelError(
            f"the positions and velocities of {round(model.t_end / min(sizes))} steps need "
            f"{size / 1e9:.3g} GB of memory: take larger step sizes or a shorter t_end"
        )


class _Counter:
    """Adds the steps of one run after the other up for whoever shows progress."""

    def __init__(self, progress: Progress | None, total: int):
        self._progress, self._total, self._before = progress, total, 0

    def next_run(self, steps: int) -> Progress | None:
        """Progress of the next run, of ``steps`` steps."""
        before, progress = self._before, self._progress
        self._before += steps
        return None if progress is None else lambda done, _: progress(before + done, self._total)


def _run(model: Model, h: float, every: int, count: _Counter) -> Run:
    steps = step_count(h, model.t_end)
    which = f"{model.case.name}: {model.case.scheme.name}, dt = {h:g}"
    try:
        return simulate(
            model.system,
            model.scheme,
            dt=h,
            t_end=model.t_end,
            initial=model.initial,
            solver=model.solver,
            every=every,
            on_failure=model.on_failure,
            progress=count.next_run(steps),
        )
    except ConvergenceError as error:
        message, problem = f"{which}: {error}", error.problem
        raise ConvergenceError(message, step=error.step, error=error.error, problem=problem) from None
    except ModelError as error:
        raise CaseError(f"{which}: {error}") from None


def _against_exact(
    model: Model, label: str, sizes: Sequence[float], exact: Exact, count: _Counter
) -> Convergence:
    errors = []
    for h in sizes:
        run = _run(model, h, 1, count)
        errors.append(exact_errors(run, exact, model.system.dofs_per_node))
    return Convergence(label, np.array(sizes), np.array(errors), "the closed form", model.units)


def exact_errors(run: Run, exact: Exact, per_node: int) -> FloatArray:
    """(2, 3) errors of a run whose fields are kept at every step: q and v by norm."""
    t = np.asarray(run.fields.t)
    q, v = exact(t, np.asarray(run.fields.q[0]), np.asarray(run.fields.v[0]))
    h = float(run.attrs["dt"])
    pairs = ((run.fields.q, q), (run.fields.v, v))
    return np.array([norms(np.asarray(x) - np.asarray(y), h, per_node) for x, y in pairs])


def _against_run(
    model: Model, label: str, sizes: Sequence[float], finest: float, count: _Counter
) -> Convergence:
    # The finest run is only looked at where some other one is.
    every = int(np.gcd.reduce([round(h / finest) for h in sizes]))
    best = _run(model, finest, every, count)
    errors = []
    for h in sizes:
        run = _run(model, h, 1, count)
        errors.append(run_errors(run, best, model.system.dofs_per_node))
    name = f"the run at h = {finest:g}"
    return Convergence(label, np.array(sizes), np.array(errors), name, model.units)


def run_errors(run: Run, best: Run, per_node: int) -> FloatArray:
    """(2, 3) errors of a run against another one, at the times of the first: q and v by norm."""
    h, t, times = float(run.attrs["dt"]), np.asarray(run.fields.t), np.asarray(best.fields.t)
    errors: list[Any] = []
    for name in ("q", "v"):
        difference = common_error(t, getattr(run.fields, name), times, getattr(best.fields, name))
        errors.append(norms(difference, h, per_node))
    return np.array(errors)
