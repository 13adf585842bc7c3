"""Karat: what a user types and imports."""
