"""Core-set: cover the pool with balls as small as possible.

Source: O. Sener, S. Savarese, "Active Learning for Convolutional Neural Networks: A Core-Set
Approach", ICLR 2018, algorithm 1 (k-center greedy).
"""

import numpy as np

from models.catalog.params.selection import CoresetParams
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.selection.inputs import embedded
from models.selection.k_center import k_center
from models.selection.points import Points


def rank(candidates: Candidates, n: int, params: CoresetParams) -> Ranking:
    """Rank by distance to the nearest covered example or earlier pick, farthest first.

    Meta-scores are that distance, in units of the embeddings.

    Raises:
        NotReady: no embeddings were kept.
        ModelError: embeddings that are not finite.
    """
    view = candidates.view
    points, norms = embedded(candidates)
    covering = np.ones(len(view.labels), dtype=np.bool_)
    if params.covered_by == "in":
        covering = ~view.is_ood
    covered = Points(view.labeled_embeddings[covering])
    return k_center(points, norms, covered, n, candidates.progress).ranking()
