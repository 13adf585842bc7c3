"""Passwords: changed by their owner, reset by an admin, and what either of them ends."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.bootstrap import reset
from core.states import Role
from core.tables import Audit, User
from tests.logins import EMAIL, PASSWORD, log_in
from tests.world import World

OLD, NEW = PASSWORD, "another long one"


def cookies_of(http: TestClient, password: str) -> dict[str, str]:
    """Cookies of a session of Ada's."""
    http.cookies.clear()
    response = log_in(http, password)
    assert response.status_code == 200, response.text
    cookies = dict(response.cookies)
    http.cookies.clear()
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


def change(http: TestClient, headers: dict[str, str], **body: str) -> Any:
    changed = {"old_password": OLD, "password": NEW, **body}
    return http.post("/api/auth/password", json=changed, headers=headers)


@pytest.mark.usefixtures("ada")
def test_own_password_is_changed_and_other_sessions_end(http: TestClient) -> None:
    here, elsewhere = cookies_of(http, OLD), cookies_of(http, OLD)
    assert change(http, here).status_code == 200
    assert http.get("/api/auth/me", headers=here).status_code == 200
    assert http.get("/api/auth/me", headers=elsewhere).status_code == 401
    cookies_of(http, NEW)


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"old_password": "not this one"}, 400, "old_password"),
        ({"password": EMAIL.upper()}, 400, "password"),
        ({"password": OLD}, 400, "password"),
        ({"password": "short 1 2"}, 422, "password"),
    ],
)
def test_refused_password_names_its_field_and_changes_nothing(
    http: TestClient, body: dict[str, str], status: int, field: str
) -> None:
    here = cookies_of(http, OLD)
    response = change(http, here, **body)
    assert response.status_code == status, response.text
    problem = response.json()
    assert field in {problem["field"], *(error["field"] for error in problem["errors"])}
    cookies_of(http, OLD)


def test_reset_password_opens_nothing_but_the_choice_of_another(
    http: TestClient, world: World, ada: User
) -> None:
    admin = world.caller(Role.ADMIN)
    before = cookies_of(http, OLD)
    token = http.post("/api/tokens", json={"name": "script"}, headers=before).json()["secret"]
    path = f"/api/users/{ada.id}/reset-password"
    response = http.post(path, json={"revoke_tokens": True}, headers=admin.headers)
    assert response.status_code == 200, response.text
    temporary = response.json()["password"]
    assert response.json()["revoked_tokens"] == 1
    assert http.get("/api/auth/me", headers=before).status_code == 401
    bearer = {"Authorization": f"Bearer {token}"}
    assert http.get("/api/auth/me", headers=bearer).status_code == 401

    here = cookies_of(http, temporary)
    assert http.get("/api/auth/me", headers=here).json()["must_change_password"] is True
    refused = http.get("/api/projects", headers=here)
    assert (refused.status_code, refused.json()["code"]) == (403, "password_change_required")
    assert change(http, here, old_password=temporary).status_code == 200
    assert http.get("/api/projects", headers=here).status_code == 200
    world.session.expire_all()
    said = [row.detail for row in world.session.scalars(select(Audit))]
    assert not any(secret in str(said) for secret in (temporary, NEW, token))


def test_a_reset_without_it_leaves_tokens_alone_but_they_open_nothing_either(
    http: TestClient, world: World, ada: User
) -> None:
    admin = world.caller(Role.ADMIN)
    before = cookies_of(http, OLD)
    token = http.post("/api/tokens", json={"name": "script"}, headers=before).json()["secret"]
    bearer = {"Authorization": f"Bearer {token}"}
    path = f"/api/users/{ada.id}/reset-password"
    temporary = http.post(path, json={}, headers=admin.headers).json()["password"]
    assert http.get("/api/projects", headers=bearer).status_code == 403
    change(http, cookies_of(http, temporary), old_password=temporary)
    assert http.get("/api/projects", headers=bearer).status_code == 200


@pytest.mark.parametrize("role", [Role.ENGINEER, Role.ANNOTATOR])
def test_only_admins_reset_passwords_and_not_their_own(
    http: TestClient, world: World, ada: User, role: Role
) -> None:
    caller, admin = world.caller(role), world.caller(Role.ADMIN)
    refused = http.post(f"/api/users/{ada.id}/reset-password", json={}, headers=caller.headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "admin_required")
    own = http.post(f"/api/users/{admin.user.id}/reset-password", json={}, headers=admin.headers)
    assert (own.status_code, own.json()["code"]) == (409, "own_password")
    cookies_of(http, OLD)


def test_new_user_cannot_have_the_address_as_password(http: TestClient, world: World) -> None:
    body = {"email": "eve.long@example.org", "name": "Eve", "password": "eve.long@example.org"}
    response = http.post("/api/users", json=body, headers=world.caller(Role.ADMIN).headers)
    assert (response.status_code, response.json()["code"]) == (400, "password_is_email")


def test_failed_logins_are_on_record_without_what_was_typed(
    http: TestClient, world: World, ada: User
) -> None:
    typed = {"email": EMAIL, "password": "a wrong password"}
    for _ in range(3):
        assert http.post("/api/auth/login", json=typed).status_code == 401
    http.post("/api/auth/login", json={"email": "my-secret-phrase", "password": "x"})
    failed = select(Audit).where(Audit.verb == "log_in_failed").order_by(Audit.id)
    rows = world.session.scalars(failed).all()
    assert [(row.actor_id, row.object_id) for row in rows] == [(None, ada.id)] * 3 + [(None, None)]
    said = str([row.detail for row in rows])
    assert "wrong password" not in said
    assert "my-secret-phrase" not in said


def test_locked_out_admin_gets_in_from_the_servers_command_line(
    http: TestClient, world: World, ada: User
) -> None:
    assert reset(EMAIL, NEW) == {}
    ada.role = Role.ADMIN
    ada.active = False
    world.session.commit()
    assert reset(EMAIL.upper(), NEW) == {"email": EMAIL, "password": NEW}
    cookies_of(http, NEW)
