"""Checks a Gmsh .geo script before Gmsh runs it, and finds its parameters.

A .geo file is a program: it can start other programs, read and write files, and ask questions. Only what
plane geometry and meshing need is let through, so that a geometry that someone mails you cannot harm you.
Every word of the script must be in :data:`ALLOWED` or be a variable that the script itself gives a value;
and a word that is followed by a text, as in ``Merge "other.geo";``, is a command that acts on files and is
refused whatever its name.
"""

from __future__ import annotations

import re
from pathlib import Path

from fem_contact.errors import MeshError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words of the .geo language for geometry, meshing, flow control and arithmetic.
ALLOWED = _words(
    """
    Point Line Curve Circle Ellipse Ellipsis Spline BSpline Bezier Wire Loop Plane Ruled Surface Volume
    Physical Compound Parametric Rectangle Disk Knots Order Filling Extrude Layers Recombine Rotate
    Translate Symmetry Dilate Affine Duplicata Boundary CombinedBoundary PointsOf Coordinates Coherence
    Delete Recursive All Using Hide Show Visibility Color SetFactory BooleanUnion BooleanIntersection
    BooleanDifference BooleanFragments Fillet Chamfer Split In Bounding Box Unique Transfinite Progression
    Bump Beta Left Right Alternate AlternateRight AlternateLeft Periodic Smoother MeshSize Characteristic
    Length Reverse ReverseMesh Embed Mesh Geometry Field Background BoundaryLayer Attractor
    AttractorAnisoCurve AutomaticMeshSizeField Ball Constant Curvature Cylinder Distance Extend Frustum
    Gradient IntersectAniso Laplacian LonLat MathEval MathEvalAniso Max MaxEigenHessian Mean Min MinAniso
    Octree Param Restrict Threshold For EndFor If ElseIf Else EndIf Macro Function Return Call Exists
    DefineConstant DefineNumber Name Step Choices Help Label Highlight Visible ReadOnly Closed Units Range
    Pi MPI_Size MPI_Rank GMSH_MAJOR_VERSION GMSH_MINOR_VERSION GMSH_PATCH_VERSION newp newc newl newll
    news newsl newv newreg newf Abs Fabs Acos Asin Atan Atan2 Ceil Cos Cosh Exp Floor Fmod Hypot Log Log10
    Modulo Rand Round Sin Sinh Sqrt Tan Tanh List LinSpace LogSpace Str Sprintf StrCat Find
    RefineMesh OptimizeMesh RenumberMeshNodes RenumberMeshElements Printf
    """
)
#: Words that act on files, programs or the terminal; refused as names of variables too.
FORBIDDEN = _words(
    """
    SystemCall System NonBlockingSystemCall OnelabRun OnelabAction Merge MergeFile MergeWithBoundingBox
    Include Open OpenProject Save SaveMesh Print Plugin ShapeFromFile ListFromFile CreateDir Exit Abort
    Sleep Draw SetName NewModel GetString GetStringValue GetValue GetEnv GetForced GetForcedStr Combine
    CopyOptions SendToServer ExternalProcess Structured PostView View PostProcessing Solver General Parse
    ParseString Error Warning FileExists FixRelativePath
    """
)
_MEMBERS_OF = ("Mesh", "Geometry")
_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<text>"[^"\\\n]*"|\'[^\'\\\n]*\')'
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<sign>[-+*/^%!=<>&|?:;,.(){}\[\]#~@])",
    re.DOTALL | re.ASCII,
)
Token = tuple[str, str, int]  # kind, text, line


def check_script(text: str, path: Path) -> None:
    """Refuse a script that does more than plane geometry and meshing.

    Raises
    ------
    MeshError
        One line with the file, the line number and the word or character that is not allowed.
    """
    tokens = _tokens(text, path)
    own = _variables(tokens)
    for i, (kind, word, line) in enumerate(tokens):
        if kind != "word":
            continue
        before, after = (
            tokens[i - 1] if i else ("sign", ";", 0),
            tokens[i + 1] if i + 1 < len(tokens) else None,
        )
        if before[1] == ".":
            _check_member(tokens, i, path)
            continue
        if word in FORBIDDEN or not (word in ALLOWED or word in own):
            raise MeshError(f"{path}, line {line}: '{word}' is not allowed in a geometry; {_RULE}")
        if after is not None and _is_command(word, before, after):
            raise MeshError(f"{path}, line {line}: '{word} {after[1]}' is not allowed in a geometry; {_RULE}")
        if word == "Printf" and _after_brackets(tokens, i + 1) != ";":
            raise MeshError(f"{path}, line {line}: 'Printf' may not write to a file; {_RULE}")


def _is_command(word: str, before: Token, after: Token) -> bool:
    """Whether a word acts on the text or name after it, as in ``Merge "a.geo"`` or ``Merge name``."""
    if after[0] == "text":
        return word not in ("Name", "Help", "Label", "Highlight", "Units", "Call")
    operand = before[1] in ("=", "+", "-", "*", "/", "^", "%", ",", "For", "Macro", "Function", "Call")
    return after[0] == "word" and word not in ALLOWED and not operand


