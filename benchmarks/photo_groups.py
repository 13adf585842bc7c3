"""What is looked for among the photographs that several benchmarks share."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from models.protocols import OOD, Indices

GROUPS: Final = ("dog", "bird", "reptile or amphibian", "insect or spider")
"""Four groups of animals; everything else belongs to none."""


def among(wanted: Sequence[object], kinds: Iterable[object]) -> Indices:
    """Return the position in `wanted` of each kind, `OOD` of all others: (N,) int64."""
    return np.array([wanted.index(one) if one in wanted else OOD for one in kinds], np.int64)
