"""What strangers and others may send: nothing grows in memory before it is known whose it is."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from fastapi.testclient import TestClient
from hypothesis import example, given
from hypothesis import strategies as st

from api.middleware import bodies
from core.errors import Invalid
from tests import processes
from tests.security import flood
from tests.security.policy import operations
from tests.security.targets import target
from tests.world import World

_CODES = {"body_too_deep", "body_too_many_parts"}
_JSON = {"Content-Type": "application/json"}


def _pieces(size: int) -> Iterator[bytes]:
    for at in range(0, size, 65_536):
        yield b"x" * min(65_536, size - at)


def _routes_with_bodies(http: TestClient, world: World) -> dict[str, tuple[str, str]]:
    """Method and address of every route that takes JSON."""
    schema = http.get("/api/openapi.json").json()
    values = target(world).values
    return {
        name: (method, path.format(**values))
        for name, (method, path) in operations(schema).items()
        if "application/json"
        in schema["paths"][path][method.lower()].get("requestBody", {}).get("content", {})
    }


def test_every_route_with_a_body_has_a_limit_however_long_it_says_to_be(
    http: TestClient, world: World
) -> None:
    found = _routes_with_bodies(http, world)
    headers = world.caller().headers
    assert len(found) > 20
    assert not {method for method, _ in found.values()} & {"GET", "HEAD"}
    for name, (method, path) in found.items():
        most = bodies.limit(method, path)
        assert most is not None, name
        assert most <= bodies.LARGE
        # All at once with its length, and in chunks, whose sum nobody has said.
        for content in (b"x" * (most + 1), _pieces(most + 1)):
            answer = http.request(method, path, content=content, headers={**_JSON, **headers})
            assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large"), name
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_the_schemas_allow_fits(http: TestClient, world: World) -> None:
    ids = list(range(2**62, 2**62 + 10_000))
    project, headers = world.project(), world.caller().headers
    path = f"/api/projects/{project.id}"
    asked = http.post(f"{path}/examples/hold-out", json={"ids": ids}, headers=headers)
    assert asked.status_code not in {413, 422}
    guides = [{"name": f"class {number}", "guide": "가" * 2000} for number in range(900)]
    patched = http.patch(path, json={"classes": guides}, headers=headers)
    assert patched.status_code != 413, patched.text


def test_a_stranger_sends_little(http: TestClient, world: World) -> None:
    walked = 0
    for name, (method, path) in _routes_with_bodies(http, world).items():
        most = bodies.limit(method, path)
        for content in (b"x" * (bodies.STRANGERS + 1), _pieces(bodies.STRANGERS + 1)):
            http.cookies.clear()
            answer = http.request(method, path, content=content, headers=_JSON)
            expected = 413 if most == bodies.STRANGERS else 401
            assert answer.status_code == expected, name
            walked += expected == 401
    assert walked > 10


def test_deep_and_many_parted_bodies_are_refused(http: TestClient, world: World) -> None:
    headers, path = {**_JSON, **world.caller().headers}, "/api/projects"
    for content, code in (
        (b'{"name":' + b"[" * 65 + b"]" * 65 + b"}", "body_too_deep"),
        (b'{"name":' + b'{"a":' * 3000, "body_too_deep"),
        (flood.nested(400_000), "body_too_many_parts"),
        (b'"\0' + b"[\0" * 70, "bad_request"),
    ):
        answer = http.post(path, content=content, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert answer.json()["field"] == "body"


def test_of_ten_thousand_mistakes_the_first_are_named(http: TestClient, world: World) -> None:
    body = {"email": "a", "password": "b", **{f"x{number}": 1 for number in range(1000)}}
    answer = http.post("/api/auth/login", json=body)
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == 20
    assert world.session


def _depth(value: Any) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, list | dict):
        return 1 + max((_depth(one) for one in inner), default=0)
    return 0


_TEXT = st.text(alphabet='[]{}"\\/, \n\u2200가\x00', max_size=12)


def _around(inner: Any, levels: int, key: str) -> Any:
    for level in range(levels):
        inner = [inner] if level % 2 else {key: inner}
    return inner


@given(
    inner=st.recursive(
        st.none() | st.integers() | _TEXT,
        lambda inside: st.lists(inside, max_size=4) | st.dictionaries(_TEXT, inside, max_size=4),
        max_leaves=20,
    ),
    levels=st.integers(55, 70),
    key=_TEXT,
    plain=st.booleans(),
)
def test_depth_is_that_of_the_document_whatever_its_strings_hold(
    inner: Any, levels: int, key: str, plain: bool
) -> None:
    document = _around(inner, levels, key)
    body = json.dumps(document, ensure_ascii=plain).encode()
    try:
        bodies.require_shallow(body)
        refused = False
    except Invalid as error:
        refused = error.code in _CODES
    assert refused is (_depth(document) > bodies.LEVELS)


@given(st.binary(max_size=4), st.binary(max_size=300))
@example(codecs.BOM_UTF16_BE, b"")
def test_no_body_breaks_the_count(before: bytes, after: bytes) -> None:
    body = before + b'"\\[' * 70 + after
    try:
        bodies.require_shallow(body)
        code = None
    except Invalid as error:
        code = error.code
    # Only what begins like JSON in another encoding is refused for that.
    is_other = b"\0" in body[:4] or body.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE))
    other = {"bad_request"} if is_other else set()
    assert code in {None, *_CODES} | other


@pytest.mark.parametrize("length", [True, False])
def test_a_flood_at_the_login_takes_no_memory(world: World, tmp_path: Path, length: bool) -> None:
    assert world.session
    with processes.api(tmp_path / "api.log") as (process, url):
        flood.send_body(url, b"{}")
        before = psutil.Process(process.pid).memory_info().rss
        with flood.Bystander(url, process.pid).watching() as seen:
            status = flood.send_body(url, flood.nested(20_000_000), length=length)
        # None: the connection was closed before all was sent.
        assert status in {413, None}
        assert seen.memory - before < 30 << 20
        assert seen.refused == 0
