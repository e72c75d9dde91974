// The sliding block: a rectangle of 40 mm x 25 mm, meshed with triangles of edge length lc.
//
// Physical groups: the four sides bottom (the one that slides), right, top, left, and the block itself, body.
// Lengths in millimetres. Parameters: lc, width, height.

DefineConstant[
  lc = {1.0, Name "Parameters/Edge length"},
  width = {40.0, Name "Parameters/Width"},
  height = {25.0, Name "Parameters/Height"}
];

Point(1) = {0, 0, 0, lc};
Point(2) = {width, 0, 0, lc};
Point(3) = {width, height, 0, lc};
Point(4) = {0, height, 0, lc};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};

Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};

Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Surface("body") = {1};
