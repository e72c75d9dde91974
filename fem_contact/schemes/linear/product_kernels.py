"""Compiled products K q, K v, M v (and C v), or K q, K y, M v, M a, reading each matrix once.

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


@njit(cache=True, fastmath=SUMS)
def pairs_by_entry(ptr, idx, kval, mval, q, y, v, a, out):
    """out[:4] = (K q, K y, M v, M a) for any symmetric K and M on one pattern."""
    n = len(q)
    Kq, Ky, Mv, Ma = out[0], out[1], out[2], out[3]
    for i in range(n):
        Kq[i] = 0.0
        Ky[i] = 0.0
        Mv[i] = 0.0
        Ma[i] = 0.0
    for i in range(n):
        start = ptr[i]
        q_i, y_i, v_i, a_i = q[i], y[i], v[i], a[i]
        k, m = kval[start], mval[start]
        kq, ky, mv, ma = k * q_i, k * y_i, m * v_i, m * a_i
        for s in range(start + 1, ptr[i + 1]):
            j, k, m = idx[s], kval[s], mval[s]
            kq += k * q[j]
            ky += k * y[j]
            mv += m * v[j]
            ma += m * a[j]
            Kq[j] += k * q_i
            Ky[j] += k * y_i
            Mv[j] += m * v_i
            Ma[j] += m * a_i
        Kq[i] += kq
        Ky[i] += ky
        Mv[i] += mv
        Ma[i] += ma


@njit(cache=True, fastmath=SUMS)
def pairs_by_node(ptr, idx, blocks, q, y, v, a, out):
    """out[:4] = (K q, K y, M v, M a) for two dofs a node, with the ``blocks`` of :func:`by_node`."""
    Kq, Ky, Mv, Ma = out[0], out[1], out[2], out[3]
    for i in range(len(q)):
        Kq[i] = 0.0
        Ky[i] = 0.0
        Mv[i] = 0.0
        Ma[i] = 0.0
    for node in range(len(ptr) - 1):
        r, t = 2 * node, 2 * node + 1
        q_r, q_t, y_r, y_t = q[r], q[t], y[r], y[t]
        v_r, v_t, a_r, a_t = v[r], v[t], a[r], a[t]
        kq_r, kq_t, ky_r, ky_t = 0.0, 0.0, 0.0, 0.0
        mv_r, mv_t, ma_r, ma_t = 0.0, 0.0, 0.0, 0.0
        for s in range(ptr[node], ptr[node + 1]):
            i = 2 * idx[s]
            j = i + 1
            b0, b1, b2, b3, m = blocks[s, 0], blocks[s, 1], blocks[s, 2], blocks[s, 3], blocks[s, 4]
            kq_r += b0 * q[i] + b1 * q[j]
            kq_t += b2 * q[i] + b3 * q[j]
            ky_r += b0 * y[i] + b1 * y[j]
            ky_t += b2 * y[i] + b3 * y[j]
            mv_r += m * v[i]
            mv_t += m * v[j]
            ma_r += m * a[i]
            ma_t += m * a[j]
            if i != r:
                Kq[i] += b0 * q_r + b2 * q_t
                Kq[j] += b1 * q_r + b3 * q_t
                Ky[i] += b0 * y_r + b2 * y_t
                Ky[j] += b1 * y_r + b3 * y_t
                Mv[i] += m * v_r
                Mv[j] += m * v_t
                Ma[i] += m * a_r
                Ma[j] += m * a_t
        Kq[r] += kq_r
        Kq[t] += kq_t
        Ky[r] += ky_r
        Ky[t] += ky_t
        Mv[r] += mv_r
        Mv[t] += mv_t
        Ma[r] += ma_r
        Ma[t] += ma_t
