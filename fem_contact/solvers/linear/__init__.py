"""Newton matrices of a local problem and their factors."""
