"""Compiled products K q, K v, M v (and C v), reading each matrix once.

K and M come as upper triangles, the diagonal first in each row: half the memory to read. Indices are
unsigned, so that indexing needs no test for negative numbers.
"""

from __future__ import annotations

from numba import njit

from fem_contact.problems._kernels import SUMS


@njit(cache=True, fastmath=SUMS)
def by_entry(ptr, idx, kval, mval, q, v, out):
    """out[:3] = (K q, K v, M v) for any symmetric K and M on one pattern."""
    n = len(q)
    Kq, Kv, Mv = out[0], out[1], out[2]
    for i in range(n):
        Kq[i] = 0.0
        Kv[i] = 0.0
        Mv[i] = 0.0
    for i in range(n):
        start = ptr[i]
        q_i, v_i = q[i], v[i]
        kq, kv, mv = kval[start] * q_i, kval[start] * v_i, mval[start] * v_i
        for s in range(start + 1, ptr[i + 1]):
            j, k, m = idx[s], kval[s], mval[s]
            kq += k * q[j]
            kv += k * v[j]
            mv += m * v[j]
            Kq[j] += k * q_i
            Kv[j] += k * v_i
            Mv[j] += m * v_i
        Kq[i] += kq
        Kv[i] += kv
        Mv[i] += mv


@njit(cache=True, fastmath=SUMS)
def by_node(ptr, idx, blocks, q, v, out):
    """out[:3] = (K q, K v, M v) for two dofs a node: 2 x 2 blocks [[a, b], [c, d]] of K, m I of M.

    blocks[s] = (a, b, c, d, m).
    """
    Kq, Kv, Mv = out[0], out[1], out[2]
    for i in range(len(q)):
        Kq[i] = 0.0
        Kv[i] = 0.0
        Mv[i] = 0.0
    for node in range(len(ptr) - 1):
        x, y, start = 2 * node, 2 * node + 1, ptr[node]
        a, b, c, d, m = (
            blocks[start, 0],
            blocks[start, 1],
            blocks[start, 2],
            blocks[start, 3],
            blocks[start, 4],
        )
        q_x, q_y, v_x, v_y = q[x], q[y], v[x], v[y]
        kq_x, kq_y = a * q_x + b * q_y, c * q_x + d * q_y
        kv_x, kv_y = a * v_x + b * v_y, c * v_x + d * v_y
        mv_x, mv_y = m * v_x, m * v_y
        for s in range(start + 1, ptr[node + 1]):
            j = 2 * idx[s]
            k = j + 1
            a, b, c, d, m = blocks[s, 0], blocks[s, 1], blocks[s, 2], blocks[s, 3], blocks[s, 4]
            kq_x += a * q[j] + b * q[k]
            kq_y += c * q[j] + d * q[k]
            kv_x += a * v[j] + b * v[k]
            kv_y += c * v[j] + d * v[k]
            mv_x += m * v[j]
            mv_y += m * v[k]
            Kq[j] += a * q_x + c * q_y
            Kq[k] += b * q_x + d * q_y
            Kv[j] += a * v_x + c * v_y
            Kv[k] += b * v_x + d * v_y
            Mv[j] += m * v_x
            Mv[k] += m * v_y
        Kq[x] += kq_x
        Kq[y] += kq_y
        Kv[x] += kv_x
        Kv[y] += kv_y
        Mv[x] += mv_x
        Mv[y] += mv_y


@njit(cache=True, fastmath=SUMS)
def rows(ptr, idx, val, v, out):
    """out = C v for a general C by rows."""
    for i in range(len(out)):
        total = 0.0
        for s in range(ptr[i], ptr[i + 1]):
            total += val[s] * v[idx[s]]
        out[i] = total
