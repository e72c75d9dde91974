"""Run a case into a run file, with checkpoints and resume."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path

from fem_contact.errors import ConvergenceError, FemContactWarning, RunFileError
from fem_contact.io.build import Model, build
from fem_contact.io.case import Case
from fem_contact.io.fclib import write_problem
from fem_contact.io.run import RunWriter, is_finished, open_run
from fem_contact.problems.local import LocalProblem
from fem_contact.record import Run
from fem_contact.schemes.base import State, Stepper, StepReport
from fem_contact.timeloop import Progress, contact_tree, drive, run_attributes


def run_case(
    case: Case | Model,
    output: str | Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Run a case (or a built model) and write its run file.

    Parameters
    ----------
    output : path of the run file (HDF5).
    resume : bool
        Go on from the last checkpoint beside ``output``; start where there is none. A finished run is
        returned as it is.
    overwrite : bool
        Replace a finished run.

    Raises
    ------
    RunFileError
        When ``output`` is a finished run (and neither resume nor overwrite), or another file.
    ConvergenceError
        When a contact problem is not solved: its message names the step, the residual reached and the
        file that the problem was saved to. The steps before stay in the (unfinished) run file.
    """
    output = Path(output)
    finished = is_finished(output)
    if finished and not (resume or overwrite):
        raise RunFileError(
            f"{output}: is a finished run; give another name with -o, or --overwrite to replace it"
        )
    model = case if isinstance(case, Model) else build(case)
    writer = _writer(model, output)
    if finished and resume:
        _same_run(model, output)
        writer.discard()  # left behind when the program was killed between the last two moves
        return open_run(output)
    stepper = model.scheme.prepare(model.system, model.dt, model.solver)
    start = _start(writer, stepper, model, resume)
    done = False
    try:
        drive(
            stepper,
            model.system,
            model.steps,
            writer,
            start=start,
            tol=model.solver.tol,
            every=model.every,
            chunk=model.checkpoint,
            probes=model.probes,
            on_failure=model.on_failure,
            progress=progress,
            dump=model.dump,
            keep=partial(_keep, output),
        )
        done = True
    except ConvergenceError as error:
        raise _saved(error, output) from None
    finally:
        writer.finish(complete=done)
    return open_run(output)


def _writer(model: Model, output: Path) -> RunWriter:
    system = model.system
    attrs = run_attributes(
        system,
        model.scheme,
        model.dt,
        complete=False,
        case=model.case.text,
        title=model.title,
        units=model.units,
        steps=model.steps,
    )
    return RunWriter(output, attrs, contact_tree(system), system.mesh)


def _start(
    writer: RunWriter, stepper: Stepper, model: Model, resume: bool
) -> tuple[State, StepReport | None]:
    state = writer.resume() if resume else None
    if state is not None:
        return state, None
    if writer.parts.is_dir() and not resume:
        warnings.warn(
            f"{writer.path}: starting again over an unfinished run "
            "(--resume would go on from its last checkpoint)",
            FemContactWarning,
            stacklevel=3,
        )
    writer.begin()
    return stepper.start(*model.initial)


def _same_run(model: Model, output: Path) -> None:
    if open_run(output).case != model.case.text:
        raise RunFileError(f"{output}: is a finished run of another case; give another name with -o")


def _keep(output: Path, step: int, problem: LocalProblem) -> None:
    """A problem that the case asked for, beside the run file."""
    write_problem(problem, _problem_path(output, step), step=step)


def _problem_path(output: Path, step: int | None) -> Path:
    return output.with_name(f"{output.stem}-step{step}.problem.hdf5")


def _saved(error: ConvergenceError, output: Path) -> ConvergenceError:
    """The same error, its problem saved beside the run file."""
    path = _problem_path(output, error.step)
    write_problem(error.problem, path, step=error.step, error=error.error)  # type: ignore[arg-type]
    message = f"{error}; the problem is saved in {path} (fem-contact solve {path})"
    return ConvergenceError(message, step=error.step, error=error.error, problem=error.problem)
