"""Choosing few rows of instruction data: clusters, rankings and what is kept. No I/O."""
