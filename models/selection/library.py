"""Query strategies of scikit-activeml, over a sample of the candidates."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skactiveml.base import SkactivemlClassifier

from models.numerics.probability import softmax
from models.numerics.similarity import unit_rows
from models.protocols import Float32Array, Indices, Ranking
from models.ranking.candidates import Candidates
from models.ranking.ordering import by_place
from models.selection.inputs import embedded
from models.selection.picks import Chosen


def ranked_by(
    strategy: Any,
    candidates: Candidates,
    n: int,
    *,
    most: int,
    name: str,
    unit: bool = True,
    **query: Any,
) -> Ranking:
    """Rank as a strategy of scikit-activeml queries: its batch is the whole queue.

    OOD is a class of its own. What the library leaves open when it runs out of clusters follows by
    position.

    Args:
        strategy: a `SingleAnnotatorPoolQueryStrategy` with its `random_state`.
        candidates: what to rank.
        n: how many.
        most: candidates that are looked at; of more, a random sample.
        name: of our strategy, for the note.
        unit: scale embeddings to length 1.
        query: further arguments of `strategy.query`.

    Raises:
        NotReady: no embeddings were kept.
        ModelError: embeddings that are not finite.
    """
    view = candidates.view
    points, _ = embedded(candidates)
    wanted = min(n, len(points))
    notes: tuple[str, ...] = ()
    sample = np.arange(len(points))
    if len(points) > max(most, wanted):
        generator = np.random.default_rng(view.seed)
        sample = np.sort(generator.permutation(len(points))[: max(most, wanted)])
        notes = (f"Strategy {name} looked at a sample of {len(sample)} of {len(points)} examples.",)
    if wanted == 0:
        return by_place(np.empty(0, dtype=np.int64), len(points))
    labels = view.labels.outputs(view.classes).astype(np.float64)
    rows = np.concatenate([points.embeddings[sample], view.labeled_embeddings])
    if unit:
        rows = unit_rows(rows)
    known = np.concatenate([np.full(len(sample), np.nan), labels])
    with warnings.catch_warnings():
        # Of k-means about identical rows, and of a radius that is the smallest on offer.
        warnings.simplefilter("ignore")
        picked = strategy.query(rows, known, batch_size=wanted, **query)
    chosen = Chosen.room(wanted)
    for position in dict.fromkeys(np.asarray(picked).tolist()):
        chosen.add(int(sample[position]), 0.0)
    chosen.fill(np.zeros(len(points)))
    return by_place(chosen.order, len(points), notes)


def seeded(seed: int) -> int:
    """Return a seed that NumPy's older generators take."""
    return seed % 2**31


def head_of(weight: Float32Array, bias: Float32Array) -> Any:
    """Return a last layer, (D, C) and (C,), as a fitted classifier of scikit-activeml."""

    class Head(SkactivemlClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Head":
            del X, y, sample_weight
            return self

        def predict_proba(self, X: Float32Array) -> NDArray[np.float64]:
            return softmax(X @ weight + bias)

        def predict(self, X: Float32Array) -> Indices:
            predicted: Indices = (X @ weight + bias).argmax(axis=1)
            return predicted

    return Head(classes=list(range(weight.shape[1])))
