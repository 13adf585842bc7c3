"""Who gets in, by cookie and by token, and when that ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from argon2 import extract_parameters
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from api.callers.credentials import _NOBODY, hash_password, password_matches
from api.callers.principal import COOKIE
from core.states import Role
from core.tables import ApiToken, LoginSession, User
from tests.logins import EMAIL, PASSWORD, log_in
from tests.world import World

LOGIN = {"email": EMAIL, "password": PASSWORD}
PROJECT = {"name": "Forged", "classes": []}


def test_nobodys_password_is_as_dear_to_compare_with_as_anybodys() -> None:
    assert extract_parameters(_NOBODY) == extract_parameters(hash_password(PASSWORD))
    assert not password_matches("", None)


def create_token(http: TestClient, headers: dict[str, str], **body: Any) -> dict[str, Any]:
    response = http.post("/api/tokens", json={"name": "laptop", **body}, headers=headers)
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def status_with(http: TestClient, secret: str) -> int:
    headers = {"Authorization": f"Bearer {secret}"}
    return http.get("/api/auth/me", headers=headers).status_code


def test_login_sets_a_cookie_that_scripts_and_other_sites_cannot_use(
    http: TestClient, ada: User
) -> None:
    response = log_in(http, email="ADA@example.org ")
    assert response.status_code == 200
    assert response.json()["email"] == ada.email
    assert not {"password", "password_hash"} & set(response.json())
    cookie = response.headers["set-cookie"].lower()
    assert cookie.startswith(f"{COOKIE}=")
    assert "; httponly" in cookie
    assert "; samesite=lax" in cookie
    assert "; secure" not in cookie
    assert http.get("/api/auth/me").json()["id"] == ada.id


@pytest.mark.usefixtures("ada")
def test_cookie_is_secure_behind_https(http: TestClient) -> None:
    response = http.post("https://karat.test/api/auth/login", json=LOGIN)
    assert "; secure" in response.headers["set-cookie"].lower()


def test_only_a_hash_of_the_cookie_is_stored(http: TestClient, world: World, ada: User) -> None:
    secret = log_in(http).cookies[COOKIE]
    stored = world.session.scalars(select(LoginSession)).one()
    assert stored.user_id == ada.id
    assert secret not in stored.token_hash


@pytest.mark.parametrize("changes", [{"password": "wrong"}, {"email": "nobody@example.org"}])
@pytest.mark.usefixtures("ada")
def test_wrong_credentials_do_not_say_which_part_was_wrong(
    http: TestClient, changes: dict[str, str]
) -> None:
    response = log_in(http, **changes)
    assert response.status_code == 401
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "bad_credentials"
    assert response.json()["detail"] == "The address or the password is wrong."
    assert COOKIE not in response.cookies


def test_inactive_user_gets_in_neither_by_password_nor_by_old_cookie(
    http: TestClient, world: World, ada: User
) -> None:
    log_in(http)
    ada.active = False
    world.session.commit()
    assert http.get("/api/auth/me").json()["code"] == "unauthenticated"
    assert log_in(http).json()["code"] == "bad_credentials"


@pytest.mark.usefixtures("ada")
def test_expired_session_ends_and_is_cleared_away(http: TestClient, world: World) -> None:
    log_in(http)
    world.session.execute(update(LoginSession).values(expires_at=func.now()))
    world.session.commit()
    assert http.get("/api/auth/me").status_code == 401
    log_in(http)
    assert world.session.scalar(select(func.count()).select_from(LoginSession)) == 1


@pytest.mark.usefixtures("ada")
def test_logout_ends_the_session_on_the_server(http: TestClient) -> None:
    secret = log_in(http).cookies[COOKIE]
    response = http.post("/api/auth/logout")
    assert (response.status_code, response.json()) == (200, {"end_session_url": None})
    assert COOKIE not in http.cookies
    http.cookies.set(COOKIE, secret)
    assert http.get("/api/auth/me").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.usefixtures("ada")
def test_other_sites_cannot_write_with_the_cookie(
    http: TestClient, headers: dict[str, str]
) -> None:
    log_in(http)
    for path, body in (
        ("/api/projects", PROJECT),
        ("/api/auth/logout", {}),
        ("/api/auth/login", LOGIN),
    ):
        response = http.post(path, json=body, headers=headers)
        assert (response.status_code, response.json()["code"]) == (403, "cross_site")
    assert http.get("/api/auth/me", headers=headers).status_code == 200


@pytest.mark.usefixtures("ada")
def test_own_pages_may_write_with_the_cookie(http: TestClient) -> None:
    log_in(http)
    headers = {"Origin": "http://karat.test", "Sec-Fetch-Site": "same-origin"}
    response = http.post("/api/projects", json=PROJECT, headers=headers)
    assert response.status_code == 201


def test_bearer_token_works_from_anywhere(http: TestClient, world: World) -> None:
    caller = world.caller(Role.ENGINEER)
    headers = {**caller.headers, "Origin": "https://notebook.example"}
    assert http.post("/api/projects", json=PROJECT, headers=headers).status_code == 201


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer karat_unknown", "Basic YTpi", "karat_x"])
def test_unknown_credentials_are_refused(http: TestClient, value: str) -> None:
    response = http.get("/api/auth/me", headers={"Authorization": value})
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")


def test_token_shows_its_secret_once_and_is_stored_hashed(http: TestClient, world: World) -> None:
    caller = world.caller(Role.ANNOTATOR)
    created = create_token(http, caller.headers, expires_in_days=7)
    secret = created["secret"]
    assert secret.startswith(created["prefix"])
    assert status_with(http, secret) == 200
    listed = http.get("/api/tokens", headers=caller.headers)
    assert secret not in listed.text
    token = next(item for item in listed.json()["items"] if item["id"] == created["id"])
    assert "secret" not in token
    assert token["last_used_at"] is not None
    expires = datetime.fromisoformat(token["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=6) < expires < timedelta(days=7)
    stored = world.session.get_one(ApiToken, created["id"])
    assert secret not in {stored.token_hash, stored.prefix, stored.name}


def test_revoked_token_stops_at_once(http: TestClient, world: World) -> None:
    caller = world.caller(Role.ANNOTATOR)
    created = create_token(http, caller.headers)
    path = f"/api/tokens/{created['id']}"
    assert status_with(http, created["secret"]) == 200
    assert http.delete(path, headers=caller.headers).status_code == 204
    assert status_with(http, created["secret"]) == 401
    listed = http.get("/api/tokens", headers=caller.headers).json()["items"]
    revoked = {item["id"]: item["revoked_at"] for item in listed}
    assert revoked[created["id"]] is not None
    # Again changes nothing, not even the time.
    assert http.delete(path, headers=caller.headers).status_code == 204
    assert http.get("/api/tokens", headers=caller.headers).json()["items"] == listed


def test_expired_token_stops(http: TestClient, world: World) -> None:
    created = create_token(http, world.caller().headers, expires_in_days=1)
    world.session.execute(
        update(ApiToken).where(ApiToken.id == created["id"]).values(expires_at=func.now())
    )
    world.session.commit()
    assert status_with(http, created["secret"]) == 401


def test_token_of_somebody_else_can_be_neither_seen_nor_revoked(
    http: TestClient, world: World
) -> None:
    owner, engineer = world.caller(Role.ANNOTATOR), world.caller(Role.ENGINEER)
    created = create_token(http, owner.headers)
    listed = http.get("/api/tokens", headers=engineer.headers).json()["items"]
    assert created["id"] not in {item["id"] for item in listed}
    response = http.delete(f"/api/tokens/{created['id']}", headers=engineer.headers)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert status_with(http, created["secret"]) == 200
