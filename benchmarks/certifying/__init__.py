"""Simulated projects whose pools are certified, and what is compared with that."""
