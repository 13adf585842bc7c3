"""Browsers that somebody is signed in with: seen by their owner alone, and ended one by one."""

from datetime import datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from api.callers.principal import COOKIE
from core.states import Role
from core.tables import Audit, LoginSession, User
from tests.world import World

PASSWORD = "a long password"


@pytest.fixture
def people(world: World) -> list[User]:
    """Ada and Bob, who can log in."""
    return [world.person(name, PASSWORD, Role.ANNOTATOR) for name in ("Ada", "Bob")]


def browser(http: TestClient, user: User, agent: str) -> str:
    """The cookie of a new session."""
    http.cookies.clear()
    login = {"email": user.email, "password": PASSWORD}
    answer = http.post("/api/auth/login", json=login, headers={"User-Agent": agent})
    return str(answer.cookies[COOKIE])


def use(http: TestClient, cookie: str) -> None:
    http.cookies.clear()
    http.cookies.set(COOKIE, cookie)


def test_one_sees_where_one_is_signed_in_and_ends_what_is_not_ones_own(
    http: TestClient, world: World, people: list[User]
) -> None:
    ada, bob = people
    theirs = browser(http, bob, "Bob's")
    lost, here = browser(http, ada, "A phone"), browser(http, ada, "x" * 1000)
    use(http, here)
    items = http.get("/api/auth/sessions").json()["items"]
    assert {one["agent"]: one["current"] for one in items} == {"A phone": False, "x" * 300: True}
    assert {one["address"] for one in items} == {"testclient"}
    assert {one["method"] for one in items} == {"password"}
    phone = next(one for one in items if not one["current"])
    assert lost not in str(items)
    # Somebody else's is as if it were not there.
    foreign = world.session.scalar(select(LoginSession.id).where(LoginSession.user_id == bob.id))
    for number in (foreign, 10**9):
        refused = http.delete(f"/api/auth/sessions/{number}")
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert http.delete(f"/api/auth/sessions/{phone['id']}").status_code == 204
    for cookie, status in ((lost, 401), (here, 200), (theirs, 200)):
        use(http, cookie)
        assert http.get("/api/auth/me").status_code == status
    assert world.session.scalars(select(Audit.verb).order_by(Audit.id)).all()[-1] == "revoke"


def test_all_others_end_together_and_when_one_was_seen_is_told(
    http: TestClient, world: World, people: list[User]
) -> None:
    others = [browser(http, people[0], f"{number}") for number in range(2)]
    here = browser(http, people[0], "here")
    long_ago = timedelta(hours=5)
    world.session.execute(
        update(LoginSession).values(last_seen_at=LoginSession.created_at - long_ago)
    )
    world.session.commit()
    use(http, here)
    items = http.get("/api/auth/sessions").json()["items"]
    seen = {one["agent"]: datetime.fromisoformat(one["last_seen_at"]) for one in items}
    assert seen["here"] - seen["1"] > timedelta(hours=4)
    assert http.delete("/api/auth/sessions").status_code == 204
    for cookie in others:
        use(http, cookie)
        assert http.get("/api/auth/me").status_code == 401
    use(http, here)
    assert len(http.get("/api/auth/sessions").json()["items"]) == 1
