"""Weights that a project's settings choose: known, and looked for before a round needs them."""

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from core import queue
from core.errors import Invalid
from core.messages import CheckWeights
from core.project_settings import ProjectSettings
from core.tables import PublishedWeights, Weights
from core.weights import Start, start_of

_FIELD = "settings.model.params.weights"


async def require_weights(session: AsyncSession, settings: ProjectSettings) -> None:
    """Refuse uploaded weights that there are not; have a worker look for published ones.

    Raises:
        Invalid: ``unknown_weights`` or ``weights_refused``.
    """
    start = start_of(settings.model)
    if start is None:
        return
    if start.uploaded:
        await _require_uploaded(session, start)
        return
    values = {"library": start.library, "architecture": start.architecture}
    again = {"checked_at": None, "problem": None}
    statement = (
        insert(PublishedWeights)
        .values(**values)
        .on_conflict_do_update(
            index_elements=["library", "architecture"],
            set_=again,
            # What was found stays found: the cache of a library is not emptied by itself.
            where=PublishedWeights.problem.is_not(None),
        )
    )
    if await session.scalar(statement.returning(PublishedWeights.id)) is not None:
        queue.remember(session.info, CheckWeights())


async def _require_uploaded(session: AsyncSession, start: Start) -> None:
    # Shared: nobody deletes them until this is committed.
    statement = select(Weights).where(Weights.name == start.uploaded).with_for_update(read=True)
    weights = (await session.scalars(statement)).one_or_none()
    of = f"{start.library} {start.architecture}"
    if weights is None or (weights.library, weights.architecture) != (
        start.library,
        start.architecture,
    ):
        fitting = select(Weights.name).where(
            Weights.library == start.library, Weights.architecture == start.architecture
        )
        names = (await session.scalars(fitting.order_by(Weights.name).limit(20))).all()
        known = f"there are {', '.join(names)}" if names else "there are none"
        what = (
            f"there are no weights {start.uploaded!r}"
            if weights is None
            else f"{start.uploaded!r} are of {weights.library} {weights.architecture}"
        )
        raise Invalid(
            "unknown_weights",
            f"{_FIELD}: {what}. For {of} {known}; leave it empty for the published ones, or have "
            "an admin upload the file (Admin, Weights).",
            field=_FIELD,
        )
    if weights.problem is not None:
        raise Invalid(
            "weights_refused",
            f"{_FIELD}: {start.uploaded!r} do not fit {of}. {weights.problem}",
            field=_FIELD,
        )


async def weights_warnings(session: AsyncSession, settings: ProjectSettings) -> list[str]:
    """What is wrong with the weights that a project starts from, or not known yet."""
    start = start_of(settings.model)
    if start is None:
        return []
    if start.uploaded:
        found = select(Weights.problem, Weights.checked_at).where(Weights.name == start.uploaded)
        row = (await session.execute(found)).one_or_none()
        if row is None:
            return [f"There are no weights {start.uploaded!r} any more; choose others."]
        if row.problem is not None:
            return [
                f"The weights {start.uploaded!r} do not fit {start.architecture}; choose others. "
                f"{row.problem}"
            ]
        waits = f"The weights {start.uploaded!r} are still to be checked by a worker."
        return [waits] if row.checked_at is None else []
    published = select(PublishedWeights.problem).where(
        PublishedWeights.library == start.library,
        PublishedWeights.architecture == start.architecture,
    )
    problem = await session.scalar(published)
    return [] if problem is None else [problem]
