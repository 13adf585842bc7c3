"""Neighbours decide what is in-distribution, and disagreement with them what is informative.

Source: R. Mao, O. Xu, Y. Guo, "Inconsistency-Based Data-Centric Active Open-Set Annotation", AAAI
2024; where the text is silent, as in the authors' code, RuiyuM/Active-OpenSet-NEAT.
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.strategies import NeatParams
from models.errors import NotReady
from models.numerics.finite import require_finite
from models.numerics.probability import log_softmax, softmax
from models.numerics.similarity import unit_rows
from models.protocols import PoolView, Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first, by_place, widening

_BLOCK_VALUES = 8_000_000


def rank(candidates: Candidates, n: int, params: NeatParams) -> Ranking:
    """Rank the most inconsistent of those with the most in-distribution neighbours.

    Examples with more in-distribution than OOD neighbours come first, by the number of the
    former; among these the widening window of `models.ranking.ordering.widening` picks the largest
    inconsistency. All others follow, in the order of purity.

    Raises:
        NotReady: nothing has been labeled with a class.
        ModelError: outputs of the model that are not finite.
    """
    view = candidates.view
    require_finite("The output of the model", view.logits.sum(axis=1), candidates.scores.indices)
    if view.is_ood.all():
        raise NotReady("No example has a class yet, so no neighbour tells what is pure.")
    counts = neighbour_labels(view, params.neighbours)
    inside = counts[:, :-1].sum(axis=1)
    score = inconsistency(view, counts)
    purest = best_first(len(candidates), inside, score)
    known = inside[purest] > counts[purest, -1]
    order = widening(purest[known], score, params.width, n)
    return by_place(np.concatenate([order, purest[~known]])[:n], len(candidates))


def neighbour_labels(view: PoolView, neighbours: int) -> NDArray[np.int64]:
    """Count the labels among the nearest verdicts by cosine similarity.

    Returns:
        (N, C + 1) int64, OOD last; rows sum to `neighbours`, or to the number of verdicts if that
        is less.
    """
    directions = unit_rows(view.labeled_embeddings).T
    label = view.labels.outputs(view.classes)
    nearest = min(neighbours, len(label))
    counts = np.zeros((len(view.embeddings), view.classes + 1), dtype=np.int64)
    rows = max(1, _BLOCK_VALUES // len(label))
    for start in range(0, len(counts), rows):
        block = unit_rows(view.embeddings[start : start + rows]) @ directions  # (B, L)
        chosen = label[np.argpartition(block, -nearest, axis=1)[:, -nearest:]]  # (B, k)
        row = np.arange(start, start + len(block))[:, None]
        np.add.at(counts, (row, chosen), 1)
    return counts


def inconsistency(view: PoolView, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the cross-entropy between the model's probabilities and those of the neighbours.

    -sum_c p_c log softmax(counts)_c over the in-distribution classes: (N,) >= 0.
    """
    neighbours = log_softmax(counts[:, :-1].astype(np.float32))
    result: NDArray[np.float64] = -(softmax(view.logits) * neighbours).sum(axis=1)
    return result
