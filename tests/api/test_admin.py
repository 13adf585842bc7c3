"""What admins see of the whole installation, and that nobody else does."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.lifecycle import claim_job, new_job
from core.process.version import build
from core.settings import Settings
from core.states import ArtifactKind, JobKind, Role
from core.tables import ApiToken, Artifact, Audit, Worker
from tests.world import Caller, World

PATHS = (
    ("GET", "/api/admin/tokens"),
    ("GET", "/api/admin/workers"),
    ("DELETE", "/api/admin/workers/gpu-1@here"),
    ("GET", "/api/admin/storage"),
    ("GET", "/api/admin/audit"),
    ("GET", "/api/admin/audit.csv"),
    ("GET", "/api/users/activity"),
)


@pytest.fixture
def admin(world: World) -> Caller:
    return world.caller(Role.ADMIN)


def get(http: TestClient, caller: Caller, path: str, **params: Any) -> Any:
    response = http.get(f"/api{path}", params=params, headers=caller.headers)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ANNOTATOR])
def test_only_admins(http: TestClient, world: World, role: Role, method: str, path: str) -> None:
    response = http.request(method, path, headers=world.caller(role).headers)
    assert (response.status_code, response.json()["code"]) == (403, "admin_required")


def test_tokens_of_everybody_in_pages_and_revoked_by_an_admin(
    http: TestClient, world: World, admin: Caller
) -> None:
    annotator = world.caller(Role.ANNOTATOR)
    first = get(http, admin, "/admin/tokens", limit=1)
    (token,) = first["items"]
    assert token["user"]["email"] == annotator.user.email
    assert token["valid"] is True
    assert not {"secret", "token_hash"} & set(token)
    rest = get(http, admin, "/admin/tokens", cursor=first["next_cursor"])
    assert [one["user"]["id"] for one in rest["items"]] == [admin.user.id]

    path = f"/api/tokens/{token['id']}"
    mine = world.session.scalar(select(ApiToken.id).where(ApiToken.user_id == admin.user.id))
    assert http.delete(f"/api/tokens/{mine}", headers=annotator.headers).status_code == 404
    assert http.delete(path, headers=admin.headers).status_code == 204
    assert http.get("/api/auth/me", headers=annotator.headers).status_code == 401
    (token,) = get(http, admin, "/admin/tokens", user_id=annotator.user.id)["items"]
    assert token["valid"] is False


def test_token_of_a_deactivated_user_is_not_valid(
    http: TestClient, world: World, admin: Caller
) -> None:
    annotator = world.caller(Role.ANNOTATOR)
    path = f"/api/users/{annotator.user.id}"
    http.patch(path, json={"active": False}, headers=admin.headers)
    (token,) = get(http, admin, "/admin/tokens", user_id=annotator.user.id)["items"]
    assert (token["valid"], token["user"]["active"]) == (False, False)


def test_activity_counts_what_users_can_come_in_with(
    http: TestClient, world: World, admin: Caller
) -> None:
    project = world.project()
    annotator = world.caller(Role.ANNOTATOR, project)
    found = {one["id"]: one for one in get(http, admin, "/users/activity")["items"]}
    one = found[annotator.user.id]
    assert (one["projects"], one["tokens"], one["sessions"]) == (1, 1, 0)
    assert one["signed_in_at"] is None


def test_nobody_working_is_said_with_the_remedy(http: TestClient, admin: Caller) -> None:
    found = get(http, admin, "/admin/workers")
    assert [(one["code"], one["subject"]) for one in found["problems"]] == [
        ("no_worker", "cpu"),
        ("no_worker", "gpu"),
        ("no_worker", "judge"),
        ("no_worker", "web"),
        ("no_worker", "housekeeping"),
        ("no_scheduler", "scheduler"),
    ]
    assert found["problems"][1]["command"] == "celery -A workers.app worker --pool=solo -Q gpu"
    assert [one["messages"] for one in found["queues"]] == [0, 0, 0, 0, 0]


def test_workers_with_what_they_run_and_silent_ones(
    http: TestClient, world: World, admin: Caller
) -> None:
    project = world.project(images=1)
    job, waiting = (
        new_job(kind, project_id=project.id, params={}, created_by=None)
        for kind in (JobKind.PRUNE, JobKind.IMPORT_POOL)
    )
    world.session.add_all([job, waiting])
    world.session.flush()
    claim_job(job, "here:41")
    ago = datetime.now(UTC) - timedelta(minutes=5)
    world.session.add_all(
        [
            Worker(
                name="gpu-1@here", host="here", pid=41, queues=["gpu"], device="cuda",
                version="0.1.0+0045",
            ),
            Worker(name="scheduler@here", host="here", pid=42, queues=[], version=build()),
            # Of before they said it, and gone: one of these is enough to be told.
            Worker(name="cpu-1@here", host="here", pid=43, queues=["cpu"], heartbeat_at=ago),
        ]
    )  # fmt: skip
    world.session.commit()
    found = get(http, admin, "/admin/workers")
    shown = {one["name"]: one for one in found["workers"]}
    assert shown["gpu-1@here"]["jobs"] == [job.id]
    assert (shown["gpu-1@here"]["device"], shown["cpu-1@here"]["device"]) == ("cuda", None)
    assert [shown[name]["alive"] for name in sorted(shown)] == [False, True, True]
    assert [(one["code"], one["subject"]) for one in found["problems"]] == [
        ("no_worker", "cpu"),
        ("no_worker", "judge"),
        ("no_worker", "web"),
        ("no_worker", "housekeeping"),
        ("worker_silent", "cpu-1@here"),
        ("other_version", "gpu-1@here"),
    ]
    assert (found["version"], shown["gpu-1@here"]["version"]) == (build(), "0.1.0+0045")
    queues = {
        one["name"]: (one["workers"], one["queued"], one["running"]) for one in found["queues"]
    }
    assert queues == {
        "cpu": (0, 1, 0),
        "gpu": (1, 0, 1),
        "judge": (0, 0, 0),
        "web": (0, 0, 0),
        "housekeeping": (0, 0, 0),
    }
    assert [(one["id"], one["project"]) for one in found["jobs"]] == [
        (job.id, project.name),
        (waiting.id, project.name),
    ]

    assert http.delete("/api/admin/workers/cpu-1@here", headers=admin.headers).status_code == 204
    assert http.delete("/api/admin/workers/cpu-1@here", headers=admin.headers).status_code == 404
    found = get(http, admin, "/admin/workers")
    assert len(found["workers"]) == 2


def test_storage_by_project_and_kind(
    http: TestClient, world: World, admin: Caller, installation: Settings
) -> None:
    project, empty = world.project(images=5), world.project()
    world.session.add_all(
        Artifact(
            project_id=project.id,
            kind=ArtifactKind.CHECKPOINT,
            storage_key=f"x/{number}",
            sha256="0",
            bytes=1000,
        )
        for number in range(2)
    )
    world.session.commit()
    found = get(http, admin, "/admin/storage")
    one, other = found["projects"]
    images = sum(path.stat().st_size for path in installation.data_dir.glob("images/*/*"))
    assert (one["images"], one["image_bytes"], one["estimated"]) == (5, images, False)
    assert one["artifact_bytes"] == {"checkpoint": 2000}
    assert one["pixel_bytes"] >= 5 * 8 * 8 * 3
    assert (other["project"], other["images"], other["image_bytes"]) == (empty.name, 0, 0)
    assert 0 < found["disk_free"] <= found["disk_total"]
    assert found["database_bytes"] > 0


@pytest.fixture
def history(http: TestClient, world: World, admin: Caller) -> dict[str, Any]:
    """An engineer who makes and changes a project, and an admin who changes the engineer."""
    engineer = world.caller(Role.ENGINEER)
    body = {"name": "=Birds", "classes": [], "settings": {"input_size": 8, "budget": 40}}
    project = http.post("/api/projects", json=body, headers=engineer.headers).json()
    path = f"/api/projects/{project['id']}"
    change = {"settings": {"budget": 60, "cost": {"c_ood": 2}}}
    assert http.patch(path, json=change, headers=engineer.headers).status_code == 200
    assert http.get(f"{path}/export", headers=engineer.headers).status_code == 200
    user = f"/api/users/{engineer.user.id}"
    http.patch(user, json={"role": "annotator"}, headers=admin.headers)
    return {"project": project["id"], "engineer": engineer.user}


def test_audit_says_who_changed_what_from_what_to_what(
    http: TestClient, admin: Caller, history: dict[str, Any]
) -> None:
    items = get(http, admin, "/admin/audit")["items"]
    said = [(one["verb"], one["object_type"]) for one in items]
    assert said == [
        ("update", "user"),
        ("export", "annotations"),
        ("update", "project"),
        ("create", "project"),
    ]
    assert items[0]["actor"]["id"] == admin.user.id
    assert items[0]["object_name"] == history["engineer"].email
    assert items[0]["detail"]["changes"] == {"role": ["engineer", "annotator"]}
    assert items[2]["project"] == {"id": history["project"], "name": "=Birds"}
    assert items[2]["detail"]["changes"] == {
        "settings.budget": [40.0, 60.0],
        "settings.cost.c_ood": [1.0, 2.0],
    }


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"verb": "update"}, 2),
        ({"object_type": "project"}, 2),
        ({"object_type": "project", "verb": "update"}, 1),
        ({"until": "2020-01-01T00:00:00Z"}, 0),
        ({"since": "2020-01-01T00:00:00Z"}, 4),
    ],
)
@pytest.mark.usefixtures("history")
def test_audit_is_filtered(
    http: TestClient, admin: Caller, wanted: dict[str, str], count: int
) -> None:
    assert len(get(http, admin, "/admin/audit", **wanted)["items"]) == count


def test_audit_by_actor_and_project_and_in_pages(
    http: TestClient, world: World, admin: Caller, history: dict[str, Any]
) -> None:
    engineer = history["engineer"].id
    assert len(get(http, admin, "/admin/audit", actor_id=engineer)["items"]) == 3
    assert len(get(http, admin, "/admin/audit", project_id=history["project"])["items"]) == 3
    seen, cursor = [], None
    while True:
        page = get(http, admin, "/admin/audit", limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == list(world.session.scalars(select(Audit.id).order_by(Audit.id.desc())))


def test_audit_as_csv_is_filtered_and_holds_no_formula(
    http: TestClient, world: World, admin: Caller, history: dict[str, Any]
) -> None:
    asked = {"project_id": history["project"]}
    response = http.get("/api/admin/audit.csv", params=asked, headers=admin.headers)
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [row["verb"] for row in rows] == ["export", "update", "create"]
    assert {row["project"] for row in rows} == {"'=Birds"}
    last = world.session.scalar(select(Audit).order_by(Audit.id.desc()).limit(1))
    assert last is not None
    assert (last.verb, last.object_type, last.project_id) == ("export", "audit", None)
