"""The deformed body and its stresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.tri import Triangulation
from numpy.typing import NDArray

from fem_contact.fem.recover import stress, von_mises
from fem_contact.mesh.boundary import boundary_edges
from fem_contact.post.material import material_of
from fem_contact.post.plots import look as st

if TYPE_CHECKING:
    from fem_contact.record import Run

FloatArray = NDArray[np.float64]

#: The largest displacement is drawn about this share of the body's size.
DRAWN_SHARE = 0.05

#: Stress components by title.
COMPONENTS = ((0, r"$\sigma_{xx}$"), (1, r"$\sigma_{yy}$"), (2, r"$\sigma_{xy}$"))


def deformed_figure(*runs: Run) -> Figure:
    """Deformed mesh with von Mises stress, undeformed outline, contact forces, at the last sampled instant.

    One column a run, common colour scale and common magnification.
    """
    scale = min(displacement_scale(run) for run in runs)
    values = [_von_mises(run, -1) for run in runs]
    limits = (0.0, max(float(v.max()) for v in values) or 1.0)
    drawing, axes = st.figure(len(runs), (_height(runs[0]),), layout="compressed", sharex=True, sharey=True)
    for axis, run, title, value in zip(axes[0], runs, st.run_titles(runs), values, strict=True):
        image = _body(axis, run, -1, value, scale, limits, "viridis")
        arrows = _forces(axis, run, -1, scale)
        axis.set_title(f"{title}, {_instant(run)}", fontsize=9)
        axis.set_xlabel(st.label(run, "$x$", "length") + arrows)
    axes[0, 0].set_ylabel(st.label(runs[0], "$y$", "length"))
    bar = drawing.colorbar(image, ax=list(axes[0]), pad=0.02, shrink=0.85)
    bar.set_label(st.label(runs[0], "von Mises stress", "stress"))
    st.heading(drawing, runs, f"Deformed body, displacements × {scale:g}")
    return drawing


def stress_figure(*runs: Run) -> Figure:
    """Stress components on the deformed mesh at the last sampled instant, on scales centred on zero."""
    scale = min(displacement_scale(run) for run in runs)
    drawing, axes = st.figure(
        len(runs), (_height(runs[0]),) * 3, layout="compressed", sharex=True, sharey=True
    )
    for row, (component, name) in enumerate(COMPONENTS):
        values = [stress(run.mesh, material_of(run), run.fields.q[-1])[:, component] for run in runs]
        limit = max(float(np.abs(value).max()) for value in values) or 1.0
        for axis, run, title, value in zip(axes[row], runs, st.run_titles(runs), values, strict=True):
            image = _body(axis, run, -1, value, scale, (-limit, limit), "RdBu_r")
            if row == 0:
                axis.set_title(f"{title}, {_instant(run)}", fontsize=9)
        bar = drawing.colorbar(image, ax=list(axes[row]), pad=0.02)
        bar.set_label(st.label(runs[0], name, "stress"))
        axes[row, 0].set_ylabel(st.label(runs[0], "$y$", "length"))
    for axis, run in zip(axes[-1], runs, strict=True):
        axis.set_xlabel(st.label(run, "$x$", "length"))
    st.heading(drawing, runs, f"Stresses, displacements × {scale:g}")
    return drawing


def displacement_scale(run: Run) -> float:
    """Magnification (1, 2 or 5 times a power of ten, at least 1) that makes displacements visible."""
    q = np.asarray(run.fields.q, np.float64)
    largest = float(np.abs(q[-1]).max(initial=0.0))
    size = float(np.ptp(run.mesh.points, axis=0).max())
    if largest == 0.0:
        return 1.0
    wanted = max(1.0, DRAWN_SHARE * size / largest)
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(step for step in (1.0, 2.0, 5.0) if step * power <= wanted * (1 + 1e-12)) * power)


def _instant(run: Run) -> str:
    return f"t = {st.with_unit(run, float(run.fields.t[-1]), 'time')}"


def _von_mises(run: Run, sample: int) -> FloatArray:
    material = material_of(run)
    return von_mises(run.mesh, material, stress(run.mesh, material, run.fields.q[sample]))


def _height(run: Run) -> float:
    """Height of the axes that fits the shape of the body."""
    width, height = np.ptp(run.mesh.points, axis=0)
    return float(np.clip(4.4 * height / width, 1.2, 4.5)) + 0.2


def _body(
    axis: Axes,
    run: Run,
    sample: int,
    values: FloatArray,
    scale: float,
    limits: tuple[float, float],
    colours: str,
) -> Any:
    """One colour an element on the deformed mesh (constant-strain elements have one stress)."""
    mesh = run.mesh
    moved = mesh.points + scale * np.asarray(run.fields.q[sample]).reshape(len(mesh.points), 2)
    triangles = Triangulation(moved[:, 0], moved[:, 1], mesh.cells[:, :3])
    image = axis.tripcolor(
        triangles,
        facecolors=values,
        cmap=colours,
        vmin=limits[0],
        vmax=limits[1],
        edgecolors="none",
        rasterized=True,
    )
    outline = LineCollection(
        [mesh.points[edge] for edge in boundary_edges(mesh)],
        colors=st.BLACK,
        linewidths=0.7,
        linestyles="dashed",
    )
    axis.add_collection(outline)
    axis.set_aspect("equal")
    axis.grid(False)
    axis.autoscale_view()
    return image


def _forces(axis: Axes, run: Run, sample: int, scale: float) -> str:
    """Contact forces p / h of the step that ended at the sample, as arrows; returns their explanation."""
    t = np.asarray(run.steps.t)
    step = int(np.argmin(np.abs(t - float(run.fields.t[sample]))))
    if step == 0 or not len(run.contact.nodes):
        return ""
    nodes = np.asarray(run.contact.nodes)
    n = np.asarray(run.contact.normals, np.float64)
    p = np.asarray(run.steps.contact.p, np.float64)[step] / (t[step] - t[step - 1])
    force = p[:, :1] * n + p[:, 1:2] * np.stack([n[:, 1], -n[:, 0]], axis=1)
    largest = float(np.linalg.norm(force, axis=1).max())
    if largest == 0.0:
        return ""
    at = run.mesh.points[nodes] + scale * np.asarray(run.fields.q[sample]).reshape(-1, 2)[nodes]
    size = float(np.ptp(run.mesh.points, axis=0).max())
    axis.quiver(
        at[:, 0],
        at[:, 1],
        force[:, 0],
        force[:, 1],
        angles="xy",
        scale_units="xy",
        pivot="tip",
        scale=largest / (0.12 * size),
        width=0.0025,
        color=st.VERMILION,
        zorder=4,
    )
    axis.update_datalim(at - force / largest * 0.12 * size)
    axis.autoscale_view()
    return f"\narrows: contact forces $p/h$, up to {st.with_unit(run, largest, 'force')}"
