"""Sweeps of Gauss-Seidel, solves of one contact, and the exact finish for known statuses."""
