"""Informativeness scores: one file each, `score(view, params) -> (N,) float32`, higher = sooner."""
