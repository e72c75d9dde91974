"""The mean step of every scheme on the PMMA block, beside that of Moreau-Jean.

    make bench

The schemes take turns in short rounds, so that all see the same machine; the median of the rounds counts.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time

import numpy as np

from fem_contact.errors import ModelError
from fem_contact.io.build import build
from fem_contact.io.case import load_case
from fem_contact.schemes import SCHEMES, StepReport

ROUNDS, STEPS = 20, 200


def main() -> None:
    """Measure and print microseconds a step and the ratio to Moreau-Jean's."""
    model = build(load_case("pmma_sliding_block"))
    runs = {}
    for name, scheme in SCHEMES.items():
        known = {field.name for field in dataclasses.fields(scheme)}
        settings = {"activation": model.scheme.activation} if "activation" in known else {}
        try:
            stepper = scheme(**settings).prepare(model.system, model.dt, model.solver)
        except ModelError as error:  # a scheme for rigid models alone
            print(f"left out: {error}", file=sys.stderr)
            continue
        state, _ = stepper.start(*model.initial)
        report = StepReport(model.system.contacts, model.system.dim, stepper.extras)
        runs[name] = (stepper, [state, state.copy()], report)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (stepper, states, report) in runs.items():
            started = time.perf_counter()
            for _ in range(STEPS):
                stepper.advance(states[0], states[1], report)
                states.reverse()
            times[name].append((time.perf_counter() - started) / STEPS)
    # Ratios within a round: what else the machine does, it does to all of them. The first round compiles.
    first = np.array(times["moreau-jean"][1:])
    result = {
        name: {
            "step_us": round(1e6 * float(np.median(values[1:])), 1),
            "ratio": round(float(np.median(np.array(values[1:]) / first)), 2),
        }
        for name, values in times.items()
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
