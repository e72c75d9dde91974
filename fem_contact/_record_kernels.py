"""Compiled row copy of the recorder."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def write_row(row, scalars, active, vectors, values, tables):
    """Copy a step report into row ``row``: pairs (from, to) of scalars and active flags, the contact
    vectors u and p, and the contact scalars with their tables."""
    for i in range(len(scalars[0])):
        scalars[1][row, i] = scalars[0][i]
    u, p, table_u, table_p = vectors
    for i in range(len(u)):
        active[1][row, i] = active[0][i]
        for a in range(u.shape[1]):
            table_u[row, i, a] = u[i, a]
            table_p[row, i, a] = p[i, a]
        tables[0][row, i] = values[0][i]
        tables[1][row, i] = values[1][i]
        tables[2][row, i] = values[2][i]
