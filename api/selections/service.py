from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
from anyio import to_thread
from sqlalchemy import Select, distinct, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.instruction_rows import beginning_of
from api.selections.schemas import (
    ClusterPageOut,
    ComparedSelection,
    PeopleOut,
    SelectedCluster,
    SelectedRow,
    SelectionComparison,
    SelectionOut,
    Topic,
)
from core.artifacts.selections import (
    SelectionReason,
    Shown,
    cluster_page,
    places_of,
    read_columns,
    rows_at,
)
from core.database.among import among
from core.errors import Conflict, NotFound
from core.files.storage import Storage
from core.states import ArtifactKind, JobKind
from core.tables import Artifact, Example, ExampleText, Job, Query

_SHOWN: Final = 24
_MOST_BYTES: Final = 1 << 20
"""Of rows that are handed out together, as they were imported."""


@dataclass(frozen=True)
class Found:
    """A selection as the database knows it.

    Attributes:
        artifact: The newest of its job: where people have decided since, it follows them.
        tied: How little scores of single rows say where rows are alike, if the project has both.
        answered: While the round is open in which people rank, how many groups they have ranked.
    """

    artifact: Artifact
    tied: dict[str, Any] | None
    answered: int | None


def _selections(project_id: int) -> Select[Artifact]:
    """Selections of a project, the newest first."""
    return (
        select(Artifact)
        .where(Artifact.project_id == project_id, Artifact.kind == ArtifactKind.SELECTION)
        .order_by(Artifact.id.desc())
    )


async def find_selection(session: AsyncSession, project_id: int, job_id: int) -> Found:
    """The selection of a job.

    Raises:
        NotFound: There is no such job in this project.
        Conflict: ``not_selected``, it has chosen nothing.
    """
    of_job = _selections(project_id).where(Artifact.job_id == job_id).limit(1)
    artifact = (await session.scalars(of_job)).one_or_none()
    if artifact is None:
        job = await session.get(Job, job_id)
        if job is None or job.project_id != project_id:
            raise NotFound("job")
        if job.kind is not JobKind.SELECT_INSTRUCTIONS:
            raise Conflict("not_selected", f"Job {job_id} chooses no instructions.")
        raise Conflict(
            "not_selected",
            f"Job {job_id} is {job.state} and has chosen nothing yet; wait until it has succeeded.",
        )
    return Found(
        artifact, await _tied(session, project_id, job_id), await _answered(session, artifact)
    )


async def chosen(session: AsyncSession, project_id: int, job_id: int | None) -> Artifact:
    """The selection of a job, or the newest of the project.

    Raises:
        NotFound: There is no such job in this project.
        Conflict: ``not_selected``, nothing has been chosen.
    """
    if job_id is not None:
        return (await find_selection(session, project_id, job_id)).artifact
    newest = (
        await session.scalars(
            _selections(project_id)
            .order_by(None)
            .order_by(Artifact.job_id.desc(), Artifact.id.desc())
            .limit(1)
        )
    ).one_or_none()
    if newest is None:
        raise Conflict(
            "not_selected", "Nothing was chosen in this project yet; start the job that does."
        )
    return newest


async def _tied(session: AsyncSession, project_id: int, job_id: int) -> dict[str, Any] | None:
    """What the newest selection says of equal scores that names a job, or that names any."""
    tied = Artifact.meta["non_rankable"]
    names_it = or_(*(tied[name].as_integer() == job_id for name in ("scores_of", "clusters_of")))
    statement = (
        select(tied)
        .where(
            Artifact.project_id == project_id,
            Artifact.kind == ArtifactKind.SELECTION,
            tied["share"].is_not(None),
        )
        .order_by(names_it.desc(), Artifact.id.desc())
        .limit(1)
    )
    found: dict[str, Any] | None = await session.scalar(statement)
    return found


async def _answered(session: AsyncSession, artifact: Artifact) -> int | None:
    people = artifact.meta.get("people")
    # A file that follows people has a round of its own, and counts what they said in it.
    if people is None or people["round_id"] is None or artifact.round_id is not None:
        return None
    done = select(func.count(distinct(Query.example_id))).where(
        Query.round_id == people["round_id"], Query.done
    )
    return await session.scalar(done)


def path_of(storage: Storage, artifact: Artifact) -> Path:
    """The file of a selection. Blocks where it lies in a bucket.

    Raises:
        Conflict: ``selection_file_missing``.
    """
    path = storage.fetch(artifact.storage_key)
    if not path.exists():
        raise Conflict(
            "selection_file_missing",
            f"The file of the selection of job {artifact.job_id} is not in the data directory; "
            "restore it from a backup, or choose again.",
        )
    return path


def summary(found: Found) -> SelectionOut:
    """What is said of a selection."""
    artifact = found.artifact
    meta: dict[str, Any] = artifact.meta
    people = meta.get("people")
    return SelectionOut.model_validate(
        {
            **meta,
            "job_id": artifact.job_id,
            "artifact_id": artifact.id,
            "non_rankable": found.tied,
            "people": None if people is None else _people(people, found.answered),
            "topics": [
                Topic(words=words, rows=rows, kept=kept)
                for words, rows, kept in zip(
                    meta["topic_words"],
                    meta["by_topic"]["before"],
                    meta["by_topic"]["after"],
                    strict=True,
                )
            ],
            "created_at": artifact.created_at,
        }
    )


def _people(people: dict[str, Any], answered: int | None) -> PeopleOut:
    so_far = {} if answered is None else {"answered": answered}
    return PeopleOut.model_validate({**people, **so_far})


