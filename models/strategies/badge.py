"""Diverse gradients.

Source: J. T. Ash et al., "Deep Batch Active Learning by Diverse, Uncertain Gradient Lower Bounds",
ICLR 2020, algorithm 1.
"""

import numpy as np

from models.catalog.params import NoParams
from models.numerics.probability import softmax
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.single_class import uncertain_view
from models.selection.inputs import embeddings_of, with_norms
from models.selection.plus_plus import plus_plus
from models.selection.points import Points


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Draw by the k-means++ rule among the gradients of the last layer.

    The gradient of an example is (p - onehot(argmax p)) h', with h its embedding: long where the
    model is unsure. Meta-scores are the squared distance to the nearest earlier pick, held from
    rising along the queue.

    Raises:
        NotReady: no embeddings were kept; or a single class, and no probability of it.
        ModelError: logits or embeddings that are not finite.
    """
    del params
    view = uncertain_view(candidates, "badge")
    embeddings = embeddings_of(candidates)
    error = softmax(view.logits).astype(np.float32)
    top = view.logits.argmax(axis=1)
    error[np.arange(len(error)), top] -= 1
    points, norms = with_norms(candidates, Points(embeddings, error), "The gradient")
    return plus_plus(points, norms, n, view.seed, candidates.progress).ranking()
