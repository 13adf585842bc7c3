"""Detectors: boxes around the things of a class."""
