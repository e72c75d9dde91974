// The impacting bar as a plane strip: length x height, nx by ny equal cells of two triangles each.
//
// Physical groups: left, right (the two ends), bottom, top (the long sides) and body. Lengths in metres.
// Parameters: length, height, nx, ny. The diagonals alternate, so that the mesh prefers neither way.

DefineConstant[
  length = {1.0, Name "Parameters/Length"},
  height = {0.02, Name "Parameters/Height"},
  nx = {100, Name "Parameters/Cells along"},
  ny = {2, Name "Parameters/Cells across"}
];

Point(1) = {0, 0, 0};
Point(2) = {length, 0, 0};
Point(3) = {length, height, 0};
Point(4) = {0, height, 0};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};

Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

Transfinite Curve {1, 3} = nx + 1;
Transfinite Curve {2, 4} = ny + 1;
Transfinite Surface {1} Alternate;

Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Surface("body") = {1};
