from collections.abc import Mapping
from typing import Final

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from api.advancing import hand_on
from api.audit import differences, record
from api.callers.access import managed_project, standings
from api.callers.principal import Principal
from api.projects import classes, queries
from api.projects.schemas import (
    ClassOut,
    CurrentRound,
    Permission,
    ProjectCreate,
    ProjectListed,
    ProjectOut,
    ProjectUpdate,
)
from api.projects.settings import checked
from api.projects.taking_over import take_over, taken_over
from api.projects.warnings import warnings
from api.telling import tell
from api.weights.choice import require_captions, require_weights
from core.errors import Conflict, Invalid
from core.events import Topic
from core.jobs import queue
from core.jobs.messages import RemoveFiles
from core.jobs.params import AdvanceParams
from core.lifecycle import move_project, new_job
from core.media.nouns import in_words_of
from core.retention import is_busy, remove_rows
from core.rounds import fit_budget, go_on, new_round
from core.settings.project import ProjectSettings
from core.states import ArtifactKind, ExampleState, JobKind, ProjectRole, ProjectState, Split
from core.tables import (
    Artifact,
    Example,
    Member,
    Project,
    Round,
)
from core.tasks.registry import task_type

_LABELS, _MANAGES = ProjectRole.ANNOTATOR, ProjectRole.MANAGER
_PERMITS: Final[Mapping[ProjectRole, Permission]] = {
    ProjectRole.ANNOTATOR: "label",
    ProjectRole.REVIEWER: "review",
    ProjectRole.MANAGER: "manage",
}


async def summaries(
    session: AsyncSession, principal: Principal, *, cursor: int | None, limit: int
) -> list[ProjectListed]:
    """The newest projects below ``cursor`` that ``principal`` sees."""
    statement = queries.visible(principal).limit(limit)
    if cursor is not None:
        statement = statement.where(Project.id < cursor)
    projects = (await session.scalars(statement)).all()
    ids = [project.id for project in projects]
    counts = await queries.counts(session, ids)
    roles = await standings(session, principal, ids)
    rounds = await queries.current_rounds(session, ids)
    pictures = await queries.pictures(session, ids)
    return [
        ProjectListed.model_validate(
            {
                **_columns(project),
                "counts": counts[project.id],
                "current_round": _current(rounds.get(project.id)),
                "permissions": _permissions(roles[project.id]),
                "pictures": list(pictures.get(project.id, {})),
                "excerpts": [
                    one for one in pictures.get(project.id, {}).values() if one is not None
                ],
            }
        )
        for project in projects
    ]


async def describe(session: AsyncSession, principal: Principal, project: Project) -> ProjectOut:
    """Everything about a project that the caller may know."""
    counts = await queries.counts(session, [project.id])
    role = (await standings(session, principal, [project.id]))[project.id]
    rounds = await queries.current_rounds(session, [project.id])
    version, found = await queries.versioned_classes(session, project)
    # Validated, so that settings from before a name was added have its default.
    settings = ProjectSettings.model_validate(project.settings)
    return ProjectOut.model_validate(
        {
            **_columns(project),
            "counts": counts[project.id],
            "current_round": _current(rounds.get(project.id)),
            "guidelines": project.guidelines,
            "classes": [ClassOut.model_validate(item) for item in found],
            "classes_version": version,
            "setup_version": queries.setup_version(project, found),
            "settings": {} if role is _LABELS else settings.model_dump(mode="json"),
            "modes": settings.modes,
            "permissions": _permissions(role),
            "warnings": await _warnings(session, project) if role is _MANAGES else [],
        }
    )


def _permissions(role: ProjectRole) -> list[Permission]:
    return [_PERMITS[one] for one in ProjectRole if role in one.and_above]


async def _warnings(session: AsyncSession, project: Project) -> list[str]:
    return [in_words_of(project.medium, one) for one in await warnings(session, project)]


def _columns(project: Project) -> dict[str, object]:
    return {
        "id": project.id,
        "name": project.name,
        "task": project.task,
        "medium": project.medium,
        "state": project.state,
        "created_at": project.created_at,
    }


def _current(found: tuple[Round, bool] | None) -> CurrentRound | None:
    if found is None:
        return None
    round_, failed = found
    return CurrentRound(
        number=round_.number,
        state=round_.state,
        spent=round_.spent,
        budget=round_.budget,
        failed=failed,
    )


