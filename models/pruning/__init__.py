"""Data pruning: which part of a labeled set to train on when some of its labels are wrong.

Source: thesis, chapter 5 (Prune4ReL).
"""
