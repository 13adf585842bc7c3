"""The selection that follows people, made when the round closes in which they have ranked.

Files are read and written while nobody waits for a lock; what people say in the meantime is seen
when the round is locked, and then it is made anew.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.selections import SCHEMA, read_columns, write_selection
from core.states import ArtifactKind
from core.storage import Storage, sha256
from core.tables import Artifact, Round
from workers.artifacts import keep
from workers.context import JobContext
from workers.instructions.people import Said, follow_people, said_in
from workers.instructions.report import figures

logger = logging.getLogger(__name__)

_FILE: Final = "following.parquet"


@dataclass(frozen=True)
class Following:
    """A selection by what people had said at one moment, which no row names yet.

    Attributes:
        said: What they had said.
        artifact: Of the file; None if no selection has asked for the round, or its file is gone.
    """

    said: Mapping[int, Said]
    artifact: Artifact | None

    @classmethod
    def made(cls, context: JobContext, round_id: int) -> Self:
        """Read what people say of a round, and write the selection that follows it."""
        with context.sessions() as session:
            round_ = session.get_one(Round, round_id)
            before = _asking(session, round_)
            said = said_in(session, round_)
            number = round_.number
        if before is None:
            return cls(said, None)
        path = context.storage.fetch(before.storage_key)
        if not path.exists():
            # The round closes all the same: what people said is in the database.
            logger.warning("the selection of job %s is gone; nobody follows people", before.job_id)
            return cls(said, None)
        columns = read_columns(path, *SCHEMA.names)
        people = {**before.meta["people"], **follow_people(columns, said)}
        file = context.work / _FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        write_selection(file, columns)
        # By what it holds: one that was followed before stays whole until this one counts.
        name = f"selection-{number}-{sha256(file)[:12]}.parquet"
        key = f"projects/{before.project_id}/jobs/{before.job_id}/{name}"
        meta = {**before.meta, **figures(columns), "people": people}
        kept = keep(context, file, ArtifactKind.SELECTION, meta, key)
        kept.job_id, kept.round_id = before.job_id, round_id
        return cls(said, kept)

    def is_current(self, session: Session, round_: Round) -> bool:
        """Whether people say of a round, which is locked, what this follows."""
        return said_in(session, round_) == self.said

    def publish(self, session: Session) -> str | None:
        """Name the file, in place of what was followed before.

        Returns:
            The key of the file that nobody names any more, if there is one.
        """
        if (new := self.artifact) is None:
            return None
        # A round that has closed before closes anew when its project goes on.
        known = select(Artifact).where(
            Artifact.round_id == new.round_id,
            Artifact.job_id == new.job_id,
            Artifact.kind == ArtifactKind.SELECTION,
        )
        old = session.scalars(known).one_or_none()
        if old is None:
            session.add(new)
            return None
        gone = None if old.storage_key == new.storage_key else old.storage_key
        old.storage_key, old.sha256, old.bytes = new.storage_key, new.sha256, new.bytes
        old.meta = new.meta
        return gone

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
            storage.remove_path(key)


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
