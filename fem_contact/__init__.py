"""Finite-element contact dynamics: nonsmooth time stepping with Coulomb friction and impact.

>>> import fem_contact as fc
>>> model = fc.build(fc.load_case("pmma_sliding_block"))       # a bundled case, or a path
>>> run = fc.simulate(model.system, model.scheme, dt=1e-4, t_end=0.1, initial=model.initial)
>>> run.steps.energy.total[-1], abs(run.steps.residual).max()

Names are imported when first used, so that ``import fem_contact`` is quick.
"""

from __future__ import annotations

import importlib
from typing import Any

from fem_contact._version import __version__

#: Public name -> module that holds it.
_PUBLIC = {
    "Activation": "fem_contact.contact.activation",
    "Case": "fem_contact.io.case",
    "Circle": "fem_contact.contact.obstacles",
    "CombinedProjected": "fem_contact.schemes.projected",
    "ContactLaw": "fem_contact.contact.laws",
    "DirectProjected": "fem_contact.schemes.projected",
    "Elastic": "fem_contact.fem.materials",
    "Expression": "fem_contact.expressions",
    "FemContactError": "fem_contact.errors",
    "FemContactWarning": "fem_contact.errors",
    "GeneralizedAlpha": "fem_contact.schemes.generalized_alpha",
    "HHT": "fem_contact.schemes.hht",
    "KrenkHogsberg": "fem_contact.schemes.krenk_hogsberg",
    "LagrangianSystem": "fem_contact.systems.lagrangian",
    "LinearSystem": "fem_contact.systems.linear",
    "LocalProblem": "fem_contact.problems",
    "Mesh": "fem_contact.mesh.mesh",
    "MoreauJean": "fem_contact.schemes",
    "MoreauJeanFremond": "fem_contact.schemes",
    "MoreauJeanVariant": "fem_contact.schemes",
    "NSGS": "fem_contact.solvers",
    "Newmark": "fem_contact.schemes.newmark",
    "Newton": "fem_contact.schemes.newton",
    "Plane": "fem_contact.contact.obstacles",
    "Polyline": "fem_contact.contact.obstacles",
    "Rod": "fem_contact.fem.materials",
    "SchatzmanPaoli": "fem_contact.schemes.schatzman_paoli",
    "Support": "fem_contact.fem.supports",
    "TrapezoidalPosition": "fem_contact.schemes.trapezoidal_position",
    "assemble_body": "fem_contact.systems.body",
    "build": "fem_contact.io.build",
    "load_case": "fem_contact.io.case",
    "mesh_shape": "fem_contact.mesh.generate",
    "node_contacts": "fem_contact.contact.pairs",
    "open_run": "fem_contact.io.run",
    "preload": "fem_contact.systems.initial",
    "read_mesh": "fem_contact.mesh.read",
    "residual": "fem_contact.problems",
    "rest": "fem_contact.systems.initial",
    "run_case": "fem_contact.io.execute",
    "simulate": "fem_contact.timeloop",
    "solve": "fem_contact.solvers",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'fem_contact' has no attribute '{name}'")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
