"""Every scheme, on a body and on rigid models: killed between checkpoints, a run ends in the same file."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.errors import ModelError
from fem_contact.io.build import build
from fem_contact.io.case import Case
from fem_contact.io.execute import run_case
from fem_contact.schemes import SCHEMES

BLOCK = {
    "mesh": {"shape": {"kind": "rectangle", "width": 40.0, "height": 25.0}, "size": 8.0},
    "body": {"E": 5750.0, "nu": 0.358, "density": 1.17e-3, "thickness": 15.0},
    "support": [{"group": "top", "y": "-0.005 - 0.001*sin(60*t)"}],
    "load": [{"group": "left", "traction": ["2*sign(sin(4*pi*t))", 0.0]}],
    "contact": [{"group": "bottom", "mu": 0.5, "obstacle": {"kind": "plane", "normal": [0.0, 1.0]}}],
    "initial": {"kind": "preload"},
    "units": "mm-ms-g",
}
RIGID = {
    "crank": {"model": {"kind": "slider-crank-clearance"}, "units": "SI"},
    "rod": {"model": {"kind": "painleve-rod"}, "units": "SI"},
}
STEP = {"block": 1e-4, "crank": 2e-5, "rod": 1e-3}
AT, STEPS = 77, 130
#: Schemes that the papers define for some systems only; all others take all of them.
ONLY = {
    **{name: {"block"} for name in ("newmark", "hht", "generalized-alpha", "krenk-hogsberg")},
    "contact-dynamics": {"rod"},
}


class Killed(Exception):
    pass


def case_of(name: str, scheme: str) -> Case:
    tables = BLOCK if name == "block" else RIGID[name]
    h = STEP[name]
    run = {"name": scheme, "dt": h, "t_end": STEPS * h}
    return Case.from_dict({**tables, "scheme": run, "output": {"checkpoint": 25, "every": 10}})


def killed_at(model, step: int):
    """The model, its scheme raising at a step."""
    kind = type(model.scheme)

    class Dying(kind):
        def prepare(self, *arguments):
            stepper = super().prepare(*arguments)
            advance = stepper.advance

            def dying(state, new, report):
                if state.k == step:
                    raise Killed
                advance(state, new, report)

            stepper.advance = dying
            return stepper

    object.__setattr__(model, "scheme", Dying(**vars(model.scheme)))
    return model


def refusal(case: Case) -> str:
    """Why the scheme does not step the system, or nothing."""
    model = build(case)
    try:
        model.scheme.prepare(model.system, model.dt, model.solver)
    except ModelError as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_a_killed_run_resumes_to_the_same_file(tmp_path, scheme):
    resumed = set()
    for name in ("block", *RIGID):
        case = case_of(name, scheme)
        why_not = refusal(case)
        if why_not:
            assert scheme in why_not  # told by name: a kind of system that the scheme is not made for
            continue
        whole, broken = tmp_path / f"{name}.h5", tmp_path / f"{name}-broken.h5"
        run = run_case(case, whole)
        assert np.abs(run.steps.contact.p).max() > 0.0
        with pytest.raises(Killed):
            run_case(killed_at(build(case), AT), broken)
        run_case(case, broken, resume=True)
        assert broken.read_bytes() == whole.read_bytes(), name
        resumed.add(name)
    assert resumed == ONLY.get(scheme, {"block", *RIGID})
