"""The theta family on Lagrangian systems: twin of the linear stepper, identity, joints, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from fem_contact.contact.activation import Activation
from fem_contact.errors import ConvergenceError, ModelError
from fem_contact.schemes import MoreauJean, MoreauJeanFremond, MoreauJeanVariant
from fem_contact.schemes.lagrangian import lagrangian_kernels as kernels
from fem_contact.schemes.newton import Newton
from fem_contact.solvers import NSGS
from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.timeloop import simulate

SCHEMES = (MoreauJean, MoreauJeanFremond, MoreauJeanVariant)


def as_lagrangian(linear) -> LagrangianSystem:
    """A linear system behind the functions of a Lagrangian one."""
    M, K, C, H = (A.toarray() for A in (linear.M, linear.K, linear.C, linear.H))

    def put(value, out):
        out[...] = value

    return LagrangianSystem(
        n=linear.n,
        contacts=linear.contacts,
        dim=linear.dim,
        mass=lambda q, p, out: put(M, out),
        force=lambda t, q, v, p, out: put(linear.force.constant - K @ q - C @ v, out),
        gap=lambda q, p, out: put(linear.gap(q), out),
        jacobian=lambda q, p, out: put(H, out),
        potential=lambda q, p: 0.5 * q @ K @ q,
        loads=lambda t, q, v, p, out: put(linear.force.constant, out),
        damping=lambda t, q, v, p, out: put(-C @ v, out),
        mu=linear.mu,
        e=linear.e,
        length=linear.length,
        wave_speed=linear.wave_speed,
    )


def double_pendulum(joints: bool = False) -> LagrangianSystem:
    """Two rods of length 1 and mass 1 at their tips over a floor, by angles; the lower tip touches it.

    With ``joints`` the same in Cartesian coordinates of the tips, the rods being two equalities.
    """
    g, floor = 9.81, 1.7

    def mass(q, p, M):
        c = np.cos(q[1] - q[0])
        M[...] = [[2.0, c], [c, 1.0]]

    def force(t, q, v, p, F):
        s = np.sin(q[1] - q[0])
        F[0] = s * v[1] ** 2 - 2.0 * g * np.sin(q[0])
        F[1] = -s * v[0] ** 2 - g * np.sin(q[1])

    def gap(q, p, out):
        out[0] = floor - np.cos(q[0]) - np.cos(q[1])

    def jacobian(q, p, H):
        H[...] = [[np.sin(q[0]), np.sin(q[1])], [np.cos(q[0]), np.cos(q[1])]]

    def potential(q, p):
        return -2.0 * g * np.cos(q[0]) - g * np.cos(q[1])

    common = {"contacts": 1, "mu": 0.3, "e": 0.4}
    if not joints:
        start = (np.array([0.9, 0.6]), np.zeros(2))
        return LagrangianSystem(
            n=2,
            mass=mass,
            force=force,
            gap=gap,
            jacobian=jacobian,
            potential=potential,
            start=start,
            **common,
        )

    def fill(value):
        return lambda *arguments: arguments[-1].__setitem__(Ellipsis, value(*arguments[:-1]))

    q0 = np.array([np.sin(0.9), -np.cos(0.9), np.sin(0.9) + np.sin(0.6), -np.cos(0.9) - np.cos(0.6)])
    return LagrangianSystem(
        n=4,
        joints=2,
        mass=fill(lambda q, p: np.eye(4)),
        force=fill(lambda t, q, v, p: np.array([0.0, -g, 0.0, -g])),
        gap=fill(lambda q, p: floor + q[3]),
        jacobian=fill(lambda q, p: np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])),
        potential=lambda q, p: g * (q[1] + q[3]),
        joint=fill(lambda q, p: np.array([q[:2] @ q[:2] - 1.0, (q[2:] - q[:2]) @ (q[2:] - q[:2]) - 1.0])),
        joint_jacobian=fill(
            lambda q, p: 2.0 * np.array([[q[0], q[1], 0.0, 0.0], np.r_[q[:2] - q[2:], q[2:] - q[:2]]])
        ),
        start=(q0, np.zeros(4)),
        **common,
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("theta", [0.5, 0.8])
def test_a_linear_system_steps_as_it_does_by_itself(make_system, make_start, scheme, d, theta):
    linear = make_system(3, d=d, e=0.2)
    system, (q, v) = as_lagrangian(linear), make_start(linear, 3)
    settings = scheme(theta=theta)
    runs = [
        simulate(s, settings, dt=1e-3, t_end=0.2, initial=(q, v), every=1, solver=NSGS(tol=1e-13))
        for s in (linear, system)
    ]
    assert np.abs(runs[0].steps.contact.p).max() > 1e-3
    for name in ("fields/q", "fields/v", "steps/contact/p", "steps/work/external", "steps/work/damping",
                 "steps/work/numerical", "steps/contact/work_tangential", "steps/energy/total"):  # fmt: skip
        scale = np.abs(runs[0][name]).max() + 1e-3  # the numerical work is nothing for theta = 1/2
        np.testing.assert_allclose(runs[1][name], runs[0][name], rtol=0, atol=1e-9 * scale, err_msg=name)
    assert runs[1].steps.newton.iterations[1:].max() <= 2


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("frame", ["start", "end"])
@pytest.mark.parametrize("joints", [False, True])
def test_the_identity_closes_on_a_double_pendulum(scheme, frame, joints):
    system = double_pendulum(joints)
    settings = scheme(theta=0.6, frame=frame, activation=Activation(gap_tol=1e-9, velocity_tol=np.inf))
    run = simulate(system, settings, dt=1e-3, t_end=1.0)
    assert run.steps.contact.p[:, 0, 0].max() > 0.1
    assert np.abs(run.steps.work.numerical).max() > 1e-6
    energy = run.steps.energy.total
    assert np.abs(run.steps.residual).max() <= 1e-11 * np.ptp(energy)
    if scheme is MoreauJeanFremond:
        assert run.steps.contact.work_tangential.min() < -1e-4
        assert run.steps.contact.work_tangential.max() <= 1e-14
    if joints:
        assert run.steps.joint_error.max() < 1e-2
        assert np.abs(run.steps.work.joints).max() > 0.0


def test_joints_and_minimal_coordinates_agree():
    """Tips of the pendulum after a free fall, by angles and by joints, part with h."""
    parted = []
    for h in (2e-3, 1e-3, 5e-4):
        runs = [
            simulate(double_pendulum(joints), MoreauJean(theta=0.5), dt=h, t_end=0.2, every=1)
            for joints in (False, True)
        ]
        a, b = runs[0].fields.q[-1]
        tips = [np.sin(a), -np.cos(a), np.sin(a) + np.sin(b), -np.cos(a) - np.cos(b)]
        parted.append(np.abs(runs[1].fields.q[-1] - tips).max())
    rates = np.log2(np.array(parted[:-1]) / parted[1:])
    assert parted[-1] > 1e-9
    assert np.all(rates > 0.9)


def test_a_step_does_not_depend_on_the_one_before(make_system, make_start):
    """A stepper that starts from a stored state gives the same digits."""
    system = double_pendulum()
    scheme = MoreauJean(theta=0.5)
    first = scheme.prepare(system, 1e-3, NSGS())
    state, _ = first.start(*system.start)
    for _ in range(400):
        stored = state.copy()
        state, report = first.step(state)
    again, other = scheme.prepare(system, 1e-3, NSGS()).step(stored)
    assert np.array_equal(again.q, state.q)
    assert np.array_equal(again.v, state.v)
    assert np.array_equal(other.scalars, report.scalars)


def test_a_step_that_does_not_converge_says_so():
    system = double_pendulum()
    scheme = MoreauJean(theta=0.5, newton=Newton(tol=1e-12, max_iter=1))
    with pytest.raises(ConvergenceError, match=r"step 1 .*1 Newton iterations left an imbalance") as error:
        simulate(system, scheme, dt=1e-3, t_end=0.1)
    assert error.value.step == 1


def test_an_open_joint_is_refused():
    system = double_pendulum(joints=True)
    q, v = system.start
    with pytest.raises(ModelError, match="leaves the joints open by"):
        simulate(system, MoreauJean(), dt=1e-3, t_end=0.1, initial=(1.1 * q, v))
    with pytest.raises(ModelError, match="pulls the joints apart"):
        simulate(system, MoreauJean(), dt=1e-3, t_end=0.1, initial=(q, q))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mu": -1.0}, "mu must be >= 0"),
        ({"e": 2.0}, r"e must be in \[0, 1\]"),
        ({"mu": [1.0, 2.0]}, "mu must be 1 finite numbers"),
        ({"gap": None}, "the function 'gap' is missing"),
        ({"dim": 3}, "dim = 3"),
        ({"names": ("a",)}, "one name for each coordinate"),
        ({"start": (np.zeros(3), np.zeros(2))}, "initial q must be 2 finite numbers"),
        ({"mass": lambda q, p, M: None}, "not positive definite at the start"),
        ({"n": 0}, "at least one coordinate"),
    ],
)
def test_a_system_that_makes_no_sense_is_refused(change, message):
    system = double_pendulum()
    keys = ("n", "mass", "force", "contacts", "dim", "gap", "jacobian", "mu", "e", "start")
    with pytest.raises(ModelError, match=message):
        LagrangianSystem(**{**{key: getattr(system, key) for key in keys}, **change})


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_of_a_newton_step_solves_its_equations(seed):
    """respond and apply against numpy.linalg.solve on the whole matrix with joints."""
    rng = np.random.default_rng(seed)
    n, m, rows = 6, 2, 4
    M, K, C = (A @ A.T + np.eye(n) for A in rng.normal(size=(3, n, n)))
    H, G = rng.normal(size=(rows, n)), rng.normal(size=(m, n))
    defect, v, h, theta, theta_q = rng.normal(size=n), rng.normal(size=n), 0.1, 0.6, 0.5
    A, B, W = np.empty((n + m, n + m)), np.empty((n + m, 1 + rows)), np.empty((rows, rows))
    assert kernels.respond(M, K, C, H, G, defect, v, h, theta, theta_q, A, B, W)
    Mhat = M + h * theta * C + h * h * theta * theta_q * K
    whole = np.block([[Mhat, -G.T], [G, np.zeros((m, m))]])
    right = np.block([[defect[:, None], H.T], [-(G @ v)[:, None], np.zeros((m, rows))]])
    expected = np.linalg.solve(whole, right)
    np.testing.assert_allclose(B, expected, atol=1e-11)
    np.testing.assert_allclose(W, H @ expected[:n, 1:], atol=1e-11)
    p, new, joints = rng.normal(size=(2, 2)), np.empty(n), np.empty(m)
    kernels.apply(B, p, m, v, new, joints)
    np.testing.assert_allclose(new, v + expected[:n] @ np.r_[1.0, p.ravel()], atol=1e-11)
    np.testing.assert_allclose(joints, expected[n:] @ np.r_[1.0, p.ravel()], atol=1e-11)


def test_a_singular_matrix_is_told():
    A, B = np.zeros((2, 2)), np.ones((2, 1))
    assert not kernels.solve_in_place(A, B)
