"""What every response tells the browser to refuse."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from api.main import create_app
from core.media.images.rendition import VERSION
from core.settings import Settings
from core.tables import Example
from tests.workers.import_files import Pool, png
from tests.world import World

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/projects/1", 200),
        ("/api/version", 200),
        ("/api/auth/me", 401),
        ("/api/no-such-route", 404),
        ("/api/docs", 200),
        ("/healthz", 200),
    ],
)
def test_every_response_is_guarded(http: TestClient, path: str, status: int) -> None:
    response = http.get(path)
    assert response.status_code == status
    assert _ALWAYS.items() <= dict(response.headers).items()
    assert "camera=()" in response.headers["permissions-policy"]
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    scripts = re.findall(r"script-src ([^;]+)", policy)
    assert not any("unsafe" in one or "http" in one or "*" in one for one in scripts)
    assert "strict-transport-security" not in response.headers


def test_pages_hold_no_script_and_no_style_of_their_own(http: TestClient) -> None:
    page = http.get("/").text
    assert "<script" in page
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_what_only_some_may_see_stays_in_no_cache(http: TestClient, world: World) -> None:
    me = http.get("/api/auth/me", headers=world.caller().headers)
    assert me.headers["cache-control"] == "no-store"


def test_an_image_is_data_and_nothing_else(http: TestClient, world: World) -> None:
    world.project(images=1)
    example = world.session.scalars(select(Example)).one()
    for query in ("", "?size=64"):
        path = f"/api/examples/{example.id}/image{query}"
        response = http.get(path, headers=world.caller().headers)
        assert response.headers["content-type"] == ("image/webp" if query else "image/png")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in response.headers["content-security-policy"]
        assert "private" in response.headers["cache-control"]


def test_browsers_insist_on_tls_where_everybody_has_it(installation: Settings) -> None:
    settings = installation.model_copy(update={"secure_cookies": True})
    with TestClient(create_app(settings), base_url="https://karat.test") as client:
        for path in ("/", "/api/version"):
            assert "max-age=" in client.get(path).headers["strict-transport-security"]


def test_the_reference_of_the_api_needs_no_other_server(http: TestClient) -> None:
    page = http.get("/api/docs").text
    assets = re.findall(r"""(?:src|href)=["']([^"']+)""", page)
    assert {Path(one).suffix for one in assets} >= {".js", ".css"}
    for asset in assets:
        assert asset.startswith("/")
        assert http.get(asset).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("karat.example.org", 200),
        ("KARAT.example.org.:8080", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("evil.example.org", 421),
        ("karat.example.org.evil.example.org", 421),
        ("evil.example.org:karat.example.org", 421),
        ("", 421),
    ],
)
def test_other_names_are_refused_where_names_are_given(
    installation: Settings, host: str, status: int
) -> None:
    named = installation.model_copy(update={"allowed_hosts": "karat.example.org, other.example"})
    with TestClient(create_app(named), base_url="http://karat.test") as client:
        for path in ("/healthz", "/api/version"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == status
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert status == 200 or answer.json()["code"] == "unknown_host"


def test_what_a_browser_keeps_it_keeps_for_one_session(http: TestClient, world: World) -> None:
    pool = Pool(world.session, world.storage, world.project())
    assert pool.zip({"a.png": png(1)})["added"] == 1
    (example,) = pool.examples()
    headers = world.caller().headers
    for query in ("", f"?v={VERSION}", "?original=true", "?size=64"):
        answer = http.get(f"/api/examples/{example.id}/image{query}", headers=headers)
        assert answer.headers["cache-control"].startswith("private")
        assert answer.headers["vary"] == "Cookie, Authorization"
        again = {**headers, "If-None-Match": answer.headers["etag"]}
        known = http.get(f"/api/examples/{example.id}/image{query}", headers=again)
        assert (known.status_code, known.headers["vary"]) == (304, "Cookie, Authorization")
        # What it has kept is no proof of who asks.
        nobody = {"If-None-Match": answer.headers["etag"]}
        assert (
            http.get(f"/api/examples/{example.id}/image{query}", headers=nobody).status_code == 401
        )
