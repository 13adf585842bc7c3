"""Starting a job of the catalog through the API, and following one that runs in this process."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.jobs.messages import RunJob
from core.tables import Job, Project
from tests.world import World
from workers.execution.handlers import Handler
from workers.execution.runner import run_job
from workers.jobs.context import JobContext


def start_job(
    http: TestClient,
    world: World,
    project: Project,
    kind: str,
    params: dict[str, Any],
    *,
    dry_run: bool = False,
) -> Job:
    """Start a job; nothing runs it yet."""
    body = {"kind": kind, "params": params, "dry_run": dry_run}
    headers = world.caller().headers
    response = http.post(f"/api/projects/{project.id}/jobs", json=body, headers=headers)
    assert response.status_code == 202, response.text
    job = world.session.get_one(Job, response.json()["id"])
    world.session.commit()  # an open transaction of the test would hold up triggers
    return job


def run_here(world: World, job: Job, handler: Handler | None = None) -> Job:
    """Run a job in this process, however it ends."""
    run_job(RunJob.of(job), handler)
    world.session.refresh(job)
    return job


def done_job(http: TestClient, world: World, *asked: Any, dry_run: bool = False) -> Job:
    """Start a job as `start_job` does, and run it in this process, however it ends."""
    return run_here(world, start_job(http, world, *asked, dry_run=dry_run))


def watch_progress(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what jobs of this process will have reported, as it would be shown."""
    seen: list[dict[str, Any]] = []
    report = JobContext.progress

    def watched(context: JobContext, step: int, steps: int, phase: str | None = None) -> None:
        report(context, step, steps, phase)
        assert context._progress is not None
        seen.append(context._progress)

    monkeypatch.setattr(JobContext, "progress", watched)
    return seen
