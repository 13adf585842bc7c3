"""Checks that an installation keeps what Karat promises: ``python -m workers.verify``."""
