"""Typical examples of clusters nobody has looked at.

Source: G. Hacohen, A. Dekel, D. Weinshall, "Active Learning on a Budget: Opposite Strategies Suit
High and Low Budgets", ICML 2022; the implementation is scikit-activeml's.
"""

from skactiveml.pool import TypiClust

from models.candidates import Candidates
from models.params.selection import TypiClustParams
from models.protocols import Ranking
from models.selection.library import ranked_by, seeded


def rank(candidates: Candidates, n: int, params: TypiClustParams) -> Ranking:
    """Rank one typical example of each of the largest clusters without a verdict.

    There are as many clusters as verdicts and queries together, so a longer queue is a different
    one; see `models.selection.library.ranked_by`.
    """
    strategy = TypiClust(k=params.neighbours, random_state=seeded(candidates.view.seed))
    return ranked_by(strategy, candidates, n, most=params.most, name="typiclust")