async def clusters(
    session: AsyncSession,
    storage: Storage,
    found: Found,
    *,
    shown: Shown,
    cursor: int | None,
    limit: int,
) -> ClusterPageOut:
    """A page of clusters, by number."""
    path = await to_thread.run_sync(path_of, storage, found.artifact)
    page = await to_thread.run_sync(cluster_page, path, shown, cursor or 0, limit)
    clusters = {
        number: list(group) for number, group in groupby(page.rows, key=lambda row: row["cluster"])
    }
    sizes = await _sizes(session, page.rows)
    count = fitting([sum(map(sizes.__getitem__, map(_id, rows))) for rows in clusters.values()])
    numbers = list(clusters)
    next_cursor = numbers[count] if count < len(numbers) else page.next_cluster
    described = await described_rows(
        session, [row for number in numbers[:count] for row in clusters[number]]
    )
    by_id = {row.example_id: row for row in described}
    items = []
    for number in numbers[:count]:
        rows = clusters[number]
        names = ("status", "w", "p_value", "asked", "source")
        items.append(
            SelectedCluster(
                cluster=number,
                **{name: rows[0][name] for name in names},
                members=[by_id[row["example_id"]] for row in rows if row["example_id"] in by_id],
            )
        )
    return ClusterPageOut(items=items, next_cursor=next_cursor, total=page.total)


def _id(row: dict[str, Any]) -> int:
    found: int = row["example_id"]
    return found


async def _sizes(session: AsyncSession, rows: Sequence[dict[str, Any]]) -> dict[int, int]:
    """Bytes of what each row of a file says, by example; 0 where it was deleted since."""
    statement = select(Example.id, Example.bytes).where(among(Example.id, list(map(_id, rows))))
    return {**dict.fromkeys(map(_id, rows), 0), **dict((await session.execute(statement)).all())}


def fitting(sizes: Sequence[int]) -> int:
    """How many of the first are handed out together, at least one: one may be as long as a book.

    Args:
        sizes: Bytes of each.
    """
    within = np.searchsorted(np.cumsum(sizes), _MOST_BYTES, side="right")
    return min(len(sizes), max(1, int(within)))


async def listed(
    session: AsyncSession,
    storage: Storage,
    found: Found,
    *,
    kept: bool | None,
    reason: SelectionReason | None,
    cursor: int | None,
    limit: int,
) -> tuple[list[SelectedRow], int | None]:
    """A page of rows, in the order of the file, and the cursor of the next."""
    path = await to_thread.run_sync(path_of, storage, found.artifact)

    def read() -> tuple[list[dict[str, Any]], list[int]]:
        places = places_of(path, kept=kept, reason=reason)
        begin = int(np.searchsorted(places, cursor or 0))
        wanted = places[begin : begin + limit + 1]
        return rows_at(path, wanted[:limit]), wanted.tolist()

    rows, places = await to_thread.run_sync(read)
    sizes = await _sizes(session, rows)
    count = fitting([sizes[_id(row)] for row in rows])
    after = places[count] if count < len(places) else None
    return await described_rows(session, rows[:count]), after


async def described_rows(
    session: AsyncSession, rows: Sequence[dict[str, Any]]
) -> list[SelectedRow]:
    """Rows of a file with what they say; what was deleted since is left out."""
    ids = [row["example_id"] for row in rows]
    statement = (
        select(Example.id, Example.name, ExampleText.fields)
        .join(ExampleText, ExampleText.example_id == Example.id)
        .where(among(Example.id, ids))
    )
    known = {one.id: one for one in await session.execute(statement)}
    return [
        SelectedRow(
            name=known[row["example_id"]].name,
            fields=beginning_of(known[row["example_id"]].fields),
            **{name: row[name] for name in SelectedRow.model_fields if name in row},
        )
        for row in rows
        if row["example_id"] in known
    ]


@dataclass(frozen=True)
class Sides:
    """What two selections keep, compared.

    Attributes:
        both: How many both keep.
        only: For each, how many only it keeps, and the first of them as rows of its file.
    """

    both: int
    only: tuple[tuple[int, list[dict[str, Any]]], tuple[int, list[dict[str, Any]]]]


def sides(storage: Storage, one: Artifact, other: Artifact) -> Sides:
    """Compare what two selections keep. Blocks."""
    paths = [path_of(storage, artifact) for artifact in (one, other)]
    read = [read_columns(path, "example_id", "kept", "pool_index") for path in paths]
    kept = [columns["example_id"][columns["kept"]] for columns in read]
    both = len(np.intersect1d(kept[0], kept[1], assume_unique=True))
    only = []
    for path, columns, others in zip(paths, read, reversed(kept), strict=True):
        places = np.flatnonzero(columns["kept"] & ~np.isin(columns["example_id"], others))
        first = places[np.argsort(columns["pool_index"][places], kind="stable")][:_SHOWN]
        only.append((len(places), rows_at(path, np.sort(first))))
    return Sides(both, (only[0], only[1]))


async def comparison(
    session: AsyncSession, one: Artifact, other: Artifact, found: Sides
) -> SelectionComparison:
    """Two selections side by side."""
    (only_one, first_one), (only_other, first_other) = found.only
    union = found.both + only_one + only_other
    return SelectionComparison(
        one=_compared(one),
        other=_compared(other),
        both=found.both,
        only_one=only_one,
        only_other=only_other,
        jaccard=found.both / union if union else 1.0,
        first_only_one=await described_rows(session, first_one),
        first_only_other=await described_rows(session, first_other),
    )


def _compared(artifact: Artifact) -> ComparedSelection:
    assert artifact.job_id is not None
    meta = artifact.meta
    return ComparedSelection(job_id=artifact.job_id, method=meta["method"], kept=meta["kept"])
