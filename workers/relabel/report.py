"""What a relabeling found: the file of all labels, and the numbers of its page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from core.artifacts.subsets import UNKNOWN
from core.files.storage import write_atomically
from models.evaluation.skill_warnings import doubts_of_learner
from models.protocols import OOD, Float32Array, Indices


@dataclass(frozen=True)
class Findings:
    """What is known of N labeled images in C classes.

    Attributes:
        indices: (N,) pool indices.
        labels: (N,) int64 in 0..C-1, as given.
        class_ids: (C,) ids.
        true_ids: (N,) int64, ids of the true classes, ``UNKNOWN`` where they are not known.
        trained: (N,) bool, which were learned from.
        reviewed: (N,) bool, whose label is a reviewer's.
        corrected: (N,) int64 in 0..C-1, or ``OOD``.
        confidence: (N,) float32 in 0..1, of the corrected label.
        named: (N,) int64 in 0..C-1 or ``OOD``, what the learner takes each image for.
        quality: (N,) float32 in 0..1 of the given label, low = doubtful; None if nobody was asked.
        issue: (N,) bool, what cleanlab flags; None if nobody was asked.
        consensus: (N,) int64 in 0..C-1, what several votes amount to by cleanlab, -1 without a
            second vote; None if no image has several, or nobody was asked.
        consensus_quality: (N,) float32 in 0..1, how likely the consensus is right, NaN where there
            is none; None as above.
        wrong: (N,) float32 in 0..1, how likely the given label is wrong; None where a network was
            trained, whose confidence is no such probability.
        worth: (N,) float32, by which suggestions are ordered, higher = sooner; None as above.
        other: (N,) int64 in 0..C-1 or ``OOD``, the likeliest class but the given; None as above.
        other_probability: (N,) float32 in 0..1, how likely that class is right; None as above.
        alike: (N,) int64, numbers of groups of suggestions, ``NO_GROUP`` for none; None as above.
    """

    indices: Indices
    labels: Indices
    class_ids: Indices
    true_ids: Indices
    trained: NDArray[np.bool_]
    reviewed: NDArray[np.bool_]
    corrected: Indices
    confidence: Float32Array
    named: Indices
    quality: Float32Array | None
    issue: NDArray[np.bool_] | None
    consensus: Indices | None
    consensus_quality: Float32Array | None
    wrong: Float32Array | None = None
    worth: Float32Array | None = None
    other: Indices | None = None
    other_probability: Float32Array | None = None
    alike: Indices | None = None

    def corrected_ids(self, rows: Indices) -> list[int | None]:
        """Ids of the corrected classes of (n,) rows, None for OOD."""
        return self.ids_of(self.corrected[rows])

    def ids_of(self, labels: Indices) -> list[int | None]:
        """Ids of the classes of (n,) labels, None for OOD."""
        ids = self.class_ids
        return [None if number == OOD else int(ids[number]) for number in labels.tolist()]

    @property
    def doubted(self) -> NDArray[np.bool_]:
        """(N,) bool, for which another label is suggested: not where a reviewer has spoken."""
        result: NDArray[np.bool_] = (self.corrected != self.labels) & ~self.reviewed
        return result


def write_relabels(path: Path, findings: Findings, examples: Indices) -> None:
    """Write one row for each labeled image by pool index, atomically.

    Args:
        path: Of the Parquet file.
        findings: Its columns.
        examples: (N,) ids.
    """
    count = len(examples)
    class_id, consensus_quality = _consensus(findings)
    other, other_probability = findings.other, findings.other_probability
    table = pa.table(
        {
            "example_id": examples,
            "pool_index": findings.indices,
            "class_id": findings.class_ids[findings.labels],
            "corrected_class_id": pa.array(findings.corrected_ids(np.arange(count)), pa.int64()),
            "confidence": findings.confidence,
            "wrong_probability": pa.nulls(count, pa.float32())
            if findings.wrong is None
            else findings.wrong,
            "other_class_id": pa.nulls(count, pa.int64())
            if other is None
            else pa.array(findings.ids_of(other), pa.int64()),
            "other_probability": pa.nulls(count, pa.float32())
            if other_probability is None
            else other_probability,
            "quality": pa.nulls(count, pa.float32())
            if findings.quality is None
            else findings.quality,
            "issue": pa.nulls(count, pa.bool_()) if findings.issue is None else findings.issue,
            "trained_on": findings.trained,
            "consensus_class_id": class_id,
            "consensus_quality": consensus_quality,
        }
    )
    write_atomically(path, lambda part: pq.write_table(table, part, compression="zstd"))


def _consensus(findings: Findings) -> tuple[pa.Array, pa.Array]:
    """Class id and quality of each consensus, null where an example has no second vote."""
    labels, quality = findings.consensus, findings.consensus_quality
    if labels is None or quality is None:
        count = len(findings.labels)
        return pa.nulls(count, pa.int64()), pa.nulls(count, pa.float32())
    without = labels < 0
    class_id = findings.class_ids[np.where(without, 0, labels)]
    return pa.array(class_id, mask=without), pa.array(quality, mask=without)


def result_of(findings: Findings) -> dict[str, Any]:
    """Return the numbers of the page, JSON-ready.

    ``transitions[a][b]`` counts labels a for which b is suggested, those that stay among them,
    ``outside`` those for which OOD is; ``labels_of[a]`` are all of a. ``disagreements``, as these,
    leaves out the ``settled``, those with labels that a reviewer gave or confirmed. ``cleanlab``
    compares its flags with the disagreements, null if it was not asked. ``truth`` is about images
    whose true class is known, null without any: shares of wrong labels before and after, and which
    share of the wrong ones was put right, of all and of those that were learned from.
    """
    labels, corrected = findings.labels, findings.corrected
    classes = len(findings.class_ids)
    doubted = findings.doubted
    suggested = np.where(doubted, corrected, labels)
    inside = suggested != OOD
    cells = np.bincount((labels * classes + suggested)[inside], minlength=classes * classes)
    return {
        "labeled": len(labels),
        "trained": int(findings.trained.sum()),
        "disagreements": int(doubted.sum()),
        "settled": int(((corrected != labels) & findings.reviewed).sum()),
        "class_ids": findings.class_ids.tolist(),
        "transitions": cells.reshape(classes, classes).tolist(),
        "labels_of": np.bincount(labels, minlength=classes).tolist(),
        "outside": int((~inside).sum()),
        "cleanlab": None if findings.issue is None else _beside(doubted, findings.issue),
        "truth": _against_truth(findings),
    }


def warnings_of(
    findings: Findings, accuracy: float | None, evaluation_labels: Indices
) -> tuple[str, ...]:
    """Say that the learner knows next to nothing, if so.

    Args:
        findings: What it made of the labels.
        accuracy: On the evaluation images, 0..1; None without any.
        evaluation_labels: (E,) int64 in 0..C-1.
    """
    labels = findings.labels[findings.trained]
    correct = float((findings.named[findings.trained] == labels).mean())
    return doubts_of_learner(correct, labels, accuracy, evaluation_labels)


def _beside(doubted: NDArray[np.bool_], issue: NDArray[np.bool_]) -> dict[str, int]:
    return {
        "flagged": int(issue.sum()),
        "both": int((issue & doubted).sum()),
        "ours_only": int((doubted & ~issue).sum()),
        "theirs_only": int((issue & ~doubted).sum()),
    }


def _against_truth(findings: Findings) -> dict[str, float | int | None] | None:
    known = findings.true_ids != UNKNOWN
    if not known.any():
        return None
    truth = findings.true_ids[known]
    wrong = findings.class_ids[findings.labels[known]] != truth
    corrected = findings.corrected[known]
    # No class of an image that came with one is OOD.
    right_now = (findings.class_ids[corrected] == truth) & (corrected != OOD)
    trained = findings.trained[known]
    return {
        "known": int(known.sum()),
        "noise_before": float(wrong.mean()),
        "noise_after": float(1 - right_now.mean()),
        "corrected": _share(right_now[wrong]),
        "trained_wrong": int((wrong & trained).sum()),
        "trained_corrected": _share(right_now[wrong & trained]),
    }


def _share(right: NDArray[np.bool_]) -> float | None:
    return float(right.mean()) if len(right) else None
