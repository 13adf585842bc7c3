"""Which answers of annotators are worth being asked for once more."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.protocols import Float32Array, Indices, Progress
from models.relabeling.frozen import judge_labels, suggestions

WORTH: Final = 0.5
"""An answer is worth a second look if it is rather wrong than right."""

FEWEST: Final = 30
"""Of fewer answers nobody can tell the wrong ones from the difficult ones."""

# Of a class with fewer examples each of them looks like an exception.
_FEWEST_OF_CLASS: Final = 5


def doubtful(
    embeddings: Float32Array,
    labels: Indices,
    *,
    classes: int,
    most: int,
    seed: int,
    settled: NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> Indices:
    """Return the positions of the answers that are most worth a second look, the most worth first.

    Classes of fewer than five answers are neither learned from nor doubted.

    Args:
        embeddings: (N, D) float32 of what was answered, made without the answers.
        labels: (N,) int64 in 0..classes-1; whoever counts OOD as one class more gives it the last
            number.
        classes: how many numbers there are.
        most: no more than so many.
        seed: of the folds.
        settled: (N,) bool, answers that are learned from and not doubted; None = none.
        progress: counts folds; may raise `Cancelled`.

    Returns:
        (n,) int64, n <= most; empty with fewer than `FEWEST` answers, or all of one class.
    """
    counts = np.bincount(labels, minlength=classes)
    kept = np.flatnonzero(counts >= _FEWEST_OF_CLASS)
    rows = np.flatnonzero(np.isin(labels, kept))
    if most < 1 or len(rows) < FEWEST or len(kept) < 2:
        return np.empty(0, dtype=np.int64)
    among = None if settled is None else settled[rows]
    judged = judge_labels(
        np.asarray(embeddings[rows]),
        np.searchsorted(kept, labels[rows]),
        classes=len(kept),
        seed=seed,
        learner="ce",
        settled=among,
        progress=progress,
    )
    found: Indices = rows[suggestions(judged, WORTH, among)[:most]]
    return found
