"""Compiled parts of a step that every scheme on a linear system has: loads, contacts, contact works.

``hptr``, ``hidx``, ``hval`` are H by rows (unsigned, so that indexing needs no test for negative numbers).
"""

from __future__ import annotations

from numba import njit

from fem_contact.problems._kernels import SUMS


@njit(cache=True)
def load(constant, basis, amplitude, fields, F):
    """F = constant + fields + amplitude . basis; ``fields`` may be empty."""
    n = len(F)
    for i in range(n):
        F[i] = constant[i]
    if len(fields) > 0:
        for i in range(n):
            F[i] += fields[i]
    for j in range(len(amplitude)):
        a = amplitude[j]
        if a != 0.0:
            for i in range(n):
                F[i] += a * basis[j, i]


@njit(cache=True)
def gather(active, u, u_free, e, mu, p, d, weight, slope, offset, b, mu_active, r):
    """b, mu and the guess r of the active contacts, see ``ContactWeights``; returns how many they are."""
    count = 0
    for i in range(len(active)):
        if active[i]:
            mu_active[count] = mu[i]
            for a in range(d):
                b[d * count + a] = weight * u_free[i, a] + (1.0 - weight) * u[i, a]
                r[d * count + a] = p[i, a]
            b[d * count] += (slope * e[i] + offset) * u[i, 0]
            count += 1
    return count


@njit(cache=True)
def gather_matrix(active, W, d, weight, count, A):
    """A = weight W over the active contacts, row by row."""
    size = d * count
    row = 0
    for i in range(len(active)):
        if not active[i]:
            continue
        for a in range(d):
            place = row * size
            for j in range(len(active)):
                if active[j]:
                    for c in range(d):
                        A[place] = weight * W[d * i + a, d * j + c]
                        place += 1
            row += 1


@njit(cache=True)
def pose(
    gap,
    u,
    hptr,
    hidx,
    hval,
    x,
    e,
    mu,
    W,
    p,
    d,
    weight,
    slope,
    offset,
    reach,
    gap_tol,
    velocity_tol,
    u_free,
    active,
    was,
    A,
    b,
    mu_active,
    r,
):
    """The local problem of the active contacts: A = weight W and
    b = weight u_free + (1 - weight) u_k + ((slope e + offset) u_N,k, 0), with u_free = u_k + H x.

    Returns the number of active contacts, and whether they are those of the step before.
    """
    same = True
    for i in range(len(gap)):
        active[i] = gap[i] + reach * u[i, 0] <= gap_tol and u[i, 0] <= velocity_tol
        same = same and active[i] == was[i]
        was[i] = active[i]
        for a in range(d):
            total = u[i, a]
            for s in range(hptr[d * i + a], hptr[d * i + a + 1]):
                total += hval[s] * x[hidx[s]]
            u_free[i, a] = total
    count = gather(active, u, u_free, e, mu, p, d, weight, slope, offset, b, mu_active, r)
    if not same:
        gather_matrix(active, W, d, weight, count, A)
    return count, same


@njit(cache=True)
def spread(active, r, d, p):
    """p of all contacts from r of the active ones."""
    count = 0
    for i in range(len(active)):
        for a in range(d):
            p[i, a] = r[d * count + a] if active[i] else 0.0
        if active[i]:
            count += 1


@njit(cache=True)
def transposed_product(hptr, hidx, hval, p, out):
    """out = H^T p."""
    for i in range(len(out)):
        out[i] = 0.0
    flat = p.ravel()
    for row in range(len(flat)):
        for s in range(hptr[row], hptr[row + 1]):
            out[hidx[s]] += hval[s] * flat[row]


@njit(cache=True)
def choose_rows(p, used, share):
    """Rows of the response, and their factors, that make up Mhat^{-1} H^T p; returns how many."""
    flat = p.ravel()
    count = 0
    for j in range(len(flat)):
        if flat[j] != 0.0:
            used[count], share[count] = j, flat[j]
            count += 1
    return count


@njit(cache=True, fastmath=SUMS)
def add_rows(G, used, share, count, x):
    """x += sum_s share[s] G[used[s]], eight rows at a time."""
    n = len(x)
    s = 0
    while s + 8 <= count:
        a, b, c, d = share[s], share[s + 1], share[s + 2], share[s + 3]
        e, f, g, h = share[s + 4], share[s + 5], share[s + 6], share[s + 7]
        g0, g1, g2, g3 = G[used[s]], G[used[s + 1]], G[used[s + 2]], G[used[s + 3]]
        g4, g5, g6, g7 = G[used[s + 4]], G[used[s + 5]], G[used[s + 6]], G[used[s + 7]]
        for i in range(n):
            x[i] += (
                a * g0[i] + b * g1[i] + c * g2[i] + d * g3[i] + e * g4[i] + f * g5[i] + g * g6[i] + h * g7[i]
            )
        s += 8
    while s < count:
        a, g0 = share[s], G[used[s]]
        for i in range(n):
            x[i] += a * g0[i]
        s += 1


@njit(cache=True)
def contact_state(hptr, hidx, hval, g0, q, v, d, gap, u):
    """g = g0 + (H q)_N and u = H v."""
    for i in range(len(g0)):
        for a in range(d):
            total = 0.0
            for s in range(hptr[d * i + a], hptr[d * i + a + 1]):
                total += hval[s] * v[hidx[s]]
            u[i, a] = total
        total = g0[i]
        for s in range(hptr[d * i], hptr[d * i + 1]):
            total += hval[s] * q[hidx[s]]
        gap[i] = total


@njit(cache=True, fastmath=SUMS)
def half_dot(a, b):
    """a.b / 2."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return 0.5 * total


@njit(cache=True)
def contact_works(theta, u, u_new, p, d, work_normal, work_tangential):
    """u_{N,k+theta} p_N and u_{T,k+theta} . p_T of each contact, and their sums."""
    normal = 0.0
    tangential = 0.0
    for i in range(len(p)):
        work_normal[i] = ((1.0 - theta) * u[i, 0] + theta * u_new[i, 0]) * p[i, 0]
        total = 0.0
        for a in range(1, d):
            total += ((1.0 - theta) * u[i, a] + theta * u_new[i, a]) * p[i, a]
        work_tangential[i] = total
        normal += work_normal[i]
        tangential += total
    return normal, tangential
