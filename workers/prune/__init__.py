"""The ``prune`` job."""
