"""What a comparison of regularizers begins with, and what it refuses before it takes hours."""

from typing import Final

import numpy as np

from models.catalog.params.regularize import TaufeParams
from models.regularization.parts import Parts, divide
from workers.jobs.context import JobContext
from workers.labels.job_inputs import JobInputs, freeze

_MOST_UNLABELED: Final = 100_000
"""Of more, some: each is looked at before it is learned from."""


def gather(context: JobContext, params: TaufeParams) -> JobInputs:
    """Freeze what is known.

    Raises:
        ModelError: It could not be learned from.
    """
    known = freeze(context, in_use=True)
    divide_known(known, params)
    return known


def divide_known(known: JobInputs, params: TaufeParams) -> Parts:
    """Say which images are learned from, and which judge.

    Raises:
        ModelError: Something to learn from is missing.
    """
    snapshot = known.snapshot
    inside, targets = snapshot.trained()
    parts = divide(
        inside,
        targets.outputs().classes,
        snapshot.ood,
        snapshot.auxiliary,
        snapshot.evaluation,
        snapshot.evaluation_labels,
        params,
        seed=known.seed,
    )
    if params.training != "mixmatch":
        return parts
    drawn = np.random.default_rng(known.seed).permutation(snapshot.unlabeled)[:_MOST_UNLABELED]
    return parts.beside(np.sort(drawn))
