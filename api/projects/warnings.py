from collections.abc import Iterator
from urllib.parse import urlsplit

from sqlalchemy import exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.settings import used
from api.weights.choice import weights_warnings
from core.media.images.duplicates import in_evaluation, may_be_held_out
from core.media.images.input_size import not_resized_since
from core.retention import due_at
from core.settings.project import ProjectSettings
from core.states import JobKind, JobState, Role
from core.tables import Example, Job, Member, Project, User, Webhook
from models.catalog import Spec


async def warnings(session: AsyncSession, project: Project) -> list[str]:
    """What the settings ask for that is not there, or not any more."""
    settings = ProjectSettings.model_validate(project.settings)
    return [
        *_over(project),
        *await weights_warnings(session, settings),
        *await _features(session, project, settings),
        *await _annotators(session, project, settings.overlap),
        *await _webhooks(session, project),
        *await _leaks(session, project),
    ]


def _over(project: Project) -> list[str]:
    """That the project will be deleted, and when."""
    due = due_at(project)
    if due is None:
        return []
    return [
        f"This project will be deleted on {due:%Y-%m-%d}, with its labels and files. Export what "
        "you need, or ask an admin to keep it."
    ]


async def _leaks(session: AsyncSession, project: Project) -> list[str]:
    """Pictures that are both in the pool and among those to evaluate on."""
    statement = select(func.count()).where(
        Example.project_id == project.id, may_be_held_out(), in_evaluation(project.id)
    )
    count = await session.scalar(statement) or 0
    if count == 0:
        return []
    pool = "image of the pool is" if count == 1 else "images of the pool are"
    return [
        f"{count:,} {pool} the same as one to evaluate on. Hold them out on the page Pool, under "
        "Duplicates: once labeled, they would be left out of what accuracy is measured on."
    ]


async def _webhooks(session: AsyncSession, project: Project) -> list[str]:
    """Webhooks that Karat itself has switched off."""
    statement = (
        select(Webhook.url)
        .where(Webhook.project_id == project.id, Webhook.off_reason.is_not(None))
        .order_by(Webhook.id)
    )
    return [
        f"The webhook to {urlsplit(url).hostname} is switched off, since nothing got through. Mend "
        "what receives it, then switch it on in the settings."
        for url in await session.scalars(statement)
    ]


async def _annotators(session: AsyncSession, project: Project, overlap: int) -> list[str]:
    """Rounds wait for as many annotators as each image is to be seen by."""
    if overlap == 1:
        return []
    admitted = or_(
        User.role == Role.ADMIN,
        exists().where(Member.user_id == User.id, Member.project_id == project.id),
    )
    count = await session.scalar(
        select(func.count()).select_from(User).where(User.active, admitted)
    )
    if count is None or count >= overlap:
        return []
    return [
        f"Each image is to be seen by {overlap} annotators, and {count} may label here: rounds "
        "will wait for the others. Add members, or lower the setting overlap."
    ]


async def _features(
    session: AsyncSession, project: Project, settings: ProjectSettings
) -> list[str]:
    """Scores whose features are not learned yet. A fallback stands in meanwhile."""
    needing = [spec for spec in used(settings) if "contrastive" in spec.needs]
    if not needing:
        return []
    statement = select(Job.id, Job.state).where(
        Job.project_id == project.id,
        Job.kind == JobKind.LEARN_FEATURES,
        Job.is_real(),
        Job.state.in_((JobState.QUEUED, JobState.RUNNING, JobState.SUCCEEDED)),
        not_resized_since(),
    )
    jobs = {row.state: row.id for row in await session.execute(statement.order_by(Job.id))}
    if JobState.SUCCEEDED in jobs:
        return []
    active = jobs.get(JobState.RUNNING) or jobs.get(JobState.QUEUED)
    return list(_without_features(needing, active))


def _without_features(needing: list[Spec], active: int | None) -> Iterator[str]:
    for spec in needing:
        remedy = (
            f"which job {active} is learning"
            if active is not None
            else "and this project has none: start the job learn_features"
        )
        until = f" Until then {spec.fallback} stands in." if spec.fallback else ""
        yield f"The {spec.kind} {spec.name} needs learned features, {remedy}.{until}"
