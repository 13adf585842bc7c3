from datetime import timedelta

from sqlalchemy import ARRAY, Text, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from api.callers.principal import Principal
from api.instruction_rows import members_of
from api.labeling import status
from api.labeling.reviewer_notes import notes_to, written_to
from api.labeling.schemas import RecentAnswer, Status
from api.schemas.fields import brought, shown_fields
from api.schemas.names import name_for_annotators
from api.schemas.pictures import image_url
from core.media.texts.excerpts import beginning
from core.settings.project import ProjectSettings
from core.states import ProjectState
from core.tables import Annotation, Example, Project, Query
from core.tasks.proposals import shown
from core.tasks.registry import label_of, task_type
from core.withdrawals import is_kept


async def project_status(
    session: AsyncSession, principal: Principal, project: Project, offset_minutes: int
) -> Status:
    """Where the project is, and what the caller has done by a clock so far ahead of UTC."""
    rounds = (await session.scalars(status.unfinished(project.id))).all()
    counting = status.counting_round(rounds)
    ahead = timedelta(minutes=offset_minutes)
    mine = await status.my_counts(session, project.id, principal.id, counting, ahead)
    serving = status.serving_round(rounds)
    served = project.state is ProjectState.RUNNING and serving is not None
    return status.describe(
        project.state, rounds, classes_version=project.classes_version, served=served, mine=mine
    )


async def recent(
    session: AsyncSession,
    principal: Principal,
    project: Project,
    limit: int,
    *,
    reviewed: bool = False,
) -> list[RecentAnswer]:
    """The caller's latest answers, each as it stands after corrections.

    With ``reviewed`` only those beside which a reviewer has written that it is otherwise.
    """
    task = task_type(project.task)
    of_groups = task.of_groups
    settings = ProjectSettings.model_validate(project.settings)
    names = [] if of_groups else settings.shown_fields
    statement = (
        select(
            Annotation,
            Example.width,
            Example.height,
            Example.name,
            Query.proposals,
            beginning(),
            brought(literal(names, type_=ARRAY(Text))),
        )
        .join(Example, Example.id == Annotation.example_id)
        .join(Query, Query.id == Annotation.query_id)
        .where(Annotation.project_id == project.id, status.own_answers(principal.id), is_kept())
        .order_by(Annotation.id.desc())
    )
    if reviewed:
        statement = statement.where(written_to(project.id, principal.id))
    else:
        statement = statement.limit(limit)
    found = (await session.execute(statement)).all()
    said = [row[0] for row in found]
    notes = await notes_to(session, principal, said, of_groups=of_groups)
    if reviewed:
        # Notes that agree, or no longer hold, are told apart here, and do not count as any.
        found = [row for row in found if row[0].id in notes][:limit]
    members = {}
    if of_groups:
        queries = [row[0].query_id for row in found]
        members = await members_of(session, queries, principal.id)
    return [
        RecentAnswer(
            key=annotation.client_key,
            query_id=annotation.query_id,
            example_id=annotation.example_id,
            image_url=image_url(annotation.example_id, is_text=width is None),
            width=width,
            height=height,
            excerpt=excerpt,
            name=name_for_annotators(name),
            fields=shown_fields(names, fields),
            verdict=annotation.verdict,
            class_id=annotation.class_id,
            label=label_of(annotation.label),
            proposals=shown(proposals) if task.lists_objects else None,
            members=members.get(annotation.query_id or 0),
            note=annotation.note,
            reviewer_note=notes.get(annotation.id),
            created_at=annotation.created_at,
        )
        for annotation, width, height, name, proposals, excerpt, fields in found
    ]
