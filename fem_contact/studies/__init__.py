"""Studies of many runs: convergence with the step size, and the figures of the papers."""
