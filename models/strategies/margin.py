"""Smallest margin first, whatever the purity.

Source: see `models.informativeness.margin`.
"""

from models.catalog.params import NoParams
from models.informativeness.margin import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score
from models.ranking.single_class import uncertain_view


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by `margin` of the logits, whichever informativeness the project has chosen.

    Raises:
        NotReady: a single class, and no probability of it.
    """
    view = uncertain_view(candidates, "margin")
    return by_score(score(view, params), "Margin", candidates.scores, n)
