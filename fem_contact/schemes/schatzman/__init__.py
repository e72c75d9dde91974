"""Steps of Schatzman and Paoli."""
