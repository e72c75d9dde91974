"""Central paths of the interior point method, and the turns of pivoting along them."""
