"""Smallest margin first, whatever the purity.

Source: see `models.informativeness.margin`.
"""

from models.catalog.params import NoParams
from models.informativeness.margin import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by `margin` of the logits, whichever informativeness the project has chosen."""
    return by_score(score(candidates.view, params), "Margin", candidates.scores, n)
