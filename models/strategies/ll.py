"""Largest predicted loss first, whatever the purity.

Source: see `models.informativeness.ll`.
"""

from models.catalog.params import NoParams
from models.informativeness.ll import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by the predicted losses, whichever informativeness the project has chosen.

    Raises:
        NotReady: the model has no loss-prediction module.
    """
    return by_score(score(candidates.view, params), "Predicted loss", candidates.scores, n)
