"""Steps of bodies whose M, C and K do not change, by theta-methods, and what others share with them."""
