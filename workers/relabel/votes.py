"""What each annotator, or column of imported labels, has said."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from core.states import Source, Verdict
from core.tables import Annotation, Example
from core.verdicts.consensus import holds
from models.files.arrays import read_arrays, write_arrays
from models.protocols import Float32Array, Indices
from models.relabeling.consensus import consensus_quality
from workers.jobs.context import JobContext
from workers.labels.snapshot import Snapshot

_FILE: Final = "votes.npz"


@dataclass(frozen=True)
class Votes:
    """V class verdicts by A voters on N labeled images. Reviews are none: they know the others.

    Attributes:
        positions: (V,) int64 in 0..N-1, images.
        voters: (V,) int64 in 0..A-1, who.
        labels: (V,) int64 in 0..C-1, what.
        user_ids: (A,) int64, 0 for a column of imported labels.
        source_names: (A,) str, of such columns.
    """

    positions: Indices
    voters: Indices
    labels: Indices
    user_ids: Indices
    source_names: NDArray[np.str_]

    def matrix(self, count: int) -> NDArray[np.float64]:
        """The votes on so many images, (N, A), NaN where there is none."""
        result = np.full((count, len(self.user_ids)), np.nan)
        result[self.positions, self.voters] = self.labels
        return result


def take_votes(context: JobContext, snapshot: Snapshot) -> None:
    """Freeze the votes on the labeled images of ``snapshot``, for the job and who resumes it."""
    indices, _ = snapshot.inside()
    place = {index: position for position, index in enumerate(indices.tolist())}
    output = {class_id: number for number, class_id in enumerate(snapshot.class_ids.tolist())}
    statement = (
        select(
            Example.pool_index,
            Annotation.annotator_id,
            Annotation.source_name,
            Annotation.class_id,
        )
        .join(Example, Example.id == Annotation.example_id)
        .where(
            Annotation.project_id == context.project_id,
            Annotation.verdict == Verdict.LABEL,
            Annotation.source.not_in((Source.REVIEW, Source.MODEL)),
            holds(),
        )
        .order_by(Annotation.id)
    )
    who: dict[tuple[int, str], int] = {}
    with context.sessions() as session:
        rows = [
            (place[index], who.setdefault((user or 0, name or ""), len(who)), output[class_id])
            for index, user, name, class_id in session.execute(statement)
            if index in place and class_id in output
        ]
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    votes = Votes(
        table[:, 0],
        table[:, 1],
        table[:, 2],
        np.array([user for user, _ in who], dtype=np.int64),
        np.array([name for _, name in who], dtype=np.str_),
    )
    write_arrays(context.work / _FILE, vars(votes))


@dataclass(frozen=True)
class Weighed:
    """What N images are by the votes of several people, and how good these people are.

    Attributes:
        labels: (N,) int64 in 0..C-1, cleanlab's consensus, -1 without a second vote.
        quality: (N,) float32 in 0..1, how likely that is right, NaN without a second vote.
        result: JSON-ready: ``examples``, how many images have several votes;
            ``other_consensus``, on how many of these the consensus is not the given label; and
            ``annotators`` with the number of their ``labels`` and their ``quality``, 0..1, the
            best first.
    """

    labels: Indices
    quality: Float32Array
    result: dict[str, Any]


def weighed(context: JobContext, labels: Indices, probabilities: Float32Array) -> Weighed | None:
    """Weigh the frozen votes on images with (N,) given ``labels``; None if none has several.

    Args:
        context: Of the job.
        labels: (N,) int64 in 0..C-1.
        probabilities: (N, C) out of sample, rows sum to 1.
    """
    votes = Votes(**read_arrays(context.work / _FILE))
    matrix = votes.matrix(len(labels))
    per_image = (~np.isnan(matrix)).sum(axis=1)
    several = per_image > 1
    if not several.any():
        return None
    voted = np.flatnonzero(per_image)
    found = consensus_quality(matrix[voted], probabilities[voted])
    # A single vote helps to judge who gave it, but is no consensus.
    both = several[voted]
    consensus = np.full(len(labels), -1, dtype=np.int64)
    quality = np.full(len(labels), np.nan, dtype=np.float32)
    consensus[several], quality[several] = found.labels[both], found.quality[both]
    result = {
        "examples": int(several.sum()),
        "other_consensus": int((consensus[several] != labels[several]).sum()),
        "annotators": [asdict(one) for one in _annotators(votes, found.annotators)],
    }
    return Weighed(consensus, quality, result)


def _annotators(votes: Votes, quality: NDArray[np.float64]) -> list["_Annotator"]:
    """Who has voted, the best first; ``quality`` (A,) is theirs."""
    given = np.bincount(votes.voters, minlength=len(votes.user_ids))
    annotators = [
        _Annotator(int(user) or None, str(name) or None, int(count), float(right))
        for user, name, count, right in zip(
            votes.user_ids, votes.source_names, given, quality, strict=True
        )
    ]
    return sorted(annotators, key=lambda one: -one.quality)


@dataclass(frozen=True)
class _Annotator:
    user_id: int | None
    source_name: str | None
    labels: int
    quality: float
