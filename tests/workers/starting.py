"""Starting a job of the catalog through the API."""

from typing import Any

from fastapi.testclient import TestClient

from core.tables import Job, Project
from tests.world import World


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
