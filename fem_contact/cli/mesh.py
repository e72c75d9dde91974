"""``fem-contact mesh``: make or read a mesh, check it, write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fem_contact.mesh.mesh import Mesh


@click.command()
@click.argument("spec")
@click.option("-o", "--output", required=True, metavar="OUT.msh", help="File to write: .msh, .vtu or .xdmf.")
@click.option("--size", type=float, help="Edge length wanted (geometries, shapes and cases).")
@click.option(
    "--wave-speed", type=float, help="Speed of the waves, to say how long one takes to cross an edge."
)
@click.option("--E", "young", type=float, help="Young's modulus, in place of the wave speed.")
@click.option("--nu", type=float, help="Poisson's ratio, with --E.")
@click.option("--density", type=float, help="Density, with --E.")
@click.option(
    "--assumption",
    type=click.Choice(["plane-stress", "plane-strain"]),
    default="plane-stress",
    show_default=True,
    help="With --E.",
)
def command(
    spec: str,
    output: str,
    size: float | None,
    wave_speed: float | None,
    young: float | None,
    nu: float | None,
    density: float | None,
    assumption: str,
) -> None:
    """Make the mesh of SPEC and write it.

    SPEC is a geometry (.geo, .step, .brep), a mesh file of 3-node triangles in any format of meshio, a case
    (its mesh and its material are taken), or a shape:

    \b
        rectangle:width=40,height=25
        disk:radius=10                    half-disk:radius=10,tip_size=0.1
        half-annulus:inner=8,outer=10     "polygon:vertices=0 0 4 0 0 3"
        line:length=1,elements=100

    Lengths are in the unit of the mesh; the material must be in the same unit system.
    """
    from fem_contact.mesh import summary, write_mesh
    from fem_contact.mesh.source import load_mesh

    speed = _wave_speed(wave_speed, young, nu, density, assumption)
    if _is_case(spec):
        mesh, case_speed = _from_case(spec, size)
        speed = case_speed if speed is None else speed
    else:
        mesh = load_mesh(spec, size)
    lines = str(summary(mesh, speed))
    write_mesh(mesh, output)
    click.echo(lines)
    click.echo(f"written to {output}")


def _wave_speed(
    wave_speed: float | None, young: float | None, nu: float | None, density: float | None, assumption: str
) -> float | None:
    """The speed given, or that of the material given: of a rod, sqrt(E / density), without nu."""
    if wave_speed is not None:
        if young is not None or nu is not None or density is not None:
            raise click.UsageError("give either --wave-speed or --E, --nu and --density")
        return wave_speed
    if young is None and nu is None and density is None:
        return None
    if young is None or density is None:
        raise click.UsageError("the wave speed needs --E and --density (and --nu for a plane body)")
    from fem_contact.fem.materials import Elastic, Rod

    if nu is None:
        return Rod(young, density, 1.0).wave_speed
    return Elastic(young, nu, density, assumption=assumption).wave_speed


def _is_case(spec: str) -> bool:
    """A .toml file, or the name of a bundled case when there is no such file."""
    from pathlib import Path

    from fem_contact.io.case.bundled import bundled_cases

    if spec.lower().endswith(".toml"):
        return True
    return spec in bundled_cases() and not Path(spec).is_file()


def _from_case(spec: str, size: float | None) -> tuple[Mesh, float]:
    """The mesh of a case and the wave speed of its material."""
    from fem_contact.io.build import make_mesh
    from fem_contact.io.case import load_case

    case = load_case(spec, () if size is None else (f"mesh.size={size!r}",))
    mesh = make_mesh(case)
    assert case.body is not None
    return mesh, float(case.body.material.wave_speed)
