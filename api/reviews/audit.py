"""The audit of a review: labels drawn by chance among those that the job does not doubt."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    LargeBinary,
    Select,
    and_,
    cast,
    exists,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from api.reviews.desk import suggested_by
from api.transfers.files import present_file
from core.errors import Conflict, NotFound
from core.files.storage import Storage
from core.states import ArtifactKind, ExampleState, Source
from core.tables import Annotation, Artifact, Example, Job, Project, Suggestion
from core.tasks.classification import stored_class
from core.verdicts.consensus import by_model, holds

# Older files do not say what an image may be but what it is said to be, and at first not how
# probably that is wrong.
_OTHER: Final = ("other_class_id", "other_probability")
_COLUMNS: Final = ("example_id", "class_id", "wrong_probability", "quality", *_OTHER)

_Ids = NDArray[np.int64]


def audited(project: Project, job_id: int) -> ColumnElement[bool]:
    """Condition: a row of the audit of a job."""
    return and_(suggested_by(project, job_id), Suggestion.inclusion.is_not(None))


@dataclass(frozen=True)
class Judged:
    """What a job has judged.

    Attributes:
        path: Its file.
        example_ids: (N,) int64, in the order of its rows.
        result: The job's.
    """

    path: Path
    example_ids: _Ids
    result: dict[str, Any]


async def judged_by(
    session: AsyncSession, project: Project, storage: Storage, job_id: int
) -> Judged:
    """Open what a job has judged; its file may have to be fetched.

    Raises:
        NotFound: The job has judged nothing.
        Conflict: ``artifact_missing``.
    """
    job = await session.get(Job, job_id)
    file = await _file(session, project, job_id)
    if job is None or job.result is None or file is None:
        raise NotFound("review")
    path = await present_file(storage, file.storage_key)
    return Judged(path, await to_thread.run_sync(_example_ids, path), job.result)


async def draw(session: AsyncSession, project: Project, judged: Judged, job_id: int, n: int) -> int:
    """Bring the audit of a job up to ``n`` images; a later draw is of those that are left.

    Drawn one after the other without replacement they are one random sample, whose images were
    all included with the same probability. The project is locked, so that none is drawn twice.

    Returns:
        How many images are in it now: fewer, where there are no more undoubted labels.
    """
    there = await session.scalar(select(func.count()).where(audited(project, job_id))) or 0
    undoubted = await session.scalar(_undoubted(project, job_id)) or b""
    left, rows = await to_thread.run_sync(_drawn, judged, undoubted, max(0, n - there))
    if not there and not left:
        raise Conflict(
            "nothing_to_audit",
            "Every label that the job judged is suggested or reviewed; there is none to check.",
        )
    if rows:
        inclusion = (there + len(rows)) / (there + left)
        # In the order of decisions, so that neither waits for the other in a circle.
        mine = select(Suggestion.id).where(audited(project, job_id)).order_by(Suggestion.id)
        await session.execute(mine.with_for_update())
        await session.execute(
            update(Suggestion).where(audited(project, job_id)).values(inclusion=inclusion)
        )
        common = {"project_id": project.id, "job_id": job_id, "inclusion": inclusion}
        values = [{**common, "rank": there + place, **row} for place, row in enumerate(rows)]
        await session.execute(insert(Suggestion), values)
    return there + len(rows)


async def _file(session: AsyncSession, project: Project, job_id: int) -> Artifact | None:
    statement = select(Artifact).where(
        Artifact.project_id == project.id,
        Artifact.job_id == job_id,
        Artifact.kind == ArtifactKind.RELABELS,
    )
    return (await session.scalars(statement.order_by(Artifact.id.desc()).limit(1))).first()


def _example_ids(path: Path) -> _Ids:
    found: _Ids = pq.read_table(path, columns=["example_id"])["example_id"].to_numpy()
    return found


def _undoubted(project: Project, job_id: int) -> Select[bytes | None]:
    """Ids of the labeled images that the job does not doubt and nobody has reviewed.

    As bytes, eight big-endian ones for each: a row for each of a million would be seconds.
    """
    reviewed = exists().where(
        Annotation.example_id == Example.id, Annotation.source == Source.REVIEW, holds()
    )
    suggested = exists().where(Suggestion.example_id == Example.id, Suggestion.job_id == job_id)
    sent = cast(func.int8send(cast(Example.id, BigInteger)), LargeBinary)
    return select(func.string_agg(sent, literal(b"", LargeBinary))).where(
        Example.project_id == project.id,
        Example.state == ExampleState.LABELED,
        ~by_model(Example.id),
        ~suggested,
        ~reviewed,
    )


def _drawn(judged: Judged, undoubted: bytes, wanted: int) -> tuple[int, list[dict[str, Any]]]:
    """Draw images, ``wanted`` if there are so many: of how many, and what is asked about each."""
    ids = np.frombuffer(undoubted, dtype=">i8").astype(np.int64)
    left = np.flatnonzero(np.isin(judged.example_ids, ids))
    # Nobody can tell beforehand which images it will be.
    random = np.random.default_rng(secrets.randbits(128))
    chosen = random.choice(left, min(wanted, len(left)), replace=False)
    names = pq.read_schema(judged.path).names
    table = pq.read_table(judged.path, columns=[name for name in _COLUMNS if name in names])
    return len(left), [_asked(row, judged.result) for row in table.take(chosen).to_pylist()]


def _asked(row: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """What reviewers are asked about an image: its label, or the likeliest other one."""
    given, (other, right) = row["class_id"], (row.get(name) for name in _OTHER)
    if right is None:
        other, right = _confused_with(result, given)
    return {
        "example_id": row["example_id"],
        "given_label": stored_class(given),
        "suggested_label": stored_class(other),
        "confidence": right,
        "wrong": row.get("wrong_probability"),
        "quality": row["quality"],
    }


def _confused_with(result: dict[str, Any], given: int) -> tuple[int, float]:
    """The class that the job suggests most often for labels ``given``, and how often."""
    ids: list[int] = result["class_ids"]
    counts = np.array(result["transitions"][ids.index(given)], dtype=np.float64)
    total = max(1.0, float(counts.sum()))
    counts[ids.index(given)] = -1
    most = int(counts.argmax())
    return ids[most], float(counts[most]) / total
