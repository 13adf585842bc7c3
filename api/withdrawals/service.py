"""Taking examples out of a project for good: what is asked for; workers do it, part by part."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Select, exists, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from api.audit import record
from api.callers.principal import Principal
from api.examples.schemas import EVERY_SPLIT, Filters, Selection
from api.examples.service import matching_ids
from api.examples.votes import standing
from api.withdrawals.schemas import (
    WithdrawalIn,
    WithdrawalOut,
    WithdrawalPreview,
    WithdrawalState,
)
from core.database.among import among
from core.errors import Conflict, Invalid, NotFound
from core.files.storage import Storage
from core.jobs import queue
from core.jobs.messages import RemoveFiles
from core.states import JobState, Source
from core.tables import Annotation, Example, Job, Project, User, Withdrawal

_MOST: Final = 1_000_000
_OF_PEOPLE: Final = (Source.ANNOTATOR, Source.REVIEW)
_NOTE: Final = text(
    "INSERT INTO withdrawal_items (example_id, withdrawal_id) "
    "SELECT id, :withdrawal FROM unnest(CAST(:ids AS bigint[])) AS wanted (id) "
    "ON CONFLICT DO NOTHING RETURNING example_id"
)


async def preview(
    session: AsyncSession, project: Project, storage: Storage, selection: Selection
) -> WithdrawalPreview:
    """How many would be withdrawn.

    Raises:
        Conflict: ``too_many``, or ``import_running``.
    """
    return await _counted(session, await _chosen(session, project, storage, selection))


async def begin(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    storage: Storage,
    body: WithdrawalIn,
) -> WithdrawalOut:
    """Note what is withdrawn, and have workers do it.

    Raises:
        Conflict: ``too_many``, ``import_running``, ``selection_changed``, or ``withdrawn_already``.
        Invalid: ``nothing_matches``.
    """
    ids = await _chosen(session, project, storage, body)
    if not ids:
        raise Invalid(
            "nothing_matches", "There is no such image in the project, so nothing was withdrawn."
        )
    if body.images is not None and body.images != len(ids):
        raise Conflict(
            "selection_changed",
            f"These are {len(ids):,} images by now, and {body.images:,} were to be withdrawn; look "
            "at them again. Nothing was withdrawn.",
            field="images",
        )
    withdrawal = Withdrawal(
        project_id=project.id,
        import_id=_whole_import(body),
        images=0,
        answered=0,
        created_by=principal.id,
    )
    session.add(withdrawal)
    await session.flush()
    # Others may be asked for by somebody else at this moment.
    noted = (await session.scalars(_NOTE, {"withdrawal": withdrawal.id, "ids": ids})).all()
    if not noted:
        raise Conflict("withdrawn_already", "All of these images are being withdrawn already.")
    found = await _counted(session, noted)
    withdrawal.images, withdrawal.answered = found.images, found.answered
    record(
        session,
        principal,
        "withdraw",
        "examples",
        withdrawal.id,
        project_id=project.id,
        images=withdrawal.images,
        answered=withdrawal.answered,
        **({} if withdrawal.import_id is None else {"import_id": withdrawal.import_id}),
    )
    queue.remember(session.info, RemoveFiles())
    await session.flush()
    return await show(session, project.id, withdrawal.id)


async def _chosen(
    session: AsyncSession, project: Project, storage: Storage, selection: Selection
) -> list[int]:
    if selection.ids is not None:
        mine = await standing(session, project, selection.ids)
        return [id_ for id_, row in mine.items() if row.split is not None]
    assert selection.filters is not None
    if selection.filters.import_id is not None:
        await _require_ended(session, project, selection.filters.import_id)
    ids = await matching_ids(session, project, storage, selection.filters, _MOST + 1)
    if len(ids) > _MOST:
        raise Conflict(
            "too_many",
            f"More than {_MOST:,} images match, which is the most at once; narrow the filters.",
            field="filters",
        )
    return ids


async def _require_ended(session: AsyncSession, project: Project, import_id: int) -> None:
    """Refuse what is still being imported: more would come after it was withdrawn."""
    active = (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)
    runs = exists().where(
        Job.id == import_id, Job.project_id == project.id, Job.state.in_(active), Job.is_real()
    )
    if await session.scalar(select(runs)):
        raise Conflict(
            "import_running",
            f"Import {import_id} is still at work; cancel it, or wait until it has ended.",
            field="filters.import_id",
        )


async def _counted(session: AsyncSession, ids: Sequence[int]) -> WithdrawalPreview:
    said = exists().where(Annotation.example_id == Example.id, Annotation.source.in_(_OF_PEOPLE))
    answered = select(func.count()).where(among(Example.id, ids), said)
    return WithdrawalPreview(images=len(ids), answered=await session.scalar(answered) or 0)


def _whole_import(selection: Selection) -> int | None:
    """The import of which a selection is all."""
    filters = selection.filters
    if filters is None or filters.import_id is None:
        return None
    whole = Filters(import_id=filters.import_id, split=EVERY_SPLIT)
    return filters.import_id if filters == whole else None


def _withdrawals(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(Withdrawal, User.name)
        .outerjoin(User, User.id == Withdrawal.created_by)
        .where(Withdrawal.project_id == project_id)
    )


async def listed(
    session: AsyncSession, project_id: int, cursor: int | None, limit: int
) -> list[WithdrawalOut]:
    """A page of withdrawals, the newest first."""
    statement = _withdrawals(project_id).order_by(Withdrawal.id.desc()).limit(limit)
    if cursor is not None:
        statement = statement.where(Withdrawal.id < cursor)
    return [_described(*row) for row in await session.execute(statement)]


async def show(session: AsyncSession, project_id: int, withdrawal_id: int) -> WithdrawalOut:
    """One withdrawal.

    Raises:
        NotFound: The project has none of this number.
    """
    statement = _withdrawals(project_id).where(Withdrawal.id == withdrawal_id)
    row = (await session.execute(statement)).one_or_none()
    if row is None:
        raise NotFound("withdrawal")
    return _described(*row)


def _described(withdrawal: Withdrawal, by: str | None) -> WithdrawalOut:
    state: WithdrawalState = "done"
    if withdrawal.withdrawn_at is None:
        state = "withdrawing"
    elif withdrawal.erased_at is None:
        state = "erasing"
    return WithdrawalOut(
        id=withdrawal.id,
        state=state,
        images=withdrawal.images,
        answered=withdrawal.answered,
        done=withdrawal.done,
        import_id=withdrawal.import_id,
        by=by,
        created_at=withdrawal.created_at,
        withdrawn_at=withdrawal.withdrawn_at,
        erased_at=withdrawal.erased_at,
    )
