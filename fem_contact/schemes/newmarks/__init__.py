"""Steps of the Newmark family with contact."""
