"""Greedy selection among many points: pure functions of arrays, O(N) memory beside the points.

Rows are worked through in blocks, as matrix products; the only Python loops run over picks and over
blocks.
"""
