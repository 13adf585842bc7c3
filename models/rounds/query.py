"""One round of active learning, without a database: score and select."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.catalog import find, parse
from models.catalog.resolve import resolve
from models.errors import ModelError, NotReady
from models.numerics.finite import require_finite
from models.protocols import (
    Float32Array,
    Indices,
    OpenSetLabels,
    Outputs,
    PoolView,
    Progress,
    Ranking,
    TargetModel,
)
from models.ranking.candidates import NO_ANSWERS, Candidates, LastAnswers, Prices
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores
from models.ranking.single_class import class_and_none


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
class Score:
    """A purity or an informativeness of N examples.

    Attributes:
        values: (N,) float32, finite.
        by: name in the catalog, that of a fallback where it stood in.
        is_probability: whether a purity is the probability of being in-distribution.
        notes: sentences for the user, such as why a fallback was used.
    """

    values: Float32Array
    by: str
    is_probability: bool
    notes: tuple[str, ...] = ()


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
    labels: OpenSetLabels,
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
        labels: what these L verdicts say.
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
    _require_ascending(unlabeled)
    require_labels(labeled, labels, model.classes)
    # Apart, so that rounding does not depend on how many examples come with the verdicts.
    verdicts = infer(model, labeled, progress) if verdicts is None else verdicts
    outputs = infer(model, unlabeled, progress)
    view = view_of(
        model, outputs, unlabeled, verdicts, labeled, labels, seed=seed, contrastive=contrastive
    )
    purity = score_of("purity", settings.purity, settings.purity_params, view)
    tells_one_class = purity.is_probability and model.classes == 1
    informativeness = score_of(
        "informativeness",
        settings.informativeness,
        settings.informativeness_params,
        class_and_none(view, purity.values) if tells_one_class else view,
    )
    return Scored(
        PoolScores(
            unlabeled,
            view.logits,
            purity.values,
            informativeness.values,
            detections=outputs.detections,
            purity_by=purity.by,
            purity_is_probability=purity.is_probability,
            frame=outputs.frame,
        ),
        view,
        purity.notes + informativeness.notes,
    )


def view_of(
    model: TargetModel,
    outputs: Outputs,
    indices: Indices,
    verdicts: Outputs,
    labeled: Indices,
    labels: OpenSetLabels,
    *,
    seed: int,
    contrastive: NDArray[np.float32] | None,
) -> PoolView:
    """Return what scores may look at.

    Args:
        model: what has said it all.
        outputs: of the N candidates.
        indices: (N,) pool indices of the candidates.
        verdicts: of the L examples with a verdict.
        labeled: (L,) pool indices of these.
        labels: what the L verdicts say.
        seed: for scores that draw at random.
        contrastive: features of the whole pool by the contrastive learner, rows by pool index.
    """
    return PoolView(
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
        contrastive=None if contrastive is None else np.asarray(contrastive[indices]),
        labeled_contrastive=None if contrastive is None else np.asarray(contrastive[labeled]),
        model=model,
        indices=indices,
        detections=outputs.detections,
    )


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
        mqnet: what `models.rounds.meta_training.meta_train` returned.
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


def score_of(kind: str, name: str, params: Mapping[str, Any], view: PoolView) -> Score:
    """Score the candidates of a view; where it is not ready, by what stands in.

    Raises:
        ModelError: an unknown score, or one that is not finite.
        NotReady: it lacks what it needs and has no fallback.
    """
    assert view.indices is not None
    spec = find(kind, name)
    chosen = parse(kind, name, params)
    try:
        values: Float32Array = resolve(spec)(view, chosen)
    except NotReady as reason:
        if not spec.fallback:
            raise
        found = score_of(kind, spec.fallback, {}, view)
        note = f"{reason} {kind.capitalize()} {spec.fallback} stands in."
        return replace(found, notes=(note, *found.notes))
    require_finite(f"{kind.capitalize()} {name}", values, view.indices)
    return Score(values, name, spec.is_probability(chosen))


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


def require_labels(indices: Indices, labels: OpenSetLabels, classes: int) -> None:
    """Refuse labels that are not one for each example, or out of range."""
    if len(indices) != len(labels):
        raise ModelError(f"Got {len(labels)} labels for {len(indices)} examples; one each.")
    known = labels.classes[labels.inside]
    if len(known) and (known.min() < 0 or known.max() >= classes):
        raise ModelError(
            f"Labels run from {known.min()} to {known.max()}, expected 0..{classes - 1}; OOD has "
            "no number."
        )
