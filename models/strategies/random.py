"""Random order: the reference that every strategy has to beat."""

import numpy as np

from models.catalog.params import NoParams
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Draw n examples without replacement; the meta-score is the number drawn, 0..1."""
    del params
    generator = np.random.default_rng(candidates.view.seed)
    drawn = generator.random(len(candidates), dtype=np.float32)
    return Ranking(best_first(n, drawn), drawn)
