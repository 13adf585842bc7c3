"""Learning from labels of which some are wrong, and what that says about each of them."""

from typing import Final

FIX_GAIN: Final = 0.75
"""A wrong label whose right class is at hand is worth so much more: one key instead of a search."""
