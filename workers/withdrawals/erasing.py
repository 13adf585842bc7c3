"""What files tell of what was withdrawn: pixels, texts, features, and what jobs have left.

Rows of a store stay in their places, with nothing in them; of tables they go.
"""

import os
import re
import secrets
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from itertools import compress
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import Select, delete, exists, func, select
from sqlalchemy.orm import Session, sessionmaker

from core.artifacts.alike import read_alike, write_alike
from core.artifacts.pool_snapshots import digest_of
from core.database.among import among
from core.files.storage import Storage, sha256
from core.jobs import queue
from core.settings.project import ProjectSettings
from core.states import ArtifactKind
from core.tables import (
    Artifact,
    Example,
    Job,
    PoolSnapshot,
    Project,
    Removal,
    RemovalItem,
)
from core.withdrawals import at_work, is_kept, places_of, uses_files, withdrawn_places
from models.files.atomic import write_atomically
from models.frame import Frame
from models.media.embedding_files import write_over
from models.media.images.store import PixelStore
from models.protocols import Indices
from workers.imports.media import text_store
from workers.instructions.superseded import FOLLOW_LOCK, remove_superseded
from workers.jobs.locks import alone
from workers.jobs.stores import frame_of
from workers.jobs.unfinished import begin_anew
from workers.jobs.work import read_json, write_json
from workers.withdrawals.rows import withdraw_again

_ROWS: Final = 65_536
_OF_EXAMPLES: Final = (
    ArtifactKind.SCORES,
    ArtifactKind.EMBEDDING_MAP,
    ArtifactKind.SUBSET,
    ArtifactKind.RELABELS,
    ArtifactKind.SELECTION,
    ArtifactKind.SNAPSHOT,
    ArtifactKind.ALIKE,
    ArtifactKind.COMPARISON,
)
"""Artifacts that tell of examples, by ``pool_index``, by their places, or by their ids.

A certificate's says in which lot each was, which its arithmetic goes on needing: nothing else.
"""
_MARK: Final = re.compile(r"\.w[0-9a-f]{8}$")


def erase(
    factory: sessionmaker[Session], storage: Storage, project_id: int, withdrawals: Sequence[int]
) -> bool:
    """Take what was withdrawn out of the files of its project. Blocks.

    A job that ran meanwhile may have read what was there, and write of it: then this says so, and
    is done again.

    Args:
        factory: Of sessions.
        storage: Where the files are.
        project_id: Of the project.
        withdrawals: Ids, of some whose rows have gone.

    Returns:
        Whether nothing is left to do.
    """
    with factory() as session:
        project = session.get_one(Project, project_id)
    attempts = _begin_anew(factory, storage, project)
    if attempts is None:
        return False
    for withdrawal_id in withdrawals:
        _withdraw_again(factory, withdrawal_id)
    with factory() as session:
        # Of files that are long those of earlier ones are not written over again.
        new = np.fromiter(session.scalars(places_of(withdrawals)), dtype=np.int64)
        if not _erase_examples(factory, session, storage, project, new):
            return False
        places = np.fromiter(session.scalars(withdrawn_places(project.id)), dtype=np.int64)
    _erase_features(storage.features(project.id), new)
    storage.warm_up(project.id).unlink(missing_ok=True)
    mine = Artifact.project_id == project.id
    remove_superseded(factory, storage, [mine], timedelta(0))
    with factory() as session:
        artifacts = session.execute(
            select(Artifact.id, Artifact.kind, Artifact.round_id)
            .where(mine, Artifact.kind.in_(_OF_EXAMPLES))
            .order_by(Artifact.id)
        ).all()
    for id_, kind, round_id in artifacts:
        turn: AbstractContextManager[bool] = nullcontext(True)
        if kind is ArtifactKind.SELECTION and round_id is not None:
            # No job makes it anew by what people say later.
            turn = alone(factory, FOLLOW_LOCK, round_id)
        with turn as is_mine:
            if not is_mine:
                return False
            _erase_artifact(factory, storage, id_, places, withdrawals[-1])
    with factory() as session:
        return session.scalar(_attempts(project.id)) == attempts


def _begin_anew(factory: sessionmaker[Session], storage: Storage, project: Project) -> int | None:
    """Remove what jobs have not finished, which may be made of what was there.

    Returns:
        How often jobs of the project were taken up until now: once more, and one may have read what
        was there. None while any is at work.
    """
    with factory.begin() as session:
        anew = begin_anew(session, project.id)
        # In the order of a worker that takes a job up: until this ends, none is.
        session.execute(select(func.pg_advisory_xact_lock(project.id)))
        if session.scalar(select(exists().where(at_work(project.id)))):
            session.rollback()
            return None
        for job_id in anew:
            storage.remove_path(f"work/{job_id}")
        # Pixels of a job that ended between them and the settings, which name them.
        frame = _frame_of(session.get_one(Project, project.id))
        kept = frame and storage.pixels(project.id, frame.side, frame.fit)
        for path in storage.all_pixels(project.id):
            if path != kept:
                path.unlink(missing_ok=True)
        return session.scalar(_attempts(project.id))


def _frame_of(project: Project) -> Frame | None:
    return frame_of(project.medium, ProjectSettings.model_validate(project.settings))


def _attempts(project_id: int) -> Select[int]:
    return select(func.coalesce(func.sum(Job.attempt), 0)).where(uses_files(project_id))


def _withdraw_again(factory: sessionmaker[Session], withdrawal_id: int) -> None:
    after: int | None = 0
    while after is not None:
        with factory() as session:
            with session.begin():
                after = withdraw_again(session, withdrawal_id, after)
            queue.deliver(session.info)


