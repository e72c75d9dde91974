"""One problem by one solver of Siconos, in the Python that has it.

    python _siconos_solve.py IN.npz SOLVER OUT.npz

IN holds A (CSC arrays), b, mu, d; OUT the impulses r and the seconds of the solve alone. A problem in the
plane is posed in space, where Siconos has most of its solvers, with a third component that nothing acts on.
"""

import sys
import time

import numpy as np
import siconos.numerics as sn
from scipy.sparse import csc_matrix, diags

SOLVERS = {
    "NSGS": sn.SICONOS_FRICTION_3D_NSGS,
    "NSN_AC": sn.SICONOS_FRICTION_3D_NSN_AC,
    "ADMM": sn.SICONOS_FRICTION_3D_ADMM,
    "VI_EG": sn.SICONOS_FRICTION_3D_VI_EG,
}


def in_space(A, b, c):
    """A and b with a third component for each contact."""
    kept = (3 * np.arange(c)[:, None] + np.arange(2)).ravel()
    P = csc_matrix((np.ones(2 * c), (kept, np.arange(2 * c))), shape=(3 * c, 2 * c))
    third = np.zeros(3 * c)
    third[2::3] = A.diagonal()[1::2]
    return csc_matrix(P @ A @ P.T + diags(third)), P @ b


def main(source, name, target):
    """Solve and store."""
    given = np.load(source)
    d, b, mu = int(given["d"]), given["b"], given["mu"]
    A = csc_matrix((given["data"], given["indices"], given["indptr"]), shape=(len(b), len(b)))
    if d == 2:
        A, b = in_space(A, b, len(mu))
    dense = A.nnz > 0.2 * A.shape[0] ** 2
    problem = sn.FrictionContactProblem(3, len(mu), A.toarray() if dense else A, b, mu)
    options = sn.SolverOptions(SOLVERS[name])
    options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-10
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1_000_000
    r, u = np.zeros(len(b)), np.zeros(len(b))
    started = time.perf_counter()
    sn.fc3d_driver(problem, r, u, options)
    seconds = time.perf_counter() - started
    np.savez(target, r=r.reshape(-1, 3)[:, :d].ravel(), seconds=seconds)


if __name__ == "__main__":
    main(*sys.argv[1:4])
