"""Comparing all images of a pool with each other."""
