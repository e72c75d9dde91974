// A rectangular plate with a round hole in the middle, finer near the hole.
//
// Physical groups: bottom, right, top, left, hole and body. Parameters: lc (far from the hole), lc_hole, width,
// height, radius (of the hole).

DefineConstant[
  width = {20.0, Name "Parameters/Width"},
  height = {10.0, Name "Parameters/Height"},
  radius = {2.0, Name "Parameters/Radius"},
  lc = {1.0, Name "Parameters/Edge length"},
  lc_hole = {0.4, Name "Parameters/Edge length at the hole"}
];

Point(1) = {0, 0, 0, lc};
Point(2) = {width, 0, 0, lc};
Point(3) = {width, height, 0, lc};
Point(4) = {0, height, 0, lc};
Point(5) = {width/2, height/2, 0, lc_hole};
Point(6) = {width/2 + radius, height/2, 0, lc_hole};
Point(7) = {width/2, height/2 + radius, 0, lc_hole};
Point(8) = {width/2 - radius, height/2, 0, lc_hole};
Point(9) = {width/2, height/2 - radius, 0, lc_hole};

Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Circle(5) = {6, 5, 7};
Circle(6) = {7, 5, 8};
Circle(7) = {8, 5, 9};
Circle(8) = {9, 5, 6};

Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};

Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Curve("hole") = {5, 6, 7, 8};
Physical Surface("body") = {1};
