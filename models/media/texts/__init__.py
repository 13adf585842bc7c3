"""Texts: the store of a pool, and what is extracted from them."""
