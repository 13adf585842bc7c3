"""Heads on embeddings that do not change."""
