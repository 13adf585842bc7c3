"""Weights of networks in files: what they hold, whether they fit, and where published ones lie."""
