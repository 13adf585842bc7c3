"""Removing files that nobody needs: what deleted projects left, and what belongs to nothing."""
