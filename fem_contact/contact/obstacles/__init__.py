"""Rigid obstacles. One file and one line of ``OBSTACLES`` each."""

from __future__ import annotations

from fem_contact.contact.obstacles.base import Obstacle
from fem_contact.contact.obstacles.circle import Circle
from fem_contact.contact.obstacles.plane import Plane
from fem_contact.contact.obstacles.polyline import Polyline

OBSTACLES: dict[str, type[Obstacle]] = {"plane": Plane, "circle": Circle, "polyline": Polyline}

__all__ = ["OBSTACLES", "Circle", "Obstacle", "Plane", "Polyline"]
