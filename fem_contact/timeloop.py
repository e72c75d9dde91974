"""The time loop: stepping, recording, checkpoints, and what to do when a step fails."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_contact._version import __version__
from fem_contact.errors import ConvergenceError, FemContactWarning, ModelError
from fem_contact.problems.local import LocalProblem
from fem_contact.record import MemorySink, Probe, Recorder, Run, Sink
from fem_contact.schemes.base import ERROR, TOTAL, Scheme, State, Stepper, StepReport
from fem_contact.solvers.base import Solver
from fem_contact.systems.initial import usual_start
from fem_contact.systems.kinds import System
from fem_contact.systems.lagrangian import LagrangianSystem

FloatArray = NDArray[np.float64]
Progress = Callable[[int, int], None]
Keep = Callable[[int, LocalProblem], None]

#: What to do when the cone solver misses its tolerance.
ON_FAILURE = ("stop", "continue")


def step_count(dt: float, t_end: float) -> int:
    """Number of steps N with N dt = t_end; ModelError when dt does not divide t_end to 1e-6."""
    for name, value in (("dt", dt), ("t_end", t_end)):
        if not (np.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} = {value!r}: it must be a positive number")
    steps = round(t_end / dt)
    if steps < 1 or abs(steps * dt - t_end) > 1e-6 * t_end:
        raise ModelError(f"t_end = {t_end:g} is not a whole number of steps dt = {dt:g}")
    return steps


def simulate(
    system: System,
    scheme: Scheme,
    *,
    dt: float,
    t_end: float,
    initial: tuple[FloatArray, FloatArray] | None = None,
    solver: Solver | None = None,
    every: int = 100,
    probes: tuple[Probe, ...] = (),
    on_failure: str = "stop",
    progress: Progress | None = None,
) -> Run:
    """Run a scheme on a system from t = 0 to ``t_end`` and return the run, in memory.

    Parameters
    ----------
    system : LinearSystem or LagrangianSystem
    scheme : Scheme
        For instance ``MoreauJeanFremond(theta=0.5)``.
    dt, t_end : float
        Step h and final time; t_end must be a whole number of steps.
    initial : (q, v) or None
        Initial displacements and velocities, (n,) each; at rest when left out, or where a rigid model starts.
    solver : Solver or None
        Cone solver, ``Auto()`` when left out, as in a case file.
    every : int
        Fields q and v are kept every so many steps.
    probes : tuple of Probe
    on_failure : "stop" or "continue"
        Whether a step whose contact problem is not solved to tolerance ends the run.
    progress : function of (steps done, steps in all), called now and then.

    Raises
    ------
    ConvergenceError
        With the step, the residual reached and the offending problem, when on_failure = "stop".
    ModelError
        On settings out of range, or a state that is not finite any more.
    """
    from fem_contact.solvers.auto import Auto

    solver = Auto() if solver is None else solver
    steps = step_count(dt, t_end)
    stepper = scheme.prepare(system, dt, solver)
    sink = MemorySink()
    q, v = usual_start(system) if initial is None else initial
    drive(
        stepper,
        system,
        steps,
        sink,
        start=stepper.start(q, v),
        tol=solver.tol,
        every=every,
        chunk=1000,
        probes=probes,
        on_failure=on_failure,
        progress=progress,
    )
    attrs = run_attributes(system, scheme, dt, complete=True)
    return Run({**sink.tree(), "contact": contact_tree(system)}, attrs, system.mesh)


def drive(
    stepper: Stepper,
    system: System,
    steps: int,
    sink: Sink,
    *,
    start: tuple[State, StepReport | None],
    tol: float,
    every: int,
    chunk: int,
    probes: tuple[Probe, ...] = (),
    on_failure: str = "stop",
    progress: Progress | None = None,
    dump: frozenset[int] = frozenset(),
    keep: Keep | None = None,
) -> State:
    """Step from a state to step ``steps``, handing rows to ``sink`` every ``chunk`` steps.

    ``start`` is a state with the report of its row, or with None when that row was written before.
    Whatever ends the loop, the steps that were done are in the sink. The contact problems of the steps in
    ``dump`` go to ``keep``.
    """
    if on_failure not in ON_FAILURE:
        raise ModelError(f"on_failure = {on_failure!r}: it must be one of {', '.join(ON_FAILURE)}")
    for name, value in (("every", every), ("checkpoint", chunk)):
        if value < 1:
            raise ModelError(f"{name} = {value!r}: it must be at least 1 step")
    state, first = start
    recorder = Recorder(
        system.contacts, system.dim, system.n, min(chunk, steps) + 1, every, probes, stepper.extras
    )
    if first is not None:
        recorder.add(state, first)
    new, report = state.copy(), StepReport(system.contacts, system.dim, stepper.extras)
    try:
        while state.k < steps:
            stepper.advance(state, new, report)
            scalars = report.scalars
            if not (scalars[ERROR] <= tol and isfinite(scalars[TOTAL])):
                _judge(stepper, new, report, tol, on_failure)
            state, new = new, state
            recorder.add(state, report)
            if state.k in dump and keep is not None:
                keep(state.k, stepper.problem())
            if state.k % chunk == 0 and state.k < steps:
                sink.write(recorder.take(state))
            if progress is not None and state.k % 100 == 0:
                progress(state.k, steps)
    finally:
        if recorder.rows:
            sink.write(recorder.take(state))
    if progress is not None:
        progress(steps, steps)
    return state


def _judge(stepper: Stepper, new: State, report: StepReport, tol: float, on_failure: str) -> None:
    """What to do about a step that is not solved, or not finite."""
    error = report.scalars[ERROR]
    if not isfinite(report.scalars[TOTAL]):
        raise ModelError(
            f"step {new.k} (t = {new.t:g}): the energy is not finite any more; "
            "the scheme is unstable at this step size"
        )
    message = (
        f"step {new.k} (t = {new.t:g}): the contact problem was solved to {error:.3g} only, "
        f"{tol:.3g} was asked for, in {report.iterations} iterations"
    )
    if on_failure == "stop":
        raise ConvergenceError(message, step=new.k, error=float(error), problem=stepper.problem())
    warnings.warn(message, FemContactWarning, stacklevel=4)


def contact_tree(system: System) -> dict[str, Any]:
    """The run file's /contact group."""
    return {
        "nodes": system.contact_nodes,
        "normals": system.normals,
        "mu": system.mu,
        "e": system.e,
        "gap0": system.g0,
    }


def run_attributes(
    system: System, scheme: Scheme, dt: float, *, complete: bool, **more: Any
) -> Mapping[str, Any]:
    """Root attributes of a run: what was run, with which settings, on what."""
    activation = getattr(scheme, "activation", None)
    attrs: dict[str, Any] = {
        "case": "",
        "title": "",
        "units": "",
        "version": __version__,
        "scheme": getattr(scheme, "name", type(scheme).__name__),
        "complete": complete,
        "dt": float(dt),
        "dofs_per_node": system.dofs_per_node,
        "identity": True,
    }
    if isinstance(system, LagrangianSystem):
        attrs["coordinates"] = list(system.names)
        attrs["angles"] = list(system.angles)
        attrs["contact_names"] = list(system.contact_names)
    if system.material is not None:
        attrs["material"] = repr(system.material)
    if is_dataclass(scheme):
        attrs["scheme_settings"] = json.dumps(asdict(scheme))
    if hasattr(scheme, "theta"):
        attrs["theta"] = float(scheme.theta)
    if activation is not None:
        resolved = activation.resolved(system.length, system.wave_speed)
        attrs.update(gamma=resolved.gamma, gap_tol=resolved.gap_tol, velocity_tol=resolved.velocity_tol)
    return {**attrs, **more}
