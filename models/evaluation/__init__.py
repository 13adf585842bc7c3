"""How good a model is, what OOD it tells apart, and what is to be said against that."""
