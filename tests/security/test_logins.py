"""Guessing passwords, planting sessions, and what a password must be."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from api.auth import limits
from api.credentials import hash_password
from api.principal import COOKIE
from core.settings import Settings
from core.states import Role
from core.tables import LoginAttempt, LoginSession, User
from tests.world import World

EMAIL, PASSWORD = "ada@example.org", "a long password"


@pytest.fixture
def installation(installation: Settings) -> Settings:
    """One that loses patience soon."""
    return installation.model_copy(
        update={"login_attempts": 3, "login_attempts_per_address": 6, "login_wait_seconds": 600}
    )


@pytest.fixture
def ada(world: World) -> User:
    user = User(
        email=EMAIL, name="Ada", role=Role.ENGINEER, password_hash=hash_password(PASSWORD),
        active=True,
    )  # fmt: skip
    world.session.add(user)
    world.session.commit()
    return user


def log_in(http: TestClient, password: str = PASSWORD, email: str = EMAIL) -> Any:
    return http.post("/api/auth/login", json={"email": email, "password": password})


def wait_over(world: World) -> None:
    """Let as much time pass as anybody has to wait."""
    earlier = LoginAttempt.since - timedelta(seconds=601)
    world.session.execute(update(LoginAttempt).values(since=earlier))
    world.session.commit()


@pytest.mark.parametrize("email", [EMAIL, "nobody@example.org"])
@pytest.mark.usefixtures("ada")
def test_guessing_at_an_account_has_to_wait_whether_it_exists_or_not(
    http: TestClient, world: World, email: str
) -> None:
    for _ in range(3):
        assert log_in(http, "wrong", email).status_code == 401
    # Not even the right password is looked at, written in whatever way.
    refused = log_in(http, PASSWORD, f" {email.upper()} ")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")
    assert 590 <= int(refused.headers["Retry-After"]) <= 600
    assert "10 minutes" in refused.json()["detail"]
    wait_over(world)
    assert log_in(http, PASSWORD, email).status_code == (200 if email == EMAIL else 401)


def test_who_is_logged_in_stays_so_while_somebody_guesses(http: TestClient, ada: User) -> None:
    assert log_in(http).status_code == 200
    mine = dict(http.cookies)
    http.cookies.clear()
    for _ in range(5):
        log_in(http, "wrong")
    assert log_in(http).status_code == 429
    http.cookies.update(mine)
    assert http.get("/api/auth/me").json()["id"] == ada.id
    # Neither is what asks for the password of a session.
    body = {"old_password": PASSWORD, "password": "three odd lamps"}
    assert http.post("/api/auth/password", json=body).status_code == 200


@pytest.mark.usefixtures("ada")
def test_a_success_forgets_the_failures_of_the_account_and_not_those_of_the_address(
    http: TestClient, world: World
) -> None:
    for _ in range(3):
        assert [log_in(http, "wrong").status_code for _ in range(2)] == [401, 401]
        status = log_in(http).status_code
        if status == 429:
            break
    # Six failures from here, at whatever accounts and with successes between.
    assert status == 429
    assert log_in(http, "wrong", "nobody@example.org").status_code == 429
    kept = world.session.scalars(select(LoginAttempt.key)).all()
    assert not any("@" in key for key in kept)


@pytest.mark.usefixtures("ada")
def test_guessing_the_present_password_of_a_session_has_to_wait(http: TestClient) -> None:
    log_in(http)
    body = {"old_password": "wrong", "password": "three odd lamps"}
    statuses = [http.post("/api/auth/password", json=body).status_code for _ in range(4)]
    assert statuses == [400, 400, 400, 429]


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("192.0.2.7", "address:192.0.2.7"),
        ("::ffff:192.0.2.7", "address:192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"),
        (None, "address:None"),
    ],
)
def test_an_address_is_what_one_customer_has(host: str | None, key: str) -> None:
    assert limits.address_key(host) == key


@pytest.mark.usefixtures("ada")
def test_a_session_that_was_planted_is_not_the_one_that_logs_in(
    http: TestClient, world: World
) -> None:
    http.cookies.set(COOKIE, "planted")
    log_in(http)
    first = http.cookies.get(COOKIE, domain="karat.test")
    assert first not in {None, "planted"}
    # Logging in again ends what this browser had before.
    http.cookies.clear()
    http.cookies.set(COOKIE, str(first))
    assert log_in(http).status_code == 200
    assert len(world.session.scalars(select(LoginSession)).all()) == 1
    http.cookies.clear()
    http.cookies.set(COOKIE, str(first))
    assert http.get("/api/auth/me").status_code == 401


@pytest.mark.parametrize(
    "password",
    ["1234567890", "password123", "qwertyuiop", "aaaaaaaaaaaa", "letmein123456", "passwort1234"],
)
def test_passwords_that_are_guessed_first_are_refused(
    http: TestClient, world: World, password: str
) -> None:
    body = {"email": "eve@example.org", "name": "Eve", "password": password}
    response = http.post("/api/users", json=body, headers=world.caller().headers)
    problem = response.json()
    assert (response.status_code, problem["code"]) == (400, "password_too_common")
    assert problem["field"] == "password"
    assert password not in response.text
