"""Local problems in FCLIB's layout: round trip, the three sparse layouts, files that are refused."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix

from fem_contact.errors import ProblemError
from fem_contact.io.fclib import read_problem, write_problem, write_solution
from fem_contact.problems import LocalProblem

W = np.array([[2.0, 0.5, 0.0, 0.0], [0.25, 1.0, 0.0, -0.5], [0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.125, 1.0]])
PROBLEM = LocalProblem(W, np.array([-1.0, 0.5, 2.0, -0.25]), np.array([0.0, 0.7]))


def write_by_hand(path, m=4, n=4, nz=-1, p=(), i=(), x=(), d=2, q=PROBLEM.b, mu=PROBLEM.mu):
    """A file as the FCLIB library lays it out."""
    with h5py.File(path, "w") as file:
        file["fclib_local/spacedim"] = np.array([d], np.int32)
        for name, number in (("m", m), ("n", n), ("nz", nz), ("nzmax", len(x))):
            file[f"fclib_local/W/{name}"] = np.array([number], np.int32)
        file["fclib_local/W/p"], file["fclib_local/W/i"] = np.array(p, np.int32), np.array(i, np.int32)
        file["fclib_local/W/x"] = np.array(x, float)
        file["fclib_local/vectors/q"], file["fclib_local/vectors/mu"] = (
            np.array(q, float),
            np.array(mu, float),
        )
    return path


def columns():
    matrix = csc_matrix(W)
    return {"p": matrix.indptr, "i": matrix.indices, "x": matrix.data}


def same(a, b):
    np.testing.assert_array_equal(a.A, b.A)
    np.testing.assert_array_equal(a.b, b.b)
    np.testing.assert_array_equal(a.mu, b.mu)
    assert a.d == b.d


@pytest.mark.parametrize(
    "problem",
    [
        PROBLEM,
        LocalProblem(W, PROBLEM.b, np.zeros(4), d=1),
        LocalProblem(np.zeros((2, 2)), np.zeros(2), np.zeros(1)),
        LocalProblem(np.zeros((0, 0)), np.zeros(0), np.zeros(0)),
    ],
)
def test_round_trip(tmp_path, problem):
    path = tmp_path / "problem.h5"
    assert write_problem(problem, path) == path
    same(read_problem(path), problem)
    assert [file.name for file in tmp_path.iterdir()] == ["problem.h5"]


def test_round_trip_of_random_numbers_is_exact(tmp_path):
    rng = np.random.default_rng(0)
    G = rng.standard_normal((20, 20))
    problem = LocalProblem(G @ G.T, rng.standard_normal(20), rng.uniform(0, 1, 10))
    same(read_problem(write_problem(problem, tmp_path / "p.h5")), problem)


def test_guess_and_info(tmp_path):
    guess = np.arange(4.0)
    path = write_problem(
        PROBLEM, tmp_path / "p.h5", guess=guess, step=12, error=1e-3, note="block", left_out=None
    )
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["guesses/1/r"], guess)
        np.testing.assert_allclose(file["guesses/1/u"], W @ guess + PROBLEM.b, rtol=1e-15)
        assert file["guesses/number_of_guesses"][0] == 1
        info = dict(file["fclib_local/info"].attrs)
    assert info == {"step": 12, "error": 1e-3, "note": "block"}


def test_layout_is_by_columns(tmp_path):
    with h5py.File(write_problem(PROBLEM, tmp_path / "p.h5")) as file:
        local = file["fclib_local"]
        assert [local[f"W/{name}"][0] for name in ("m", "n", "nz", "nzmax")] == [4, 4, -1, 8]
        np.testing.assert_array_equal(local["W/p"], [0, 2, 4, 6, 8])
        np.testing.assert_array_equal(local["W/i"], [0, 1, 0, 1, 2, 3, 1, 3])
        np.testing.assert_array_equal(local["W/x"], [2.0, 0.25, 0.5, 1.0, 3.0, 0.125, -0.5, 1.0])
        assert local["spacedim"][0] == 2


def test_columns_rows_and_triplets(tmp_path):
    same(read_problem(write_by_hand(tmp_path / "c.h5", nz=-1, **columns())), PROBLEM)
    rows = csr_matrix(W)
    same(
        read_problem(write_by_hand(tmp_path / "r.h5", nz=-2, p=rows.indptr, i=rows.indices, x=rows.data)),
        PROBLEM,
    )
    i, p = np.nonzero(W)
    same(read_problem(write_by_hand(tmp_path / "t.h5", nz=len(i), p=p, i=i, x=W[i, p])), PROBLEM)
    # Room for more entries than there are, which the count tells apart.
    spare = {"p": [*p, 0, 9], "i": [*i, 0, 9], "x": [*W[i, p], 7.0, 7.0]}
    same(read_problem(write_by_hand(tmp_path / "s.h5", nz=len(i), **spare)), PROBLEM)


BAD = {
    "index out of range": (
        {**columns(), "i": [0, 1, 0, 1, 2, 3, 1, 99]},
        "not a contact problem in FCLIB's layout",
    ),
    "negative index": (
        {**columns(), "i": [-1, 1, 0, 1, 2, 3, 1, 3]},
        "not a contact problem in FCLIB's layout",
    ),
    "pointers fall": ({**columns(), "p": [0, 6, 4, 6, 8]}, "not a contact problem in FCLIB's layout"),
    "short values": ({**columns(), "x": [1.0]}, "not a contact problem in FCLIB's layout"),
    "unknown layout": ({**columns(), "nz": -3}, "nz = -3 names no sparse layout"),
    "four components": ({**columns(), "d": 4}, "d = 4: a contact has 1, 2 or 3 components"),
    "too few mu": ({**columns(), "mu": [0.5]}, r"A has shape \(4, 4\) and b \(4,\); 1 contacts"),
    "negative mu": ({**columns(), "mu": [0.5, -1.0]}, "mu must be >= 0, got -1.0"),
    "not finite": ({**columns(), "q": [0.0, np.nan, 0.0, 0.0]}, "b holds numbers that are not finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_problems(tmp_path, name):
    settings, message = BAD[name]
    path = write_by_hand(tmp_path / "bad.h5", **settings)
    with pytest.raises(ProblemError, match=message) as caught:
        read_problem(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(ProblemError, match=r"none\.h5: there is no such problem file"):
        read_problem(tmp_path / "none.h5")


def test_files_that_are_something_else(tmp_path):
    text = tmp_path / "text.h5"
    text.write_text("not HDF5")
    cut = tmp_path / "cut.h5"
    cut.write_bytes(write_problem(PROBLEM, tmp_path / "p.h5").read_bytes()[:900])
    other, group = tmp_path / "other.h5", tmp_path / "group.h5"
    write_solution(other, np.zeros(2), np.zeros(2))
    with h5py.File(write_problem(PROBLEM, group), "a") as file:
        del file["fclib_local/vectors/q"]
        file.create_group("fclib_local/vectors/q")
    for path in (text, cut, other, group, tmp_path):  # in turn: no HDF5, cut short, no problem, no vector
        with pytest.raises(ProblemError, match="this is not a contact problem in FCLIB's layout"):
            read_problem(path)


def test_solution(tmp_path):
    path = write_solution(tmp_path / "s.h5", np.array([1.0, 2.0]), np.array([0.0, -3.0]))
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["solution/r"], [1.0, 2.0])
        np.testing.assert_array_equal(file["solution/u"], [0.0, -3.0])
    assert [file.name for file in tmp_path.iterdir()] == ["s.h5"]


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "s.h5", tmp_path / "file" / "s.h5"):
        with pytest.raises(ProblemError, match=r"s\.h5: the file cannot be written"):
            write_solution(path, np.zeros(2), np.zeros(2))
        with pytest.raises(ProblemError, match=r"s\.h5: the file cannot be written"):
            write_problem(PROBLEM, path)


def test_a_write_that_fails_leaves_nothing(tmp_path):
    path = write_problem(PROBLEM, tmp_path / "p.h5")
    with pytest.raises(TypeError):
        write_problem(PROBLEM, path, note=object())
    assert [file.name for file in tmp_path.iterdir()] == ["p.h5"]
    same(read_problem(path), PROBLEM)
