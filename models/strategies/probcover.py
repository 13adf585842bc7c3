"""Cover as much of the pool as possible with balls of one size.

Source: O. Yehuda et al., "Active Learning Through a Covering Lens", NeurIPS 2022; the
implementation is scikit-activeml's.
"""

from skactiveml.pool import ProbCover

from models.catalog.params.selection import ProbCoverParams
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.selection.library import ranked_by, seeded


def rank(candidates: Candidates, n: int, params: ProbCoverParams) -> Ranking:
    """Rank by how many examples the ball around one covers that no earlier ball covers.

    See `models.selection.library.ranked_by`.
    """
    view = candidates.view
    seed = seeded(view.seed)
    strategy = ProbCover(n_classes=max(2, view.classes), alpha=params.alpha, random_state=seed)
    return ranked_by(strategy, candidates, n, most=params.most, name="probcover")
