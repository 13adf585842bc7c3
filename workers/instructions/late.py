"""What people correct, and what a review decides, after the round has closed that asked for it."""

import logging
import tempfile
from pathlib import Path

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.errors import DomainError
from core.files.storage import Storage
from core.states import ArtifactKind, RoundState
from core.tables import Artifact, Project, Round
from workers.instructions.closing import figures
from workers.instructions.following import Following, counted_in
from workers.instructions.superseded import FOLLOW_LOCK
from workers.jobs.locks import alone

logger = logging.getLogger(__name__)


def follow_all(
    factory: sessionmaker[Session], storage: Storage, *, project_id: int | None = None
) -> None:
    """Make selections anew of which people say something else than when they were made.

    Args:
        factory: Of sessions.
        storage: Where files are.
        project_id: Only those of this project.
    """
    with factory() as session:
        due = session.scalars(_due(project_id)).all()
    for round_id in due:
        try:
            # Who comes meanwhile has other things to do: what is said until the end is heard there.
            with alone(factory, FOLLOW_LOCK, round_id) as is_mine:
                if is_mine:
                    _follow(factory, storage, round_id)
        except (DomainError, OSError) as error:
            # One whose file cannot be read now keeps no other from following.
            logger.warning("nobody follows people in round %s for now: %s", round_id, error)
        except Exception:
            # Nor does one whose file is broken.
            logger.exception("nobody follows people in round %s for now", round_id)


def _due(project_id: int | None) -> Select[int]:
    """Ids of closed rounds that a selection follows, and of which something was said since."""
    counted = counted_in(Round.id).correlate(Round).scalar_subquery()
    heard = Artifact.meta["people"]["heard"].as_integer()
    found = (
        select(Round.id)
        .distinct()
        .join(Artifact, Artifact.round_id == Round.id)
        .where(
            Round.state == RoundState.CLOSED,
            Artifact.kind == ArtifactKind.SELECTION,
            heard.is_distinct_from(counted),
        )
        .order_by(Round.id)
    )
    return found if project_id is None else found.where(Round.project_id == project_id)


def _follow(factory: sessionmaker[Session], storage: Storage, round_id: int) -> None:
    """Make the selection anew; made once more where people go on while it is written."""
    while True:
        with tempfile.TemporaryDirectory(prefix="karat-") as folder:
            following = Following.made(factory, storage, Path(folder), round_id)
        with factory.begin() as session:
            is_done = _published(session, following, round_id)
        if is_done:
            break
        with factory() as session:
            following.forget(session, storage)


def _published(session: Session, following: Following, round_id: int) -> bool:
    """Name what was made, and tell of it; not done where people have said more meanwhile."""
    project_id = session.scalar(select(Round.project_id).where(Round.id == round_id))
    # Locked in the order that everybody keeps: project, rounds.
    locked = {"key_share": True}
    project = session.get(Project, project_id, with_for_update=locked) if project_id else None
    round_ = session.get(Round, round_id, with_for_update=locked) if project else None
    if round_ is None or round_.state is not RoundState.CLOSED:
        return True
    if following.artifact is None:
        _give_up(session, round_id, following.heard)
        return True
    if not following.is_current(session, round_):
        return False
    following.publish(session)
    round_.metrics = {**round_.metrics, **figures(session, round_), **following.metrics}
    session.execute(events.round_changed(round_))
    return True


def _give_up(session: Session, round_id: int, heard: int) -> None:
    """Try no more until more is said: the file that would be followed from is gone."""
    followed = select(Artifact).where(
        Artifact.round_id == round_id, Artifact.kind == ArtifactKind.SELECTION
    )
    for artifact in session.scalars(followed):
        people = {**artifact.meta["people"], "heard": heard}
        artifact.meta = {**artifact.meta, "people": people}
