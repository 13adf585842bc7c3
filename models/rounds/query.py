"""One round of active learning, without a database: score, select, learn from the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.catalog import find, parse
from models.errors import ModelError, NotReady
from models.finite import require_finite
from models.params.strategies import MQNetParams
from models.probability import log_softmax
from models.protocols import (
    OOD,
    Float32Array,
    Indices,
    Outputs,
    PoolView,
    Progress,
    Ranking,
    TargetModel,
)
from models.random_split import lots
from models.ranking.candidates import NO_ANSWERS, Candidates, LastAnswers, Prices
from models.ranking.mqnet import InputNormalisation, MQNet, meta_inputs, train_mqnet
from models.ranking.pool_scores import PoolScores
from models.resolve import resolve
from models.spec import Spec

__all__ = [
    "PoolScores",
    "QuerySettings",
    "Scored",
    "by_row",
    "infer",
    "learns",
    "meta_train",
    "score_of",
    "score_pool",
    "select",
]


_CERTAIN: Final = 1e-6


@dataclass(frozen=True)
class QuerySettings:
    """Which algorithms of the catalog a project uses, and their parameters."""

    strategy: str = "expected_value"
    strategy_params: Mapping[str, Any] = field(default_factory=dict)
    purity: str = "probe"
    purity_params: Mapping[str, Any] = field(default_factory=dict)
    informativeness: str = "margin"
    informativeness_params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scored:
    """What `score_pool` returns.

    Attributes:
        scores: N rows, one per unlabeled example.
        view: what they were made from, the same N rows.
        notes: sentences for the user, such as why a fallback was used.
    """

    scores: PoolScores
    view: PoolView
    notes: tuple[str, ...] = ()


def by_row(settings: QuerySettings) -> bool:
    """Say whether the scores of an example are the same whatever is scored beside it.

    If so, `score_pool` may be called for parts of a pool instead.
    """
    wanted = [("purity", settings.purity), ("informativeness", settings.informativeness)]
    while wanted:
        kind, name = wanted.pop()
        spec = find(kind, name)
        if not spec.by_row:
            return False
        if spec.fallback:
            wanted.append((kind, spec.fallback))
    return True


def score_pool(
    model: TargetModel,
    unlabeled: Indices,
    labeled: Indices,
    labels: Indices,
    settings: QuerySettings,
    *,
    seed: int,
    contrastive: NDArray[np.float32] | None = None,
    verdicts: Outputs | None = None,
    progress: Progress | None = None,
) -> Scored:
    """Score examples, all that is unlabeled or a part of it, in one pass of the model.

    Args:
        model: the target model of this round.
        unlabeled: (N,) pool indices, ascending.
        labeled: (L,) pool indices of every verdict so far.
        labels: (L,) int64 in 0..C-1, or `OOD`.
        settings: names the purity and the informativeness.
        seed: for scores that draw at random.
        contrastive: features of the whole pool by the contrastive learner, rows by pool index.
        verdicts: what `infer` said of `labeled`, if it is known from another part of the pool.
        progress: counts examples, of the labeled ones first; may raise `Cancelled`.

    Raises:
        ModelError: indices not ascending, labels that do not match, an unknown score, or an
            output or a score that is not finite.
        NotReady: a score lacks what it needs and has no fallback.
    """
    unlabeled, labeled = np.asarray(unlabeled, np.int64), np.asarray(labeled, np.int64)
    labels = np.asarray(labels, np.int64)
    _require_ascending(unlabeled)
    _require_labels(labeled, labels, model.classes)
    # Apart, so that rounding does not depend on how many examples come with the verdicts.
    verdicts = infer(model, labeled, progress) if verdicts is None else verdicts
    outputs = infer(model, unlabeled, progress)
    view = PoolView(
        logits=outputs.logits,
        embeddings=outputs.embeddings,
        labeled_logits=verdicts.logits,
        labeled_embeddings=verdicts.embeddings,
        labels=labels,
        classes=model.classes,
        seed=seed,
        head=model.linear_head(),
        ood_logits=outputs.ood_logits,
        predicted_losses=outputs.predicted_losses,
        contrastive=None if contrastive is None else np.asarray(contrastive[unlabeled]),
        labeled_contrastive=None if contrastive is None else np.asarray(contrastive[labeled]),
        model=model,
        indices=unlabeled,
        detections=outputs.detections,
    )
    purity, purity_notes, by = score_of("purity", settings.purity, settings.purity_params, view)
    informativeness, notes, _ = score_of(
        "informativeness",
        settings.informativeness,
        settings.informativeness_params,
        _of_one_class(view, purity) if by.probability and model.classes == 1 else view,
    )
    return Scored(
        PoolScores(unlabeled, view.logits, purity, informativeness, detections=outputs.detections),
        replace(view, purity_is_probability=by.probability),
        purity_notes + notes,
    )


def _of_one_class(view: PoolView, purity: Float32Array) -> PoolView:
    """Return the view with the logits of class and none of it, which are all there is to tell.

    A single logit leaves nothing open: its class would always be certain.

    Args:
        view: of N examples and one class.
        purity: (N,) float32 in 0..1, the probability of the class.
    """
    inside = np.clip(purity.astype(np.float64), _CERTAIN, 1 - _CERTAIN)
    logits = np.log(np.column_stack([inside, 1 - inside])).astype(np.float32)
    return replace(view, logits=logits)


def infer(model: TargetModel, indices: Indices, progress: Progress | None = None) -> Outputs:
    """Ask a model about examples, and look at what it says.

    Args:
        model: the target model of this round.
        indices: (n,) pool indices.
        progress: counts examples; may raise `Cancelled`.

    Raises:
        ModelError: an output or an embedding is not finite.
    """
    outputs = model.infer(indices, progress=progress)
    require_finite("The output of the model", outputs.logits.sum(axis=1), indices)
    require_finite("The embedding", outputs.embeddings.sum(axis=1), indices)
    return outputs


def select(
    scored: Scored,
    unlabeled: Indices,
    n: int,
    settings: QuerySettings,
    *,
    mqnet: MQNet | None,
    had_ood: bool,
    prices: Prices | None = None,
    last: LastAnswers = NO_ANSWERS,
    state: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Rank what is still unlabeled; scores are normalised over it.

    Args:
        scored: of everything that was unlabeled when the model scored; `scored.view.seed` is the
            seed of strategies that draw at random.
        unlabeled: (M,) pool indices, ascending: what is still unlabeled.
        n: how many to rank; fewer come back when there are fewer.
        settings: names the strategy.
        mqnet: what `meta_train` returned.
        had_ood: likewise; True before the first answers.
        prices: of verdicts; default: 1 each.
        last: the answers to the last query set.
        state: what the strategy kept at the last selection.
        progress: counts picks, where the strategy picks one by one; may raise `Cancelled`.

    Returns:
        `order` in pool indices; `meta_scores` (M,) aligned with `unlabeled`, NaN for an example
        without scores.

    Raises:
        ModelError: indices not ascending, or scores that are not finite.
        NotReady: the strategy lacks what it needs and has no fallback.
    """
    unlabeled = np.asarray(unlabeled, np.int64)
    _require_ascending(unlabeled)
    indices = scored.scores.indices
    known = np.isin(unlabeled, indices, assume_unique=True)
    notes: tuple[str, ...] = ()
    if not known.all():
        notes = (f"{int((~known).sum())} new examples wait for the next round's scores.",)
    meta_scores = np.full(len(unlabeled), np.nan, dtype=np.float32)
    if not known.any():
        return Ranking(np.empty(0, dtype=np.int64), meta_scores, notes)
    scores, view = scored.scores, scored.view
    if known.sum() < len(indices):
        positions = np.searchsorted(indices, unlabeled[known]).astype(np.int64)
        scores, view = scores.take(positions), view.take(positions)
    candidates = Candidates(
        scores, view, mqnet, had_ood, prices or Prices(), last, dict(state or {}), progress
    )
    ranking = _rank(settings.strategy, settings.strategy_params, candidates, n)
    meta_scores[known] = ranking.meta_scores
    return replace(
        ranking,
        order=scores.indices[ranking.order],
        meta_scores=meta_scores,
        notes=notes + ranking.notes,
    )