_RULE = "only geometry and meshing commands are, none that act on files or programs"


def _tokens(text: str, path: Path) -> list[Token]:
    tokens: list[Token] = []
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise MeshError(f"{path}, line {line}: {text[place]!r} is not allowed here in a geometry")
        kind = str(found.lastgroup)
        if kind not in ("comment", "space"):
            if len(found[0]) > 500:
                raise MeshError(
                    f"{path}, line {line}: a text or name of {len(found[0])} characters is too long"
                )
            if kind == "text" and re.sub(r"%\d?\d?(\.\d\d?)?[gfe]", "", found[0]).count("%"):
                raise MeshError(
                    f"{path}, line {line}: of the formats in a text only %g, %f and %e are allowed"
                )
            tokens.append((kind, found[0], line))
        line += found[0].count("\n")
        place = found.end()
    return tokens


def _variables(tokens: list[Token]) -> set[str]:
    """Names that get a value: ``a = 1``, ``a[] += ..``, ``a~{i} = ..``, in For, Macro and DefineConstant."""
    own: set[str] = set()
    for i, (kind, word, _) in enumerate(tokens):
        if kind != "word" or (i and tokens[i - 1][1] == "."):
            continue
        if i and tokens[i - 1][1] in ("For", "Macro", "Function"):
            own.add(word)
            continue
        j = i + 1
        while j < len(tokens) and tokens[j][1] in ("[", "(", "~", "{"):
            j = _closing(tokens, j + 1 if tokens[j][1] == "~" else j) + 1
        if j < len(tokens) and tokens[j][1] in ("+", "-", "*", "/"):
            j += 1
        if j < len(tokens) and tokens[j][1] == "=" and tokens[j + 1 : j + 2] and tokens[j + 1][1] != "=":
            own.add(word)
    return own | set(parameters_of(tokens))


def _closing(tokens: list[Token], i: int) -> int:
    """Index of the bracket that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j][1] in "([{") - (tokens[j][1] in ")]}") if tokens[j][0] == "sign" else 0
        if depth <= 0:
            return j
    return len(tokens)


def _after_brackets(tokens: list[Token], i: int) -> str:
    end = _closing(tokens, i) + 1
    return tokens[end][1] if end < len(tokens) else ""


def _check_member(tokens: list[Token], i: int, path: Path) -> None:
    """Options of Mesh, Geometry and Field such as ``Mesh.Algorithm``, none that names a file or program."""
    _, word, line = tokens[i]
    owner = tokens[i - 2][1] if i > 1 else ""
    j = i - 2
    while owner in ("]", ")") and j > 0:
        j -= 1
        if tokens[j][1] in ("[", "("):
            owner = tokens[j - 1][1]
    harmful = word.endswith(("Command", "FileName", "CommandLine", "File"))
    if harmful or owner not in (*_MEMBERS_OF, "Field"):
        raise MeshError(f"{path}, line {line}: '{owner}.{word}' is not allowed in a geometry; {_RULE}")


def parameters_of(tokens: list[Token]) -> list[str]:
    """Names in the DefineConstant and DefineNumber lists of a script."""
    names: list[str] = []
    for i, (_, word, _) in enumerate(tokens[:-1]):
        if word in ("DefineConstant", "DefineNumber") and tokens[i + 1][1] == "[":
            end, depth = _closing(tokens, i + 1), 0
            for j in range(i + 1, min(end, len(tokens))):
                kind, text, _ = tokens[j]
                if kind == "sign":
                    depth += (text in "([{") - (text in ")]}")
                elif kind == "word" and depth == 1 and tokens[j - 1][1] in ("[", ","):
                    names.append(text)
    return names


def with_parameters(text: str, path: Path, values: dict[str, float]) -> str:
    """The script with other values of its parameters.

    A parameter is a constant of a ``DefineConstant`` list, which keeps a value that it already has, or a
    variable set by a plain ``name = number;`` on a line of its own, which is replaced.

    Raises
    ------
    MeshError
        Naming the parameters there are, when one is not among them.
    """
    defined = parameters_of(_tokens(text, path))
    front = ""
    for name, value in values.items():
        if name in defined:
            front += f"{name} = {value!r}; "
            continue
        text, count = re.subn(
            rf"(?m)^([ \t]*{re.escape(name)}[ \t]*=)[^;\n\"]*;", rf"\g<1> {value!r};", text, count=1
        )
        if not count:
            known = ", ".join(parameter_names(text, path)) or "none"
            raise MeshError(f"{path}: the geometry has no parameter '{name}'; it has: {known}")
    return front + text + "\n"  # Gmsh loses the last statement of a file without a final newline


def parameter_names(text: str, path: Path) -> list[str]:
    """Parameters of a script, those of DefineConstant first."""
    plain = re.findall(r"(?m)^[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*[-+.\deE]+[ \t]*;", text)
    return list(dict.fromkeys([*parameters_of(_tokens(text, path)), *plain]))