async def create(session: AsyncSession, principal: Principal, body: ProjectCreate) -> Project:
    task = task_type(body.task)
    if body.medium not in task.media:
        raise Invalid(
            "not_for_medium",
            f"Labels of the type {task.name} are for {' and '.join(sorted(task.media))} examples.",
            field="medium",
        )
    settings = checked(body.settings, medium=body.medium, task=task.name)
    source = None
    if body.from_project is not None:
        source = await managed_project(session, principal, body.from_project)
        body = await taken_over(session, source, body)
    project = Project(
        name=body.name,
        state=ProjectState.DRAFT,
        task=task.name,
        medium=body.medium,
        guidelines=body.guidelines,
        settings=settings.model_dump(mode="json"),
        created_by=principal.id,
    )
    session.add(project)
    await _flush_name(session)
    await _require_subset(session, project.id, settings)
    await require_weights(session, settings.model)
    await require_captions(session, settings.purity)
    session.add(Member(project_id=project.id, user_id=principal.id, role=_MANAGES))
    await classes.replace(session, project, body.classes)
    if source is not None:
        await take_over(session, principal, source, project)
    record(
        session, principal, "create", "project", project.id, project_id=project.id, name=body.name
    )
    await session.refresh(project, ["created_at"])
    return project


async def update(
    session: AsyncSession, principal: Principal, project: Project, body: ProjectUpdate
) -> None:
    if body.setup_version is not None:
        stored = await queries.classes(session, project.id)
        if body.setup_version != queries.setup_version(project, stored):
            raise Conflict(
                "setup_changed",
                "Somebody has changed the name, the classes or the guidelines meanwhile. Look at "
                "those of now, and save again what shall hold.",
            )
    earlier = {"name": project.name, "settings": project.settings}
    if body.name is not None:
        project.name = body.name
        await _flush_name(session)
    if body.guidelines is not None:
        project.guidelines = body.guidelines
    if body.classes is not None:
        if body.classes_version not in (None, project.classes_version):
            raise Conflict(
                "classes_changed",
                "Somebody has changed the classes meanwhile. Look at those of now, and make your "
                "changes to them.",
                field="classes",
            )
        await classes.replace(session, project, body.classes)
    if body.settings is not None:
        before = ProjectSettings.model_validate(project.settings)
        settings = checked(body.settings, before, project.medium, project.task)
        for field in ("input_size", "fit"):
            if getattr(settings, field) != getattr(before, field):
                await _require_unseen(session, project.id, before, field)
        await _require_subset(session, project.id, settings)
        await require_weights(session, settings.model)
        await require_captions(session, settings.purity)
        project.settings = settings.model_dump(mode="json")
    record(
        session, principal, "update", "project", project.id, project_id=project.id,
        fields=sorted(body.model_fields_set),
        changes=differences(earlier, {"name": project.name, "settings": project.settings}),
    )  # fmt: skip
    tell(session, project.id, Topic.PROJECT, state=project.state)


async def _require_unseen(
    session: AsyncSession, project_id: int, now: ProjectSettings, field: str
) -> None:
    """Refuse another input size, or fit, where pixels of images are stored, or about to be."""
    if await _has_images(session, project_id):
        raise Conflict(
            "input_size_fixed",
            f"Images are stored at {now.input_size} px. To have the model see them at another "
            "size, start the job resize with its input_size: it makes them anew from their "
            "originals."
            if field == "input_size"
            else "Images are stored as the model sees them. To have it see more or less of each, "
            "start the job resize with its fit: it makes them anew from their originals.",
            field=f"settings.{field}",
        )
    if await session.scalar(queries.importing(project_id)) is not None:
        raise Conflict(
            "import_running",
            "An import is about to store images; wait for it, or cancel it, before changing "
            "how the model sees them.",
            field=f"settings.{field}",
        )


async def _require_subset(
    session: AsyncSession, project_id: int, settings: ProjectSettings
) -> None:
    if settings.subset is None:
        return
    statement = select(Artifact.id).where(
        Artifact.id == settings.subset,
        Artifact.project_id == project_id,
        Artifact.kind == ArtifactKind.SUBSET,
    )
    if await session.scalar(statement) is None:
        raise Invalid(
            "unknown_subset",
            f"The project has no subset {settings.subset}; take the subset_id of a finished job "
            "prune, or null.",
            field="settings.subset",
        )


async def _flush_name(session: AsyncSession) -> None:
    try:
        await session.flush()
    except IntegrityError as error:
        raise Conflict(
            "name_taken", "Another project has this name; choose a new one.", field="name"
        ) from error


async def _has_images(session: AsyncSession, project_id: int, split: Split | None = None) -> bool:
    # Of what was withdrawn a row is left in the store, which has one size.
    statement = select(Example.id).where(Example.project_id == project_id).limit(1)
    if split is not None:
        statement = statement.where(Example.split == split)
    return await session.scalar(statement) is not None


