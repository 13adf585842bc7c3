"""The whole that random draws are a sample of: see ``docs/adr``, 0055."""

from dataclasses import dataclass

import numpy as np

from workers.labels.draws import Array, Draws


@dataclass(frozen=True)
class Whole:
    """What n random draws are a sample of, in K parts: within each all were as likely to be drawn.

    Attributes:
        part: (n,) int64, 0..K-1, which part each draw is of.
        sizes: K, how many examples of each part are left, draws among them.
        beyond: How many are left that no draw speaks of, as they came later.
    """

    part: Array
    sizes: list[int]
    beyond: int


def whole_of(draws: Draws, places: Array, left: Array) -> Whole:
    """Find out what some of the draws are a sample of.

    Args:
        draws: Of a project.
        places: (n,) int64 which of them, each with a batch.
        left: (M,) pool indices that no strategy has chosen, ascending; the n draws among them.
    """
    ends = np.unique([draws.batches[one].of for one in set(draws.batch[places].tolist())])
    part, parts = (np.searchsorted(ends, of, "right") for of in (draws.indices[places], left))
    # Where pool indices end, and where nothing was drawn, nothing is known.
    known, part = np.unique(part, return_inverse=True)
    sizes = [int((parts == one).sum()) for one in known]
    return Whole(part, sizes, len(left) - sum(sizes))
