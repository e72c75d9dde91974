"""A step of the Newmark family as RR-8602 writes it, by one dense linear system and the generic solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_contact.problems import LocalProblem
from fem_contact.solvers import NSGS, solve


@dataclass
class DenseStep:
    """Eq. 27 with 27a, 27e (or eq. 32 for ``loads_as_inertia``) for the unknowns (a, w, v, q) at once."""

    system: object
    parameters: object
    activation: object
    h: float

    def __post_init__(self):
        system, p, h = self.system, self.parameters, self.h
        self.M, self.K, self.C, self.H = (A.toarray() for A in (system.M, system.K, system.C, system.H))
        one, none = np.eye(system.n), np.zeros((system.n, system.n))
        m, f = 1 - p.alpha_m, 1 - p.alpha_f
        self.s = m if p.loads_as_inertia else f
        self.matrix = np.block(
            [
                [m * self.M, none, self.s * self.C, f * self.K],
                [none, self.M, none, none],
                [-h * p.gamma * one, -one, one, none],
                [-h * h * p.beta * one, -0.5 * h * one, none, one],
            ]
        )

    def start(self, q, v):
        return np.linalg.solve(self.M, self.system.force.at(0.0) - self.C @ v - self.K @ q)

    def __call__(self, k, q, v, a):
        """(q, v, a, p) at the end of step k."""
        system, par, h, n, d = self.system, self.parameters, self.h, self.system.n, self.system.dim
        F, F_new = system.force.at(k * h), system.force.at((k + 1) * h)
        right = [
            self.s * F_new
            + (1 - self.s) * (F - self.C @ v)
            - par.alpha_m * self.M @ a
            - par.alpha_f * self.K @ q,
            np.zeros(n),
            v + h * (1 - par.gamma) * a,
            q + h * v + h * h * (0.5 - par.beta) * a,
        ]
        free = np.linalg.solve(self.matrix, np.concatenate(right))
        unit = np.zeros((4 * n, len(self.H)))
        unit[n : 2 * n] = self.H.T
        response = np.linalg.solve(self.matrix, unit)
        u, u_free = (self.H @ v).reshape(-1, d), (self.H @ free[2 * n : 3 * n]).reshape(-1, d)
        active = self.activation.active(system.gap(q), u[:, 0], h)
        p = np.zeros_like(u)
        if active.any():
            rows = np.repeat(active, d)
            b = u_free.copy()
            b[:, 0] += system.e * u[:, 0]
            W = (self.H @ response[2 * n : 3 * n])[np.ix_(rows, rows)]
            problem = LocalProblem(W, b[active].ravel(), system.mu[active], d)
            p[active] = solve(problem, NSGS(tol=1e-13)).r.reshape(-1, d)
        a, _, v, q = (free + response @ p.ravel()).reshape(4, n)
        return q, v, a, p
