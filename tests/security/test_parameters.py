"""What stands in addresses: numbers have bounds, and foreign ids look like free ones."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.testclient import TestClient

from api.tokens.service import MOST_TOKENS
from core.states import Role
from tests.security.policy import POLICY, operations
from tests.security.targets import CALLS, Call, Target, target
from tests.world import Caller, World

_FREE = 2**40 + 7


def _integers(schema: Any) -> Iterator[dict[str, Any]]:
    """The integers that a parameter may be."""
    if isinstance(schema, dict):
        # Those of a few values have bounds by nature.
        if schema.get("type") == "integer" and "enum" not in schema:
            yield schema
        for inner in schema.values():
            yield from _integers(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _integers(inner)


def _most(schema: dict[str, Any]) -> int | None:
    if "maximum" in schema:
        return int(schema["maximum"])
    return int(schema["exclusiveMaximum"]) - 1 if "exclusiveMaximum" in schema else None


def test_every_number_in_an_address_has_bounds_and_none_of_them_is_a_server_error(
    http: TestClient, world: World
) -> None:
    assert isinstance(http.app, FastAPI)
    # Bounds as the routes have them: what is described is of 64 bits where these are the bounds.
    description = get_openapi(title="", version="", routes=http.app.routes)
    own, headers = target(world), world.caller().headers
    unbounded, failed, walked = [], [], 0
    for name, (method, path) in operations(description).items():
        operation = description["paths"][path][method.lower()]
        for parameter in operation.get("parameters", ()):
            where = f"{name}: {parameter['name']}"
            for schema in _integers(parameter["schema"]):
                most = _most(schema)
                if most is None or not {"minimum", "exclusiveMinimum"} & schema.keys():
                    unbounded.append(where)
                    continue
                if method != "GET" or name == "project_events":
                    continue
                call = CALLS.get(name, Call())
                found = call.before(world, own)
                values, query = dict(found.values), call.query(found)
                if parameter["in"] == "path":
                    values[parameter["name"]] = most
                else:
                    others = (one for one in query.split("&") if one)
                    kept = [one for one in others if not one.startswith(f"{parameter['name']}=")]
                    query = "&".join([*kept, f"{parameter['name']}={most}"])
                answer = http.get(f"{path.format(**values)}?{query}", headers=headers)
                walked += 1
                if answer.status_code >= 500:
                    failed.append(f"{where}={most}: {answer.status_code}")
    assert not unbounded
    assert not failed
    assert walked > 60


_IDS = (
    "project_id", "job_id", "import_id", "subset_id", "example_id", "artifact_id", "suggestion_id",
    "webhook_id", "delivery_id", "review", "class_id", "sync_id",
)  # fmt: skip


def _told(http: TestClient, name: str, where: tuple[str, str], found: Target, id_: int) -> Any:
    """What a call is told, without the id that it was made with."""
    method, path = where
    call = CALLS.get(name, Call())
    assert found.caller
    http.cookies.clear()
    answer = http.request(
        method,
        f"{path.format(**found.values)}?{call.query(found)}".rstrip("?"),
        headers=found.caller.headers,
        json=call.body(found) if call.body else None,
        content=call.content,
    )
    text = re.sub(rf"\b{id_}\b", "N", answer.text)
    # Keys of answers are made up anew.
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", text)
    headers = {key: value for key, value in answer.headers.items() if key != "x-request-id"}
    headers.pop("content-length", None)
    return answer.status_code, headers, text


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ENGINEER])
def test_a_foreign_id_is_told_what_a_free_one_is(
    http: TestClient, world: World, role: Role
) -> None:
    own, other = target(world), target(world)
    caller = world.caller(role, own.project)
    compared, told_apart = 0, []
    for name, where in operations(http.get("/api/openapi.json").json()).items():
        # A link opens whoever has it, and a stream does not end.
        if POLICY[name].who == "anybody" or name == "project_events":
            continue
        for one in _IDS:
            values = {**own.values, one: _FREE}
            if one == "job_id" and name == "import_report":
                other_id = other.values["import_id"]
            else:
                other_id = other.values[one]
            free = Target(own.project, caller, values)
            if not _uses(name, where[1], free, one):
                continue
            foreign = Target(own.project, caller, {**values, one: other_id})
            answers = [
                _told(http, name, where, found, id_)
                for found, id_ in ((free, _FREE), (foreign, other_id))
            ]
            compared += 1
            if answers[0] != answers[1]:
                told_apart.append(f"{name} by {one}: {answers[0]} and {answers[1]}")
    assert not told_apart, "\n".join(told_apart)
    assert compared > 80


def _uses(name: str, path: str, found: Target, one: str) -> bool:
    """Whether the id ``one`` is part of the call."""
    call = CALLS.get(name, Call())
    sent = f"{call.query(found)} {call.body(found) if call.body else ''}"
    return f"{{{one}}}" in path or str(_FREE) in sent


def test_a_foreign_user_and_token_are_told_what_free_ones_are(
    http: TestClient, world: World
) -> None:
    other = world.caller()
    token, _ = world.token(other.user)
    caller = world.caller(Role.ENGINEER)
    for path in ("/api/tokens/{}", "/api/users/{}/unlock", "/api/users/{}/reset-password"):
        method = "DELETE" if "tokens" in path else "POST"
        ids = (token.id if "tokens" in path else other.user.id, _FREE)
        answers = [
            http.request(method, path.format(id_), headers=caller.headers, json={}) for id_ in ids
        ]
        assert answers[0].content == answers[1].content
        assert answers[0].status_code == answers[1].status_code


def test_a_user_has_a_hundred_valid_tokens_at_most(http: TestClient, world: World) -> None:
    caller: Caller = world.caller(Role.ANNOTATOR)
    first = None
    for _ in range(MOST_TOKENS - 1):
        made = http.post("/api/tokens", json={"name": "one"}, headers=caller.headers)
        assert made.status_code == 201
        first = first or made.json()["id"]
    refused = http.post("/api/tokens", json={"name": "one"}, headers=caller.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_tokens")
    assert http.delete(f"/api/tokens/{first}", headers=caller.headers).status_code == 204
    assert http.post("/api/tokens", json={"name": "one"}, headers=caller.headers).status_code == 201


def _within(schema: Any, schemas: Mapping[str, Any], *above: str) -> Iterator[tuple[str, Any]]:
    """The integers in a body, and where they are."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _within(inner, schemas, *above)
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in above:
            yield from _within(schemas[name], schemas, *above, name)
        return
    if schema.get("type") == "integer" and not {"enum", "const"} & schema.keys():
        yield ".".join(above), schema
    for inner in schema.values():
        yield from _within(inner, schemas, *above)


def test_every_number_in_a_body_has_bounds(http: TestClient) -> None:
    """PostgreSQL's have; what exceeds them would be a server error."""
    assert isinstance(http.app, FastAPI)
    description = get_openapi(title="", version="", routes=http.app.routes)
    schemas = description["components"]["schemas"]
    found = [
        (f"{name}: {where}", _most(schema))
        for name, (method, path) in operations(description).items()
        for body in [description["paths"][path][method.lower()].get("requestBody", {})]
        for where, schema in _within(body, schemas)
    ]
    assert not [where for where, most in found if most is None or most >= 2**63]
    assert len(found) > 60
