"""Embeddings of a whole pool, and what is made of them."""
