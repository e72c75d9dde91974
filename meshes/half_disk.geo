// Half a disk of the given radius on its arc, for contact of a round body with a floor: the lowest point of the arc
// is at the origin, the flat side at y = radius.
//
// The edge length is lc_tip near the lowest point and lc at the flat side.
// Physical groups: flat, arc, body. Parameters: lc, lc_tip, radius.

DefineConstant[
  radius = {10.0, Name "Parameters/Radius"},
  lc = {1.0, Name "Parameters/Edge length"},
  lc_tip = {0.1, Name "Parameters/Edge length at the tip"}
];

Point(1) = {0, radius, 0, lc};
Point(2) = {-radius, radius, 0, lc};
Point(3) = {0, 0, 0, lc_tip};
Point(4) = {radius, radius, 0, lc};

Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Line(3) = {4, 2};

Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};

Physical Curve("arc") = {1, 2};
Physical Curve("flat") = {3};
Physical Surface("body") = {1};
