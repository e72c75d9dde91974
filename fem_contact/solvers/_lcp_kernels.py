"""Compiled Lemke algorithm on a condensed tableau, with the lexicographic rule."""

from __future__ import annotations

from numba import njit

#: How :func:`lemke` ended.
SOLVED, RAY, LIMIT = 0, 1, 2

#: Entries of the tableau below this share of their column's largest are no pivots.
TINY = 1e-11


@njit(cache=True)
def _exchange(T, q, r, s):
    """Jordan exchange of basic row r and nonbasic column s in x_B = q + T x_N."""
    inverse = 1.0 / T[r, s]
    for j in range(T.shape[1]):
        T[r, j] *= -inverse
    q[r] *= -inverse
    T[r, s] = 0.0
    # With that zero the loops over a row have no exception, and vectorise.
    for i in range(T.shape[0]):
        factor = T[i, s]
        if i == r or factor == 0.0:
            continue
        for j in range(T.shape[1]):
            T[i, j] += factor * T[r, j]
        T[i, s] = factor * inverse
        q[i] += factor * q[r]
    T[r, s] = inverse


@njit(cache=True)
def _inverse_entry(T, basic, place, i, j):
    """Entry (i, j) of the inverse basis: the column of slack j is in the tableau, or a unit vector."""
    if place[j] >= 0:
        return -T[i, place[j]]
    return 1.0 if basic[i] == j else 0.0


@njit(cache=True)
def _leaving(T, q, s, basic, place, scale, ties):
    """Row that blocks first when nonbasic column s grows, by the lexicographic minimum ratio; -1: none.

    The artificial variable (2 n) leaves wherever it is among those that block first.
    """
    n = T.shape[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(T[i, s]))
    least = 1e300
    for i in range(n):
        if T[i, s] < -TINY * largest:
            least = min(least, max(q[i], 0.0) / -T[i, s])
    count = 0
    for i in range(n):
        if T[i, s] < -TINY * largest:
            room = max(q[i], 0.0) + T[i, s] * least
            if room <= 1e-13 * scale:
                ties[count] = i
                count += 1
                if basic[i] == 2 * n:
                    return i
    column = 0
    while count > 1 and column < n:
        smallest = 1e300
        for k in range(count):
            i = ties[k]
            smallest = min(smallest, _inverse_entry(T, basic, place, i, column) / -T[i, s])
        kept = 0
        for k in range(count):
            i = ties[k]
            ratio = _inverse_entry(T, basic, place, i, column) / -T[i, s]
            if ratio <= smallest + 1e-12 * (1.0 + abs(smallest)):
                ties[kept] = i
                kept += 1
        count = kept
        column += 1
    return ties[0] if count else -1


@njit(cache=True)
def _start(T, q, basic, nonbasic, place):
    """Label the first basis, all slacks; returns the row of the most negative q / cover, -1 for none."""
    n = T.shape[0]
    row = -1
    worst = 0.0
    for i in range(n):
        basic[i] = i
        nonbasic[i] = n + i
        place[i] = -1
        if q[i] < 0.0 and q[i] / T[i, n] < worst:
            worst, row = q[i] / T[i, n], i
    nonbasic[n] = 2 * n
    return row


@njit(cache=True)
def lemke(T, q, scale, max_iter, resumed, state, basic, nonbasic, place, ties):
    """Lemke's complementary pivoting for w = q + M z >= 0, z >= 0, w.z = 0; T = [M, cover] (n, n + 1).

    Variables: slack w_j is j, z_j is n + j, the artificial one 2 n. On return ``basic`` names the variables
    of the last basis and q holds their values. After LIMIT it can be ``resumed``: ``state`` holds the row and
    the column of the pivot to come. ``scale`` is the size of q. Returns how it ended and the pivots made.
    """
    n = T.shape[0]
    if not resumed:
        state[0], state[1] = _start(T, q, basic, nonbasic, place), n
        if state[0] < 0:
            return SOLVED, 0
    for pivots in range(1, max_iter + 1):
        row, column = state[0], state[1]
        entered, left = nonbasic[column], basic[row]
        _exchange(T, q, row, column)
        basic[row], nonbasic[column] = entered, left
        if left < n:
            place[left] = column
        if entered < n:
            place[entered] = -1
        if left == 2 * n:
            return SOLVED, pivots
        partner = left + n if left < n else left - n
        for j in range(n + 1):
            if nonbasic[j] == partner:
                state[1] = j
        state[0] = _leaving(T, q, state[1], basic, place, scale, ties)
        if state[0] < 0:
            return RAY, pivots
    return LIMIT, max_iter
