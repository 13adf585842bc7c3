"""Certifying what a model labels: lots, draws that people look at, and what follows from them."""
