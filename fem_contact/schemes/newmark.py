"""The Newmark family on linear systems (Acary, RR-8602, eq. 27-32), and Newmark's scheme itself.

Accelerations a are those of the smooth motion; contact adds the jump w of the velocity, M w = H^T P:

    q_{k+1} = q_k + h v_k + h^2 [(1/2 - beta) a_k + beta a_{k+1}] + h/2 w                     (27f, 27i)
    v_{k+1} = v_k + h [(1 - gamma) a_k + gamma a_{k+1}] + w                                   (27g, 27h)
    -(w_c + mu |w_{c,T}| n) in N_K(P),    w_c = u_{k+1} + (e u_{N,k}, 0)                      (27d)

where eq. 27d is written with friction. The schemes differ in the equation of motion of the step. With
x_{k+1-alpha} = (1 - alpha) x_{k+1} + alpha x_k and f = F - C v - K q:

    Newmark             M a_{k+1} = f_{k+1}
    HHT                 M a_{k+1} = f_{k+1-alpha}                                             (77)
    generalized-alpha   M a_{k+1-alpha_m} = f_{k+1-alpha_f}                                   (61)
    Krenk-Hogsberg      [M a + C v - F]_{k+1-alpha_m} = -[K q]_{k+1-alpha_f}                  (32)

With nu = 1/2 - alpha_m, eta = alpha_f - alpha_m (57) and the filter zeta of x,

    (1/2 + nu) zeta_{k+1} + (1/2 - nu) zeta_k = x_{k+1} - x_k,      zeta_0 = 0                (55)

(zeta = z/nu, so that nu = 0 needs no limit), all read M a = f + eta (K zeta_q [+ zeta_{Cv} - zeta_F]) at
every t_k, the bracket being absent in Krenk-Hogsberg (52, 59). Hence the algorithmic energy

    H = E + h^2/4 (2 beta - gamma) |a|_M^2 + eta/2 (nu - gamma + 1/2) |zeta_q|_K^2            (66)

and the balance that every step closes, x_{k,gamma} = (1 - gamma) x_k + gamma x_{k+1},

    dH = dq . (F - [eta zeta_F])_{k,gamma} - dq . (C v - [eta zeta_{Cv}])_{k,gamma} + u_{k+1/2} . P
         + h^2/2 (1/2 - gamma) (2 beta - gamma) |da|_M^2 + (eta + 1/2 - gamma) |dq|_K^2
         + eta nu (gamma - nu - 1/2) |dzeta_q|_K^2                                            (69, 72)

whose first two terms are the work of the loads and of damping (for HHT they are eq. 78 and 79 with
F_{-1} = F_0) and whose last three are ``work/algorithmic``. A run records H as ``energy/algorithmic`` and
what is left of the balance as ``residual_algorithmic``. The balance of E, which every scheme records,
counts ``work/algorithmic`` - d(H - E) as numerical work.

Under the conditions of eq. 74 the quadratic terms are <= 0, and so is the normal work
u_{N,k+1/2} P_N = (1 - e) u_{N,k} P_N / 2 of every contact (70). Friction is not covered: its work
u_{T,k+1/2} . P_T can be positive, as in Moreau-Jean.

Slips of RR-8602, decided by the balances that close: eq. 32 has -F_k (as in 56); "replacing (27d) by (32)"
before section 5 means 27a with 27e; the integral of C in eq. 43 lacks v^T and v; the ratio in the middle of
eq. 64 is upside down (eta/nu is (alpha_f - alpha_m) over (1/2 - alpha_m), and 2/3 is right); in the second
line of eq. 85 the sign before (1 - gamma) F_k is +; for Newmark eq. 57 gives nu = 1/2, eta = 0, not the
reverse as in section 6.4; eq. 88 and 101 need h^2/2 before |da|_M^2 (as in 100); "using again (96)" before
eq. 99 means 95.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import ClassVar

from fem_contact.contact.activation import Activation
from fem_contact.errors import FemContactWarning, ModelError
from fem_contact.schemes.base import Stepper
from fem_contact.schemes.newmarks.newmark_parameters import NewmarkParameters
from fem_contact.schemes.newmarks.newmark_stepper import NewmarkStepper
from fem_contact.solvers.base import Solver
from fem_contact.systems.kinds import System
from fem_contact.systems.linear import LinearSystem

#: Slack of the bounds, for parameters that meet them with equality and are rounded.
SLACK = 1e-12


class NewmarkScheme:
    """What the schemes of the family share; a scheme is a frozen dataclass of its settings."""

    activation: Activation

    name: ClassVar[str] = ""
    #: The conditions under which the paper proves that H dissipates, as text and by equation number.
    conditions: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def parameters(self) -> NewmarkParameters:
        """The numbers that the settings stand for."""
        raise NotImplementedError

    def prepare(self, system: System, h: float, solver: Solver) -> Stepper:
        """Factor M and S, form W, and return the stepper.

        Warns
        -----
        FemContactWarning
            When the parameters leave the conditions of a proved dissipation.

        Raises
        ------
        ModelError
            When the system is not linear (the family is defined by constant M, K, C), h is not positive, or
            M or S not positive definite.
        """
        if not isinstance(system, LinearSystem):
            raise ModelError(
                f"{self.name} is defined for linear systems (constant M, K, C) only; "
                "moreau-jean and its kin step any system"
            )
        p = self.parameters()
        if not dissipates(p):
            warnings.warn(
                f"{self.name}: {_numbers(p)} leave {self.conditions} ({self.source}): "
                "the scheme may create energy",
                FemContactWarning,
                stacklevel=2,
            )
        return NewmarkStepper(system, h, p, self.activation, solver)

    def check(self, **values: float | None) -> None:
        """Raise ModelError for a value that is not finite or out of its range; None is left alone."""
        for name, value in values.items():
            low, high = RANGES[name]
            if value is not None and not (math.isfinite(value) and low <= value <= high):
                allowed = f"in [{low:g}, {high:g}]" if math.isfinite(high) else f"at least {low:g}"
                raise ModelError(f"{self.name}: {name} = {value!r}: it must be {allowed}")


#: Ranges of the parameters. Those of alpha_m and alpha_f hold all of eq. 29, and keep the weights at t_{k+1}
#: at a half or more, so that the recurrence of the accelerations does not grow.
RANGES = {
    "beta": (0.0, math.inf),
    "gamma": (0.0, math.inf),
    "alpha": (0.0, 1.0 / 3.0),
    "alpha_m": (-1.0, 0.5),
    "alpha_f": (0.0, 0.5),
    "rho_inf": (0.0, 1.0),
}


def dissipates(p: NewmarkParameters) -> bool:
    """Whether 2 beta >= gamma >= 1/2 and 0 <= eta <= gamma - 1/2 <= nu (RR-8602 eq. 74).

    For HHT these are eq. 82. Without a filter (eta = 0) the last condition has no part: eq. 90.
    """
    stable = 2.0 * p.beta >= p.gamma - SLACK and p.gamma >= 0.5 - SLACK
    excess = p.gamma - 0.5
    filtered = 0.0 <= p.eta <= excess + SLACK and excess <= p.nu + SLACK
    return stable and (p.eta == 0.0 or filtered)


def optimal_beta(gamma: float) -> float:
    """beta = (gamma + 1/2)^2 / 4 (RR-8602 eq. 29)."""
    return 0.25 * (gamma + 0.5) ** 2


def _numbers(p: NewmarkParameters) -> str:
    text = f"beta = {p.beta:g}, gamma = {p.gamma:g}"
    if p.alpha_m or p.alpha_f:
        text = f"alpha_m = {p.alpha_m:g}, alpha_f = {p.alpha_f:g}, {text}"
    return text


@dataclass(frozen=True)
class Newmark(NewmarkScheme):
    """Nonsmooth Newmark (RR-8602 eq. 27 with alpha_m = alpha_f = 0, eq. 30).

    Parameters
    ----------
    beta, gamma : float
        The trapezoidal rule by default. beta = 0 is the explicit scheme, stable for small steps only.
    activation : Activation
        Which contacts take part in a step (eq. 26).

    Raises
    ------
    ModelError
        When beta or gamma is negative.
    """

    beta: float = 0.25
    gamma: float = 0.5
    activation: Activation = field(default_factory=Activation)

    name: ClassVar[str] = "newmark"
    conditions: ClassVar[str] = "2 beta >= gamma >= 1/2"
    source: ClassVar[str] = "RR-8602 eq. 90"

    def __post_init__(self) -> None:
        self.check(beta=self.beta, gamma=self.gamma)

    def parameters(self) -> NewmarkParameters:
        """No filter."""
        return NewmarkParameters(0.0, 0.0, self.beta, self.gamma)
