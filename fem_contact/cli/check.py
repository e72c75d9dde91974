"""``fem-contact check``: everything that can be found wrong with a case before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fem_contact.io.build import Model
    from fem_contact.mesh.mesh import Mesh
    from fem_contact.systems.linear import LinearSystem


@click.command()
@click.argument("case")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a value: scheme.dt=1e-3."
)
def command(case: str, overrides: tuple[str, ...]) -> None:
    """Read, mesh and assemble CASE, a file or the name of a bundled case, and say what it would run."""
    import warnings

    from fem_contact.errors import FemContactWarning
    from fem_contact.io.build import build
    from fem_contact.io.case import load_case

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FemContactWarning)
        model = build(load_case(case, overrides))
        model.scheme.prepare(model.system, model.dt, model.solver)
    for line in summary(model):
        click.echo(line)
    for warning in caught:
        if issubclass(warning.category, FemContactWarning):
            click.echo(f"warning   {warning.message}")


def summary(model: Model) -> Iterator[str]:
    """The lines that describe a model."""
    from fem_contact.io.case.settings import shorten
    from fem_contact.units import UNIT_LABELS

    system, case = model.system, model.case
    unit = UNIT_LABELS[model.units]
    if model.title:
        yield f"title     {shorten(model.title, 100)}"
    yield from _rigid(model) if case.model is not None else _body(model, unit)
    q, v = model.initial
    kinetic, potential = system.energy(q, v)
    start = "its own" if case.model is not None and case.initial.kind == "rest" else case.initial.kind
    name = "elastic" if case.model is None else "potential"
    energies = f"kinetic {kinetic:.6g} {unit['energy']}, {name} {potential:.6g} {unit['energy']}"
    yield f"start     {start}, {energies}"
    yield f"scheme    {case.scheme.name} {model.scheme}"
    yield f"solver    {case.solver.name} {model.solver}"
    crossing = system.length / system.wave_speed
    share = f"; a step is {model.dt / crossing:.3g} of a wave's way along the shortest edge"
    yield (
        f"steps     {model.steps} of {model.dt:g} {unit['time']}, to t = {model.t_end:g} {unit['time']}"
        f"{share if model.mesh is not None else ''}"
    )
    samples = model.steps // model.every + 1
    yield (
        f"output    fields at {samples} times, a checkpoint every {model.checkpoint} steps, "
        f"{len(model.probes)} probes"
    )


def _rigid(model: Model) -> Iterator[str]:
    """The lines of a rigid model."""
    from fem_contact.systems.lagrangian import LagrangianSystem

    system, case = model.system, model.case
    assert isinstance(system, LagrangianSystem)
    assert case.model is not None
    yield f"model     {case.model.kind} {case.model.settings}"
    yield f"dofs      {system.n}: {', '.join(system.names)}; {system.joints} joint equations"
    gaps = system.gaps(model.initial[0])
    for name, mu, e, gap in zip(system.contact_names, system.mu, system.e, gaps, strict=True):
        yield f"contact   {name}, mu = {mu:g}, e = {e:g}, gap {gap:.4g}"


def _body(model: Model, unit: dict[str, str]) -> Iterator[str]:
    """The lines of a finite-element body."""
    import numpy as np

    from fem_contact.systems.linear import LinearSystem

    system, mesh, case = model.system, model.mesh, model.case
    assert isinstance(system, LinearSystem)
    assert mesh is not None
    assert case.body is not None
    size = np.ptp(mesh.points, axis=0)
    yield (
        f"mesh      {len(mesh.points)} nodes, {len(mesh.cells)} {mesh.element}, "
        f"{size[0]:g} x {size[1]:g} {unit['length']}, shortest edge {system.length:.4g} {unit['length']}"
    )
    yield f"groups    {', '.join(sorted(mesh.groups)) or 'none'}"
    mass = float(system.M.sum()) / system.dofs_per_node
    held = 0 if system.motion is None else len(system.motion.dofs)
    speed = f"wave speed {system.wave_speed:.6g} {unit['velocity']}"
    yield f"body      {case.body.assumption}, mass {mass:.6g} {unit['mass']}, {speed}"
    yield f"dofs      {system.n}, {held} of them held, {len(case.load)} loads"
    yield from _contacts(model, system, mesh, unit)


def _contacts(model: Model, system: LinearSystem, mesh: Mesh, unit: dict[str, str]) -> Iterator[str]:
    """One line a [[contact]]; their contacts follow each other in the system."""
    import numpy as np

    gaps, first = system.gap(np.zeros(system.n)), 0
    for table in model.case.contact:
        count = len(mesh.group(table.group).nodes)
        gap = gaps[first : first + count]
        first += count
        yield (
            f"contact   {count} nodes of '{table.group}' against a {type(table.obstacle).__name__.lower()}, "
            f"mu = {table.mu:g}, e = {table.e:g}, gap {gap.min():.4g} to {gap.max():.4g} {unit['length']}"
        )
    if not model.case.contact:
        yield "contact   none"
