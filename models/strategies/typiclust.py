"""Typical examples of clusters nobody has looked at.

Source: G. Hacohen, A. Dekel, D. Weinshall, "Active Learning on a Budget: Opposite Strategies Suit
High and Low Budgets", ICML 2022; the implementation is scikit-activeml's.
"""

import numpy as np
from skactiveml.pool import TypiClust

from models.catalog.params.selection import TypiClustParams
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_place
from models.selection.library import ranked_by, seeded

COVERED_NOTE = (
    "Strategy typiclust found a verdict in every cluster: the queue is in the order of the pool."
)


def rank(candidates: Candidates, n: int, params: TypiClustParams) -> Ranking:
    """Rank one typical example of each of the largest clusters without a verdict.

    There are as many clusters as verdicts and queries together, so a longer queue is a different
    one; see `models.selection.library.ranked_by`. With a verdict in every cluster they come by
    position, and a note says so.
    """
    strategy = TypiClust(k=params.neighbours, random_state=seeded(candidates.view.seed))
    try:
        return ranked_by(strategy, candidates, n, most=params.most, name="typiclust")
    except UnboundLocalError as error:
        # scikit-activeml 1.0 sets its variable in clusters without a verdict only, and there are
        # none where all that is left looks like what was labeled.
        if "cluster_id" not in str(error):
            raise
        count = len(candidates)
        return by_place(np.arange(min(n, count)), count, (COVERED_NOTE,))
