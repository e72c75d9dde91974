"""Time limits do not count compilation."""

import threading
import time

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from fem_contact.problems.local import LocalProblem
from fem_contact.solvers import SolverStatus, solve
from fem_contact.solvers.base import Turn, Watch
from fem_contact.solvers.clock import solving_seconds


def compiled_anew():
    """Seconds by the wall and by the clock that a kernel, and one that it calls, take to compile and run."""

    @njit
    def inner(x):
        return np.sort(x).sum()

    @njit
    def outer(x):
        return inner(x)

    wall, clock = time.perf_counter(), solving_seconds()
    outer(np.ones(3))
    return time.perf_counter() - wall, solving_seconds() - clock


def problem():
    return LocalProblem(np.eye(2), np.array([-1.0, 0.0]), np.array([0.5]), 2)


def test_clock_stands_still_while_a_kernel_compiles():
    wall, clock = compiled_anew()
    assert wall > 0.05
    assert 0.0 < clock < 0.2 * wall


def test_clock_runs_while_nothing_compiles():
    compiled_anew()
    clock = solving_seconds()
    time.sleep(0.05)
    assert 0.05 <= solving_seconds() - clock < 5.0


def test_compiling_in_another_thread_is_not_subtracted():
    """The thread that waits has had the time for itself."""
    wall, clock = time.perf_counter(), solving_seconds()
    other = threading.Thread(target=compiled_anew)
    other.start()
    other.join()
    wall, clock = time.perf_counter() - wall, solving_seconds() - clock
    assert wall > 0.05
    assert clock == pytest.approx(wall, rel=0.02)


def test_failed_compilation_leaves_the_clock_running():
    @njit
    def wrong(x):
        return x + "text"

    with pytest.raises(TypingError, match="Failed in nopython"):
        wrong(1.0)
    clock = solving_seconds()
    time.sleep(0.02)
    assert solving_seconds() - clock >= 0.02


class Compiling:
    """Compiles at its first iterate, then shows iterates until it is told to stop, for ``rest`` seconds."""

    tol, max_iter = 1e-10, 10

    def __init__(self, rest):
        self.rest = rest

    def attempt(self, problem, r, watch):
        compiled_anew()
        self.stopped = watch.see(r + 0.1)
        time.sleep(self.rest)
        watch.see(r + 0.2)

    def prepare(self, contacts, d):
        raise NotImplementedError


def test_time_limit_of_a_solve_does_not_count_compilation():
    wall, _ = compiled_anew()
    solver = Compiling(rest=0.0)
    result = solve(problem(), solver, seconds=0.4 * wall)
    assert not solver.stopped
    assert result.status is SolverStatus.ITERATION_LIMIT
    assert solve(problem(), Compiling(rest=0.5 * wall), seconds=0.4 * wall).status is SolverStatus.TIME_LIMIT


@pytest.mark.parametrize("limit", ["seconds", "patience"])
def test_a_turn_does_not_count_compilation(limit):
    compiled_anew()
    turn = Turn(Watch(problem(), 1e-10), **{limit: 0.1})
    wall, _ = compiled_anew()
    assert wall > 0.1
    assert not turn.see(np.array([0.9, 0.0]))
    time.sleep(0.12)
    assert turn.see(np.array([0.9, 0.0]))
