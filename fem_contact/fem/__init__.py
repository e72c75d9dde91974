"""Finite elements: matrices, loads, supports and stresses of an elastic body."""
