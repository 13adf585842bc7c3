"""People: who may add and change them, and what never happens to the last admin."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from core.states import Role
from tests.world import World

GRACE = {"email": "grace@example.org", "name": "Grace", "password": "a long password"}


def create(http: TestClient, world: World, **changes: Any) -> dict[str, Any]:
    admin = world.caller(Role.ADMIN)
    response = http.post("/api/users", json={**GRACE, **changes}, headers=admin.headers)
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def log_in(http: TestClient, password: str = GRACE["password"]) -> int:
    body = {"email": GRACE["email"], "password": password}
    return http.post("/api/auth/login", json=body).status_code


def test_admin_adds_a_user_who_can_log_in(http: TestClient, world: World) -> None:
    created = create(http, world, email="  Grace@Example.org ", role="engineer")
    assert created["email"] == "grace@example.org"
    assert (created["role"], created["active"]) == ("engineer", True)
    assert not {"password", "password_hash"} & set(created)
    assert log_in(http) == 200


def test_new_users_are_annotators_unless_said_otherwise(http: TestClient, world: World) -> None:
    assert create(http, world)["role"] == "annotator"


def test_email_is_taken_whatever_its_case(http: TestClient, world: World) -> None:
    create(http, world)
    admin = world.caller(Role.ADMIN)
    response = http.post(
        "/api/users", json={**GRACE, "email": "GRACE@example.org"}, headers=admin.headers
    )
    assert response.status_code == 409
    assert response.json()["code"] == "email_taken"
    assert response.json()["field"] == "email"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"email": "grace"}, "email"),
        ({"email": "gr ace@example.org"}, "email"),
        ({"email": "\N{KELVIN SIGN}grace@example.org"}, "email"),
        ({"password": "short"}, "password"),
        ({"name": "  "}, "name"),
        ({"role": "owner"}, "role"),
    ],
)
def test_malformed_user_names_its_field(
    http: TestClient, world: World, changes: dict[str, str], field: str
) -> None:
    response = http.post(
        "/api/users", json={**GRACE, **changes}, headers=world.caller(Role.ADMIN).headers
    )
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]


@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ANNOTATOR])
def test_only_admins_add_and_change_users(http: TestClient, world: World, role: Role) -> None:
    caller = world.caller(role)
    path = f"/api/users/{caller.user.id}"
    for response in (
        http.post("/api/users", json=GRACE, headers=caller.headers),
        http.patch(path, json={"role": "admin"}, headers=caller.headers),
    ):
        assert (response.status_code, response.json()["code"]) == (403, "admin_required")


def test_engineers_list_users_and_annotators_do_not(http: TestClient, world: World) -> None:
    engineer, annotator = world.caller(Role.ENGINEER), world.caller(Role.ANNOTATOR)
    listed = http.get("/api/users", headers=engineer.headers).json()["items"]
    assert [item["id"] for item in listed] == [engineer.user.id, annotator.user.id]
    assert http.get("/api/users", headers=annotator.headers).status_code == 403


@pytest.mark.parametrize("change", [{"role": "engineer"}, {"active": False}])
def test_last_active_admin_stays(http: TestClient, world: World, change: dict[str, Any]) -> None:
    admin, other = world.caller(Role.ADMIN), world.caller(Role.ADMIN)
    # An admin who was deactivated does not count.
    path = f"/api/users/{other.user.id}"
    assert http.patch(path, json={"active": False}, headers=admin.headers).status_code == 200
    response = http.patch(f"/api/users/{admin.user.id}", json=change, headers=admin.headers)
    assert (response.status_code, response.json()["code"]) == (409, "last_admin")
    assert http.get("/api/auth/me", headers=admin.headers).json()["role"] == "admin"
    # With a second one the first may go.
    assert http.patch(path, json={"active": True}, headers=admin.headers).status_code == 200
    response = http.patch(f"/api/users/{admin.user.id}", json=change, headers=admin.headers)
    assert response.status_code == 200


def test_deactivation_ends_sessions_and_tokens(http: TestClient, world: World) -> None:
    admin, annotator = world.caller(Role.ADMIN), world.caller(Role.ANNOTATOR)
    created = create(http, world)
    log_in(http)
    for user_id in (created["id"], annotator.user.id):
        path = f"/api/users/{user_id}"
        http.patch(path, json={"active": False}, headers=admin.headers)
    assert http.get("/api/auth/me").status_code == 401
    assert http.get("/api/auth/me", headers=annotator.headers).status_code == 401
    # A new start needs a new login.
    path = f"/api/users/{created['id']}"
    assert http.patch(path, json={"active": True}, headers=admin.headers).json()["active"]
    assert http.get("/api/auth/me").status_code == 401
    assert log_in(http) == 200


def test_new_password_ends_sessions_and_replaces_the_old_one(
    http: TestClient, world: World
) -> None:
    admin = world.caller(Role.ADMIN)
    path = f"/api/users/{create(http, world)['id']}"
    log_in(http)
    http.patch(path, json={"password": "another password"}, headers=admin.headers)
    assert http.get("/api/auth/me").status_code == 401
    assert log_in(http) == 401
    assert log_in(http, "another password") == 200


def test_unknown_user_cannot_be_changed(http: TestClient, world: World) -> None:
    admin = world.caller(Role.ADMIN)
    response = http.patch("/api/users/999999", json={"name": "X"}, headers=admin.headers)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_users_come_in_pages(http: TestClient, world: World) -> None:
    admin = world.caller()
    everybody = [admin.user.id, *(world.caller(Role.ANNOTATOR).user.id for _ in range(6))]
    for path in ("/api/users", "/api/users/activity"):
        seen: list[int] = []
        cursor: int | None = 0
        while cursor is not None:
            query = {"limit": 3, "cursor": cursor}
            page = http.get(path, params=query, headers=admin.headers).json()
            assert len(page["items"]) <= 3
            seen += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"]
        assert seen == everybody
