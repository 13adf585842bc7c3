"""What the answers to the last queue say, by the model that chose what was asked."""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.states import ArtifactKind
from core.tasks.registry import task_type
from models.protocols import Indices, OpenSetLabels, Outputs
from models.ranking.mqnet import MQNet
from models.ranking.pool_scores import PoolScores
from models.rounds.meta_training import meta_train as learn_balance
from models.tasks.boxes.matching import CLASS
from workers.advance.advance import Advance
from workers.advance.prices import prices_of

Losses = NDArray[np.float64]

# A class that the project has no longer.
_GONE: Final = -1


def meta_train(advance: Advance) -> None:
    """Train MQ-Net on the last answers, by the scores of the model that chose them."""
    scores = PoolScores.from_parquet(advance.previous[ArtifactKind.SCORES])
    query, labels, losses = _answers_to(advance, scores)
    before = advance.previous.get(ArtifactKind.META_MODEL)
    mqnet, had_ood, notes = learn_balance(
        scores,
        query,
        labels,
        advance.query_settings,
        seed=advance.seed,
        previous=MQNet.load(before) if before else None,
        losses=losses,
        prices=prices_of(advance),
    )
    if mqnet is not None:
        mqnet.save(advance.file("mqnet.safetensors"))
    advance.note("meta_train", {"had_ood": had_ood, "notes": list(notes)})


def _answers_to(
    advance: Advance, scores: PoolScores
) -> tuple[Indices, OpenSetLabels, Losses | None]:
    """Answers to what was chosen by ``scores``, as their model had it.

    Returns:
        (n,) pool indices; what these are by the outputs of that model, without those of classes
        that were added since; (n,) losses, where labels are no outputs.
    """
    assert advance.chosen is not None
    asked = advance.snapshot.answered_in(advance.chosen)
    positions, labels = advance.snapshot.known_to(advance.previous_class_ids, asked)
    query = advance.snapshot.labeled[positions]
    if task_type(advance.snapshot.task).names_one_class:
        return query, labels, None
    losses = np.zeros(len(query))
    # Of what holds nothing there is no loss, whether or not it was called OOD.
    inside = np.flatnonzero(labels.inside & np.isin(query, scores.indices))
    then = _said_then(advance, scores, query[inside])
    nothing = np.empty((len(inside), 0), dtype=np.float32)
    losses[inside] = advance.learner.losses(
        Outputs(then.logits, nothing, detections=then.detections, frame=then.frame),
        advance.snapshot.targets.take(positions[inside]),
    )
    return query, labels, losses


def _said_then(advance: Advance, scores: PoolScores, indices: Indices) -> PoolScores:
    """Rows of ``scores`` at (n,) pool indices; detections in classes of now, or gone with those."""
    found = scores.take(np.searchsorted(scores.indices, indices).astype(np.int64))
    if found.detections is None:
        return found
    now = {class_id: index for index, class_id in enumerate(advance.snapshot.class_ids)}
    of = np.array([now.get(class_id, _GONE) for class_id in advance.previous_class_ids])
    classes = of[found.detections[:, :, CLASS].astype(np.int64)]
    detections = found.detections.copy()
    detections[:, :, CLASS] = classes
    detections[classes == _GONE] = 0
    return replace(found, detections=detections)


def answered_then(advance: Advance) -> tuple[PoolScores, NDArray[np.bool_]] | None:
    """Scores by which answered images of the last queue were chosen, and which of them were OOD.

    As OOD counts what has a label that says that nothing is in it. Detections are in classes of
    now, without those of classes that the project has no longer.
    """
    if ArtifactKind.SCORES not in advance.previous:
        return None
    scores = PoolScores.from_parquet(advance.previous[ArtifactKind.SCORES])
    query, labels, _ = _answers_to(advance, scores)
    known = np.isin(query, scores.indices)
    return _said_then(advance, scores, query[known]), labels.is_ood[known]
