"""What most probably belongs to a class, whatever an answer would teach.

Source: D. D. Lewis, W. A. Gale, "A Sequential Algorithm for Training Text Classifiers", SIGIR 1994,
who call it relevance sampling.
"""

import numpy as np

from models.catalog.params import NoParams
from models.numerics.finite import require_finite
from models.protocols import Ranking, Surface
from models.ranking.candidates import Candidates
from models.ranking.ordering import best_first


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by purity; ties by informativeness, then by position.

    Raises:
        ModelError: a score is NaN or infinite.
    """
    del params
    scores = candidates.scores
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    return Ranking(
        best_first(n, scores.purity, scores.informativeness),
        scores.purity.astype(np.float32),
        surface=Surface("purity", lambda purity, _: purity),
    )
