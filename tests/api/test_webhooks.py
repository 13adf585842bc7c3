"""Setting webhooks up: by whom, for what, and with secrets that nobody sees twice."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import EventKind, Role, Scope
from core.tables import Audit, Project
from tests.world import Caller, World

URL = "https://example.org/karat?key=canary"


@pytest.fixture
def project(world: World) -> Project:
    return world.project()


@pytest.fixture
def engineer(world: World, project: Project) -> Caller:
    return world.caller(Role.ENGINEER, project)


def add(http: TestClient, path: str, caller: Caller, **body: Any) -> dict[str, Any]:
    response = http.post(f"/api{path}", json={"url": URL, **body}, headers=caller.headers)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def test_a_secret_is_shown_when_it_is_made_and_never_again(
    http: TestClient, world: World, project: Project, engineer: Caller
) -> None:
    made = add(http, f"/projects/{project.id}/webhooks", engineer)
    hook, first = made["webhook"], made["secret"]
    assert first.startswith("whsec_")
    assert hook["events"] == [kind.value for kind in EventKind]
    path = f"/api/webhooks/{hook['id']}"
    rotated = http.post(f"{path}/secret", headers=engineer.headers).json()
    assert rotated["secret"] != first
    assert rotated["webhook"]["old_secret_until"] is not None
    events = ["round.failed", "round.closed", "round.failed"]
    changed = http.patch(path, json={"events": events}, headers=engineer.headers).json()
    assert changed["events"] == ["round.closed", "round.failed"]
    pages = [path, f"{path}/deliveries", f"/api/projects/{project.id}/webhooks"]
    shown = "".join(http.get(page, headers=engineer.headers).text for page in pages)
    written = [str(row.detail) for row in world.session.scalars(select(Audit))]
    for secret in (first, rotated["secret"]):
        assert secret not in shown + "".join(written)
    assert "canary" not in "".join(written), "an address may hold what lets one write to it"
    verbs = [row.verb for row in world.session.scalars(select(Audit).order_by(Audit.id))]
    assert verbs == ["create", "rotate", "update"]
    assert http.delete(path, headers=engineer.headers).status_code == 204
    assert http.get(path, headers=engineer.headers).status_code == 404


@pytest.mark.parametrize("scope", [Scope.READ, Scope.LABEL, Scope.WRITE])
def test_addresses_are_shown_whole_to_those_alone_who_may_write_them(
    http: TestClient, world: World, project: Project, engineer: Caller, scope: Scope
) -> None:
    made = add(http, f"/projects/{project.id}/webhooks", engineer)["webhook"]
    token = world.token(engineer.user, scope)[1]
    one = http.get(f"/api/webhooks/{made['id']}", headers=token).json()
    (listed,) = http.get(f"/api/projects/{project.id}/webhooks", headers=token).json()["items"]
    shown = URL if scope is Scope.WRITE else "https://example.org/…"
    assert [one["url"], listed["url"], made["url"]] == [shown, shown, URL]


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org/", "file:///etc/passwd", "https://", "http:///x",
        "https://ada:secret@example.org/", "https://example.org/#part", "http://example.org:99999/",
        "https://exa\nmple.org/", f"https://example.org/{'a' * 2000}",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_by_field(
    http: TestClient, project: Project, engineer: Caller, url: str
) -> None:
    path = f"/api/projects/{project.id}/webhooks"
    refused = http.post(path, json={"url": url}, headers=engineer.headers)
    assert (refused.status_code, refused.json()["field"]) == (422, "url")
    assert http.get(path, headers=engineer.headers).json()["items"] == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.7"])
def test_machines_that_are_not_public_are_refused_with_the_remedy(
    http: TestClient, project: Project, engineer: Caller, host: str
) -> None:
    path = f"/api/projects/{project.id}/webhooks"
    refused = http.post(path, json={"url": f"http://{host}:8080/"}, headers=engineer.headers)
    assert (refused.status_code, refused.json()["code"]) == (400, "address_not_allowed")
    assert "KARAT_WEBHOOK_ALLOW" in refused.json()["detail"]
    made = add(http, f"/projects/{project.id}/webhooks", engineer)["webhook"]
    moved = http.patch(
        f"/api/webhooks/{made['id']}", json={"url": f"http://{host}/"}, headers=engineer.headers
    )
    assert moved.json()["code"] == "address_not_allowed"


def test_those_of_all_projects_are_for_admins(
    http: TestClient, world: World, engineer: Caller
) -> None:
    admin = world.caller()
    made = add(http, "/admin/webhooks", admin)["webhook"]
    assert made["project_id"] is None
    path = f"/api/webhooks/{made['id']}"
    assert http.get(path, headers=engineer.headers).status_code == 404
    assert http.get("/api/admin/webhooks", headers=engineer.headers).status_code == 403
    narrow = world.token(admin.user, Scope.WRITE)[1]
    refused = http.patch(path, json={"active": False}, headers=narrow)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_required")
    listed = http.get("/api/admin/webhooks", headers=admin.headers).json()["items"]
    assert [one["id"] for one in listed] == [made["id"]]


def test_one_that_is_off_is_told_nothing_by_hand(
    http: TestClient, project: Project, engineer: Caller
) -> None:
    made = add(http, f"/projects/{project.id}/webhooks", engineer)["webhook"]
    path = f"/api/webhooks/{made['id']}"
    sent = http.post(f"{path}/test", headers=engineer.headers).json()
    assert (sent["state"], sent["event"], sent["attempts"]) == ("waiting", "webhook.test", 0)
    http.patch(path, json={"active": False}, headers=engineer.headers)
    for what in ("test", f"deliveries/{sent['id']}/redeliver"):
        refused = http.post(f"{path}/{what}", headers=engineer.headers)
        assert (refused.status_code, refused.json()["code"]) == (409, "webhook_inactive")
    assert http.get(path, headers=engineer.headers).json()["waiting"] == 1


def test_deliveries_come_in_pages_and_those_of_others_are_not_told_again(
    http: TestClient, project: Project, engineer: Caller
) -> None:
    one, other = (
        add(http, f"/projects/{project.id}/webhooks", engineer)["webhook"]["id"] for _ in range(2)
    )
    sent = [
        http.post(f"/api/webhooks/{one}/test", headers=engineer.headers).json()["id"]
        for _ in range(3)
    ]
    path = f"/api/webhooks/{one}/deliveries?limit=2"
    page = http.get(path, headers=engineer.headers).json()
    rest = http.get(f"{path}&cursor={page['next_cursor']}", headers=engineer.headers).json()
    assert [item["id"] for item in page["items"] + rest["items"]] == sent[::-1]
    assert rest["next_cursor"] is None
    foreign = f"/api/webhooks/{other}/deliveries/{sent[0]}/redeliver"
    assert http.post(foreign, headers=engineer.headers).status_code == 404
    listed = http.get(f"/api/projects/{project.id}/webhooks", headers=engineer.headers).json()
    assert [(hook["waiting"], (hook["latest"] or {}).get("id")) for hook in listed["items"]] == [
        (3, sent[-1]),
        (0, None),
    ]


def test_there_are_not_without_end(http: TestClient, project: Project, engineer: Caller) -> None:
    path = f"/projects/{project.id}/webhooks"
    for _ in range(20):
        add(http, path, engineer)
    refused = http.post(f"/api{path}", json={"url": URL}, headers=engineer.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_webhooks")
