"""Convergence of a case over step sizes: orders of known schemes, what is compared with what, refusals."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from fem_contact.errors import ConvergenceError, ModelError
from fem_contact.io.build import build
from fem_contact.io.case import load_case
from fem_contact.studies import converge as module
from fem_contact.studies.converge import closed_form, converge, run_errors, step_sizes
from fem_contact.timeloop import simulate

#: Step sizes that share no grid points: no two see an impact at the same part of a step.
SIZES = [5.0 / count for count in (101, 199, 401, 809, 1201, 1601, 2003, 3203)]
BAR = ("mesh.shape.elements=10", "scheme.t_end=1e-4")


def test_order_of_moreau_jean_on_the_ball():
    """RR-8029 figure 2: order 1 in L1, 0 in the uniform norm of v, 1/2 in its L2 norm."""
    (result,) = converge(load_case("bouncing_ball"), SIZES)
    assert result.reference == "the closed form"
    assert list(result.dt) == sorted(SIZES, reverse=True)
    for part in ("q", "v"):
        assert 0.85 <= result.order(part, "L1") <= 1.15
    assert result.order("q", "uniform") == pytest.approx(1.0, abs=0.15)
    assert result.order("v", "uniform") == pytest.approx(0.0, abs=0.1)
    assert result.order("v", "L2") == pytest.approx(0.5, abs=0.1)


def test_order_against_the_finest_run():
    """Before the first impact theta = 0.6 is of order 1, theta = 1/2 exact under the constant force."""
    case = load_case("bouncing_ball", ("scheme.t_end=0.8",))
    sizes = [0.04, 0.02, 0.01, 0.0004]
    implicit, trapezoidal = converge(
        case, sizes, ['{ name = "moreau-jean", theta = 0.6 }', "moreau-jean"], reference=None
    )
    assert implicit.reference == "the closed form"
    assert implicit.order("q", "L1") == pytest.approx(1.0, abs=0.05)
    assert np.abs(trapezoidal.errors).max() < 1e-12
    against_run = converge(case, sizes[:3], ['{ name = "moreau-jean", theta = 0.6 }'], reference=0.0004)
    assert against_run[0].reference == "the run at h = 0.0004"
    # The finest run is off by its own error, 1/25 of the smallest one here.
    ratio = against_run[0].series("q", "L1") / implicit.series("q", "L1")[:3]
    assert ratio == pytest.approx(1.0 - 0.0004 / np.array(sizes[:3]), abs=0.02)


def test_a_meshed_case_uses_one_mesh(monkeypatch):
    meshes, true = [], build
    monkeypatch.setattr(
        module, "build", lambda case, **more: meshes.append(more.get("mesh")) or true(case, **more)
    )
    results = converge(
        load_case("impacting_bar", BAR),
        [2e-6, 1e-6, 5e-7, 1e-7],
        ["moreau-jean", "moreau-jean-fremond"],
    )
    assert meshes[0] is None
    assert meshes[1] is not None
    assert [result.label for result in results] == ["moreau-jean", "moreau-jean-fremond"]
    for result in results:
        assert result.reference == "the run at h = 1e-07"
        assert list(result.dt) == [2e-6, 1e-6, 5e-7]
        assert np.all(np.diff(result.series("q", "L1")) < 0.0)


def test_errors_of_two_runs_by_hand():
    times = np.array([0.0, 0.5, 1.0])
    fine = SimpleNamespace(
        fields=SimpleNamespace(t=np.linspace(0.0, 1.0, 5), q=np.zeros((5, 1)), v=np.ones((5, 1)))
    )
    run = SimpleNamespace(
        attrs={"dt": 0.5},
        fields=SimpleNamespace(t=times, q=np.array([[0.0], [3.0], [4.0]]), v=np.array([[1.0], [0.0], [1.0]])),
    )
    errors = run_errors(run, fine, 1)
    assert errors[0] == pytest.approx([4.0, 3.5, np.sqrt(12.5)])
    assert errors[1] == pytest.approx([1.0, 0.5, np.sqrt(0.5)])


def test_closed_forms_are_found():
    assert closed_form(load_case("bouncing_ball")) is not None
    assert closed_form(load_case("rocking_block")) is None
    assert closed_form(load_case("impacting_bar")) is None


def test_progress_counts_all_steps():
    seen = []
    converge(
        load_case("bouncing_ball"),
        [0.05, 0.02, 0.01],
        ["moreau-jean", "moreau-jean-fremond"],
        progress=lambda done, total: seen.append((done, total)),
    )
    total = 2 * (100 + 250 + 500)
    assert {of for _, of in seen} == {total}
    counts = [done for done, _ in seen]
    assert counts == sorted(counts)
    assert counts[-1] == total


@pytest.mark.parametrize(
    ("sizes", "reference", "has_reference", "words"),
    [
        ([0.1, 0.05], None, False, "2 step sizes: an order needs at least 3"),
        ([0.1], None, False, "1 step size: an order"),
        ([0.1, 0.05, 0.02], None, True, "2 step sizes besides the finest"),
        ([0.1, 0.05, 0.02, 0.03], None, False, "t_end = 1 is not a whole number of steps dt = 0.03"),
        ([0.1, 0.05, 0.1], None, False, "the step size 0.1 is given twice"),
        ([0.1, 0.05, 0.025, 0.02], None, True, "dt = 0.05 is not a multiple of 0.02"),
        ([0.1, 0.05, 0.02], 0.05, True, "dt = 0.05 is not a multiple of 0.05"),
        ([0.1, 0.05, -0.02], None, False, "dt = -0.02: it must be a positive number"),
        ([0.1, 0.05, float("nan")], None, False, "must be a positive number"),
    ],
)
def test_step_sizes_that_are_refused(sizes, reference, has_reference, words):
    with pytest.raises(ModelError, match=words):
        step_sizes(sizes, 1.0, reference, has_reference=has_reference)


def test_too_many_positions_are_refused():
    case = load_case("pmma_sliding_block", ("mesh.size=5.0",))
    with pytest.raises(ModelError, match="GB of memory"):
        converge(case, [1e-7, 2e-7, 4e-7, 1e-8])


def test_a_scheme_that_fails_is_named():
    case = load_case("bouncing_ball", ("scheme.newton.max_iter=1", "scheme.newton.tol=1e-300"))
    words = r"bouncing_ball.toml: moreau-jean, dt = 0.1: step \d+ \(t = [0-9.]+\): 1 Newton iterations"
    with pytest.raises(ConvergenceError, match=words) as caught:
        converge(case, [0.1, 0.05, 0.02])
    assert caught.value.step is not None


def test_the_runs_are_those_of_the_case():
    """The error of one run, taken by itself."""
    case = load_case("bouncing_ball")
    model = build(case)
    (result,) = converge(case, [0.1, 0.05, 0.02])
    run = simulate(model.system, model.scheme, dt=0.05, t_end=5.0, initial=model.initial, every=1)
    exact = model.case.model.settings.exact(run.fields.t, *model.initial)
    assert result.series("q", "uniform")[1] == np.abs(run.fields.q - exact[0]).max()
