"""Order of convergence of the Newmark family without contact, against the matrix exponential."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.sparse import csr_matrix

from fem_contact.expressions import Expression
from fem_contact.fem.force import Force
from fem_contact.fem.supports import PrescribedMotion
from fem_contact.schemes.generalized_alpha import GeneralizedAlpha
from fem_contact.schemes.hht import HHT
from fem_contact.schemes.krenk_hogsberg import KrenkHogsberg
from fem_contact.schemes.newmark import Newmark
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

T = 1.0


def smooth_system(make_system, damped: bool, loaded: bool) -> LinearSystem:
    """No contact; a constant force, where asked for damping with a skew part and loads sin(5 t), cos(5 t)."""
    full = make_system(1, contacts=1, damped=damped)
    rng = np.random.default_rng(3)
    n = full.n
    system = LinearSystem(M=full.M, K=full.K, C=full.C, force=Force(rng.normal(size=n)))
    if damped:
        G = rng.normal(size=(n, n))
        system = replace(system, C=system.C + csr_matrix(0.2 * (G - G.T)))
    if loaded:
        shapes = 20.0 * rng.normal(size=(2, n))
        load = Force(np.zeros(n), shapes, (Expression("sin(5*t)"), Expression("cos(5*t)")))
        system = replace(system, force=system.force + load)
    return system


def exact(system: LinearSystem, q, v) -> np.ndarray:
    """(q, v) at T: the loads are states as well, 1, sin(5 t) and cos(5 t)."""
    n = system.n
    M, K, C = (A.toarray() for A in (system.M, system.K, system.C))
    shapes = np.zeros((3, n))
    shapes[0] = system.force.constant
    shapes[1 : 1 + len(system.force.basis)] = system.force.basis
    A = np.zeros((2 * n + 3, 2 * n + 3))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = np.linalg.solve(M, np.concatenate([-K, -C, shapes.T], axis=1))
    A[-2, -1], A[-1, -2] = 5.0, -5.0
    return (expm(A * T) @ np.concatenate([q, v, [1.0, 0.0, 1.0]]))[: 2 * n]


def slope(system: LinearSystem, scheme) -> float:
    q, v = np.ones(system.n), np.linspace(-1.0, 1.0, system.n)
    goal = exact(system, q, v)
    steps, errors = np.array([1000, 2000, 4000]), []
    for count in steps:
        run = simulate(system, scheme, dt=T / count, t_end=T, initial=(q, v), every=int(count))
        end = np.concatenate([run.fields.q[-1], run.fields.v[-1]])
        errors.append(np.abs(end - goal).max() / np.abs(goal).max())
    assert errors[-1] < 0.01
    return float(np.polyfit(np.log(T / steps), np.log(errors), 1)[0])


@pytest.mark.parametrize(
    "scheme",
    [
        Newmark(),
        Newmark(0.5, 0.5),
        HHT(0.1),
        HHT(1 / 3),
        GeneralizedAlpha(rho_inf=0.9),
        GeneralizedAlpha(rho_inf=0.0),
        GeneralizedAlpha(rho_inf=1.0),
        GeneralizedAlpha(alpha_m=-0.2, alpha_f=0.1),
    ],
    ids=str,
)
def test_second_order_with_damping_and_loads(scheme, make_system):
    """gamma = 1/2 + alpha_f - alpha_m (RR-8602 eq. 28)."""
    assert slope(smooth_system(make_system, damped=True, loaded=True), scheme) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("scheme", [Newmark(0.36, 0.6), HHT(0.2, gamma=0.8)], ids=str)
def test_first_order_without_equation_28(scheme, make_system):
    assert slope(smooth_system(make_system, damped=True, loaded=True), scheme) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("rho_inf", [0.0, 0.5])
@pytest.mark.parametrize(
    ("damped", "loaded", "order"),
    [(False, False, 2.0), (True, False, 1.0), (False, True, 1.0), (True, True, 1.0)],
)
def test_krenk_hogsberg_pays_an_order_for_damping_and_for_loads(rho_inf, damped, loaded, order, make_system):
    """RR-8602 section 4.3: "the order of the method decreases", though not undamped under constant loads."""
    system = smooth_system(make_system, damped, loaded)
    assert slope(system, KrenkHogsberg(rho_inf=rho_inf)) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(
    "scheme",
    [Newmark(), HHT(0.2), GeneralizedAlpha(rho_inf=0.2), KrenkHogsberg(rho_inf=0.2)],
    ids=lambda s: s.name,
)
def test_second_order_of_the_answer_to_a_support(scheme, make_system):
    """Dof 0 moves by sin(5 t) and is coupled to the others by inertia as well: M_fd s'' is weighted right.

    Krenk-Hogsberg too, undamped: what a support gives by stiffness is no load to it.
    """
    full = make_system(1, contacts=1, damped=scheme.name != "krenk-hogsberg")
    motion = PrescribedMotion(np.array([0]), (Expression("sin(5*t)"),), np.array([0]), np.zeros((1, 2)))
    system = LinearSystem(M=full.M, K=full.K, C=full.C, motion=motion)
    n, free = full.n, np.arange(1, full.n)
    M, K, C = (A.toarray() for A in (full.M, full.K, full.C))
    inner = LinearSystem(
        M=csr_matrix(M[1:, 1:]),
        K=csr_matrix(K[1:, 1:]),
        C=csr_matrix(C[1:, 1:]),
        force=Force(
            np.zeros(n - 1),
            np.array([25.0 * M[1:, 0] - K[1:, 0], -5.0 * C[1:, 0]]),
            (Expression("sin(5*t)"), Expression("cos(5*t)")),
        ),
    )
    q, v = np.ones(n), np.linspace(-1.0, 1.0, n)
    q[0], v[0] = 0.0, 5.0
    goal = exact(inner, q[1:], v[1:])
    steps, errors = np.array([500, 1000, 2000]), []
    for count in steps:
        run = simulate(system, scheme, dt=T / count, t_end=T, initial=(q, v), every=int(count))
        end = np.concatenate([run.fields.q[-1][free], run.fields.v[-1][free]])
        errors.append(np.abs(end - goal).max() / np.abs(goal).max())
        assert np.abs(run.steps.residual_algorithmic).max() < 1e-13 * run.steps.energy.total.max()
    assert np.polyfit(np.log(T / steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)
