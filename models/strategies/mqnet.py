"""MQ-Net as a query strategy.

Source: thesis, section 4.3, Algorithm "AL Procedure with MQ-Net"; the network is
`models.ranking.mqnet`. That it starts as expected value, and that classes are kept in balance, is
ours.
"""

from dataclasses import replace

import numpy as np

from models.catalog.params.strategies import ExpectedValueParams, MQNetParams
from models.numerics.random_split import interleave, lots
from models.protocols import Ranking, Surface
from models.ranking.calibration import probability_of
from models.ranking.candidates import Candidates
from models.ranking.ordering import (
    best_first,
    by_score,
    normalised_inputs,
    summed,
    surface_of_inputs,
)
from models.selection.class_balance import pick_in_balance
from models.strategies import expected_value

NO_OOD_NOTE = "The last query set held no OOD: ranked by informativeness only."
UNTRAINED_NOTE = "MQ-Net has not been trained yet: ranked by purity + informativeness."
PRIOR_NOTE = "MQ-Net has not been trained yet: ranked by expected value."


def rank(candidates: Candidates, n: int, params: MQNetParams) -> Ranking:
    """Rank by Phi(P, I); ties, as of saturated sigmoids, by P + I, then by position.

    With `balance` each pick is the one with the largest Phi times the worth of another label of the
    class that it is expected to have (`ClassBalance`); Phi is as it is.

    Without a trained network, as in the first round, expected value ranks, or P + I where no prior
    is wanted. Without a prior, and without OOD in the last query set, informativeness ranks alone,
    unless `without_ood` keeps what was learned before.

    With random validation, the examples set aside for it come in random order in between: only
    they will train the network, so that its training set is no selection of its own. Classes are
    not balanced then.
    """
    if params.validation == "self":
        return _by_phi(candidates, n, params)
    params = params.model_copy(update={"balance": 0.0})
    ranking = _by_phi(candidates, len(candidates), params)
    drawn = lots(candidates.scores.indices, params.validation_seed)
    aside = drawn < params.validation_share
    order = interleave(
        ranking.order[~aside[ranking.order]],
        np.argsort(drawn, kind="stable")[: aside.sum()],
        params.validation_share,
        n,
    )
    return replace(ranking, order=order)


def _by_phi(candidates: Candidates, n: int, params: MQNetParams) -> Ranking:
    scores, mqnet = candidates.scores, candidates.mqnet
    inputs = normalised_inputs(scores)
    is_sure = params.prior > 0 or params.without_ood == "keep"
    if not candidates.query_had_ood and not is_sure:
        ranking = by_score(scores.informativeness, "Informativeness", scores, n)
        alone = Surface("informativeness", lambda _, informativeness: informativeness)
        return replace(ranking, notes=(NO_OOD_NOTE,), surface=alone)
    total = summed(inputs)
    if mqnet is None:
        if params.prior > 0:
            ranking = expected_value.rank(
                candidates, n, ExpectedValueParams(balance=params.balance)
            )
            return replace(ranking, notes=(PRIOR_NOTE, *ranking.notes))
        return Ranking(
            best_first(n, total),
            total.astype(np.float32),
            (UNTRAINED_NOTE,),
            surface=surface_of_inputs("sum", summed, scores),
        )
    phi = mqnet.scores(inputs)
    surface = surface_of_inputs("phi", mqnet.scores, scores)
    if params.balance == 0:
        return Ranking(best_first(n, phi, total), phi, surface=surface)
    inside = probability_of(candidates)(scores.purity)
    order = best_first(len(phi), phi, total)
    ranking = pick_in_balance(
        candidates, order, phi.astype(np.float64), inside, n, power=params.balance
    )
    return replace(ranking, surface=replace(surface, exact=False))
