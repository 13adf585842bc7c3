import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from anyio import to_thread
from sqlalchemy import Select, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.examples.schemas import Filters
from api.exports.service import class_names
from api.snapshots.schemas import SnapshotClass, SnapshotCounts, SnapshotCreate, SnapshotOut
from api.snapshots.taking import Taken, take
from core.artifacts.pool_snapshots import Origin, digest_of
from core.errors import Conflict, Invalid, NotFound
from core.files.storage import Storage, sha256
from core.states import ArtifactKind, Split, Verdict
from core.tables import Artifact, PoolSnapshot, Project, Query, User, Withdrawal
from core.tasks.registry import task_type


@dataclass(frozen=True)
class Read:
    """What was read at one instant, and where it is written.

    Attributes:
        key: Of the file in storage; nothing names it yet.
        taken_at: The instant.
        classes: Names of the project's classes by their ids, in their order.
        last_query_id: The newest query, if there is one.
        taken: How many examples of each kind.
    """

    key: str
    taken_at: datetime
    classes: Mapping[int, str]
    last_query_id: int | None
    taken: Taken


def _snapshots(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(PoolSnapshot, Artifact.bytes, User.name)
        .join(Artifact, Artifact.id == PoolSnapshot.artifact_id)
        .outerjoin(User, User.id == PoolSnapshot.created_by)
        .where(PoolSnapshot.project_id == project_id)
    )


async def listed(
    session: AsyncSession, project_id: int, cursor: int | None, limit: int
) -> tuple[list[SnapshotOut], int | None]:
    """A page of snapshots, the newest first, and the cursor of the next."""
    statement = _snapshots(project_id).order_by(PoolSnapshot.id.desc()).limit(limit + 1)
    if cursor is not None:
        statement = statement.where(PoolSnapshot.id < cursor)
    rows = (await session.execute(statement)).all()
    items = [_described(*row) for row in rows[:limit]]
    return items, items[-1].id if len(rows) > limit else None


async def show(session: AsyncSession, project_id: int, name: str) -> SnapshotOut:
    """The snapshot of a name.

    Raises:
        NotFound: There is none.
    """
    found = (
        await session.execute(_snapshots(project_id).where(PoolSnapshot.name == name))
    ).one_or_none()
    if found is None:
        raise NotFound("snapshot", name)
    return _described(*found)


def _described(snapshot: PoolSnapshot, size: int, author: str | None) -> SnapshotOut:
    counts = {name: value for name, value in snapshot.counts.items() if name != "classes"}
    of_class = snapshot.counts["classes"]
    return SnapshotOut(
        id=snapshot.id,
        name=snapshot.name,
        taken_at=snapshot.taken_at,
        author=author,
        filters=snapshot.filters,
        digest=snapshot.digest,
        counts=SnapshotCounts(**{"no_objects": None, "withdrawn": 0, **counts}),
        classes=[
            SnapshotClass(
                **one, examples=None if of_class is None else of_class.get(str(one["id"]), 0)
            )
            for one in snapshot.classes
        ],
        artifact_id=snapshot.artifact_id,
        bytes=size,
    )


async def require_free(session: AsyncSession, project_id: int, name: str) -> None:
    """Refuse a name that is taken, before anything is read.

    Raises:
        Conflict: ``name_taken``.
    """
    statement = select(PoolSnapshot.id).where(
        PoolSnapshot.project_id == project_id, PoolSnapshot.name == name
    )
    if await session.scalar(statement) is not None:
        raise _taken(name)


def _taken(name: str) -> Conflict:
    return Conflict(
        "name_taken",
        f"There is a snapshot {name!r} of this project; choose another name, or remove it first.",
        field="name",
    )


