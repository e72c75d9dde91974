"""RR-8602: the energy balance of every scheme, on the bar, the block and a random system."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_contact.errors import FemContactWarning
from fem_contact.fem.force import Force
from fem_contact.post.energy import energy_scale
from fem_contact.post.plots import look
from fem_contact.post.plots.motion import look_of
from fem_contact.record import Run
from fem_contact.schemes import SCHEMES
from fem_contact.studies._bar import spec as bar_run
from fem_contact.studies.base import Quantity, Runs, RunSpec, Study, settings
from fem_contact.systems.linear import LinearSystem
from fem_contact.timeloop import simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Scheme -> its settings, and the equation of its balance in RR-8602 (as corrected in the scheme's file).
BALANCES: dict[str, tuple[dict[str, Any], str]] = {
    "moreau-jean": ({"theta": 0.5}, "eq. 46"),
    "moreau-jean-fremond": ({"theta": 0.5}, "HAL 04230941 eq. 56"),
    "moreau-jean-variant": ({"theta": 0.5}, "eq. 92"),
    "newmark": ({}, "eq. 88"),
    "hht": ({"alpha": 0.1}, "eq. 80"),
    "generalized-alpha": ({"rho_inf": 0.8}, "eq. 72"),
    "krenk-hogsberg": ({"rho_inf": 0.8}, "eq. 72"),
}
SYSTEMS = ("bar", "block", "random")

#: Step and number of steps of the random system.
H, STEPS = 2e-3, 1000

Residuals = dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]]


def _runs() -> dict[str, RunSpec]:
    runs = {}
    for name, (more, _) in BALANCES.items():
        block = (settings(name, 2e-4, 0.5, **more), "mesh.size=2.5")
        runs[f"bar {name}"] = bar_run(2e-6, 100, 6.8e-4, scheme=name, **more)
        runs[f"block {name}"] = RunSpec("pmma_sliding_block", block)
    return runs


def random_system(n: int = 12, contacts: int = 3) -> LinearSystem:
    """Full positive definite M, K and C, contacts with friction and restitution, a force that closes them."""
    rng = np.random.default_rng(8602)

    def definite(size: float) -> csr_matrix:
        B = rng.normal(size=(n, n))
        return csr_matrix(size * (B @ B.T / n + 0.1 * np.eye(n)))

    H = rng.normal(size=(2 * contacts, n))
    return LinearSystem(
        M=definite(1.0),
        K=definite(20.0),
        C=definite(0.3),
        H=csr_matrix(H),
        g0=rng.uniform(0.0, 0.02, contacts),
        mu=rng.uniform(0.0, 1.5, contacts),
        e=rng.uniform(0.0, 1.0, contacts),
        force=Force(rng.normal(size=n) - 8.0 * H[::2].sum(axis=0)),
        dim=2,
        length=1e-3,
        wave_speed=1.0,
    )


def residual(run: Run) -> NDArray[np.float64]:
    """(N,) |residual| of the balance of a scheme's own (algorithmic) energy over the largest energy."""
    name = "residual_algorithmic" if "residual_algorithmic" in run.steps else "residual"
    return np.abs(np.asarray(run.steps[name])[1:]) / energy_scale(run)


def _random_run(system: LinearSystem, name: str) -> Run:
    start = np.zeros(system.n), 3.0 * np.random.default_rng(1).normal(size=system.n)
    scheme = SCHEMES[name](**BALANCES[name][0])
    with warnings.catch_warnings():
        # Restitution up to 1 leaves the bounds of theta: the balance holds all the same.
        warnings.simplefilter("ignore", FemContactWarning)
        return simulate(system, scheme, dt=H, t_end=STEPS * H, initial=start)


def _evaluate(runs: Runs) -> Residuals:
    system, found = random_system(), {}
    for name in BALANCES:
        for kind in SYSTEMS:
            run = runs[f"{kind} {name}"] if kind != "random" else _random_run(system, name)
            found[kind, name] = np.asarray(run.steps.t)[1:] / float(run.steps.t[-1]), residual(run)
    return found


def _draw(found: Residuals) -> Figure:
    with look.style():
        drawing, axes = look.figure(len(SYSTEMS), (3.6,), sharey=True)
        for axis, kind in zip(axes[0], SYSTEMS, strict=True):
            for i, name in enumerate(BALANCES):
                t, values = found[kind, name]
                shown = np.where(values > 0.0, values, np.nan)
                look.line(
                    axis,
                    t,
                    shown,
                    **{**look_of(i), "linestyle": "", "marker": ".", "markersize": 1.5},
                    label=name,
                )
            axis.axhline(1e-11, color=look.BLACK, linewidth=0.8, linestyle="--", label="1e-11")
            axis.set_yscale("log")
            axis.set_ylim(1e-20, 1e-9)
            axis.set_xlabel("time / final time (–)")
            look.column_title(axis, kind)
        axes[0, 0].set_ylabel(r"$|$residual$|$ / largest energy (–)")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside lower left", ncols=4, fontsize=8, markerscale=6)
        text = "Residual of each scheme's own energy balance, per step"
        drawing.suptitle(text, fontsize=10.5, x=0.01, ha="left")
    return drawing


def _quantities(found: Residuals) -> Sequence[Quantity]:
    return [
        Quantity(f"largest residual, {kind}, {name} ({BALANCES[name][1]})", "0", float(values.max()), "–")
        for (kind, name), (_, values) in found.items()
    ]


STUDY = Study(
    figures=("RR-8602 energy balances",),
    title="The energy balance of every scheme, step by step",
    look="Each scheme closes the balance of its own energy at round-off in every step, with impacts, "
    "friction, damping and loads: the Newmark family that of its algorithmic energy, the theta family "
    "that of the mechanical one.",
    differs="RR-8602 proves the balances and has no figure of them.",
    runs=_runs(),
    evaluate=_evaluate,
    draw=_draw,
    quantities=_quantities,
)
