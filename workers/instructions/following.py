"""The selection that follows people: when their round closes, and when they correct it later.

Files are read and written while nobody waits for a lock; what people say in the meantime is seen
when the round is locked, and then it is made anew.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, sessionmaker

from core.artifacts.selections import SCHEMA, read_columns, write_selection
from core.files.storage import Storage, sha256
from core.states import ArtifactKind
from core.tables import Annotation, Artifact, Query, Round
from workers.instructions.people import Said, follow_people, said_in
from workers.instructions.report import figures
from workers.instructions.superseded import noted
from workers.jobs.artifacts import keep_file

logger = logging.getLogger(__name__)

_FILE: Final = "following.parquet"


@dataclass(frozen=True)
class Following:
    """A selection by what people had said at one moment, which no row names yet.

    Attributes:
        said: What they had said.
        artifact: Of the file; None if no selection has asked for the round, or its file is gone.
        heard: How many verdicts had been counted.
    """

    said: Mapping[int, Said]
    artifact: Artifact | None
    heard: int

    @classmethod
    def made(
        cls, sessions: sessionmaker[Session], storage: Storage, folder: Path, round_id: int
    ) -> Self:
        """Read what people say of a round, and write the selection that follows it.

        Args:
            sessions: Factory of sessions.
            storage: Where files are.
            folder: For a file that is not whole yet.
            round_id: The round.
        """
        with sessions() as session:
            round_ = session.get_one(Round, round_id)
            before = _asking(session, round_)
            # Before they are read: what comes in between is heard again.
            heard = session.scalar(counted_in(round_id)) or 0
            said = said_in(session, round_)
            number = round_.number
        if before is None:
            return cls(said, None, heard)
        path = storage.fetch(before.storage_key)
        if not path.exists():
            # The round closes all the same: what people said is in the database.
            logger.warning("the selection of job %s is gone; nobody follows people", before.job_id)
            return cls(said, None, heard)
        columns = read_columns(path, *SCHEMA.names)
        people = {**before.meta["people"], **follow_people(columns, said), "heard": heard}
        file = folder / _FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        write_selection(file, columns)
        # By what it holds: one that was followed before stays whole until this one counts.
        name = f"selection-{number}-{sha256(file)[:12]}.parquet"
        key = f"projects/{before.project_id}/jobs/{before.job_id}/{name}"
        meta = {**before.meta, **figures(columns), "people": people}
        target = keep_file(storage, file, key)
        kept = Artifact(
            project_id=before.project_id,
            job_id=before.job_id,
            round_id=round_id,
            kind=ArtifactKind.SELECTION,
            storage_key=key,
            sha256=sha256(target),
            bytes=target.stat().st_size,
            meta=meta,
        )
        return cls(said, kept, heard)

    def is_current(self, session: Session, round_: Round) -> bool:
        """Whether people say of a round, which is locked, what this follows."""
        return said_in(session, round_) == self.said

    def publish(self, session: Session) -> None:
        """Name the file, in place of what was followed before, which goes when nobody reads it."""
        if (new := self.artifact) is None:
            return
        # A round that has closed before closes anew when its project goes on.
        known = select(Artifact).where(
            Artifact.round_id == new.round_id,
            Artifact.job_id == new.job_id,
            Artifact.kind == ArtifactKind.SELECTION,
        )
        old = session.scalars(known).one_or_none()
        if old is None:
            session.add(new)
            return
        old.meta = noted(session, old, new.meta, new.storage_key)
        old.storage_key, old.sha256, old.bytes = new.storage_key, new.sha256, new.bytes

    @property
    def metrics(self) -> dict[str, Any]:
        """For the round: how often the judge had put first what people put first."""
        if self.artifact is None:
            return {}
        people = self.artifact.meta["people"]
        return {"judge_agreement": people["agreement"], "judge_tau": people["tau"]}

    def forget(self, session: Session, storage: Storage) -> None:
        """Remove the file of what was not to be followed, unless a row names it."""
        if self.artifact is None:
            return
        key = self.artifact.storage_key
        if session.scalar(select(Artifact.id).where(Artifact.storage_key == key)) is None:
            storage.discard(key)


def counted_in(round_id: int | InstrumentedAttribute[int]) -> Select[int]:
    """How many verdicts were ever counted on the groups of a round: each change adds one."""
    firsts = select(Query.example_id).where(Query.round_id == round_id)
    return (
        select(func.count())
        .select_from(Annotation)
        .where(Annotation.counted, Annotation.example_id.in_(firsts))
    )


def _asking(session: Session, round_: Round) -> Artifact | None:
    """The selection that has asked for a round."""
    asked = Artifact.meta["people"]["round_id"].as_integer()
    return session.scalars(
        select(Artifact)
        .where(
            Artifact.project_id == round_.project_id,
            Artifact.kind == ArtifactKind.SELECTION,
            asked == round_.id,
        )
        # That of the job: what people said of it before is read anew.
        .order_by(Artifact.id)
        .limit(1)
    ).one_or_none()
