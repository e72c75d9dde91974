"""Meshes: reading, generating, writing and judging them.

The names here are light to import; meshio and Gmsh are loaded when a function needs them.
"""

from fem_contact.mesh.boundary import boundary_edges, edge_lengths, outward_normals, smallest_edge
from fem_contact.mesh.generate import mesh_cad, mesh_geo, mesh_shape
from fem_contact.mesh.mesh import Group, Mesh
from fem_contact.mesh.quality import MeshSummary, summary
from fem_contact.mesh.read import read_mesh
from fem_contact.mesh.shapes import SHAPES
from fem_contact.mesh.source import load_mesh
from fem_contact.mesh.write import write_mesh

__all__ = [
    "SHAPES",
    "Group",
    "Mesh",
    "MeshSummary",
    "boundary_edges",
    "edge_lengths",
    "load_mesh",
    "mesh_cad",
    "mesh_geo",
    "mesh_shape",
    "outward_normals",
    "read_mesh",
    "smallest_edge",
    "summary",
    "write_mesh",
]
