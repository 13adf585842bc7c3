"""What is looked for among the photographs that several benchmarks share."""

from typing import Final

GROUPS: Final = ("dog", "bird", "reptile or amphibian", "insect or spider")
"""Four groups of animals; everything else belongs to none."""
