"""Examples that cover all others with balls as small as possible.

Source: O. Sener, S. Savarese, "Active Learning for Convolutional Neural Networks: A Core-Set
Approach", ICLR 2018, algorithm 1 (k-center greedy); as a baseline in thesis, section 5.3.1.
"""

import numpy as np

from models.catalog.params import NoParams
from models.protocols import Progress
from models.pruning.view import Pruned, PruningView
from models.selection.k_center import k_center
from models.selection.points import Points


def prune(view: PruningView, n: int, params: NoParams, progress: Progress | None = None) -> Pruned:
    """Pick, again and again, the example that is farthest from all picks, the middle one first.

    The gain is that distance. It takes O(N) memory beside the embeddings.

    Raises:
        NotReady: no embeddings of the examples as they are.
    """
    del params
    embeddings = view.given("plain_embeddings")
    points = Points(embeddings)
    picks = k_center(points, points.squared_norms(), Points(embeddings[:0]), n, progress)
    distance = picks.rest.astype(np.float64)
    distance[picks.order] = 0
    return Pruned(picks.order, picks.gains.astype(np.float64), {"distance": distance})
