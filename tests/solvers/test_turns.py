"""Turns of pivoting along a path: when there is one, from which iterate, and with what patience."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from fem_contact.problems import LocalProblem
from fem_contact.solvers.base import Watch
from fem_contact.solvers.paths import turns as module
from fem_contact.solvers.paths.turns import CLOSE, LOWER, PATIENT, PATIENT_CLOSE, Nearest, Turns

#: Of a single contact: the residual of r is |r - 1| with w = r - 1, over 1 + |b| = 2.
PROBLEM = LocalProblem(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([-1.0, 0.0]), np.array([0.0]))


@pytest.fixture
def turns(monkeypatch):
    """Turns that write down where pivots start, and with what patience."""

    class Recorder(Turns):
        taken: ClassVar[list[tuple[float, int]]] = []

    class Pivots:
        def __init__(self, max_iter, patience):
            self.patience = patience

        def attempt(self, problem, r, watch):
            Recorder.taken.append((float(r[0]), self.patience))

    Recorder.taken = []
    monkeypatch.setattr(module, "Pivoting", Pivots)
    return Recorder()


def off(distance):
    """An iterate with this residual."""
    return np.array([1.0 + 2.0 * distance, 0.0])


def leg(distance):
    nearest = Nearest()
    nearest.see(distance, off(distance))
    return nearest


def test_nearest_keeps_the_best_iterate_and_its_own_copy():
    nearest, r = Nearest(), off(0.3)
    nearest.see(0.3, r)
    r[:] = 7.0
    nearest.see(0.4, r)
    nearest.see(float("nan"), r)
    assert nearest.residual == 0.3
    np.testing.assert_array_equal(nearest.r, off(0.3))


def test_from_the_best_iterate_once_then_from_that_of_a_leg(turns):
    watch = Watch(PROBLEM, 1e-10)
    watch.see(off(0.1))
    assert watch.residual == pytest.approx(0.1)
    better = 0.99 * LOWER * 0.2
    for nearest, expected in ((0.3, 0.1), (0.2, 0.2), (0.2, None), (better, better), (better, None)):
        turns.taken.clear()
        turns.take(PROBLEM, watch, 100, leg(nearest), over=False)
        starts = [start for start, _ in turns.taken]
        assert starts == ([] if expected is None else [pytest.approx(off(expected)[0])])


def test_a_better_iterate_has_a_turn_again(turns):
    watch = Watch(PROBLEM, 1e-10)
    for distance, begins in ((0.1, 0.1), (0.99 * LOWER * 0.1, 0.99 * LOWER * 0.1), (0.98 * LOWER * 0.1, 0.5)):
        turns.taken.clear()
        watch.see(off(distance))
        turns.take(PROBLEM, watch, 100, leg(0.5), over=False)
        assert turns.taken[0][0] == pytest.approx(off(begins)[0])


def test_at_the_end_of_a_path_there_is_a_turn_in_any_case(turns):
    watch = Watch(PROBLEM, 1e-10)
    watch.see(off(0.1))
    for nearest in (0.2, 0.2, 0.2):
        turns.take(PROBLEM, watch, 100, leg(nearest), over=True)
    assert [start for start, _ in turns.taken[1:]] == pytest.approx([off(0.2)[0]] * 2)
    # A leg without iterate has none to start from.
    turns.taken.clear()
    turns.take(PROBLEM, watch, 100, Nearest(), over=True)
    assert turns.taken == []


def test_patience_is_that_of_the_start(turns):
    watch = Watch(PROBLEM, 1e-10)
    watch.see(off(0.5 * CLOSE))
    for _ in range(2):
        turns.take(PROBLEM, watch, 100, leg(2.0 * CLOSE), over=False)
    assert [patience for _, patience in turns.taken] == [PATIENT_CLOSE, PATIENT]


def test_no_turn_without_iterations_left_or_after_the_solution(turns):
    watch = Watch(PROBLEM, 1e-10)
    watch.see(off(0.1), iterations=100)
    turns.take(PROBLEM, watch, 100, leg(0.2), over=True)
    watch.see(off(0.0))
    turns.take(PROBLEM, watch, 1000, leg(0.2), over=True)
    assert turns.taken == []
