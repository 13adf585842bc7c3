"""Largest entropy first, whatever the purity.

Source: see `models.informativeness.entropy`.
"""

from models.catalog.params import NoParams
from models.informativeness.entropy import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score
from models.ranking.single_class import uncertain_view


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by `entropy` of the logits, whichever informativeness the project has chosen.

    Raises:
        NotReady: a single class, and no probability of it.
    """
    view = uncertain_view(candidates, "entropy")
    return by_score(score(view, params), "Entropy", candidates.scores, n)
