"""Purity plus informativeness with equal weight.

Source: thesis, section 4.3, Algorithm "AL Procedure with MQ-Net", line 10.
"""

import numpy as np

from models.catalog.params import NoParams
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first, normalised_inputs, summed, surface_of_inputs


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by P + I of the meta-inputs; ties by position."""
    del params
    total = summed(normalised_inputs(candidates.scores))
    return Ranking(
        best_first(n, total),
        total.astype(np.float32),
        surface=surface_of_inputs("sum", summed, candidates.scores),
    )
