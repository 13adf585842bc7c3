"""Projects that are deleted some time after they are finished: said before, and never too early."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text

from core.lifecycle import move_project, new_job
from core.retention import due_at, expire_one
from core.security.audit_chain import BROKEN
from core.settings import Settings
from core.states import JobKind, ProjectState, Role
from core.tables import Audit, Example, Project, Removal
from tests.world import World
from workers.celery_tasks import remove_files as task

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("finished", "days", "said", "due"),
    [
        (NOW, 30, NOW - timedelta(days=300), NOW + timedelta(days=30)),
        # Said when it was long over: a week is left to take things away.
        (NOW - timedelta(days=300), 30, NOW, NOW + timedelta(days=7)),
        (None, 30, NOW, None),
        (NOW, None, None, None),
    ],
)
def test_when_a_project_goes(
    finished: datetime | None, days: int | None, said: datetime | None, due: datetime | None
) -> None:
    project = Project(finished_at=finished, retain_days=days, retain_since=said)
    assert due_at(project) == due


def lapse(world: World, project: Project, time: timedelta) -> None:
    """Let so much time go by since the project was finished, and since it was said how long."""
    world.session.refresh(project)
    assert project.finished_at is not None
    assert project.retain_since is not None
    project.finished_at -= time
    project.retain_since -= time
    world.session.flush()


def test_a_project_goes_when_its_time_is_over_and_everybody_was_told(
    http: TestClient, world: World
) -> None:
    project, kept = (world.project(images=2, state=ProjectState.RUNNING) for _ in range(2))
    admin, manager = world.caller(), world.caller(Role.ENGINEER, project)
    path = f"/api/projects/{project.id}"
    refused = http.put(f"{path}/retention", json={"days": 30}, headers=manager.headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "admin_required")
    said = http.put(f"{path}/retention", json={"days": 30}, headers=admin.headers).json()
    assert (said["days"], said["due_at"], said["images"]) == (30, None, 2)
    for one in (project, kept):
        move_project(one, ProjectState.FINISHED)
    world.session.commit()
    (listed,) = http.get("/api/admin/retention", headers=admin.headers).json()["items"]
    due = datetime.fromisoformat(listed["due_at"])
    assert timedelta(days=29) < due - datetime.now(UTC) <= timedelta(days=30)
    (warning,) = http.get(path, headers=manager.headers).json()["warnings"]
    assert f"{due:%Y-%m-%d}" in warning
    # Not a moment too early by the clock of the database, and not while anything is at work.
    lapse(world, project, timedelta(days=30) - timedelta(minutes=1))
    assert expire_one(world.session) is None
    lapse(world, project, timedelta(minutes=1))
    takes_over = {"project": project.id}
    for job in (
        new_job(JobKind.RELABEL, project_id=project.id, params={}),
        new_job(JobKind.IMPORT_POOL, project_id=kept.id, params=takes_over),
    ):
        world.session.add(job)
        world.session.flush()
        assert expire_one(world.session) is None
        world.session.delete(job)
        world.session.flush()
    name = project.name
    assert expire_one(world.session) == name
    world.session.commit()
    assert http.get(path, headers=admin.headers).status_code == 404
    assert world.session.scalars(select(Project.id)).all() == [kept.id]
    assert world.session.scalar(select(func.count()).select_from(Example)) == 2
    assert world.session.scalars(select(Removal.project)).all() == [name]
    entry = world.session.scalars(select(Audit).where(Audit.verb == "expire")).one()
    assert (entry.project_id, entry.detail["name"], entry.detail["days"]) == (
        listed["project_id"], name, 30,
    )  # fmt: skip
    assert world.session.scalars(text(BROKEN)).all() == []


def add_due(world: World, count: int) -> list[int]:
    """Projects whose time is over; their ids."""
    ids = []
    for _ in range(count):
        project = world.project(state=ProjectState.RUNNING)
        project.retain_days, project.retain_since = 7, NOW
        move_project(project, ProjectState.FINISHED)
        world.session.flush()
        lapse(world, project, timedelta(days=7))
        ids.append(project.id)
    world.session.commit()
    return ids


def test_while_one_is_deleted_nobody_waits_for_it_or_begins_with_the_next(
    world: World, installation: Settings
) -> None:
    """All the threads that sweep would be deleting, or would wait."""
    first, _ = add_due(world, 2)
    with psycopg.connect(installation.libpq_url) as deleting:
        deleting.execute("DELETE FROM projects WHERE id = %s", [first])
        world.session.execute(text("SET lock_timeout = '3s'"))
        assert expire_one(world.session) is None
        deleting.commit()
    assert expire_one(world.session) is not None
    assert world.session.scalars(select(Project.id)).all() == []


def test_many_that_are_due_at_once_go_one_sweep_after_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that somebody who sees it in the log may still stop it."""
    add_due(world, 4)
    for left in (1, 0):
        monkeypatch.setattr(task, "_asked", float("-inf"))
        task.remove_files({})
        assert world.session.scalar(select(func.count()).select_from(Project)) == left
        world.session.commit()
