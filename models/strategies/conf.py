"""Least confidence first, whatever the purity.

Source: see `models.informativeness.conf`.
"""

from models.catalog.params import NoParams
from models.informativeness.conf import score
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_score
from models.ranking.single_class import uncertain_view


def rank(candidates: Candidates, n: int, params: NoParams) -> Ranking:
    """Rank by `conf` of the logits, whichever informativeness the project has chosen.

    Raises:
        NotReady: a single class, and no probability of it.
    """
    view = uncertain_view(candidates, "conf")
    return by_score(score(view, params), "Conf", candidates.scores, n)
