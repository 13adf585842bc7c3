"""Purity times informativeness.

Source: thesis, section 4.4, "Efficacy of Meta-objective".
"""

import numpy as np
from numpy.typing import NDArray

from models.catalog.params import NoParams
from models.protocols import Float32Array, Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first, normalised_inputs, surface_of_inputs


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by P * I of the meta-inputs; ties by position."""
    del params
    product = _multiplied(normalised_inputs(candidates.scores))
    return Ranking(
        best_first(n, product),
        product.astype(np.float32),
        surface=surface_of_inputs("product", _multiplied, candidates.scores),
    )


def _multiplied(inputs: Float32Array) -> NDArray[np.float64]:
    product: NDArray[np.float64] = inputs.astype(np.float64).prod(axis=1)
    return product
