"""What a query strategy ranks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.protocols import PoolView, Progress
from models.ranking.mqnet import MQNet, Normalisation
from models.ranking.pool_scores import PoolScores


@dataclass(frozen=True)
class Prices:
    """What verdicts cost, in units of the budget.

    Attributes:
        inside: of a class verdict, > 0.
        ood: of an OOD verdict, > 0.
        box: of each box in an answer, where that is known: then an answer costs `ood`, which is
            what looking takes, and so much a box, and not `inside`; otherwise 0.
    """

    inside: float = 1.0
    ood: float = 1.0
    box: float = 0.0


@dataclass(frozen=True)
class LastAnswers:
    """The verdicts of the last query set; empty before the first.

    Attributes:
        is_ood: (n,) bool, which of them are OOD.
        scores: of the same examples, by the model that chose them; None when there were none.
        purity: statistics of the purity of all that was unlabeled when they were chosen.
        hits: (n, K) int8, which of the detections in `scores` were right (1), wrong (0) or nothing
            to be judged (-1); None without a detector.
    """

    is_ood: NDArray[np.bool_]
    scores: PoolScores | None = None
    purity: Normalisation | None = None
    hits: NDArray[np.int8] | None = None


NO_ANSWERS = LastAnswers(np.empty(0, dtype=np.bool_))


@dataclass(frozen=True)
class Candidates:
    """The unlabeled examples that a strategy may ask for, M of them, and what it may know.

    Attributes:
        scores: M rows.
        view: M candidates, the rows of `scores`, and all verdicts. Its embeddings have no columns
            unless the catalog says that the strategy needs "embeddings".
        mqnet: the meta-model; None when there is none yet.
        query_had_ood: whether the last query set held OOD; True before the first.
        prices: what a verdict costs.
        last: the answers to the last query set.
        state: what the strategy returned in `Ranking.state` when it ranked last; empty at first.
        progress: counts picks, for strategies that pick one by one; may raise `Cancelled`.
    """

    scores: PoolScores
    view: PoolView
    mqnet: MQNet | None = None
    query_had_ood: bool = True
    prices: Prices = Prices()
    last: LastAnswers = NO_ANSWERS
    state: Mapping[str, float] = field(default_factory=dict)
    progress: Progress | None = None

    def __len__(self) -> int:
        """Return M."""
        return len(self.scores)
