"""Labels of open sets as tests write them."""

from collections.abc import Sequence

import numpy as np

from models.protocols import Indices, OpenSetLabels


def said(labels: Indices | Sequence[int]) -> OpenSetLabels:
    """What is below 0 is OOD."""
    numbers = np.asarray(labels, dtype=np.int64)
    return OpenSetLabels.of(numbers, numbers < 0)


def numbers(labels: OpenSetLabels) -> Indices:
    """The other way round: (L,), and -1 is OOD."""
    return labels.outputs(-1)
