"""Purity plus informativeness with equal weight.

Source: thesis, section 4.3, Algorithm "AL Procedure with MQ-Net", line 10.
"""

import numpy as np

from models.mqnet import MQNet
from models.ordering import best_first, normalised_inputs, summed
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
    """Rank by P + I of the meta-inputs; ties by position."""
    del params, seed, mqnet, query_had_ood
    total = summed(normalised_inputs(scores))
    return Ranking(best_first(n, total), total.astype(np.float32))
