"""Boxes in the files of other tools."""
