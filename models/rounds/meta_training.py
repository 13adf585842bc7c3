"""What MQ-Net learns from the answers of a round."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.catalog import parse
from models.catalog.params.strategies import ExpectedValueParams, MQNetParams
from models.numerics.finite import require_finite
from models.numerics.probability import log_softmax
from models.numerics.random_split import lots
from models.protocols import Float32Array, Indices, OpenSetLabels
from models.ranking.calibration import probability_inside
from models.ranking.candidates import LastAnswers, Prices
from models.ranking.mqnet import (
    InputNormalisation,
    MQNet,
    Normalisation,
    Prior,
    meta_inputs,
    train_mqnet,
)
from models.ranking.pool_scores import PoolScores
from models.ranking.single_class import CERTAIN
from models.rounds.query import QuerySettings, require_labels
from models.strategies.expected_value import pool_values

_PRIOR_EXAMPLES: Final = 64
_COMPETING: Final = 20
"""The prior is shown by so many examples of the best, of so many times as were asked about, and by
as many of all: most of a pool is far from ever being asked about."""


def learns(settings: QuerySettings) -> bool:
    """Say whether the strategy learns from answers, so that `meta_train` has anything to do."""
    params = parse("strategy", settings.strategy, settings.strategy_params)
    return isinstance(params, MQNetParams)


def meta_train(
    scores: PoolScores,
    query: Indices,
    labels: OpenSetLabels,
    settings: QuerySettings,
    *,
    seed: int,
    previous: MQNet | None = None,
    losses: NDArray[np.float64] | None = None,
    prices: Prices | None = None,
) -> tuple[MQNet | None, bool, tuple[str, ...]]:
    """Learn from the answers of the last query set (thesis, section 4.3, self-validation set).

    Args:
        scores: by the model that selected the queries and has not seen their labels; all that
            was unlabeled then, so that the normalisation is that of the selection.
        query: (n,) pool indices of the answered queries.
        labels: what the n answers say.
        settings: names the strategy; one that does not learn (`learns`) changes nothing.
        seed: decides pairs and initial weights.
        previous: MQ-Net of the round before.
        losses: (n,) >= 0 of the answers, 0 for OOD; default: the cross-entropy of the classes.
        prices: of verdicts, which the prior knows; default: 1 each.

    Returns:
        MQ-Net for the next selection (None = none yet), whether the answers held OOD (True when
        there are too few to tell), and notes for the user.
    """
    query = np.asarray(query, np.int64)
    require_labels(query, labels, scores.logits.shape[1])
    params = parse("strategy", settings.strategy, settings.strategy_params)
    had_ood = len(labels) < 2 or bool(labels.is_ood.any())
    if not isinstance(params, MQNetParams):
        return previous, had_ood, ()
    if not had_ood and params.prior == 0 and params.without_ood == "keep":
        return previous, had_ood, (_not_learned("No OOD among the last answers", previous),)
    notes: list[str] = []
    if params.validation == "random":
        drawn = lots(query, params.validation_seed) < params.validation_share
        query, labels = query[drawn], labels[drawn]
        losses = None if losses is None else losses[drawn]
    known = np.isin(query, scores.indices)
    if not known.all():
        missing = int((~known).sum())
        notes.append(f"{missing} answers had no scores of this round and did not train MQ-Net.")
        query, labels = query[known], labels[known]
        losses = None if losses is None else losses[known]
    if len(query) < 2:
        return previous, had_ood, (*notes, _not_learned("Fewer than two answers", previous))
    positions = np.searchsorted(scores.indices, query).astype(np.int64)
    if losses is None:
        losses = _losses_of(scores.take(positions), labels)
    require_finite("The loss of the answers", losses, query)
    if losses.min() == losses.max():
        return previous, had_ood, (*notes, _not_learned("All answers have one loss", previous))
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    normalisation = InputNormalisation.fit(scores.purity, scores.informativeness)
    inputs = meta_inputs(scores.purity[positions], scores.informativeness[positions], normalisation)
    prior = None
    if params.prior > 0:
        prior = _prior(scores, positions, labels, normalisation, prices or Prices(), seed)
    trained = train_mqnet(
        inputs, losses, params=params, seed=seed, warm=previous, normalisation=normalisation,
        prior=prior,
    )  # fmt: skip
    return trained, had_ood, tuple(notes)


def _prior(
    scores: PoolScores,
    asked: Indices,
    labels: OpenSetLabels,
    normalisation: InputNormalisation,
    prices: Prices,
    seed: int,
) -> Prior:
    """Draw examples of the pool by which expected value is shown.

    Args:
        scores: of the pool, N rows.
        asked: (n,) positions of the answers in it.
        labels: (n,) of the answers.
        normalisation: of the inputs.
        prices: of verdicts.
        seed: decides which examples.
    """
    if scores.inside is None:
        last = LastAnswers(labels.is_ood, scores.take(asked), Normalisation.fit(scores.purity))
        known = probability_inside(scores.purity, last)(scores.purity)
    else:
        known = scores.inside.astype(np.float64)
    values = pool_values(scores, known, prices, ExpectedValueParams(), scores.detections)
    generator = np.random.default_rng(seed)
    count = min(len(values), _COMPETING * len(asked))
    best = np.argpartition(-values, count - 1)[:count]
    drawn = np.unique(
        np.concatenate(
            [generator.permutation(some)[:_PRIOR_EXAMPLES] for some in (best, len(values))]
        )
    )
    inputs = meta_inputs(scores.purity[drawn], scores.informativeness[drawn], normalisation)
    return Prior(inputs, values[drawn])


def _losses_of(scores: PoolScores, labels: OpenSetLabels) -> NDArray[np.float64]:
    """Return the (n,) losses of answers, by the scores of the same examples."""
    if scores.logits.shape[1] == 1 and scores.inside is not None:
        # Of one class alone nothing is lost: what counts is to tell it from none.
        inside = np.clip(scores.inside.astype(np.float64), CERTAIN, 1)
        return np.where(labels.is_ood, 0.0, -np.log(inside))
    return masked_losses(scores.logits, labels)


def _not_learned(reason: str, previous: MQNet | None) -> str:
    # Without a network the strategy goes on to say that there is none yet.
    if previous is None:
        return f"{reason}: nothing for MQ-Net to learn from."
    return f"{reason}: MQ-Net stays as it was."


def masked_losses(logits: Float32Array, labels: OpenSetLabels) -> NDArray[np.float64]:
    """Return the masked cross-entropy of thesis equation 4.2: 0 for OOD.

    Args:
        logits: (n, C) float32.
        labels: what the n examples are.

    Returns:
        (n,) float64, >= 0.
    """
    known = labels.inside
    losses = np.zeros(len(labels))
    own = labels.classes[known][:, None]
    losses[known] = -np.take_along_axis(log_softmax(logits[known]), own, axis=1)[:, 0]
    return losses
