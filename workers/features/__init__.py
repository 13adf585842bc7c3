"""Features of a pool that are learned once, and completed as images are imported."""