def _erase_examples(
    factory: sessionmaker[Session],
    session: Session,
    storage: Storage,
    project: Project,
    places: Indices,
) -> bool:
    """Take texts, or pixels, out of their store; not while a job mends it."""
    frame = _frame_of(project)
    if frame is None:
        with alone(factory, text_store.LOCK, project.id) as is_mine:
            if is_mine:
                text_store.write_over(session, storage.texts(project.id), project.id)
            return is_mine
    path = storage.pixels(project.id, frame.side, frame.fit)
    if path.is_file():
        PixelStore.blacken(path, frame.side, places)
    return True


def _erase_features(folder: Path, places: Indices) -> None:
    """Those of models, and those that captions are compared with, in the order they were made."""
    files = [path for path in folder.rglob("*.npy") if path.is_file()]
    files.sort(key=lambda path: path.stat().st_mtime_ns)
    for path in files:
        write_over(path, places)
    # Those that have none of the places as well: what was made last stays the last.
    now = time.time_ns()
    for at, path in enumerate(files, now - len(files)):
        os.utime(path, ns=(at, at))
    # Made again: of the features by whoever searches in them, or by the job that was cut off.
    for pattern in ("*.short", "*.basis", "*.npy.partial*"):
        for path in folder.rglob(pattern):
            path.unlink(missing_ok=True)


def _erase_artifact(
    factory: sessionmaker[Session],
    storage: Storage,
    artifact_id: int,
    places: Indices,
    withdrawal_id: int,
) -> None:
    """Write a file without what was withdrawn beside the old one, which then goes.

    Whoever reads the old one meanwhile reads it to its end.
    """
    with factory.begin() as session:
        artifact = session.get(Artifact, artifact_id, with_for_update={"key_share": True})
        if artifact is None:
            return
        old = artifact.storage_key
        source = storage.fetch(old)
        if not source.exists():
            return
        path = Path(old)
        key = str(
            path.with_name(f"{_MARK.sub('', path.stem)}.w{secrets.token_hex(4)}{path.suffix}")
        )
        target = storage.artifact(key)
        if not _written_without(session, source, target, places, artifact.kind):
            return
        storage.publish(key)
        artifact.storage_key = key
        artifact.sha256, artifact.bytes = sha256(target), target.stat().st_size
        if artifact.kind is ArtifactKind.SNAPSHOT:
            _restate(session, artifact, source, target)
        removal = select(Removal.id).where(Removal.withdrawal_id == withdrawal_id)
        item = RemovalItem(removal_id=session.scalars(removal).one(), path=old)
        session.add(item)
        session.flush()
        item_id = item.id
    # At once, as a job that is retried may write a file of the same name; what is noted is for the
    # case that it cannot go now, or that nobody comes this far.
    if storage.discard(old):
        with factory.begin() as session:
            session.execute(delete(RemovalItem).where(RemovalItem.id == item_id))


def _written_without(
    session: Session, source: Path, target: Path, places: Indices, kind: ArtifactKind
) -> bool:
    """Write a table again without rows of ``places``; whether it had any."""
    if kind is ArtifactKind.COMPARISON:
        return _compared_without(session, source, target)
    if kind is ArtifactKind.ALIKE:
        found = read_alike(source)
        inside = places[places < len(found.group)]
        if not len(inside) or bool(np.isnan(found.isolation[inside]).all()):
            return False
        isolation, group = found.isolation.copy(), found.group.copy()
        isolation[inside], group[inside] = np.nan, -1
        write_alike(target, type(found)(isolation, group))
        return True
    wanted = pa.array(places)
    with pq.ParquetFile(source) as file:
        if "pool_index" not in file.schema_arrow.names:
            return False
        column = file.read(columns=["pool_index"])["pool_index"].cast(pa.int64())
        if not pc.any(pc.is_in(column, value_set=wanted)).as_py():
            return False

        def write(part: Path) -> None:
            with pq.ParquetWriter(part, file.schema_arrow, compression="zstd") as writer:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group)
                    is_gone = pc.is_in(table["pool_index"].cast(pa.int64()), value_set=wanted)
                    left = table.filter(pc.invert(is_gone))
                    # Of a group without rows nobody can say between what its columns lie.
                    if left.num_rows:
                        writer.write_table(left)

        write_atomically(target, write)
    return True


def _compared_without(session: Session, source: Path, target: Path) -> bool:
    """Likewise of what pages draw of a comparison: ids, and lists that say something of each."""
    found = read_json(source)
    shown = found["examples"]
    gone = set(session.scalars(select(Example.id).where(among(Example.id, shown), ~is_kept())))
    if not gone:
        return False
    is_left = [one not in gone for one in shown]

    def left(said: Any) -> Any:
        if isinstance(said, dict):
            return {name: left(one) for name, one in said.items()}
        return list(compress(said, is_left)) if isinstance(said, list) else said

    write_json(target, left(found))
    return True


def _restate(session: Session, artifact: Artifact, source: Path, target: Path) -> None:
    """Say of a snapshot how many are gone, and the digest of what is left."""
    gone = pq.read_metadata(source).num_rows - pq.read_metadata(target).num_rows
    snapshot: Any = session.scalars(
        select(PoolSnapshot).where(PoolSnapshot.artifact_id == artifact.id).with_for_update()
    ).one()
    withdrawn = snapshot.counts.get("withdrawn", 0) + gone
    snapshot.counts = {**snapshot.counts, "withdrawn": withdrawn}
    snapshot.digest = digest_of(target)
