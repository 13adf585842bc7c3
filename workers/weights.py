"""Weights of networks: checked when they are uploaded or chosen, and found by name when used."""

import logging
from collections.abc import Callable
from typing import Any, Final, TypeVar

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from core import events
from core.errors import Conflict, DomainError
from core.files.storage import Storage
from core.settings.project import Choice, ProjectSettings
from core.settings.weights import CAPTIONS, captions_of, start_of
from core.tables import Project, PublishedWeights, Weights
from models.catalog.params.job_networks import NetworkParams
from models.errors import ModelError
from models.media.images.weight_files.whole import is_whole
from workers.jobs.context import JobContext
from workers.jobs.locks import alone
from workers.jobs.log import said_of

logger = logging.getLogger(__name__)

Learning = TypeVar("Learning", bound=NetworkParams)
Looked = TypeVar("Looked", Weights, PublishedWeights)

_LOOKING: Final = 0x77656967
# Once any worker may, as where its machine is restarted.
_ONCE: Final = "1"
_TWICE: Final = "2"
_ENDED: Final = (
    "Two workers have ended that looked at these weights of {}, as they do that run out of memory: "
    "choose a smaller network, or {}."
)


def unchecked(session: Session) -> bool:
    """Whether any weights wait for a worker to look at them."""
    tables = (Weights, PublishedWeights)
    return any(
        session.scalar(select(table.id).where(table.checked_at.is_(None)).limit(1)) is not None
        for table in tables
    )


def check_all(sessions: sessionmaker[Session], storage: Storage) -> None:
    """Look at all weights that nobody has looked at.

    One worker does so at a time. Who is killed by a network that is too large is not to be so again
    and again: weights are marked before they are looked at, and what is marked while nobody is at
    work has ended a worker. What has ended two is not looked at any more.
    """
    from models.media.images.networks.weight_check import check_file, check_published

    def fit(row: Weights) -> dict[str, Any]:
        file = storage.fetch(row.storage_key)
        return {"left_aside": [*check_file(file, row.library, row.architecture)]}

    def have(row: PublishedWeights) -> dict[str, Any]:
        check_published(row.library, row.architecture)
        return {}

    with alone(sessions, _LOOKING, 0) as is_mine:
        if is_mine:
            _look_at(sessions, Weights, fit, "delete them, and upload them once more")
            _look_at(sessions, PublishedWeights, have, "save the settings once more")


def _look_at(
    sessions: sessionmaker[Session],
    table: type[Looked],
    check: Callable[[Looked], dict[str, Any]],
    again: str,
) -> None:
    """Look at the weights of a table.

    Args:
        sessions: Of the database.
        table: Of the weights.
        check: What to store of some; raises why they are of no use.
        again: How somebody has them looked at once more.
    """
    with sessions() as session:
        waiting = select(table).where(table.checked_at.is_(None)).order_by(table.id)
        rows = session.scalars(waiting).all()
        session.expunge_all()
    for row in rows:
        if row.problem == _TWICE:
            _note(sessions, row, {"problem": _ENDED.format(row.architecture, again)})
            continue
        _mark(sessions, row, _ONCE if row.problem is None else _TWICE)
        _look(sessions, row, check)


def _look(
    sessions: sessionmaker[Session], row: Looked, check: Callable[[Looked], dict[str, Any]]
) -> None:
    try:
        found = {"problem": None, **check(row)}
    except ModelError as error:
        found = {"problem": str(error)}
    except DomainError as error:
        # The bucket is away: the sweep asks again.
        logger.warning("weights of %s stay unchecked: %s", row.architecture, error)
        _mark(sessions, row, None)
        return
    except Exception as error:
        logger.exception("weights of %s could not be checked", row.architecture)
        found = {"problem": f"They could not be checked: {said_of(error)}"}
    _note(sessions, row, found)


