"""Every route of the API called by everybody, and compared with one table."""

import functools
from typing import Any

import anyio
import pytest
from fastapi.testclient import TestClient

from core.states import Role, Scope
from core.tables import Suggestion
from tests.security.policy import (
    COLUMNS,
    PAGE,
    POLICY,
    Column,
    allowed,
    operations,
    with_table,
)
from tests.security.targets import CALLS, ENDLESS, Call, Target, target
from tests.world import Caller, World

_ADD = (
    "New routes need a row in POLICY of tests/security/policy.py, and one in CALLS of "
    "tests/security/targets.py where they take a body or use something up. Missing: "
)


class Walker:
    """Calls routes of the API as somebody."""

    def __init__(self, http: TestClient, world: World) -> None:
        self.http, self.world = http, world
        self.schema: dict[str, Any] = http.get("/api/openapi.json").json()
        self.operations = operations(self.schema)

    def call(self, name: str, found: Target) -> tuple[int, str]:
        """Status and problem code of one call."""
        method, path = self.operations[name]
        call = CALLS.get(name, Call())
        found = call.before(self.world, found)
        url = f"{path.format(**found.values)}?{call.query(found)}".rstrip("?")
        headers = found.caller.headers if found.caller else {}
        if name in ENDLESS:
            return self._begin(url, headers), ""
        # A session of an earlier call must not let the next one in.
        self.http.cookies.clear()
        response = self.http.request(
            method,
            url,
            headers=headers,
            json=call.body(found) if call.body else None,
            content=call.content,
            follow_redirects=False,
        )
        assert response.status_code < 500, f"{method} {url}: {response.text}"
        is_problem = response.headers.get("content-type") == "application/problem+json"
        return response.status_code, response.json()["code"] if is_problem else ""

    def _begin(self, path: str, headers: dict[str, str]) -> int:
        """Status of a response that never ends."""
        assert self.http.portal is not None
        status: int = self.http.portal.call(
            functools.partial(_status, self.http.app, path, headers)
        )
        return status


async def _status(app: Any, path: str, headers: dict[str, str]) -> int:
    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "path": path, "query_string": b"",
        "raw_path": path.encode(), "root_path": "", "scheme": "http", "client": ("test", 1),
        "server": ("karat.test", 80), "extensions": {},
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    found: list[int] = []
    with anyio.CancelScope() as cancelling:

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])
            cancelling.cancel()

        async def receive() -> dict[str, Any]:
            await anyio.sleep_forever()
            raise AssertionError

        await app(scope, receive, send)
    return found[0]


@pytest.fixture
def walker(http: TestClient, world: World) -> Walker:
    return Walker(http, world)


def _caller(world: World, column: Column, own: Target) -> Caller | None:
    if column.role is None:
        return None
    projects = [own.project] if column.member else []
    return world.caller(column.role, *projects, as_=column.member)


def _wrong(who: str, column: Column, status: int, code: str) -> str | None:
    """What is wrong with an answer, if anything is."""
    if allowed(who, column):  # type: ignore[arg-type]
        if status in {401, 403, 404}:
            return "is refused, and should not be"
    elif column.role is None and (status, code) != (401, "unauthenticated"):
        return "should be told to log in"
    elif column.role is not None and status not in {403, 404}:
        return "gets in"
    return None


def test_every_route_has_a_policy(walker: Walker) -> None:
    missing = sorted(walker.operations.keys() - POLICY.keys())
    assert not missing, f"{_ADD}{', '.join(missing)}"


def test_everybody_may_do_what_the_table_says_and_nothing_else(
    walker: Walker, world: World
) -> None:
    own = target(world)
    callers = [(column, _caller(world, column, own)) for column in COLUMNS]
    wrong = []
    for name in walker.operations.keys() & POLICY.keys():
        for column, caller in callers:
            found = Target(own.project, caller, own.values)
            status, code = walker.call(name, found)
            # Events answer outside of JSON.
            if name in ENDLESS and status == 401:
                code = "unauthenticated"
            if caller and status == 404 and CALLS.get(name, Call()).none:
                continue
            if problem := _wrong(POLICY[name].who, column, status, code):
                wrong.append(f"{name}: {column.title} {problem} ({status} {code})")
    assert not wrong, "\n".join(wrong)


def test_a_token_may_do_what_its_scope_says(walker: Walker, world: World) -> None:
    own = target(world)
    admin = world.caller()
    ranks = list(Scope)
    wrong = []
    for scope in (Scope.READ, Scope.LABEL, Scope.WRITE):
        caller = Caller(admin.user, world.token(admin.user, scope)[1])
        for name in walker.operations.keys() & POLICY.keys():
            policy = POLICY[name]
            if policy.who == "anybody":
                continue
            status, code = walker.call(name, Target(own.project, caller, own.values))
            enough = ranks.index(scope) >= ranks.index(policy.scope)
            if (code == "scope_required") is enough:
                wrong.append(f"{name} with the scope {scope}: {status} {code}")
    assert not wrong, "\n".join(wrong)


def test_ids_of_another_project_are_refused_within_ones_own(walker: Walker, world: World) -> None:
    """An engineer of one project writes its number in the path, and other numbers after it."""
    own, other = target(world), target(world)
    engineer = world.caller(Role.ENGINEER, own.project)
    foreign = {
        "job_id", "import_id", "subset_id", "example_id", "artifact_id", "suggestion_id",
        "webhook_id", "delivery_id", "review", "sync_id",
    }  # fmt: skip
    mixed = {**own.values, **{name: other.values[name] for name in foreign}}
    walked = 0
    for name, (_, path) in walker.operations.items():
        # A link opens whoever has it.
        if POLICY[name].who == "anybody":
            continue
        # These make a plan of their own first: tests/api/test_import_plans.py has another's.
        if name in ("start_import", "discard_import"):
            continue
        found = Target(own.project, engineer, mixed)
        if any(f"{{{one}}}" in path for one in foreign) or name == "compare_subsets":
            status, code = walker.call(name, found)
            # A review that the project has not is an empty one.
            assert (status, code) == (404, "not_found") or "/reviews/" in path, name
            walked += 1
    assert walked >= 12
    world.session.expire_all()
    suggestion = world.session.get_one(Suggestion, other.values["suggestion_id"])
    assert (suggestion.decision, suggestion.lease_holder) == (None, None)


def test_somebody_elses_token_is_refused_to_all_but_admins(walker: Walker, world: World) -> None:
    own = target(world)
    theirs, headers = world.token(world.caller().user)
    for column in COLUMNS[1:-1]:
        caller = _caller(world, column, own)
        assert caller is not None
        path = f"/api/tokens/{theirs.id}"
        assert walker.http.delete(path, headers=caller.headers).status_code == 404
    assert walker.http.get("/api/auth/me", headers=headers).status_code == 200


def test_the_table_of_the_docs_is_this_one(walker: Walker) -> None:
    page = PAGE.read_text()
    assert with_table(page, walker.schema) == page, "run: python -m tests.security.policy"
