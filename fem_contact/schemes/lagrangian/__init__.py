"""Steps of systems whose mass or forces depend on q: Newton iterations, their mixing, energies."""
