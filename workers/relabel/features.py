"""Judging the labels of a project by frozen features."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.catalog.params.relabel import RelabelParams
from models.features.chosen import chosen_features, embed_rows
from models.protocols import OOD, Float32Array, Indices, Progress
from models.relabeling.frozen import Judgement, judge_labels
from models.relabeling.groups import NO_GROUP, alike_groups
from models.relabeling.noise_model import UNKNOWN
from models.relabeling.second_opinion import SecondOpinion, judge
from workers.jobs.context import JobContext
from workers.labels.snapshot import Snapshot
from workers.relabel.gather import Gathered

_FILE: Final = "features.npy"
# With fewer images that were called OOD nobody knows what such images look like.
_FEWEST_OOD: Final = 5


@dataclass(frozen=True)
class JudgedByFeatures:
    """What is kept of a judgement until it is published.

    Attributes:
        arrays: A row for each label, by the fields of ``Findings``.
        facts: JSON-ready, for the result.
        second: What cleanlab says by the same opinions, which have not seen the labels either.
    """

    arrays: dict[str, NDArray[Any]]
    facts: dict[str, Any]
    second: SecondOpinion


def embed(
    context: JobContext, params: RelabelParams, gathered: Gathered, progress: Progress
) -> None:
    """Compute features of the labeled and of the evaluation images, in this order."""
    known = gathered.known
    indices, _, _ = _judged(known.snapshot)
    embed_rows(
        known.store,
        np.concatenate([indices, known.snapshot.evaluation]),
        params.network,
        params.feature_params(),
        seed=known.seed,
        out=context.work / _FILE,
        progress=progress,
    )


def judged_by_features(
    context: JobContext, params: RelabelParams, gathered: Gathered, progress: Progress
) -> JudgedByFeatures:
    """Judge the labels. Images that were called OOD are one class more, if there are some."""
    known, snapshot = gathered.known, gathered.known.snapshot
    indices, labels, classes = _judged(snapshot)
    features = chosen_features(
        np.load(context.work / _FILE, mmap_mode="r"),
        labels,
        params.network,
        classes=classes,
        image_size=known.store.size,
        seed=known.seed,
    )
    # Those of the classes come first, as everything else here has them.
    inside = len(gathered.trained)
    found = judge_labels(
        features.embeddings[: len(labels)],
        labels,
        classes=classes,
        seed=known.seed,
        learner=params.learner,
        trained_on=np.append(gathered.trained_on, np.arange(inside, len(labels))),
        settled=np.isin(indices, snapshot.reviewed),
        before=_before(gathered, indices),
        evaluation=features.embeddings[len(labels) :],
        evaluation_labels=snapshot.evaluation_labels,
        progress=progress,
    )
    kept = _kept(found, labels[:inside], snapshot.classes, params.share, features.notes)
    arrays, settled = kept.arrays, np.isin(indices[:inside], snapshot.reviewed)
    arrays["alike"] = _alike(
        features.embeddings[:inside], labels[:inside], arrays, settled, progress
    )
    return kept


def _alike(
    embeddings: Float32Array,
    labels: Indices,
    arrays: dict[str, NDArray[Any]],
    settled: NDArray[np.bool_],
    progress: Progress,
) -> Indices:
    """(N,) numbers of groups of what will be suggested, ``NO_GROUP`` elsewhere."""
    result = np.full(len(labels), NO_GROUP, dtype=np.int64)
    rows = np.flatnonzero((arrays["corrected"] != labels) & ~settled)
    result[rows] = alike_groups(
        np.asarray(embeddings[rows]),
        labels[rows],
        arrays["corrected"][rows],
        arrays["worth"][rows],
        progress,
    )
    return result


def _before(gathered: Gathered, indices: Indices) -> Indices:
    """(N,) labels of pool indices before they were reviewed, `UNKNOWN` where nobody knows."""
    snapshot = gathered.known.snapshot
    ids = gathered.before_ids[np.searchsorted(snapshot.labeled, indices)]
    labels = np.full(len(ids), UNKNOWN, dtype=np.int64)
    for number, class_id in enumerate(snapshot.class_ids.tolist()):
        labels[ids == class_id] = number
    return labels


def _judged(snapshot: Snapshot) -> tuple[Indices, Indices, int]:
    """Pool indices and labels of what is judged, those of the classes first, and how many classes.

    With images that were called OOD there is one class more, the last.
    """
    indices, labels = snapshot.inside()
    outside = snapshot.ood
    if len(outside) < _FEWEST_OOD:
        return indices, labels, snapshot.classes
    last = np.full(len(outside), snapshot.classes, dtype=np.int64)
    return (
        np.concatenate([indices, outside]),
        np.concatenate([labels, last]),
        snapshot.classes + 1,
    )


def _kept(
    found: Judgement, labels: Indices, classes: int, share: float, notes: tuple[str, ...]
) -> JudgedByFeatures:
    count = len(labels)
    wrong, worth = found.wrong[:count], found.worth[:count]
    doubted = wrong >= share
    other = _or_ood(found.other[:count], classes)
    corrected = np.where(doubted, other, labels)
    confidence = np.where(doubted, found.other_probability[:count], 1 - wrong)
    named = _or_ood(found.opinions[:count].argmax(axis=1).astype(np.int64), classes)
    facts = {
        "test_accuracy": found.accuracy,
        "extras": {},
        "notes": list(notes),
        "share": share,
        "noise": vars(found.noise),
        "expected": {
            "wrong": _mean(wrong[doubted]),
            "right": _mean(found.other_probability[:count][doubted]),
        },
        "knows_ood": found.opinions.shape[1] > classes,
    }
    arrays = {
        "corrected": corrected,
        "confidence": confidence.astype(np.float32),
        "named": named,
        "wrong": wrong,
        "worth": worth,
        "other": other,
        "other_probability": found.other_probability[:count],
    }
    inside = found.opinions[:count, :classes]
    inside = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1e-12)
    return JudgedByFeatures(arrays, facts, judge(labels, inside.astype(np.float32)))


def _or_ood(numbers: Indices, classes: int) -> Indices:
    result: Indices = np.where(numbers == classes, OOD, numbers)
    return result


def _mean(values: Float32Array) -> float | None:
    return float(values.mean()) if len(values) else None
