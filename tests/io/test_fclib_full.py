"""FCLIB's global problems, equality constraints, solutions, guesses and texts; sparse or dense W."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix, random_array

from fem_contact.errors import ProblemError
from fem_contact.io.fclib import (
    Solution,
    add_solution,
    read_global,
    read_guesses,
    read_problem,
    read_saved,
    read_solution,
    write_problem,
    write_solution,
)
from fem_contact.problems import LocalProblem
from fem_contact.problems.global_problem import GlobalProblem, condense

LAYOUTS = ("columns", "rows", "triplets")


def whole_problem(seed=0, n=7, c=2, d=3, constraints=0):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n))
    H = rng.standard_normal((d * c, n)) * (rng.uniform(size=(d * c, n)) < 0.7)
    G = rng.standard_normal((constraints, n)) if constraints else None
    g = rng.standard_normal(constraints) if constraints else None
    f, b = rng.standard_normal(n), rng.standard_normal(d * c)
    return GlobalProblem(B @ B.T + n * np.eye(n), H, f, rng.uniform(0, 1, c), b, d, G, g)


def same_global(a, b):
    for name in ("M", "H", "G"):
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one.toarray(), other.toarray())
    for name in ("f", "mu", "b", "d", "g"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("constraints", [0, 2])
def test_global_round_trip(tmp_path, layout, constraints):
    problem = whole_problem(constraints=constraints)
    path = write_problem(problem, tmp_path / "g.hdf5", layout=layout)
    same_global(read_global(path), problem)
    local = condense(problem)
    np.testing.assert_array_equal(read_problem(path).dense(), local.dense())
    np.testing.assert_array_equal(read_problem(path).b, local.b)


def test_global_layout_is_the_transpose(tmp_path):
    problem = whole_problem(constraints=1)
    with h5py.File(write_problem(problem, tmp_path / "g.hdf5")) as file:
        group = file["fclib_global"]
        assert sorted(group) == ["G", "H", "M", "info", "spacedim", "vectors"]
        assert sorted(group["vectors"]) == ["b", "f", "mu", "w"]
        assert [group[f"H/{name}"][0] for name in ("m", "n", "nz")] == [7, 6, -1]
        assert [group[f"G/{name}"][0] for name in ("m", "n")] == [7, 1]
        H = csc_matrix((group["H/x"][...], group["H/i"][...], group["H/p"][...]), (7, 6))
        np.testing.assert_array_equal(H.toarray(), problem.H.toarray().T)
        np.testing.assert_array_equal(group["vectors/w"], problem.b)
        np.testing.assert_array_equal(group["vectors/b"], problem.g)
        assert all(group[f"{name}"].dtype == np.int32 for name in ("spacedim", "H/p", "H/i", "H/nz"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_local_layouts(tmp_path, layout):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((6, 6)) * (rng.uniform(size=(6, 6)) < 0.6)
    problem = LocalProblem(A, rng.standard_normal(6), rng.uniform(0, 1, 2), d=3)
    path = write_problem(problem, tmp_path / "p.hdf5", layout=layout)
    np.testing.assert_array_equal(read_problem(path).A, A)
    with h5py.File(path) as file:
        nz = {"columns": -1, "rows": -2, "triplets": np.count_nonzero(A)}[layout]
        assert file["fclib_local/W/nz"][0] == nz
        assert file["fclib_local/W/nzmax"][0] == np.count_nonzero(A)


def test_layout_without_a_name(tmp_path):
    with pytest.raises(ProblemError, match="sparse layout 'blocks': one of columns, rows, triplets"):
        write_problem(whole_problem(), tmp_path / "p.hdf5", layout="blocks")
    assert list(tmp_path.iterdir()) == []


def test_triplets_that_fit_one_way_only(tmp_path):
    """H^T is 7 x 6: rows in p and columns in i, as fclib.h has it, are told by the row of index 6."""
    problem = whole_problem()
    path = write_problem(problem, tmp_path / "g.hdf5", layout="triplets")
    with h5py.File(path, "a") as file:
        group = file["fclib_global/H"]
        assert group["i"][...].max() == 6
        rows, columns = group["i"][...], group["p"][...]
        group["i"][...], group["p"][...] = columns, rows
    same_global(read_global(path), problem)


def test_mostly_empty_W_stays_sparse(tmp_path):
    rng = np.random.default_rng(5)

    def stored(density, m=120):
        A = random_array((m, m), density=density, rng=rng)
        problem = LocalProblem(csr_matrix(A), rng.standard_normal(m), np.full(m // 3, 0.3), d=3)
        back = read_problem(write_problem(problem, tmp_path / "p.hdf5"))
        np.testing.assert_array_equal(back.dense(), A.toarray())
        return back.sparse

    assert stored(0.19)
    assert not stored(0.21)
    assert not stored(0.01, m=90)  # small: nothing gained


def test_zeros_and_duplicates_are_not_written(tmp_path):
    A = coo_matrix(([1.0, 2.0, 0.0, 4.0], ([0, 0, 1, 1], [0, 0, 0, 1])), (2, 2))
    problem = LocalProblem(A, np.ones(2), np.ones(1))
    with h5py.File(write_problem(problem, tmp_path / "p.hdf5")) as file:
        np.testing.assert_array_equal(file["fclib_local/W/x"], [3.0, 4.0])


def test_equality_constraints_of_a_local_problem_are_eliminated(tmp_path):
    rng = np.random.default_rng(7)
    W, V, R = rng.standard_normal((4, 4)), rng.standard_normal((4, 2)), rng.standard_normal((2, 2))
    q, s, r = rng.standard_normal(4), rng.standard_normal(2), rng.standard_normal(4)
    path = write_problem(LocalProblem(W, q, np.full(2, 0.3)), tmp_path / "v.hdf5")
    extra = write_problem(GlobalProblem(R, V, s, np.full(2, 0.3), q), tmp_path / "extra.hdf5")
    with h5py.File(path, "a") as file, h5py.File(extra) as other:
        other.copy("fclib_global/M", file["fclib_local"], "R")
        other.copy("fclib_global/H", file["fclib_local"], "V")  # holds V^T; turned by its layout
        file["fclib_local/V/nz"][0] = -2
        file["fclib_local/V/m"][0], file["fclib_local/V/n"][0] = 4, 2
        file["fclib_local/vectors/s"] = s
    saved = read_saved(path)
    l = np.linalg.solve(R, -V.T @ r - s)
    np.testing.assert_allclose(saved.local.velocity(r), W @ r + V @ l + q, rtol=1e-12)
    solution = saved.solution(r)
    np.testing.assert_allclose(solution.l, l, rtol=1e-12)
    np.testing.assert_allclose(solution.u, W @ r + V @ l + q, rtol=1e-12)
    with h5py.File(path, "a") as file:
        file["fclib_local/R/x"][...] = 0.0
    with pytest.raises(ProblemError, match=r"v\.hdf5: R of its equality constraints is singular"):
        read_problem(path)
    with h5py.File(path, "a") as file:
        del file["fclib_local/R"]
    with pytest.raises(ProblemError, match="not a contact problem in FCLIB's layout"):
        read_problem(path)


def test_texts_and_attributes(tmp_path):
    texts = {"title": "Wände", "description": "", "math_info": "no solution known"}
    path = write_problem(whole_problem(), tmp_path / "g.hdf5", **texts, step=4, left_out=None)
    assert read_saved(path).info == {**texts, "step": 4}
    with h5py.File(path) as file:
        # As C wants them: of fixed length, with the zero at the end.
        assert file["fclib_global/info/math_info"].dtype == np.dtype("S18")


def test_solution_and_guesses(tmp_path):
    problem = whole_problem(constraints=2)
    rng = np.random.default_rng(1)
    rs = rng.standard_normal((3, 6))
    path = write_problem(problem, tmp_path / "g.hdf5", guesses=rs[:2], solution=rs[2])
    for read, r in zip([*read_guesses(path), read_solution(path)], rs, strict=True):
        np.testing.assert_array_equal(read.r, r)
        left = problem.M @ read.v - problem.H.T @ r - problem.G.T @ read.l - problem.f
        assert np.abs(left).max() < 1e-12
        np.testing.assert_allclose(problem.G @ read.v, -problem.g, atol=1e-12)
        np.testing.assert_allclose(read.u, problem.H @ read.v + problem.b, atol=1e-13)
    local = write_problem(condense(problem), tmp_path / "l.hdf5")
    assert read_guesses(local) == []
    with pytest.raises(ProblemError, match=r"l\.hdf5: this is not a solution in FCLIB's layout"):
        read_solution(local)
    with pytest.raises(ProblemError, match=r"r has shape \(5,\), expected \(6,\)"):
        write_problem(problem, tmp_path / "bad.hdf5", guess=np.zeros(5))


def test_solution_alone(tmp_path):
    path = write_solution(tmp_path / "s.hdf5", np.ones(2), np.zeros(2), v=np.full(3, 5.0))
    found = read_solution(path)
    np.testing.assert_array_equal(found.v, np.full(3, 5.0))
    assert found.l is None


def test_add_solution_keeps_all_else(tmp_path):
    problem = whole_problem()
    path = write_problem(problem, tmp_path / "g.hdf5", guess=np.ones(6), title="kept", solution=np.zeros(6))
    before = path.read_bytes()
    answer = Solution(np.arange(6.0), np.ones(6), np.ones(7))
    other = add_solution(path, answer, tmp_path / "s.hdf5")
    assert path.read_bytes() == before
    assert add_solution(path, answer, path) == path  # in place
    for written in (other, path):
        np.testing.assert_array_equal(read_solution(written).r, np.arange(6.0))
        np.testing.assert_array_equal(read_guesses(written)[0].r, np.ones(6))
        assert read_saved(written).info["title"] == "kept"
        same_global(read_global(written), problem)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["g.hdf5", "s.hdf5"]
    with pytest.raises(ProblemError, match=r"s\.hdf5: the file cannot be written"):
        add_solution(path, answer, tmp_path / "none" / "s.hdf5")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vectors/f": None}, "not a contact problem in FCLIB's layout"),
        ({"M": None}, "not a contact problem in FCLIB's layout"),
        ({"H/i": [0, 99]}, "not a contact problem in FCLIB's layout"),
        ({"vectors/w": [1.0]}, r"b has shape \(1,\); 7 unknowns and 2 contacts of 3 components need \(6,\)"),
        ({"vectors/f": [0.0] * 6 + [np.inf]}, "f holds numbers that are not finite"),
        ({"spacedim": [5]}, "d = 5: a contact has 1, 2 or 3 components"),
    ],
)
def test_malformed_global_problems(tmp_path, change, message):
    path = write_problem(whole_problem(), tmp_path / "g.hdf5")
    with h5py.File(path, "a") as file:
        for name, value in change.items():
            del file[f"fclib_global/{name}"]
            if value is not None:
                file[f"fclib_global/{name}"] = np.array(value)
    with pytest.raises(ProblemError, match=message) as caught:
        read_problem(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_singular_mass(tmp_path):
    problem = GlobalProblem(np.zeros((2, 2)), np.eye(2), np.ones(2), np.ones(1), np.ones(2))
    with pytest.raises(ProblemError, match=r"g\.hdf5: M is singular"):
        read_problem(write_problem(problem, tmp_path / "g.hdf5"))
