"""Largest entropy first, whatever the purity.

Source: see `models.informativeness.entropy`.
"""

from models.informativeness.entropy import score
from models.mqnet import MQNet
from models.ordering import by_score, logits_view
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
    """Rank by `entropy` of the logits, whichever informativeness the project has chosen."""
    del mqnet, query_had_ood
    return by_score(score(logits_view(scores, seed), params), "Entropy", scores, n)
