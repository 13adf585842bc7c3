"""One round of active learning, without a database: score, select, learn from the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import find, parse
from models.errors import ModelError
from models.mqnet import InputNormalisation, MQNet, meta_inputs, require_finite, train_mqnet
from models.params.strategies import MQNetParams
from models.pool_scores import PoolScores
from models.probability import log_softmax
from models.protocols import OOD, Float32Array, Indices, PoolView, Progress, Ranking, TargetModel
from models.resolve import resolve

__all__ = ["PoolScores", "QuerySettings", "meta_train", "score_pool", "select"]


@dataclass(frozen=True)
class QuerySettings:
    """Which algorithms of the catalog a project uses, and their parameters."""

    strategy: str = "mqnet"
    strategy_params: Mapping[str, Any] = field(default_factory=dict)
    purity: str = "probe"
    purity_params: Mapping[str, Any] = field(default_factory=dict)
    informativeness: str = "margin"
    informativeness_params: Mapping[str, Any] = field(default_factory=dict)


def score_pool(
    model: TargetModel,
    unlabeled: Indices,
    labeled: Indices,
    labels: Indices,
    settings: QuerySettings,
    *,
    seed: int,
    progress: Progress | None = None,
) -> PoolScores:
    """Score everything unlabeled in one pass of the model.

    Args:
        model: the target model of this round.
        unlabeled: (N,) pool indices, ascending.
        labeled: (L,) pool indices of every verdict so far.
        labels: (L,) int64 in 0..C-1, or `OOD`.
        settings: names the purity and the informativeness.
        seed: for scores that draw at random.
        progress: counts examples; may raise `Cancelled`.

    Raises:
        ModelError: indices not ascending, labels that do not match, an unknown score, or an
            output or a score that is not finite.
    """
    unlabeled, labeled = np.asarray(unlabeled, np.int64), np.asarray(labeled, np.int64)
    labels = np.asarray(labels, np.int64)
    _require_ascending(unlabeled)
    _require_labels(labeled, labels, model.classes)
    indices = np.concatenate([unlabeled, labeled])
    outputs = model.infer(indices, progress=progress)
    require_finite("The output of the model", outputs.logits.sum(axis=1), indices)
    require_finite("The embedding", outputs.embeddings.sum(axis=1), indices)
    view = PoolView(
        logits=outputs.logits[: len(unlabeled)],
        embeddings=outputs.embeddings[: len(unlabeled)],
        labeled_logits=outputs.logits[len(unlabeled) :],
        labeled_embeddings=outputs.embeddings[len(unlabeled) :],
        labels=labels,
        classes=model.classes,
        seed=seed,
    )
    return PoolScores(
        indices=unlabeled,
        logits=view.logits,
        purity=_score("purity", settings.purity, settings.purity_params, view, unlabeled),
        informativeness=_score(
            "informativeness",
            settings.informativeness,
            settings.informativeness_params,
            view,
            unlabeled,
        ),
    )


def select(
    scores: PoolScores,
    candidates: Indices,
    n: int,
    settings: QuerySettings,
    *,
    seed: int,
    mqnet: MQNet | None,
    had_ood: bool,
) -> Ranking:
    """Rank the candidates; scores are normalised over them.

    Args:
        scores: of everything that was unlabeled when the model scored.
        candidates: (M,) pool indices, ascending: what is still unlabeled.
        n: how many to rank; fewer come back when there are fewer.
        settings: names the strategy.
        seed: for strategies that draw at random.
        mqnet: what `meta_train` returned.
        had_ood: likewise; True before the first answers.

    Returns:
        `order` in pool indices; `meta_scores` (M,) aligned with the candidates, NaN for a
        candidate without scores.

    Raises:
        ModelError: candidates not ascending, or scores that are not finite.
    """
    candidates = np.asarray(candidates, np.int64)
    _require_ascending(candidates)
    known = np.isin(candidates, scores.indices, assume_unique=True)
    notes: tuple[str, ...] = ()
    if not known.all():
        notes = (f"{int((~known).sum())} new examples wait for the next round's scores.",)
    meta_scores = np.full(len(candidates), np.nan, dtype=np.float32)
    if not known.any():
        return Ranking(np.empty(0, dtype=np.int64), meta_scores, notes)
    chosen = scores.take(np.searchsorted(scores.indices, candidates[known]).astype(np.int64))
    ranking: Ranking = resolve(find("strategy", settings.strategy))(
        chosen,
        n,
        parse("strategy", settings.strategy, settings.strategy_params),
        seed=seed,
        mqnet=mqnet,
        query_had_ood=had_ood,
    )
    meta_scores[known] = ranking.meta_scores
    return Ranking(chosen.indices[ranking.order], meta_scores, notes + ranking.notes)


def meta_train(
    scores: PoolScores,
    query: Indices,
    labels: Indices,
    settings: QuerySettings,
    *,
    seed: int,
    previous: MQNet | None = None,
) -> tuple[MQNet | None, bool, tuple[str, ...]]:
    """Learn from the answers of the last query set (thesis, section 4.3, self-validation set).

    Args:
        scores: by the model that selected the queries and has not seen their labels; all that
            was unlabeled then, so that the normalisation is that of the selection.
        query: (n,) pool indices of the answered queries.
        labels: (n,) int64 in 0..C-1, or `OOD`.
        settings: names the strategy; anything but MQ-Net has nothing to learn.
        seed: decides pairs and initial weights.
        previous: MQ-Net of the round before.

    Returns:
        MQ-Net for the next selection (None = none yet), whether the answers held OOD (True when
        there are too few to tell), and notes for the user.
    """
    query, labels = np.asarray(query, np.int64), np.asarray(labels, np.int64)
    _require_labels(query, labels, scores.logits.shape[1])
    params = parse("strategy", settings.strategy, settings.strategy_params)
    had_ood = len(labels) < 2 or bool((labels == OOD).any())
    if not isinstance(params, MQNetParams):
        return previous, had_ood, ()
    if not had_ood and params.without_ood == "keep":
        return previous, had_ood, ("No OOD among the last answers: MQ-Net stays as it was.",)
    notes: list[str] = []
    known = np.isin(query, scores.indices)
    if not known.all():
        missing = int((~known).sum())
        notes.append(f"{missing} answers had no scores of this round and did not train MQ-Net.")
        query, labels = query[known], labels[known]
    if len(query) < 2:
        return previous, had_ood, (*notes, "Fewer than two answers: MQ-Net stays as it was.")
    positions = np.searchsorted(scores.indices, query).astype(np.int64)
    losses = masked_losses(scores.logits[positions], labels)
    require_finite("The loss of the answers", losses, query)
    if losses.min() == losses.max():
        return previous, had_ood, (*notes, "All answers have one loss: MQ-Net stays as it was.")
    require_finite("Purity", scores.purity, scores.indices)
    require_finite("Informativeness", scores.informativeness, scores.indices)
    inputs = meta_inputs(
        scores.purity[positions],
        scores.informativeness[positions],
        InputNormalisation.fit(scores.purity, scores.informativeness),
    )
    trained = train_mqnet(inputs, losses, params=params, seed=seed, warm=previous)
    return trained, had_ood, tuple(notes)


def masked_losses(logits: Float32Array, labels: Indices) -> NDArray[np.float64]:
    """Return the masked cross-entropy of thesis equation 4.2: 0 for OOD.

    Args:
        logits: (n, C) float32.
        labels: (n,) int64 in 0..C-1, or `OOD`.

    Returns:
        (n,) float64, >= 0.
    """
    known = labels >= 0
    losses = np.zeros(len(labels))
    losses[known] = -np.take_along_axis(log_softmax(logits[known]), labels[known][:, None], axis=1)[
        :, 0
    ]
    return losses


def _score(
    kind: str, name: str, params: Mapping[str, Any], view: PoolView, indices: Indices
) -> Float32Array:
    result: Float32Array = resolve(find(kind, name))(view, parse(kind, name, params))
    require_finite(f"{kind.capitalize()} {name}", result, indices)
    return result


def _require_ascending(indices: Indices) -> None:
    if len(indices) > 1 and not (np.diff(indices) > 0).all():
        raise ModelError("Pool indices must be in increasing order, each once; sort them first.")


def _require_labels(indices: Indices, labels: Indices, classes: int) -> None:
    if indices.shape != labels.shape:
        raise ModelError(f"Got {len(labels)} labels for {len(indices)} examples; one each.")
    if len(labels) and (labels.min() < OOD or labels.max() >= classes):
        raise ModelError(
            f"Labels run from {labels.min()} to {labels.max()}, expected {OOD} for OOD and "
            f"0..{classes - 1}."
        )
