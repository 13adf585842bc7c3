"""Random order: the reference that every strategy has to beat."""

import numpy as np

from models.mqnet import MQNet
from models.ordering import best_first
from models.params import NoParams
from models.pool_scores import PoolScores
from models.protocols import Ranking


def rank(
    scores: PoolScores,
    n: int,
    params: NoParams,
    *,
    seed: int,
    mqnet: MQNet | None,
    query_had_ood: bool,
) -> Ranking:
    """Draw n examples without replacement; the meta-score is the number drawn, 0..1."""
    del params, mqnet, query_had_ood
    drawn = np.random.default_rng(seed).random(len(scores), dtype=np.float32)
    return Ranking(best_first(n, drawn), drawn)
