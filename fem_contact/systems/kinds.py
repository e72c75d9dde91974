"""The kinds of system, and the attributes that whoever records one may ask of either."""

from __future__ import annotations

from fem_contact.systems.lagrangian import LagrangianSystem
from fem_contact.systems.linear import LinearSystem

#: What a scheme steps. Both have n, contacts, dim, mu, e, g0, normals, contact_nodes, dofs_per_node, length,
#: wave_speed, mesh, material and energy(q, v).
System = LinearSystem | LagrangianSystem