def learns(settings: QuerySettings) -> bool:
    """Say whether the strategy learns from answers, so that `meta_train` has anything to do."""
    params = parse("strategy", settings.strategy, settings.strategy_params)
    return isinstance(params, MQNetParams)


def meta_train(
    scores: PoolScores,
    query: Indices,
    labels: Indices,
    settings: QuerySettings,
    *,
    seed: int,
    previous: MQNet | None = None,
    losses: NDArray[np.float64] | None = None,
) -> tuple[MQNet | None, bool, tuple[str, ...]]:
    """Learn from the answers of the last query set (thesis, section 4.3, self-validation set).

    Args:
        scores: by the model that selected the queries and has not seen their labels; all that
            was unlabeled then, so that the normalisation is that of the selection.
        query: (n,) pool indices of the answered queries.
        labels: (n,) int64 in 0..C-1, or `OOD`.
        settings: names the strategy; one that does not learn (`learns`) changes nothing.
        seed: decides pairs and initial weights.
        previous: MQ-Net of the round before.
        losses: (n,) >= 0 of the answers, 0 for OOD; default: the cross-entropy of `labels`.

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
    trained = train_mqnet(
        inputs, losses, params=params, seed=seed, warm=previous, normalisation=normalisation
    )
    return trained, had_ood, tuple(notes)


def _losses_of(scores: PoolScores, labels: Indices) -> NDArray[np.float64]:
    """Return the (n,) losses of answers, by the scores of the same examples."""
    if scores.logits.shape[1] == 1 and scores.inside is not None:
        # Of one class alone nothing is lost: what counts is to tell it from none.
        inside = np.clip(scores.inside.astype(np.float64), _CERTAIN, 1)
        return np.where(labels >= 0, -np.log(inside), 0.0)
    return masked_losses(scores.logits, labels)


def _not_learned(reason: str, previous: MQNet | None) -> str:
    # Without a network the strategy goes on to say that there is none yet.
    if previous is None:
        return f"{reason}: nothing for MQ-Net to learn from."
    return f"{reason}: MQ-Net stays as it was."


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


def score_of(
    kind: str, name: str, params: Mapping[str, Any], view: PoolView
) -> tuple[Float32Array, tuple[str, ...], Spec]:
    """Return a score of a view, notes, and whose it is in the end.

    Raises:
        ModelError: an unknown score, or one that is not finite.
        NotReady: it lacks what it needs and has no fallback.
    """
    assert view.indices is not None
    spec = find(kind, name)
    try:
        values: Float32Array = resolve(spec)(view, parse(kind, name, params))
    except NotReady as reason:
        if not spec.fallback:
            raise
        values, notes, by = score_of(kind, spec.fallback, {}, view)
        return values, (f"{reason} {kind.capitalize()} {spec.fallback} stands in.", *notes), by
    require_finite(f"{kind.capitalize()} {name}", values, view.indices)
    return values, (), spec


def _rank(name: str, params: Mapping[str, Any], candidates: Candidates, n: int) -> Ranking:
    spec = find("strategy", name)
    try:
        ranking: Ranking = resolve(spec)(candidates, n, parse("strategy", name, params))
    except NotReady as reason:
        if not spec.fallback:
            raise
        ranking = _rank(spec.fallback, {}, candidates, n)
        note = f"{reason} Strategy {spec.fallback} stands in."
        return replace(ranking, notes=(note, *ranking.notes))
    return ranking


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
