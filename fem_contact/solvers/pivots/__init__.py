"""The piecewise linear path of pivoting: its pieces, their matrices, and the walk from one to the next."""
