"""The page that a reader puts beside the papers, and the table of their numbers and ours."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from fem_contact._version import __version__
from fem_contact.post.convergence import markdown
from fem_contact.studies.base import Quantity
from fem_contact.studies.execute import Result, write_text

HEADER = ["quantity", "paper", "ours", "ratio", "unit"]

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
img { max-width: 100%; height: auto; } code { font-size: 0.85em; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; vertical-align: top; }
th:first-child, td:first-child { text-align: left; } .note { color: #8a4b00; }
"""


def rows_of(quantities: Sequence[Quantity]) -> list[list[str]]:
    """The table "quantity, paper, ours, ratio" as texts, without its header."""
    return [
        [q.name, _value(q.paper), _value(q.ours), "–" if q.ratio is None else f"{q.ratio:.4g}", q.unit]
        for q in quantities
    ]


def table(results: Sequence[Result]) -> list[list[str]]:
    """Header and the rows of all studies, each named in front."""
    rows = [["study", *HEADER]]
    for result in results:
        rows += [[result.name, *row] for row in rows_of(result.quantities)]
    return rows


def write(
    results: Sequence[Result],
    failed: Mapping[str, str],
    folder: Path,
    *,
    quick: bool,
    left_out: Mapping[str, str],
) -> tuple[Path, Path]:
    """Write ``folder``/index.html, whole in itself, and ``folder``/table.md; returns their paths.

    Parameters
    ----------
    failed : name of a study -> the error that ended it
    left_out : figure of a paper -> why it is not made
    """
    body = [*_head(results, quick)]
    for result in results:
        body += _study(result, quick)
    for name, error in failed.items():
        body += [f"<h2>{escape(name)}</h2>", f'<p class="note">This study failed: {escape(error)}</p>']
    body += ["<h2>Numbers of the papers and ours</h2>", _html(table(results))]
    body += ["<h2>What is not made</h2>", "<ul>"]
    body += [f"<li>{escape(figure)}: {escape(why)}</li>" for figure, why in left_out.items()]
    body += ["</ul>"]
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>Figures of the papers</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )
    index, numbers = folder / "index.html", folder / "table.md"
    write_text(index, page)
    write_text(numbers, "\n".join(["# Numbers of the papers and ours", "", *markdown(table(results), 2), ""]))
    return index, numbers


def _value(value: float | str | None) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.7g}"


def _head(results: Sequence[Result], quick: bool) -> list[str]:
    seconds = sum(result.seconds for result in results)
    lines = [
        "<h1>Figures and tables of the papers, computed by fem_contact</h1>",
        f"<p>fem_contact {__version__}; this page took {seconds:.0f} s to make (runs that were there before "
        "are used again). Each figure names its counterpart; the commands under it make its runs.</p>",
    ]
    if quick:
        shortened = [f"{r.name}: {r.study.shortened}" for r in results if r.study.quick is not None]
        lines += ['<p class="note">A quick look: some runs are shortened or left out.</p>', "<ul>"]
        lines += [f'<li class="note">{escape(text)}</li>' for text in shortened] + ["</ul>"]
    lines += [
        "<p>Papers: HAL 04230941, V. Acary and N. Collins-Craft, On the Moreau-Jean scheme with the Frémond "
        "impact law; RR-8029, V. Acary, Projected event-capturing time-stepping schemes; RR-8602, V. Acary, "
        "Energy conservation and dissipation properties of time-integration methods for nonsmooth "
        "elastodynamics with contact; Asymptotic contact law and tangential indeterminacy.</p>",
        "<ul>",
    ]
    for result in results:
        figures = ", ".join(result.study.figures)
        link = f'<a href="#{escape(result.name)}">{escape(result.study.title)}</a>'
        lines.append(f"<li>{escape(figures)}: {link}</li>")
    return [*lines, "</ul>"]


def _study(result: Result, quick: bool) -> list[str]:
    study = result.study
    data = base64.b64encode(result.picture.read_bytes()).decode("ascii")
    lines = [
        f'<h2 id="{escape(result.name)}">{escape(", ".join(study.figures))}: {escape(study.title)}</h2>',
        f'<img alt="{escape(study.title)}" src="data:image/png;base64,{data}">',
        f"<p>{escape(study.look)}</p>",
    ]
    if study.differs:
        lines.append(f"<p>Not as in the paper: {escape(study.differs)}</p>")
    if quick and study.quick is not None:
        lines.append(f'<p class="note">Quick look: {escape(study.shortened)}</p>')
    if result.quantities:
        lines.append(_html([HEADER, *rows_of(result.quantities)]))
    if result.runs:
        rows = [["run", "steps", "seconds"]]
        for made in result.runs:
            again = " (there before)" if made.reused else ""
            command = made.spec.command(made.path.name)
            rows.append([command, str(made.steps), f"{made.seconds:.1f}{again}"])
        lines.append(_html(rows, code=True))
    for text in dict.fromkeys(text for made in result.runs for text in made.warnings):
        lines.append(f'<p class="note">The program warns: {escape(text)}</p>')
    return lines


def _html(rows: Sequence[Sequence[str]], code: bool = False) -> str:
    """A table of texts; its first column in a fixed-width font for ``code``."""
    lines = ["<table>"]
    for i, row in enumerate(rows):
        cell = "th" if i == 0 else "td"
        texts = [escape(text) for text in row]
        if code and i:
            texts[0] = f"<code>{texts[0]}</code>"
        lines.append("<tr>" + "".join(f"<{cell}>{text}</{cell}>" for text in texts) + "</tr>")
    return "\n".join([*lines, "</table>"])
