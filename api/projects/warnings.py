from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from api.projects.settings import used
from core.project_settings import ProjectSettings
from core.states import JobKind, JobState
from core.tables import Job, Project
from models.catalog import Spec


async def warnings(session: AsyncSession, project: Project) -> list[str]:
    """What the settings ask for that is not there yet. A fallback stands in meanwhile."""
    settings = ProjectSettings.model_validate(project.settings)
    needing = [spec for spec in used(settings) if "contrastive" in spec.needs]
    if not needing:
        return []
    statement = select(Job.id, Job.state).where(
        Job.project_id == project.id,
        Job.kind == JobKind.LEARN_FEATURES,
        Job.is_real(),
        Job.state.in_((JobState.QUEUED, JobState.RUNNING, JobState.SUCCEEDED)),
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
