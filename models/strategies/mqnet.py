"""MQ-Net as a query strategy.

Source: thesis, section 4.3, Algorithm "AL Procedure with MQ-Net"; the network is
`models.ranking.mqnet`.
"""

from dataclasses import replace

import numpy as np

from models.params.strategies import MQNetParams
from models.protocols import Ranking, Surface
from models.random_split import interleave, lots
from models.ranking.candidates import Candidates
from models.ranking.ordering import (
    best_first,
    by_score,
    normalised_inputs,
    summed,
    surface_of_inputs,
)

NO_OOD_NOTE = "The last query set held no OOD: ranked by informativeness only."
UNTRAINED_NOTE = "MQ-Net has not been trained yet: ranked by purity + informativeness."


def rank(candidates: Candidates, n: int, params: MQNetParams) -> Ranking:
    """Rank by Phi(P, I); ties, as of saturated sigmoids, by P + I, then by position.

    Without OOD in the last query set purity carries nothing and informativeness ranks alone, unless
    `without_ood` keeps the balance; without a trained network, as in the first round, P + I does.

    With random validation, the examples set aside for it come in random order in between: only
    they will train the network, so that its training set is no selection of its own.
    """
    if params.validation == "self":
        return _by_balance(candidates, n, params)
    ranking = _by_balance(candidates, len(candidates), params)
    drawn = lots(candidates.scores.indices, params.validation_seed)
    aside = drawn < params.validation_share
    order = interleave(
        ranking.order[~aside[ranking.order]],
        np.argsort(drawn, kind="stable")[: aside.sum()],
        params.validation_share,
        n,
    )
    return replace(ranking, order=order)


def _by_balance(candidates: Candidates, n: int, params: MQNetParams) -> Ranking:
    scores, mqnet = candidates.scores, candidates.mqnet
    inputs = normalised_inputs(scores)
    if not candidates.query_had_ood and params.without_ood == "informativeness":
        ranking = by_score(scores.informativeness, "Informativeness", scores, n)
        alone = Surface("informativeness", lambda _, informativeness: informativeness)
        return replace(ranking, notes=(NO_OOD_NOTE,), surface=alone)
    total = summed(inputs)
    if mqnet is None:
        return Ranking(
            best_first(n, total),
            total.astype(np.float32),
            (UNTRAINED_NOTE,),
            surface=surface_of_inputs("sum", summed, scores),
        )
    phi = mqnet.scores(inputs)
    surface = surface_of_inputs("phi", mqnet.scores, scores)
    return Ranking(best_first(n, phi, total), phi, surface=surface)
