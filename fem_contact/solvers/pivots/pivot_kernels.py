"""Compiled parts of the piecewise linear path of frictional contact in the plane.

A contact is open (r = 0), sticks (w = 0) or slides (w_N = 0, r_T = sign mu r_N). Two rows of the matrix of a
piece belong to it; a row is one of w = (A + shift) r + ..., of r, or r_T - sign mu r_N.
"""

from __future__ import annotations

import numpy as np
from numba import njit

#: Statuses of a contact.
OPEN, STICK, SLIDE = 0, 1, 2
#: Rows of a piece: of w, of r, and r_T - coefficient r_N.
OF_W, OF_R, CONE = 0, 1, 2


@njit(cache=True)
def statuses(r, w, mu, rho, status, sign):
    """Put r, w (written) where the statuses of r - rho w say that they are: r in K, and w a partner of it."""
    for i in range(len(mu)):
        n, t = 2 * i, 2 * i + 1
        pulled_n, pulled_t = r[n] - rho[i] * w[n], r[t] - rho[i] * w[t]
        bound = mu[i] * pulled_n
        sign[i] = -1.0 if pulled_t < 0.0 else 1.0
        if pulled_n <= 0.0:
            status[i] = OPEN
            r[n], r[t], w[n] = 0.0, 0.0, -pulled_n / rho[i]
        elif abs(pulled_t) < bound:
            status[i] = STICK
            r[n], r[t], w[n], w[t] = pulled_n, pulled_t, 0.0, 0.0
        else:
            status[i] = SLIDE
            r[n], r[t] = pulled_n, sign[i] * bound
            w[n], w[t] = 0.0, (r[t] - pulled_t) / rho[i]


@njit(cache=True)
def kinds_of(first, last, status, sign, mu, kinds, coefficients):
    """The kinds of the rows of the contacts from ``first`` to before ``last``, and their coefficients."""
    for i in range(first, last):
        n, t = 2 * i, 2 * i + 1
        kinds[n] = OF_R if status[i] == OPEN else OF_W
        kinds[t] = OF_W if status[i] == STICK else CONE
        coefficients[n] = 0.0
        coefficients[t] = 0.0 if status[i] == STICK else sign[i] * mu[i]


@njit(cache=True)
def blocks_of(kinds, coefficients, B, C):
    """B and C (c, 2, 2) of a piece, diag(B) + diag(C) (A + shift) the matrix with rows of these kinds."""
    for row in range(len(kinds)):
        i, p = row // 2, row % 2
        for q in range(2):
            B[i, p, q], C[i, p, q] = 0.0, 0.0
        if kinds[row] == OF_W:
            C[i, p, p] = 1.0
        else:
            B[i, p, p] = 1.0
        if kinds[row] == CONE:
            B[i, 1, 0] = -coefficients[row]


@njit(cache=True)
def contact_times(A, i, v):
    """Both rows of contact i of (A + shift) v for A = (indptr, columns, 2 x 2 blocks, shift)."""
    indptr, columns, data, shift = A
    n, t = shift[i] * v[2 * i], shift[i] * v[2 * i + 1]
    for e in range(indptr[i], indptr[i + 1]):
        j = 2 * columns[e]
        n += data[e, 0, 0] * v[j] + data[e, 0, 1] * v[j + 1]
        t += data[e, 1, 0] * v[j] + data[e, 1, 1] * v[j + 1]
    return n, t


@njit(cache=True)
def product(A, v, out):
    """out = (A + shift) v."""
    for i in range(len(v) // 2):
        out[2 * i], out[2 * i + 1] = contact_times(A, i, v)


@njit(cache=True)
def velocity_rates(A, status, dr, q, dw):
    """dw = (A + shift) dr + q where the status leaves it free: of open contacts, and w_T of sliding ones."""
    for i in range(len(status)):
        n, t = 0.0, 0.0
        if status[i] != STICK:
            n, t = contact_times(A, i, dr)
            n, t = n + q[2 * i], t + q[2 * i + 1]
        dw[2 * i], dw[2 * i + 1] = (n if status[i] == OPEN else 0.0), t


@njit(cache=True)
def row_times(kind, coefficient, row, A, v):
    """A row of a piece times v."""
    if kind == OF_R:
        return v[row]
    if kind == CONE:
        return v[row] - coefficient * v[row - 1]
    indptr, columns, data, shift = A
    i, p = row // 2, row % 2
    total = shift[i] * v[row]
    for e in range(indptr[i], indptr[i + 1]):
        j = 2 * columns[e]
        total += data[e, p, 0] * v[j] + data[e, p, 1] * v[j + 1]
    return total


@njit(cache=True)
def first_facet(status, sign, mu, r, w, dr, dw, way):
    """Contact, which of its facets, and how far, where the path leaves its piece first; -1 for nowhere.

    Facet 0 is that of w_N = 0 of an open contact, r_N = 0 of a sliding one or r_T = mu r_N of one that
    sticks; facet 1 that of w_T = 0 of a sliding contact or r_T = -mu r_N of one that sticks.
    """
    contact, facet, length = -1, 0, np.inf
    for i in range(len(status)):
        n, t = 2 * i, 2 * i + 1
        if status[i] == OPEN:
            value, rate = w[n], dw[n]
        elif status[i] == SLIDE:
            value, rate = r[n], dr[n]
        else:
            value, rate = mu[i] * r[n] - r[t], mu[i] * dr[n] - dr[t]
        rate *= way
        if rate < 0.0 and max(value, 0.0) < -rate * length:
            contact, facet, length = i, 0, max(value, 0.0) / -rate
        if status[i] == OPEN or mu[i] == 0.0:
            continue
        if status[i] == SLIDE:
            value, rate = -sign[i] * w[t], -sign[i] * dw[t]
        else:
            value, rate = mu[i] * r[n] + r[t], mu[i] * dr[n] + dr[t]
        rate *= way
        if rate < 0.0 and max(value, 0.0) < -rate * length:
            contact, facet, length = i, 1, max(value, 0.0) / -rate
    return contact, facet, length
