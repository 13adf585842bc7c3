"""The audit of a review: labels drawn by chance among those that the job does not doubt."""

import secrets
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from anyio import to_thread
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, and_, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from api.files import present_file
from api.reviews.desk import suggested_by
from core.consensus import holds
from core.errors import Conflict, NotFound
from core.states import ArtifactKind, ExampleState, Source
from core.storage import Storage
from core.tables import Annotation, Artifact, Example, Job, Project, Suggestion

# Older files do not say what an image may be but what it is said to be.
_OTHER: Final = ("other_class_id", "other_probability")
_COLUMNS: Final = ("example_id", "class_id", "wrong_probability", "quality", *_OTHER)

_Rows = NDArray[np.int64]


def audited(project: Project, job_id: int) -> ColumnElement[bool]:
    """Condition: a row of the audit of a job."""
    return and_(suggested_by(project, job_id), Suggestion.inclusion.is_not(None))


async def draw(
    session: AsyncSession, project: Project, storage: Storage, job_id: int, n: int
) -> int:
    """Bring the audit of a job up to ``n`` images; a later draw is of those that are left.

    Drawn one after the other without replacement they are one random sample, whose images were
    all included with the same probability.

    Returns:
        How many images are in it now: fewer, where there are no more undoubted labels.
    """
    job = await session.get(Job, job_id)
    file = await _file(session, project, job_id)
    if job is None or job.result is None or file is None:
        raise NotFound("review")
    path = await present_file(storage, file.storage_key)
    judged = await to_thread.run_sync(_judged, path)
    there = await session.scalar(select(func.count()).where(audited(project, job_id))) or 0
    left = await _undoubted(session, project, job_id, judged["example_id"])
    if not there and not len(left):
        raise Conflict(
            "nothing_to_audit",
            "Every label that the job judged is suggested or reviewed; there is none to check.",
        )
    wanted = min(max(0, n - there), len(left))
    # Nobody can tell beforehand which images it will be.
    random = np.random.default_rng(secrets.randbits(128))
    chosen = random.choice(left, wanted, replace=False)
    inclusion = (there + wanted) / (there + len(left))
    if wanted:
        rows = _rows(judged, chosen, job)
        common = {"project_id": project.id, "job_id": job_id, "inclusion": inclusion}
        values = [{**common, "rank": there + place, **row} for place, row in enumerate(rows)]
        await session.execute(insert(Suggestion), values)
        await session.execute(
            update(Suggestion).where(audited(project, job_id)).values(inclusion=inclusion)
        )
    return there + wanted


async def _file(session: AsyncSession, project: Project, job_id: int) -> Artifact | None:
    statement = select(Artifact).where(
        Artifact.project_id == project.id,
        Artifact.job_id == job_id,
        Artifact.kind == ArtifactKind.RELABELS,
    )
    return (await session.scalars(statement.order_by(Artifact.id.desc()).limit(1))).first()


def _judged(path: Path) -> dict[str, list[Any]]:
    names = pq.read_schema(path).names
    table = pq.read_table(path, columns=[name for name in _COLUMNS if name in names])
    missing = dict.fromkeys(_OTHER, [None] * table.num_rows)
    found: dict[str, list[Any]] = {**missing, **table.to_pydict()}
    return found


async def _undoubted(
    session: AsyncSession, project: Project, job_id: int, judged: list[int]
) -> _Rows:
    """Ids of the labeled images, ascending, that the job judged and nobody has reviewed."""
    reviewed = exists().where(
        Annotation.example_id == Example.id, Annotation.source == Source.REVIEW, holds()
    )
    suggested = exists().where(Suggestion.example_id == Example.id, Suggestion.job_id == job_id)
    statement = select(Example.id).where(
        Example.project_id == project.id,
        Example.state == ExampleState.LABELED,
        ~suggested,
        ~reviewed,
    )
    labeled = np.array((await session.scalars(statement)).all(), dtype=np.int64)
    return np.intersect1d(labeled, np.array(judged, dtype=np.int64))


def _rows(judged: dict[str, list[Any]], chosen: _Rows, job: Job) -> list[dict[str, Any]]:
    """What reviewers are asked about each image: its label, or the likeliest other one."""
    at = {example: row for row, example in enumerate(judged["example_id"])}
    found = []
    for example in chosen.tolist():
        row = at[example]
        given, other, right = (judged[name][row] for name in ("class_id", *_OTHER))
        if right is None:
            other, right = _confused_with(job, given)
        found.append(
            {
                "example_id": example,
                "given_class_id": given,
                "suggested_class_id": other,
                "confidence": right,
                "wrong": judged["wrong_probability"][row],
                "quality": judged["quality"][row],
            }
        )
    return found


def _confused_with(job: Job, given: int) -> tuple[int, float]:
    """The class that the job suggests most often for labels ``given``, and how often."""
    assert job.result is not None
    ids: list[int] = job.result["class_ids"]
    counts = np.array(job.result["transitions"][ids.index(given)], dtype=np.float64)
    total = max(1.0, float(counts.sum()))
    counts[ids.index(given)] = -1
    most = int(counts.argmax())
    return ids[most], float(counts[most]) / total
