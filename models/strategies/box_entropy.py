"""Largest entropy of the detections first, whatever the purity.

Source: see `models.informativeness.box_entropy`.
"""

from models.catalog.params.detection import BoxQueryParams
from models.informativeness.box_entropy import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score


def rank(candidates: Candidates, n: int, params: BoxQueryParams) -> Ranking:
    """Rank by `box_entropy`, whichever informativeness the project has chosen.

    Raises:
        NotReady: the model has no detections.
    """
    return by_score(score(candidates.view, params), "Entropy of the boxes", candidates.scores, n)
