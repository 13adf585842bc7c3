"""Projects that are deleted some time after they are finished: said before, and never too early."""

from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text

from core.audit_chain import BROKEN
from core.lifecycle import move_project, new_job
from core.retention import due_at, expire_one
from core.states import JobKind, ProjectState, Role
from core.tables import Audit, Example, Project, Removal
from tests.world import World

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
    # Not a moment too early, and not while anything is at work.
    assert expire_one(world.session, due - timedelta(seconds=1)) is None
    job = new_job(JobKind.RELABEL, project_id=project.id, params={})
    world.session.add(job)
    world.session.flush()
    assert expire_one(world.session, due) is None
    world.session.delete(job)
    world.session.flush()
    name = project.name
    assert expire_one(world.session, due) == name
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
