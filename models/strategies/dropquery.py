"""Examples whose class changes under dropout, one of each cluster.

Source: S. R. Gupte et al., "Revisiting Active Learning in the Era of Vision Foundation Models",
TMLR 2024; the implementation is scikit-activeml's.
"""

from skactiveml.pool import DropQuery

from models.catalog.params.selection import DropQueryParams
from models.errors import NotReady
from models.protocols import Ranking
from models.ranking.candidates import Candidates
from models.selection.library import head_of, ranked_by, seeded


def rank(candidates: Candidates, n: int, params: DropQueryParams) -> Ranking:
    """Rank the centers of as many clusters as the queue is long, so a longer one is different.

    See `models.selection.library.ranked_by`.

    Raises:
        NotReady: the last layer of the model is unknown, or there is one class, besides.
    """
    view = candidates.view
    if view.classes < 2:
        raise NotReady(
            "Strategy dropquery asks where the class changes and there is one; choose another "
            "strategy."
        )
    if view.head is None:
        raise NotReady(
            "Strategy dropquery needs the last layer of the model; score the pool again."
        )
    seed = seeded(view.seed)
    strategy = DropQuery(
        dropout_rate=params.rate,
        n_dropout_samples=params.samples,
        cluster_algo_dict={"random_state": seed},
        random_state=seed,
    )
    classifier = head_of(view.head.weight, view.head.bias)
    return ranked_by(
        strategy, candidates, n, most=params.most, name="dropquery", unit=False,
        clf=classifier, fit_clf=False,
    )  # fmt: skip
