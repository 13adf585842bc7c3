"""Showing where a classifier looks."""
