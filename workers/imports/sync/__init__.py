"""Pools that follow a place of a bucket."""
