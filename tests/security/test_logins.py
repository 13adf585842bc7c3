"""Guessing passwords, planting sessions, and what a password must be."""

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update

from api.auth import devices
from api.callers import login_limits as limits
from api.callers.credentials import password_matches
from api.callers.principal import COOKIE
from api.main import create_app
from core.settings import Settings
from core.tables import LoginAttempt, LoginSession, User
from tests import processes
from tests.logins import EMAIL, PASSWORD, log_in
from tests.world import World


@pytest.fixture
def installation(installation: Settings) -> Settings:
    """One that loses patience soon."""
    return installation.model_copy(
        update={
            "login_attempts": 3,
            "login_attempts_per_account": 9,
            "login_attempts_per_address": 6,
            "login_wait_seconds": 600,
        }
    )


@contextlib.contextmanager
def from_(installation: Settings, host: str) -> Iterator[TestClient]:
    """Somebody with a browser of their own, who comes from ``host``."""
    app = create_app(installation)
    with TestClient(app, base_url="http://karat.test", client=(host, 50_000)) as client:
        yield client


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


def test_strangers_elsewhere_lock_nobody_out(
    installation: Settings, http: TestClient, ada: User
) -> None:
    with from_(installation, "192.0.2.1") as stranger:
        statuses = [log_in(stranger, "wrong").status_code for _ in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    assert log_in(http).json()["id"] == ada.id


def test_a_browser_that_has_signed_in_before_goes_in_under_any_flood(
    installation: Settings, http: TestClient, ada: User
) -> None:
    assert log_in(http).status_code == 200
    assert http.post("/api/auth/logout").status_code == 200
    # From many places, and from the owner's own address.
    for place in range(4):
        with from_(installation, f"192.0.2.{place}") as stranger:
            for _ in range(3):
                log_in(stranger, "wrong")
    with from_(installation, "testclient") as beside:
        for email in (EMAIL, "b@example.org", "c@example.org"):
            for _ in range(3):
                log_in(beside, "wrong", email)
        # Without having been here before the right password is not looked at, from anywhere.
        assert log_in(beside).status_code == 429
    with from_(installation, "192.0.2.99") as elsewhere:
        assert log_in(elsewhere).status_code == 429
    assert log_in(http).json()["id"] == ada.id
    # It may not guess without end either.
    assert http.post("/api/auth/logout").status_code == 200
    assert [log_in(http, "wrong").status_code for _ in range(4)] == [401, 401, 401, 429]


def test_a_browser_is_known_for_one_account_and_for_a_while(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "bob"):
        world.person(name, PASSWORD)
    assert log_in(http).status_code == 200
    mine, others = (devices.cookie_name(f"{name}@example.org") for name in ("ada", "bob"))
    cookie = next(one for one in http.cookies.jar if one.name == mine)
    assert (cookie.path, cookie.has_nonstandard_attr("HttpOnly")) == ("/api/auth", True)
    value = str(cookie.value)
    forged = [
        (mine, value[:-1] + ("0" if value[-1] != "0" else "1")),
        (mine, "1.2.3"),
        (mine, "."),
        (others, value),
    ]
    for name, sent in forged:
        http.cookies.clear()
        http.cookies.set(name, sent)
        email = "ada@example.org" if name == mine else "bob@example.org"
        assert log_in(http, "wrong", email).status_code == 401
    known = set(world.session.scalars(select(LoginAttempt.key)))
    assert not any(key.startswith("device:") for key in known)
    http.cookies.clear()
    http.cookies.set(mine, value)
    log_in(http, "wrong")
    later = time.time() + devices.SECONDS + 1
    monkeypatch.setattr("api.auth.devices.time.time", lambda: later)
    world.session.expire_all()
    counted = select(LoginAttempt).where(LoginAttempt.key.startswith("device:"))
    assert [row.failures for row in world.session.scalars(counted)] == [1]
    log_in(http, "wrong")
    world.session.expire_all()
    assert [row.failures for row in world.session.scalars(counted)] == [1]


def test_an_admin_lets_somebody_in_again(http: TestClient, ada: User, world: World) -> None:
    admin = world.caller().headers

    def locked() -> bool:
        found = http.get("/api/users/activity", headers=admin).json()["items"]
        return next(bool(one["locked"]) for one in found if one["id"] == ada.id)

    assert not locked()
    for email in (EMAIL, "b@example.org"):
        for _ in range(3):
            log_in(http, "wrong", email)
    # By the account here, and by the address.
    assert log_in(http).status_code == 429
    assert locked()
    answer = http.post(f"/api/users/{ada.id}/unlock", headers=admin)
    assert answer.json()["email"] == EMAIL
    assert not locked()
    assert log_in(http, "wrong", "c@example.org").status_code == 429
    assert log_in(http).status_code == 200
    verbs = [one["verb"] for one in http.get("/api/admin/audit", headers=admin).json()["items"]]
    assert "unlock" in verbs


@pytest.mark.parametrize(
    ("proxies", "called"),
    [(None, "127.0.0.1"), ("192.0.2.0/24", "127.0.0.1"), ("127.0.0.1", "198.51.100.7")],
)
def test_only_a_named_proxy_says_who_calls(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxies: str | None, called: str
) -> None:
    if proxies:
        monkeypatch.setenv("KARAT_TRUSTED_PROXIES", proxies)
    with processes.api(tmp_path / "api.log") as (_, url):
        said = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"}
        body = {"email": EMAIL, "password": "wrong"}
        assert httpx.post(f"{url}/api/auth/login", json=body, headers=said).status_code == 401
    keys = world.session.scalars(select(LoginAttempt.key))
    assert f"address:{called}" in set(keys)


def test_who_is_logged_in_stays_so_while_somebody_guesses(http: TestClient, ada: User) -> None:
    assert log_in(http).status_code == 200
    mine = str(http.cookies[COOKIE])
    http.cookies.clear()
    for _ in range(5):
        log_in(http, "wrong")
    assert log_in(http).status_code == 429
    http.cookies.set(COOKIE, mine)
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
        # Each time in a browser that has not been here.
        http.cookies.clear()
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


@pytest.mark.usefixtures("ada")
def test_few_passwords_are_looked_at_at_once_and_none_in_a_transaction(
    http: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, now, most, open_ = threading.Lock(), 0, 0, 0
    engine = world.session.connection().engine
    world.session.rollback()
    idle = text(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'karat-api' "
        "AND state LIKE 'idle in transaction%' AND datname = current_database()"
    )

    def looked_at(password: str, stored: str | None) -> bool:
        nonlocal now, most, open_
        with lock:
            now += 1
            most = max(most, now)
        try:
            with engine.connect() as connection:
                open_ += connection.execute(idle).scalar_one()
            time.sleep(0.2)  # so that those that may are at it together
            return password_matches(password, stored)
        finally:
            with lock:
                now -= 1

    monkeypatch.setattr("api.callers.credentials.password_matches", looked_at)
    # Alone, so that what is open is open for this one.
    assert log_in(http, "wrong", EMAIL).status_code == 401
    assert open_ == 0
    with ThreadPoolExecutor(12) as threads:
        found = list(
            threads.map(lambda i: log_in(http, "wrong", f"{i}@example.org").status_code, range(5))
        )
    assert found == [401] * 5
    assert 1 <= most <= 4


@pytest.mark.usefixtures("ada")
def test_the_audit_log_says_from_where(installation: Settings, world: World) -> None:
    admin = world.caller().headers
    with from_(installation, "192.0.2.1") as somebody:
        log_in(somebody, "wrong")
        log_in(somebody, "wrong", "nobody@example.org")
        log_in(somebody)
        somebody.post("/api/projects", json={"name": "Birds", "classes": []})
    with from_(installation, "198.51.100.2") as reader:
        found = reader.get("/api/admin/audit", headers=admin).json()["items"]
        text = reader.get("/api/admin/audit.csv", headers=admin).text
    known = {(entry["verb"], entry["address"]) for entry in found}
    assert {(verb, "192.0.2.1") for verb in ("log_in", "log_in_failed", "create")} <= known
    assert not any("address" in entry["detail"] for entry in found)
    assert text.splitlines()[0].endswith(",address,agent")
    assert text.count("192.0.2.1") == 4
