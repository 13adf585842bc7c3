"""MQ-Net as a query strategy.

Source: thesis, section 4.3, Algorithm "AL Procedure with MQ-Net"; the network is `models.mqnet`.
"""

import numpy as np

from models.candidates import Candidates
from models.ordering import best_first, by_score, normalised_inputs, summed
from models.params.strategies import MQNetParams
from models.protocols import Ranking

NO_OOD_NOTE = "The last query set held no OOD: ranked by informativeness only."
UNTRAINED_NOTE = "MQ-Net has not been trained yet: ranked by purity + informativeness."


def rank(candidates: Candidates, n: int, params: MQNetParams) -> Ranking:
    """Rank by Phi(P, I); ties, as of saturated sigmoids, by P + I, then by position.

    Without OOD in the last query set purity carries nothing and informativeness ranks alone, unless
    `without_ood` keeps the balance; without a trained network, as in the first round, P + I does.
    """
    scores, mqnet = candidates.scores, candidates.mqnet
    inputs = normalised_inputs(scores)
    if not candidates.query_had_ood and params.without_ood == "informativeness":
        ranking = by_score(scores.informativeness, "Informativeness", scores, n)
        return Ranking(ranking.order, ranking.meta_scores, (NO_OOD_NOTE,))
    total = summed(inputs)
    if mqnet is None:
        return Ranking(best_first(n, total), total.astype(np.float32), (UNTRAINED_NOTE,))
    phi = mqnet.scores(inputs)
    return Ranking(best_first(n, phi, total), phi)
