"""Judges: models behind an address that rank, score and doubt instructions."""
