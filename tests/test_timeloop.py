"""The time loop: recording, failure policy, probes, progress."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, eye

from fem_contact.contact.activation import Activation
from fem_contact.errors import ConvergenceError, FemContactWarning, ModelError
from fem_contact.fem.force import Force
from fem_contact.problems import residual
from fem_contact.record import MemorySink, Probe
from fem_contact.schemes import MoreauJean
from fem_contact.solvers import NSGS
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import drive, simulate, step_count


@pytest.fixture
def slider():
    """Two masses on a floor, coupled, pressed and pushed: 2 contacts, 4 dofs."""
    K = np.zeros((4, 4))
    K[np.ix_([0, 2], [0, 2])] = [[5.0, -5.0], [-5.0, 5.0]]
    K[np.ix_([1, 3], [1, 3])] = [[3.0, 1.0], [1.0, 3.0]]
    H = csr_matrix([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    return LinearSystem(
        M=eye(4, format="csr"),
        K=csr_matrix(K),
        H=H,
        mu=[0.3, 0.3],
        force=Force(np.array([1.0, -2.0, 0.0, -2.0])),
        length=1e-3,
    )


ACTIVATION = Activation(1.0, 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("dt", "t_end", "steps"), [(0.1, 1.0, 10), (1e-4, 1.0, 10_000), (5e-7, 6e-4, 1200), (1.0 / 3.0, 1.0, 3)]
)
def test_step_count(dt, t_end, steps):
    assert step_count(dt, t_end) == steps


@pytest.mark.parametrize(
    ("dt", "t_end", "message"),
    [
        (0.3, 1.0, "not a whole number"),
        (0.0, 1.0, "dt = 0.0"),
        (0.1, -1.0, "t_end = -1.0"),
        (2.0, 1.0, "not a whole"),
        (np.nan, 1.0, "dt = nan"),
    ],
)
def test_step_count_refuses(dt, t_end, message):
    with pytest.raises(ModelError, match=message):
        step_count(dt, t_end)


def test_a_run_has_a_row_for_the_start_and_every_step(slider):
    run = simulate(slider, MoreauJean(activation=ACTIVATION), dt=0.01, t_end=2.5, every=100)
    assert run.steps.t.shape == (251,)
    assert np.array_equal(run.steps.t, np.arange(251) * 0.01)
    assert run.steps.contact.p.shape == run.steps.contact.u.shape == (251, 2, 2)
    assert run.steps.contact.gap.shape == (251, 2)
    assert np.array_equal(run.fields.t, [0.0, 1.0, 2.0])
    assert run.fields.q.shape == (3, 4)
    for name in ("external", "damping", "contact_normal", "contact_tangential", "numerical", "support"):
        assert run["steps/work/" + name][0] == 0.0
    np.testing.assert_array_equal(run.steps.energy.total, run.steps.energy.kinetic + run.steps.energy.elastic)
    np.testing.assert_allclose(
        run.steps.work.contact_tangential, run.steps.contact.work_tangential.sum(axis=1), atol=1e-16
    )
    assert run.steps.work.contact_tangential.min() < -1e-4
    assert run.complete
    assert run.scheme == "moreau-jean"
    assert run.attrs["gap_tol"] == 1e-9
    assert run.mesh is None


def test_the_rows_do_not_depend_on_the_size_of_the_chunks(slider):
    trees = []
    for chunk in (1, 7, 1000):
        stepper = MoreauJean(activation=ACTIVATION).prepare(slider, 0.01, NSGS())
        sink = MemorySink()
        q = np.zeros(4)
        drive(stepper, slider, 100, sink, start=stepper.start(q, q), tol=1e-10, every=3, chunk=chunk)
        trees.append(sink.tree())
    for tree in trees[1:]:
        for group in ("energy", "work", "contact", "solver"):
            for name, array in tree["steps"][group].items():
                assert np.array_equal(array, trees[0]["steps"][group][name]), name
        for name, array in tree["fields"].items():
            assert np.array_equal(array, trees[0]["fields"][name])
    assert len(trees[0]["fields"]["t"]) == 34


def test_probes_record_their_point_at_every_step(slider):
    probe = Probe("first", csr_matrix([[1.0, 0, 0, 0], [0, 1.0, 0, 0]]))
    run = simulate(slider, MoreauJean(activation=ACTIVATION), dt=0.01, t_end=1.0, every=1, probes=(probe,))
    assert np.array_equal(run.steps.probes.first.q, run.fields.q[:, :2])
    assert np.array_equal(run.steps.probes.first.v, run.fields.v[:, :2])
    assert np.abs(run.fields.q[:, 0]).max() > 0.01


def test_progress_ends_at_the_last_step(slider):
    seen = []
    simulate(
        slider, MoreauJean(), dt=0.01, t_end=2.5, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(100, 250), (200, 250), (250, 250)]


def test_a_problem_that_is_not_solved_stops_the_run(slider):
    solver = NSGS(tol=1e-14, max_iter=1, finish=False)
    strong = LinearSystem(
        M=csr_matrix(
            np.array([[1.0, 0.3, 0.2, 0.1], [0.3, 1, 0.1, 0.2], [0.2, 0.1, 1, 0.4], [0.1, 0.2, 0.4, 1]])
        ),
        K=slider.K,
        H=slider.H,
        mu=slider.mu,
        force=slider.force,
        length=1e-3,
    )
    settings = {"dt": 0.01, "t_end": 0.5, "solver": solver}
    with pytest.raises(
        ConvergenceError, match=r"step 1 \(t = 0.01\): the contact problem was solved to .* only, 1e-14"
    ) as caught:
        simulate(strong, MoreauJean(activation=ACTIVATION), **settings)
    error = caught.value
    assert error.step == 1
    assert error.error > 1e-14
    assert error.problem.contacts == 2
    assert residual(error.problem, np.zeros(4)) > 1e-3
    with pytest.warns(FemContactWarning, match="solved to"):
        run = simulate(strong, MoreauJean(activation=ACTIVATION), on_failure="continue", **settings)
    assert run.steps.solver.error[1] == error.error  # the same step, gone over
    assert len(run.steps.t) == 51


@pytest.mark.filterwarnings("ignore::fem_contact.errors.FemContactWarning")
def test_an_unstable_run_is_stopped_by_name():
    system = LinearSystem(M=csr_matrix([[1.0]]), K=csr_matrix([[1e8]]))
    with pytest.raises(ModelError, match="energy is not finite any more; the scheme is unstable"):
        simulate(system, MoreauJean(theta=0.0), dt=0.1, t_end=100.0, initial=(np.ones(1), np.zeros(1)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"every": 0}, "every = 0"),
        ({"on_failure": "shrug"}, "on_failure = 'shrug'"),
        ({"dt": -1.0}, "dt = -1.0"),
    ],
)
def test_settings_out_of_range_are_refused(slider, change, message):
    with pytest.raises(ModelError, match=message):
        simulate(slider, MoreauJean(), **{"dt": 0.01, "t_end": 0.1, **change})


@pytest.mark.parametrize("start", [(np.zeros(3), np.zeros(4)), (np.zeros(4), np.full(4, np.nan))])
def test_initial_states_that_do_not_fit_are_refused(slider, start):
    with pytest.raises(ModelError, match="must be 4 finite numbers"):
        simulate(slider, MoreauJean(), dt=0.01, t_end=0.1, initial=start)


def test_a_run_tells_what_it_holds(slider):
    run = simulate(slider, MoreauJean(), dt=0.01, t_end=0.1)
    with pytest.raises(
        AttributeError, match=r"'/steps/energy' has no 'potential'; it has: kinetic, elastic, total"
    ):
        _ = run.steps.energy.potential
    with pytest.raises(KeyError, match="potential"):
        run["steps/energy/potential"]
    assert "steps/energy/total" in run
    assert "steps/energy/potential" not in run
    assert np.array_equal(run["steps/energy/total"], run.steps.energy.total)
