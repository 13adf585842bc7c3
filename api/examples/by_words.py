"""Images that show what words say, where there are weights of a network that understands them."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.examples.schemas import WordsOut
from api.jobs.schemas import JobOut
from core.errors import Conflict, Invalid
from core.jobs import queue
from core.jobs.params import LookUpParams
from core.lifecycle import new_job
from core.settings.weights import CAPTIONS
from core.states import JobKind, Medium
from core.tables import Project, Weights


async def offered(session: AsyncSession, project: Project) -> WordsOut:
    """Whether the images of a project can be searched by words, and by which weights."""
    weights = await _weights(session) if project.medium is Medium.IMAGE else None
    return WordsOut(weights=weights.name if weights else None)


async def start(
    session: AsyncSession, principal: Principal, project: Project, words: str
) -> JobOut:
    """Queue the job that sees to it that all images can be compared with words, and reads these.

    Raises:
        Conflict: ``no_caption_weights`` or ``no_images``.
        Invalid: ``wrong_medium``.
    """
    if project.medium is not Medium.IMAGE:
        raise Invalid("wrong_medium", "Texts are searched for words with the filter search.")
    weights = await _weights(session)
    if weights is None:
        raise Conflict(
            "no_caption_weights",
            "No weights of a network that understands words are there; have an admin upload some "
            "of the library open_clip (Admin, Weights).",
        )
    if project.settings.get("input_size") is None:
        raise Conflict("no_images", "There are no images yet; import some first.")
    job = new_job(
        JobKind.LOOK_UP,
        project_id=project.id,
        params=LookUpParams(words=words, weights_id=weights.id).to_json(),
        created_by=principal.id,
    )
    session.add(job)
    await session.flush()
    await session.refresh(job)
    queue.enqueue(session.info, job)
    return JobOut.model_validate(job)


async def _weights(session: AsyncSession) -> Weights | None:
    """Those that were uploaded last, of those that are known to fit."""
    statement = (
        select(Weights)
        .where(
            Weights.library == CAPTIONS,
            Weights.checked_at.is_not(None),
            Weights.problem.is_(None),
        )
        .order_by(Weights.id.desc())
        .limit(1)
    )
    return (await session.scalars(statement)).one_or_none()
