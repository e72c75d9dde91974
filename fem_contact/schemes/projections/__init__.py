"""Velocities and positions that keep to their constraints together: the projected schemes."""
