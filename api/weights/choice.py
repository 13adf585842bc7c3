"""Weights that a project's settings choose: known, and looked for before a round needs them."""

from sqlalchemy import ColumnElement, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from core.errors import Invalid
from core.jobs import queue
from core.jobs.messages import CheckWeights
from core.settings.project import Choice, ProjectSettings
from core.settings.weights import CAPTIONS, Start, captions_of, start_of
from core.tables import PublishedWeights, Weights

_SETTING = "settings.model.params.weights"
_CAPTIONS = "settings.purity.params.uploaded"


async def require_weights(session: AsyncSession, model: Choice, field: str = _SETTING) -> None:
    """Refuse uploaded weights that there are not; have a worker look for published ones.

    Args:
        session: Open.
        model: That somebody chooses.
        field: Where weights are named, for errors.

    Raises:
        Invalid: ``unknown_weights`` or ``weights_refused``.
    """
    start = start_of(model)
    if start is None:
        return
    if start.uploaded:
        await _require_uploaded(session, start, field)
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
            where=PublishedWeights.problem.is_not(None) & PublishedWeights.checked_at.is_not(None),
        )
    )
    if await session.scalar(statement.returning(PublishedWeights.id)) is not None:
        queue.remember(session.info, CheckWeights())


async def _require_uploaded(session: AsyncSession, start: Start, field: str) -> None:
    weights = await _chosen(session, start.uploaded)
    of = f"{start.library} {start.architecture}"
    if weights is None or (weights.library, weights.architecture) != (
        start.library,
        start.architecture,
    ):
        known = await _known(
            session, Weights.library == start.library, Weights.architecture == start.architecture
        )
        what = (
            f"there are no weights {start.uploaded!r}"
            if weights is None
            else f"{start.uploaded!r} are of {weights.library} {weights.architecture}"
        )
        raise Invalid(
            "unknown_weights",
            f"{field}: {what}. For {of} {known}; leave it empty for the published ones, or have "
            "an admin upload the file (Admin, Weights).",
            field=field,
        )
    _require_fit(weights, of, field)


async def require_captions(session: AsyncSession, purity: Choice) -> None:
    """Refuse uploaded weights that a purity cannot compare images with captions by.

    Args:
        session: Open.
        purity: That somebody chooses.

    Raises:
        Invalid: ``unknown_weights`` or ``weights_refused``.
    """
    name = captions_of(purity)
    if not name:
        return
    weights = await _chosen(session, name)
    if weights is None or weights.library != CAPTIONS:
        known = await _known(session, Weights.library == CAPTIONS)
        what = "there are no such weights" if weights is None else f"are of {weights.library}"
        raise Invalid(
            "unknown_weights",
            f"{_CAPTIONS}: {name!r}: {what}. Of {CAPTIONS} {known}; leave it empty for those of "
            "the hub, or have an admin upload the file (Admin, Weights).",
            field=_CAPTIONS,
        )
    _require_fit(weights, weights.architecture, _CAPTIONS)


async def _chosen(session: AsyncSession, name: str) -> Weights | None:
    """The weights of a name; shared, so that nobody deletes them until this is committed."""
    statement = select(Weights).where(Weights.name == name).with_for_update(read=True)
    return (await session.scalars(statement)).one_or_none()


async def _known(session: AsyncSession, *fitting: ColumnElement[bool]) -> str:
    """Which weights there are of a kind, in words."""
    statement = select(Weights.name).where(*fitting).order_by(Weights.name).limit(20)
    names = (await session.scalars(statement)).all()
    return f"there are {', '.join(names)}" if names else "there are none"


def _require_fit(weights: Weights, of: str, field: str) -> None:
    if weights.refusal is not None:
        raise Invalid(
            "weights_refused",
            f"{field}: {weights.name!r} do not fit {of}. {weights.refusal}",
            field=field,
        )


async def weights_warnings(session: AsyncSession, settings: ProjectSettings) -> list[str]:
    """What is wrong with the weights that a project needs, or not known yet."""
    start = start_of(settings.model)
    names = [*([start.uploaded] if start else []), captions_of(settings.purity)]
    said = [one for name in names if name for one in await _of_uploaded(session, name)]
    if start is None or start.uploaded:
        return said
    published = select(PublishedWeights.problem).where(
        PublishedWeights.library == start.library,
        PublishedWeights.architecture == start.architecture,
        PublishedWeights.checked_at.is_not(None),
    )
    problem = await session.scalar(published)
    return said if problem is None else [problem, *said]


async def _of_uploaded(session: AsyncSession, name: str) -> list[str]:
    row: Weights | None = await session.scalar(select(Weights).where(Weights.name == name))
    if row is None:
        return [f"There are no weights {name!r} any more; choose others."]
    if row.refusal is not None:
        return [f"The weights {name!r} do not fit {row.architecture}; choose others. {row.refusal}"]
    waits = f"The weights {name!r} are still to be checked by a worker."
    return [waits] if row.checked_at is None else []