async def read(
    session: AsyncSession, project: Project, storage: Storage, filters: Filters | None
) -> Read:
    """Read what examples count as, into a file that nothing names yet.

    Args:
        session: In a transaction that sees one state of the database throughout.
        project: Whose examples.
        storage: Where the file goes.
        filters: What the examples have to be.

    Raises:
        Invalid: ``nothing_matches``.
    """
    taken_at = await session.scalar(select(func.now()))
    assert taken_at is not None
    classes = await class_names(session, project.id)
    newest = select(func.max(Query.id)).where(Query.project_id == project.id)
    last_query_id = await session.scalar(newest)
    key = f"projects/{project.id}/snapshots/{secrets.token_hex(16)}.parquet"
    path = storage.artifact(key)
    part = path.with_name(f"{path.name}.part")
    try:
        await to_thread.run_sync(lambda: path.parent.mkdir(parents=True, exist_ok=True))
        taken = await take(session, project, storage, filters, classes, part)
        if taken.examples == 0:
            raise Invalid(
                "nothing_matches",
                "There is no such example, so there is nothing to keep; import some, or widen the "
                "filters.",
                field="filters",
            )
        await to_thread.run_sync(_complete, part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Read(key, taken_at, classes, last_query_id, taken)


def _complete(part: Path, path: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(part, path)


@dataclass(frozen=True)
class Sums:
    """The SHA-256 of what a snapshot says, and those of its file."""

    digest: str
    sha256: str
    bytes: int


def summed(storage: Storage, key: str) -> Sums:
    """The digests of a file that was read; it goes to the bucket, if there is one. Blocks."""
    path = storage.artifact(key)
    found = Sums(digest_of(path), sha256(path), path.stat().st_size)
    storage.publish(key)
    return found


async def keep(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    body: SnapshotCreate,
    read: Read,
    sums: Sums,
) -> SnapshotOut:
    """Give what was read its name.

    Raises:
        Conflict: ``name_taken``.
    """
    artifact = Artifact(
        project_id=project.id,
        kind=ArtifactKind.SNAPSHOT,
        storage_key=read.key,
        sha256=sums.sha256,
        bytes=sums.bytes,
        meta={"name": body.name},
    )
    session.add(artifact)
    await session.flush()
    snapshot = PoolSnapshot(
        project_id=project.id,
        name=body.name,
        filters=body.filters and body.filters.model_dump(mode="json", exclude_none=True),
        digest=sums.digest,
        counts=_counts(read.taken, by_class=task_type(project.task).names_one_class),
        classes=[{"id": id_, "name": name} for id_, name in read.classes.items()],
        last_query_id=read.last_query_id,
        artifact_id=artifact.id,
        created_by=principal.id,
        taken_at=read.taken_at,
    )
    session.add(snapshot)
    try:
        await session.flush()
    except IntegrityError as error:
        raise _taken(body.name) from error
    # What it was read of may have been withdrawn and erased meanwhile: it is looked through again.
    await session.execute(
        update(Withdrawal)
        .where(Withdrawal.project_id == project.id, Withdrawal.withdrawn_at >= read.taken_at)
        .values(erased_at=None)
    )
    record(
        session,
        principal,
        "create",
        "snapshot",
        snapshot.id,
        project_id=project.id,
        name=snapshot.name,
        digest=snapshot.digest,
    )
    return await show(session, project.id, body.name)


def _counts(taken: Taken, *, by_class: bool) -> dict[str, Any]:
    return {
        "examples": taken.examples,
        "labeled": taken.outcomes[Verdict.LABEL.in_files],
        "no_objects": taken.no_objects,
        "ood": taken.outcomes[Verdict.OOD.in_files],
        "unsure": taken.outcomes[Verdict.UNSURE.in_files],
        "unlabeled": taken.outcomes[Verdict.SKIP.in_files] + taken.outcomes[""],
        "evaluation": taken.splits[Split.EVALUATION],
        "auxiliary_ood": taken.splits[Split.AUXILIARY_OOD],
        **{f"by_{origin.value}": taken.origins[origin] for origin in Origin},
        # Keys of JSON are text.
        "classes": {str(id_): n for id_, n in taken.classes.items()} if by_class else None,
    }


async def remove(session: AsyncSession, principal: Principal, project: Project, name: str) -> str:
    """Remove a snapshot; what its examples count as stays as it is.

    Returns:
        The key of its file, which nobody names once this is committed.
    """
    found = await find(session, project.id, name, lock=True)
    artifact = await session.get_one(Artifact, found.artifact_id)
    record(
        session,
        principal,
        "delete",
        "snapshot",
        found.id,
        project_id=project.id,
        name=found.name,
        digest=found.digest,
    )
    key = artifact.storage_key
    await session.delete(found)
    await session.flush()
    await session.delete(artifact)
    return key


async def find(
    session: AsyncSession, project_id: int, name: str, *, lock: bool = False
) -> PoolSnapshot:
    """The row of a snapshot.

    Raises:
        NotFound: There is none of this name.
    """
    statement = select(PoolSnapshot).where(
        PoolSnapshot.project_id == project_id, PoolSnapshot.name == name
    )
    if lock:
        statement = statement.with_for_update()
    found = (await session.scalars(statement)).one_or_none()
    if found is None:
        raise NotFound("snapshot", name)
    return found


async def pair(
    session: AsyncSession, project_id: int, names: Sequence[str]
) -> list[tuple[PoolSnapshot, str]]:
    """Rows of snapshots, with the keys of their files."""
    found = []
    for name in names:
        snapshot = await find(session, project_id, name)
        artifact = await session.get_one(Artifact, snapshot.artifact_id)
        found.append((snapshot, artifact.storage_key))
    return found
