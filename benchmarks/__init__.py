"""Benchmarks: ratios within one process, never timed assertions."""