def _mark(
    sessions: sessionmaker[Session], row: Weights | PublishedWeights, ended: str | None
) -> None:
    """Store how many workers will have ended that looked, if nothing is stored after this."""
    table = type(row)
    with sessions.begin() as session:
        session.execute(update(table).where(table.id == row.id).values(problem=ended))


def _note(
    sessions: sessionmaker[Session], row: Weights | PublishedWeights, found: dict[str, Any]
) -> None:
    """Store what was found, and tell the pages of the projects that it concerns."""
    table = type(row)
    with sessions.begin() as session:
        session.execute(
            update(table).where(table.id == row.id).values(checked_at=func.now(), **found)
        )
        model, purity = Project.settings["model"], Project.settings["purity"]
        concerned = (model["name"].astext == row.library) & (
            model["params"]["architecture"].astext == row.architecture
        )
        if isinstance(row, Weights):
            concerned |= purity["params"]["uploaded"].astext == row.name
        using = select(Project.id, Project.state).where(concerned)
        for project_id, state in session.execute(using).all():
            session.execute(events.notify(project_id, events.Topic.PROJECT, {"state": state}))


def with_file(session: Session, storage: Storage, settings: ProjectSettings) -> ProjectSettings:
    """Settings whose model and purity name uploaded weights by their file, and what they are of.

    Args:
        session: For reading.
        storage: Where the files are.
        settings: Of a project or a round.

    Raises:
        Conflict: ``weights_gone``, there are none of that name, or ``weights_file_gone``.
    """
    model = _located(session, storage, settings.model)
    purity = _with_captions(session, storage, settings.purity)
    return settings.model_copy(update={"model": model, "purity": purity})


def located(context: JobContext, params: Learning) -> Learning:
    """Parameters of a job that name uploaded weights by their file, and their input size.

    Raises:
        Conflict: ``weights_gone``, there are none of that name, or ``weights_file_gone``.
    """
    with context.sessions() as session:
        asked = Choice(name=params.network, params=params.model_dump())
        found = _located(session, context.storage, asked)
    return params.model_copy(update=found.params)


def _located(session: Session, storage: Storage, model: Choice) -> Choice:
    start = start_of(model)
    if start is None or not start.uploaded:
        return model
    row = _row(session, start.uploaded)
    params = {
        **model.params,
        "weights": file_of(storage, row),
        "input_size": model.params.get("input_size") or row.meta.get("input_size"),
    }
    return Choice(name=model.name, params=params)


def _with_captions(session: Session, storage: Storage, purity: Choice) -> Choice:
    name = captions_of(purity)
    if not name:
        return purity
    row = _row(session, name)
    if row.library != CAPTIONS:
        raise Conflict(
            "weights_gone",
            f"The weights {name!r} are of {row.library} now, and purity clip takes those of "
            f"{CAPTIONS}; choose others.",
        )
    params = {
        **purity.params,
        "uploaded": file_of(storage, row),
        "architecture": purity.params.get("architecture") or row.architecture,
    }
    return Choice(name=purity.name, params=params)


def _row(session: Session, name: str) -> Weights:
    row = session.scalars(select(Weights).where(Weights.name == name)).one_or_none()
    if row is None:
        raise Conflict(
            "weights_gone",
            f"There are no weights {name!r} any more. Have an admin upload them again, or choose "
            "others.",
        )
    return row


def file_of(storage: Storage, row: Weights) -> str:
    """Where the file of weights is, as it was uploaded.

    Raises:
        Conflict: ``weights_file_gone``.
    """
    path = storage.fetch(row.storage_key)
    if is_whole(path, row.bytes, row.sha256):
        return str(path)
    raise Conflict(
        "weights_file_gone",
        f"The file of the weights {row.name!r} of {row.library} {row.architecture} is missing or "
        f"damaged: {path}. Have an admin upload {row.filename} once more (Admin, Weights), which "
        "puts it back, or choose other weights.",
    )
