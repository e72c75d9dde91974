"""The bundled cases, run in full and held to the values in cases/expected."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from fem_contact.io.build import build
from fem_contact.io.case import find_case, load_case
from fem_contact.post import bar
from fem_contact.record import Run
from fem_contact.timeloop import simulate

EXPECTED = Path(__file__).parents[2] / "cases" / "expected"
CASES = Path(__file__).parents[2] / "cases"


class Result:
    """A run with the system it came from."""

    def __init__(self, name: str, overrides: tuple[str, ...]):
        model = build(load_case(find_case(name), overrides))
        self.system = model.system
        self.dt = model.dt
        self.run: Run = simulate(
            model.system,
            model.scheme,
            dt=model.dt,
            t_end=model.steps * model.dt,
            initial=model.initial,
            solver=model.solver,
            every=model.steps,
            probes=model.probes,
        )

    def momentum_error(self, axis: int) -> float:
        """|change of momentum - impulses of loads and contacts| over the impulse of the contacts."""
        d, v = self.system.dofs_per_node, self.run.fields.v
        along = np.zeros(self.system.n)
        along[axis::d] = 1.0
        momentum = along @ (self.system.M @ (v[-1] - v[0]))
        contact = along @ (self.system.H.T @ self.run.steps.contact.p.sum(axis=0).ravel())
        load = along @ self.system.force.constant * self.run.steps.t[-1]
        return abs(momentum - contact - load) / abs(contact)


RESULTS: dict[tuple[str, tuple[str, ...]], Result] = {}


def result(name: str, overrides: tuple[str, ...] = ()) -> Result:
    """Each run is made once."""
    if (name, overrides) not in RESULTS:
        RESULTS[name, overrides] = Result(name, overrides)
    return RESULTS[name, overrides]


def largest(r: Result, name: str) -> float:
    return float(r.run["steps/contact/" + name].max())


QUANTITIES = {
    "residual": lambda r: np.abs(r.run.steps.residual).max() / np.abs(r.run.steps.energy.total).max(),
    "largest_tangential_work": lambda r: largest(r, "work_tangential") / r.run.steps.energy.total.max(),
    "largest_tangential_work_absolute": lambda r: largest(r, "work_tangential"),
    "largest_normal_work": lambda r: largest(r, "work_normal") / r.run.steps.energy.total.max(),
    "steps_with_positive_tangential_work": lambda r: np.count_nonzero(
        r.run.steps.contact.work_tangential.max(axis=1) > 1e-14 * r.run.steps.energy.total.max()
    ),
    "initial_energy": lambda r: r.run.steps.energy.total[0],
    "final_energy": lambda r: r.run.steps.energy.total[-1],
    "energy_kept": lambda r: r.run.steps.energy.total[-1] / r.run.steps.energy.total[0],
    "external_work": lambda r: r.run.steps.work.external.sum(),
    "contact_time": lambda r: bar.contact_time(r.run),
    "mean_contact_force": lambda r: bar.mean_contact_force(r.run),
    "rebound_velocity": lambda r: mean_velocity(r),
    "violation": lambda r: bar.violation(r.run),
    "newton_mean": lambda r: r.run.steps.newton.iterations[1:].mean(),
    "newton_most": lambda r: r.run.steps.newton.iterations.max(),
    "joint_error": lambda r: r.run.steps.joint_error.max(),
    "first_contact": lambda r: r.run.steps.t[r.run.steps.contact.p[..., 0].any(axis=1)].min(),
    "last_contact": lambda r: r.run.steps.t[r.run.steps.contact.p[..., 0].any(axis=1)].max(),
    "pin_first_contact": lambda r: r.run.steps.t[r.run.steps.contact.p[:, -1, 0] > 0.0].min(),
    "largest_reaction_work": lambda r: r.run.steps.work.reaction.max(),
    "momentum_error_x": lambda r: r.momentum_error(0),
    "momentum_error_y": lambda r: r.momentum_error(1),
    "impacts": lambda r: impacts(r),
    "energy_gained": lambda r: r.run.steps.energy.total[-1] - r.run.steps.energy.total[0],
    "largest_energy_rise": lambda r: np.diff(r.run.steps.energy.total).max() / r.run.steps.energy.total[0],
    "work_tangential_of_the_first_impact": lambda r: r.run.steps.contact.work_tangential[
        np.flatnonzero(r.run.steps.contact.p[..., 0].any(axis=1))[0]
    ].sum(),
    "largest_final_rate": lambda r: np.abs(r.run.fields.v[-1]).max(),
}


def impacts(r: Result) -> int:
    """How often the impulse of a contact begins."""
    pushing = r.run.steps.contact.p[..., 0] > 0.0
    return np.count_nonzero(pushing[1:] & ~pushing[:-1])


def mean_velocity(r: Result) -> float:
    """Momentum along x over the mass, at the end."""
    along = np.zeros(r.system.n)
    along[:: r.system.dofs_per_node] = 1.0
    weights = r.system.M @ along
    return float(weights @ r.run.fields.v[-1] / (weights @ along))


def checks():
    for path in sorted(EXPECTED.glob("*.toml")):
        for run in tomllib.loads(path.read_text())["run"]:
            for check in run["check"]:
                label = "-".join((path.stem, *run["set"], check["quantity"]))
                yield pytest.param(path.stem, tuple(run["set"]), check, id=label)


@pytest.mark.parametrize(("name", "overrides", "check"), list(checks()))
def test_expected_value(name, overrides, check):
    value = float(QUANTITIES[check["quantity"]](result(name, overrides)))
    if "value" in check:
        tolerance = check.get("within", check.get("relative", 0.0) * abs(check["value"]))
        assert tolerance > 0.0
        assert value == pytest.approx(check["value"], rel=0, abs=tolerance), check["source"]
    else:
        assert ("at_most" in check) != ("at_least" in check)
        assert value <= check.get("at_most", np.inf), check["source"]
        assert value >= check.get("at_least", -np.inf), check["source"]


def test_every_case_is_held_to_something():
    assert {p.stem for p in CASES.glob("*.toml")} == {p.stem for p in EXPECTED.glob("*.toml")}


def test_the_statistics_of_the_block_do_not_depend_on_gamma():
    """Final and mean energy, external and friction work for gamma in {0, 1/2, 1}: within 3 %."""
    rows = []
    for gamma in ("0.0", "0.5", "1.0"):
        steps = result("pmma_sliding_block", (f"scheme.activation.gamma={gamma}",)).run.steps
        total = steps.energy.total
        rows.append([total[-1], total.mean(), steps.work.external.sum(), steps.work.contact_tangential.sum()])
    mean = np.mean(rows, axis=0)
    assert np.all(np.abs(mean) > 50.0)
    assert np.abs(np.array(rows) / mean - 1.0).max() < 0.03


def test_the_strip_answers_as_the_bar():
    """Contact time, mean force and rebound of the plane strip with nu = 0 within 1 % of the 1-D bar's."""
    for quantity in ("contact_time", "mean_contact_force", "rebound_velocity"):
        strip, rod = (QUANTITIES[quantity](result(name)) for name in ("impacting_bar_2d", "impacting_bar"))
        assert strip == pytest.approx(rod, rel=0.01)


def test_penetration_of_the_bar_falls_linearly_with_the_step():
    """A bar that starts touching goes in by half a step, v0 h / 2: the paper's 2.5e-8 m at h = 5e-7 s."""
    deepest = []
    for h in ("2e-6", "1e-6", "5e-7"):
        touching = "contact.0.obstacle.point=[0.0, 0.0]"
        r = result("impacting_bar", (f"scheme.dt={h}", "scheme.t_end=2e-4", touching))
        deepest.append(bar.violation(r.run))
    np.testing.assert_allclose(deepest, [1e-7, 5e-8, 2.5e-8], rtol=1e-6)


def test_the_half_disk_meets_the_floor_symmetrically():
    """Left and right impulses agree within 5 % of the total (the mesh is not symmetric)."""
    r = result("hertz_half_disk")
    x = r.run.mesh.points[r.run.contact.nodes, 0]
    impulse = r.run.steps.contact.p[..., 0].sum(axis=0)
    left, right = impulse[x < 0].sum(), impulse[x > 0].sum()
    assert impulse.sum() > 5.0
    assert abs(left - right) < 0.05 * impulse.sum()