async def _require_unlabeled(session: AsyncSession, project: Project) -> None:
    unlabeled = select(Example.id).where(
        Example.project_id == project.id,
        Example.split == Split.POOL,
        Example.state == ExampleState.UNLABELED,
    )
    if await session.scalar(unlabeled.limit(1)) is None:
        raise Conflict(
            "nothing_unlabeled",
            "Every image of the pool has a label already, so there is nothing to ask. Import "
            "images without labels, or start jobs on those that are there.",
        )


def _require_queue(project: Project) -> None:
    """Refuse to begin a round where only a job can tell what it asks about."""
    if task_type(project.task).of_groups:
        raise Conflict(
            "asked_in_groups",
            "Rows of instruction data are asked about in groups that a job puts together. Start "
            "the job select_instructions; where it lets people rank, a round opens by itself.",
        )


async def start(session: AsyncSession, principal: Principal, project: Project) -> None:
    """Begin round 0, a random batch; one that has begun and does not run goes on."""
    if project.state in (ProjectState.PAUSED, ProjectState.FINISHED):
        await resume(session, principal, project)
        return
    if project.state is not ProjectState.DRAFT:
        raise Conflict("project_started", f"The project is {project.state} already.")
    fewest = task_type(project.task).fewest_classes
    if len(await queries.classes(session, project.id)) < fewest:
        wanted = "one class" if fewest == 1 else f"{fewest} classes"
        raise Invalid("too_few_classes", f"Add at least {wanted} first.", field="classes")
    if not await _has_images(session, project.id, Split.POOL):
        raise Conflict("no_images", "The pool is empty; import images first.")
    _require_queue(project)
    await _require_unlabeled(session, project)
    if await session.scalar(queries.importing(project.id)) is not None:
        raise Conflict("import_running", "An import is still running; start when it is done.")
    move_project(project, ProjectState.RUNNING)
    job = new_job(
        JobKind.ADVANCE_ROUND,
        project_id=project.id,
        params=AdvanceParams(closing=None, selecting=0).to_json(),
        created_by=principal.id,
    )
    first = new_round(project, 0)
    unlabeled = (await queries.counts(session, [project.id]))[project.id].unlabeled
    fit_budget(first, unlabeled * ProjectSettings.model_validate(first.settings).overlap)
    await hand_on(session, first, job, [first, job])
    await _changed(session, principal, project, "start")


async def pause(session: AsyncSession, principal: Principal, project: Project) -> None:
    if project.state is not ProjectState.RUNNING:
        raise Conflict(
            f"project_{project.state}",
            f"The project is {project.state}; only one that runs can be paused.",
        )
    move_project(project, ProjectState.PAUSED)
    await _changed(session, principal, project, "pause")


async def resume(session: AsyncSession, principal: Principal, project: Project) -> None:
    """Go on with a paused project, or with a finished one that may have another round."""
    if project.state is ProjectState.FINISHED:
        await _another_round(session, principal, project)
    elif project.state is not ProjectState.PAUSED:
        raise Conflict("project_not_paused", f"The project is {project.state}, not paused.")
    move_project(project, ProjectState.RUNNING)
    await _changed(session, principal, project, "resume")


async def _another_round(session: AsyncSession, principal: Principal, project: Project) -> None:
    latest = select(Round).where(Round.project_id == project.id).order_by(Round.number.desc())
    last = (await session.scalars(latest.limit(1).with_for_update(key_share=True))).one()
    _require_queue(project)
    await _require_unlabeled(session, project)
    following, job = go_on(project, last)
    job.created_by = principal.id
    await hand_on(session, last, job, [following, job])


async def _changed(
    session: AsyncSession, principal: Principal, project: Project, verb: str
) -> None:
    record(session, principal, verb, "project", project.id, project_id=project.id)
    tell(session, project.id, Topic.PROJECT, state=project.state)


async def remove(session: AsyncSession, principal: Principal, project: Project) -> None:
    """Delete a project with all its rows; its files go after the commit, in the background.

    Images that other projects hold, too, stay.
    """
    if project.state is ProjectState.RUNNING or await session.scalar(is_busy(project.id)):
        raise Conflict("project_busy", "Pause the project and let its jobs end before deleting it.")
    record(session, principal, "delete", "project", project.id, name=project.name)
    tell(session, project.id, Topic.PROJECT)
    await session.run_sync(remove_rows, project)
    queue.remember(session.info, RemoveFiles())
