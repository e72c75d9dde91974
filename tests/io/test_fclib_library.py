"""Our files against the FCLIB library in C: it reads what we write, we read what it writes."""

from __future__ import annotations

import shutil
import subprocess

import h5py
import numpy as np
import pytest

from fem_contact.io.fclib import (
    read_global,
    read_guesses,
    read_problem,
    read_saved,
    read_solution,
    write_problem,
)
from fem_contact.problems import LocalProblem
from fem_contact.problems.global_problem import GlobalProblem

# Reads a problem with its solution and guesses, writes all of it to another file; prints the merit
# function (natural map) of the solution of a local problem.
PROGRAM = r"""
#include <stdio.h>
#include <string.h>
#include <fclib.h>
int main (int argc, char **argv)
{
  int count = 0, done;
  struct fclib_local *local = NULL;
  struct fclib_global *global = NULL;
  if (strcmp (argv[1], "local") == 0) { local = fclib_read_local (argv[2]); if (!local) return 2; }
  else { global = fclib_read_global (argv[2]); if (!global) return 2; }
  struct fclib_solution *solution = fclib_read_solution (argv[2]);
  struct fclib_solution *guesses = fclib_read_guesses (argv[2], &count);
  if (!solution || !guesses) return 3;
  done = local ? fclib_write_local (local, argv[3]) : fclib_write_global (global, argv[3]);
  done = done && fclib_write_solution (solution, argv[3]) && fclib_write_guesses (count, guesses, argv[3]);
  if (local && local->spacedim == 3) printf ("%.17g\n", fclib_merit_local (local, MERIT_1, solution));
  return done ? 0 : 4;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The C program; skipped where there is no C compiler or no library, failing where it does not build."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    header = subprocess.run(
        [compiler, "-E", "-include", "fclib.h", "-x", "c", "/dev/null"], capture_output=True, check=False
    )
    if header.returncode:
        pytest.skip("there is no fclib.h: install the FCLIB library (Debian: libfclib-dev)")
    folder = tmp_path_factory.mktemp("fclib")
    (folder / "copy.c").write_text(PROGRAM)
    command = [compiler, "-o", str(folder / "copy"), str(folder / "copy.c"), "-lfclib"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "copy"


def copied(program, kind, path):
    output = path.with_name("copy.hdf5")
    ran = subprocess.run(
        [program, kind, path, output], capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return output, ran.stdout


def contents(path):
    """Every dataset of a file by its name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]} if hasattr(item, "dtype") else {}))
    return found


def identical(a, b):
    one, other = contents(a), contents(b)
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


@pytest.mark.parametrize("layout", ["columns", "rows", "triplets"])
@pytest.mark.parametrize("d", [2, 3])
def test_local(program, tmp_path, layout, d):
    rng = np.random.default_rng(d)
    m = 3 * d
    A = rng.standard_normal((m, m)) * (rng.uniform(size=(m, m)) < 0.7)
    problem = LocalProblem(A, rng.standard_normal(m), rng.uniform(0, 1, 3), d)
    rs = rng.standard_normal((3, m))
    path = write_problem(
        problem, tmp_path / "p.hdf5", guesses=rs[:2], solution=rs[2], layout=layout, title="three contacts"
    )
    copy, _ = copied(program, "local", path)
    identical(path, copy)
    back = read_problem(copy)
    np.testing.assert_array_equal(back.dense(), A)
    np.testing.assert_array_equal(back.b, problem.b)
    np.testing.assert_array_equal(back.mu, problem.mu)
    assert back.d == d
    assert read_saved(copy).info == {"title": "three contacts"}
    np.testing.assert_array_equal(read_solution(copy).r, rs[2])
    np.testing.assert_array_equal([guess.r for guess in read_guesses(copy)], rs[:2])


@pytest.mark.parametrize("layout", ["columns", "rows", "triplets"])
@pytest.mark.parametrize("constraints", [0, 2])
def test_global(program, tmp_path, layout, constraints):
    rng = np.random.default_rng(constraints)
    n, c, d = 8, 2, 3
    B, H = rng.standard_normal((n, n)), rng.standard_normal((d * c, n))
    joints = (rng.standard_normal((constraints, n)), rng.standard_normal(constraints)) if constraints else ()
    problem = GlobalProblem(
        B @ B.T + np.eye(n),
        H,
        rng.standard_normal(n),
        rng.uniform(0, 1, c),
        rng.standard_normal(d * c),
        d,
        *joints,
    )
    rs = rng.standard_normal((2, d * c))
    texts = {"title": "two bodies", "description": "made up", "math_info": "regular"}
    path = write_problem(problem, tmp_path / "p.hdf5", guess=rs[0], solution=rs[1], layout=layout, **texts)
    copy, _ = copied(program, "global", path)
    identical(path, copy)
    back = read_global(copy)
    np.testing.assert_array_equal(back.H.toarray(), H)
    np.testing.assert_array_equal(back.M.toarray(), problem.M.toarray())
    np.testing.assert_array_equal(back.b, problem.b)
    assert (back.G is not None) == bool(constraints)
    assert read_saved(copy).info == texts
    solution = read_solution(copy)
    np.testing.assert_allclose(solution.u, H @ solution.v + problem.b, atol=1e-12)
    assert (solution.l is not None) == bool(constraints)


def test_the_library_agrees_on_a_solution(program, tmp_path):
    """Uncoupled contacts that take off, stick and slip, signs and order as FCLIB wants them."""
    b = np.array([1.0, 1.0, 0.0, -2.0, 0.5, -0.5, -2.0, 4.0, 3.0])
    problem = LocalProblem(np.eye(9), b, np.full(3, 0.5), d=3)
    solution = np.array([0.0, 0.0, 0.0, 2.0, -0.5, 0.5, 2.0, -0.8, -0.6])
    right = write_problem(problem, tmp_path / "p.hdf5", guess=solution, solution=solution)
    assert float(copied(program, "local", right)[1]) < 1e-14
    (tmp_path / "copy.hdf5").unlink()
    wrong = write_problem(problem, tmp_path / "q.hdf5", guess=solution, solution=1.1 * solution)
    assert float(copied(program, "local", wrong)[1]) > 1e-2
