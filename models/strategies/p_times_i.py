"""Purity times informativeness.

Source: thesis, section 4.4, "Efficacy of Meta-objective".
"""

import numpy as np

from models.candidates import Candidates
from models.ordering import best_first, normalised_inputs
from models.params import NoParams
from models.protocols import Ranking


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by P * I of the meta-inputs; ties by position."""
    del params
    product = normalised_inputs(candidates.scores).astype(np.float64).prod(axis=1)
    return Ranking(best_first(n, product), product.astype(np.float32))
