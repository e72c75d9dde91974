"""Scripts of Gmsh: what is let through, what is refused, and what goes wrong in one line."""

import pytest

from fem_contact.errors import MeshError
from fem_contact.mesh import mesh_geo
from fem_contact.mesh.geo_script import check_script
from fem_contact.mesh.quality import areas

gmsh = pytest.importorskip("gmsh")

SQUARE = """
DefineConstant[ lc = {0.5, Name "Parameters/lc"}, w = 2 ];
Point(1) = {0, 0, 0, lc}; Point(2) = {w, 0, 0, lc}; Point(3) = {w, 1, 0, lc}; Point(4) = {0, 1, 0, lc};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
"""


def geo(tmp_path, text, name="g.geo"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SQUARE.replace("Point(2) =", "Point(2)"), r"g\.geo: line 3: syntax error"),
        (SQUARE.replace("{1, 2, 3, 4}; Plane", "{1, 2, 3, 9}; Plane"), r"g\.geo: .*[Uu]nknown"),
        ("Point(1) = {0, 0, 0, 1};", r"g\.geo: the geometry has no surface to mesh"),
        (
            SQUARE + "Recombine Surface{1}; Mesh.RecombinationAlgorithm = 2;",
            r"3-node triangles are needed, .* Quadr",
        ),
        (SQUARE + "Mesh.ElementOrder = 2;", r"3-node triangles are needed, .* Triangle 6"),
        (
            SQUARE.replace("{w, 1, 0, lc}", "{w, 1, 0.5, lc}").replace("{0, 1, 0,", "{0, 1, 0.5,"),
            "not a plane mesh",
        ),
        ("\n", "is empty"),
        ("a = 1; \0", "it is binary"),
        ("// only a comment", "no surface"),
    ],
    ids=[
        "syntax",
        "unknown curve",
        "no surface",
        "quads",
        "second order",
        "tilted",
        "empty",
        "binary",
        "comment",
    ],
)
def test_scripts_that_go_wrong(tmp_path, text, message, capfd):
    with pytest.raises(MeshError, match=message) as caught:
        mesh_geo(geo(tmp_path, text))
    assert "\n" not in str(caught.value)
    assert "fem_contact_geometry" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert not gmsh.isInitialized()


HARMFUL = [
    'SystemCall "touch pwned";',
    'System "touch pwned";',
    'NonBlockingSystemCall "touch pwned";',
    'SystemCall = 1; SystemCall "touch pwned";',
    'OnelabRun("a", "touch pwned");',
    'Merge "other.geo";',
    'Include "other.geo";',
    'Foo = 1; Foo "other.geo";',
    's = "x"; Foo = 1; Foo s;',
    'Foo = 1; If (1) Foo Str("x"); EndIf',
    'Save "pwned";',
    'Print "pwned.png";',
    'Printf("text") > "pwned";',
    'Printf("text") >> "pwned";',
    'Printf("text (") > "pwned";',
    "Plugin(NewView).Run;",
    'ShapeFromFile("a.step");',
    'l = ListFromFile("/etc/passwd");',
    's = GetEnv("HOME");',
    'a = GetValue("type something", 1);',
    'CreateDir "pwned";',
    'Field[1] = ExternalProcess; Field[1].CommandLine = "touch pwned";',
    'Field[1] = MathEval; Field[1].FileName = "pwned";',
    'General.ErrorFileName = "pwned";',
    'Solver.Executable0 = "touch";',
    'Geometry.DoubleClickedPointCommand = "touch pwned";',
    "Exit;",
    "Mesh . Foo . Bar = 1; Solver.AutoLoadDatabase = 1;",
    's = "a\\"; SystemCall "touch pwned"; t = ";',
    "/* open",
    's = Sprintf("%s%n", 1);',
    's = "' + "a" * 1000 + '";',
]


@pytest.mark.parametrize("text", HARMFUL)
def test_scripts_that_do_more_than_geometry_are_refused(tmp_path, text, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = geo(tmp_path, SQUARE + text)
    with pytest.raises(MeshError, match=r"g\.geo, line 6: ") as caught:
        mesh_geo(path)
    assert "\n" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["g.geo"]


def test_an_options_file_beside_the_script_is_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = geo(tmp_path, SQUARE)
    geo(tmp_path, 'SystemCall "touch pwned";', "g.geo.opt")
    assert len(mesh_geo(path).cells) > 0
    assert not (tmp_path / "pwned").exists()


FRIENDLY = [
    "Printf(\"width %g\", w); Printf('ok');",
    "For i In {1:3}\n p~{i} = newp; Point(p~{i}) = {i, 5, 0}; EndFor",
    "n = 4; Transfinite Curve {1, 3} = n Using Progression 1.0; Transfinite Surface {1};",
    "Field[1] = Distance; Field[1].CurvesList = {1}; Field[2] = Threshold; Field[2].InField = 1;"
    "Field[2].SizeMin = 0.1; Field[2].SizeMax = 0.5; Field[2].DistMin = 0; Field[2].DistMax = 1;"
    "Background Field = 2;",
    "Macro Twice\n q = 2 * w; Return\n Call Twice;",
    "If (w > 1 && w <= 3)\n a = Sqrt(w) + 1e-3;\n ElseIf (w == 1)\n a = .5; Else\n a = 1.; EndIf",
    "Mesh.Algorithm = 5; Mesh.MeshSizeMax = 0.2; Geometry.Tolerance = 1e-9;",
    'Physical Curve(Sprintf("side-%g", 1)) = {1}; /* a comment: SystemCall "x"; */ // Merge "y";',
    'l() = Boundary{ Surface{1}; }; Physical Curve("all") = l();',
    "pts[] = {1, 2}; pts[] += 3; MeshSize{ pts[] } = 0.25; w2 = (w > 1) ? 3 : 4;",
    "Point(50) = {1, 0.5, 0, lc/4}; Point{50} In Surface{1};",
]


@pytest.mark.parametrize("text", FRIENDLY)
def test_ordinary_scripts_pass(tmp_path, text):
    mesh = mesh_geo(geo(tmp_path, SQUARE + text))
    assert areas(mesh).sum() == pytest.approx(2.0, rel=1e-12)


def test_a_size_that_would_fill_the_memory_is_refused(tmp_path):
    with pytest.raises(
        MeshError, match=r"g\.geo: the size 1e-07 is too small, it would make some 5e\+14 triangles"
    ):
        mesh_geo(geo(tmp_path, SQUARE), 1e-7)


def test_the_check_knows_words_from_texts(tmp_path):
    path = tmp_path / "x.geo"
    check_script('a = "Merge SystemCall";', path)
    with pytest.raises(MeshError, match=r"x\.geo, line 2: 'Merge' is not allowed in a geometry"):
        check_script('a = 1;\nMerge "b.geo";', path)
    with pytest.raises(MeshError, match=r"x\.geo, line 1: 'unheard' is not allowed"):
        check_script("a = unheard;", path)
