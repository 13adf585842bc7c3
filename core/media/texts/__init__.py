"""Texts: which bytes are one, and what lists show of them."""
