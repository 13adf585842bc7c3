"""Tokens that end by themselves, open one project, and may ask so many times a minute."""

from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from api.callers.principal import BOUND
from api.callers.token_limits import TokenMeter
from api.main import create_app
from core.errors import TooManyRequests
from core.settings import Settings
from core.states import Role, Scope
from core.tables import ApiToken
from tests.security.policy import POLICY
from tests.security.targets import CALLS, ENDLESS, Call, Target, target
from tests.security.test_matrix import Walker
from tests.world import Caller, World


@pytest.mark.parametrize(("asked", "days"), [({}, 90), ({"expires_in_days": 7}, 7)])
def test_a_token_ends_by_itself(
    http: TestClient, world: World, asked: dict[str, int], days: int
) -> None:
    headers = world.caller(Role.ANNOTATOR).headers
    made = http.post("/api/tokens", json={"name": "laptop", **asked}, headers=headers).json()
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=days - 1) < left <= timedelta(days=days)
    never = {"name": "server", "expires_in_days": None}
    assert http.post("/api/tokens", json=never, headers=headers).json()["expires_at"] is None
    assert http.get("/api/tokens", headers=headers).json()["days"] == 90


def test_no_token_lives_longer_than_the_installation_says(
    installation: Settings, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounded = installation.model_copy(update={"token_max_days": 30})
    old, new = world.caller(), world.caller(Role.ANNOTATOR)
    made = datetime.now(UTC) - timedelta(days=31)
    own = ApiToken.user_id == old.user.id
    world.session.execute(update(ApiToken).where(own).values(created_at=made, expires_at=None))
    world.session.commit()
    with TestClient(create_app(bounded), base_url="http://karat.test") as http:
        assert http.get("/api/auth/me", headers=old.headers).status_code == 401
        for days in (None, 31):
            body = {"name": "server", "expires_in_days": days}
            refused = http.post("/api/tokens", json=body, headers=new.headers)
            assert (refused.status_code, refused.json()["code"]) == (400, "token_too_long")
        fine = http.post("/api/tokens", json={"name": "server"}, headers=new.headers).json()
        left = datetime.fromisoformat(fine["expires_at"]) - datetime.now(UTC)
        assert timedelta(days=29) < left <= timedelta(days=30)
        assert http.get("/api/tokens", headers=new.headers).json()["days"] == 30
        listed = http.get("/api/admin/tokens", headers=world.caller().headers).json()["items"]
        assert [one["valid"] for one in listed if one["user"]["id"] == old.user.id] == [False]
        # What has ended counts nowhere.
        admin, again = world.caller(), world.token(old.user)[1]
        people = http.get("/api/users/activity", headers=admin.headers).json()["items"]
        assert {one["id"]: one["tokens"] for one in people}[old.user.id] == 1
        monkeypatch.setattr("api.tokens.service.MOST_TOKENS", 2)
        body = {"name": "another"}
        assert http.post("/api/tokens", json=body, headers=again).status_code == 201
        assert http.post("/api/tokens", json=body, headers=again).status_code == 409


def test_a_bound_token_opens_its_project_and_nothing_of_others(
    http: TestClient, world: World
) -> None:
    """Walked over every route, with the token of an admin, who may do everything else."""
    walker = Walker(http, world)
    own, other = target(world), target(world)
    admin = world.caller().user
    wrong = []
    bound = Caller(admin, world.token(admin, Scope.ADMIN, own.project)[1])
    for name, (_, path) in walker.operations.items():
        if POLICY[name].who == "anybody" or name in ENDLESS:
            continue
        inside = "{project_id}" in path
        if name in {"erase_user", "export_user", "list_events"} or CALLS.get(name, Call()).none:
            continue
        # These take a project of their own.
        if name == "delete_project":
            continue
        status, code = walker.call(name, Target(own.project, bound, own.values))
        opens = inside or name in BOUND
        if opens is (code == "project_token") or (opens and status in {401, 403, 404}):
            wrong.append(f"{name} of its own project: {status} {code}")
        if inside or any(one in path for one in ("{job_id}", "{example_id}", "{artifact_id}")):
            status, code = walker.call(name, Target(other.project, bound, other.values))
            if (status, code) != (404, "not_found"):
                wrong.append(f"{name} of another: {status} {code}")
    assert wrong == []
    listed = http.get("/api/projects", headers=bound.headers).json()["items"]
    assert [one["id"] for one in listed] == [own.project.id]
    jobs = http.get("/api/jobs", headers=bound.headers).json()["items"]
    assert {one["project_id"] for one in jobs} == {own.project.id}


def test_a_token_is_bound_only_to_what_its_user_sees(http: TestClient, world: World) -> None:
    body = {"name": "script", "project_id": world.project().id}
    refused = http.post("/api/tokens", json=body, headers=world.caller(Role.ENGINEER).headers)
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


def test_a_token_that_asks_too_often_has_to_wait(installation: Settings, world: World) -> None:
    few = installation.model_copy(update={"token_requests": 5})
    caller, other = world.caller(Role.ANNOTATOR), world.caller(Role.ANNOTATOR)
    with TestClient(create_app(few), base_url="http://karat.test") as http:
        answers = [http.get("/api/auth/me", headers=caller.headers) for _ in range(12)]
        refused = [one for one in answers if one.status_code == 429]
        # A minute may have begun in between.
        assert 2 <= len(refused) <= 7
        assert refused[0].json()["code"] == "too_many_requests"
        assert 1 <= int(refused[0].headers["Retry-After"]) <= 60
        assert http.get("/api/auth/me", headers=other.headers).status_code == 200


def test_what_other_processes_have_counted_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000_000_020.0]
    monkeypatch.setattr("api.callers.token_limits.time.time", lambda: now[0])
    monkeypatch.setattr("api.callers.token_limits.time.monotonic", lambda: now[0])
    meter = TokenMeter(200)
    meter.count(1)
    assert meter.to_tell() is None
    meter.count(1)
    assert meter.to_tell() is None, "it has looked in this second"
    now[0] += 1
    told = meter.to_tell()
    assert told is not None
    assert (told["tokens"], told["requests"]) == ([1], [2])

    class Row:
        minute = told["minute"] if told else 0
        token_id, requests = 1, 199

    meter.hear([Row])
    meter.count(1)
    with pytest.raises(TooManyRequests):
        meter.count(1)
    now[0] += 60
    meter.count(1)
