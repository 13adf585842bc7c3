"""Rights end when they end: open streams, people who come back, what a token leaves behind."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from api.main import create_app
from api.middleware.connections import Limits
from core.settings import Settings
from core.states import ProjectRole, ProjectState, Role, Scope
from core.tables import Project
from tests.passwords import hashed
from tests.security.serving import serving
from tests.world import Caller, World

_PASSWORD = "a long password"


@pytest.fixture
def url(installation: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server whose streams are looked at again after moments."""
    monkeypatch.setattr("api.events.routes._PING_SECONDS", 0.2)
    with serving(create_app(installation), Limits()) as found:
        yield found


class Watcher(threading.Thread):
    """Somebody who reads a project's events, or those of the list, until the stream ends."""

    def __init__(self, url: str, project: Project | None, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        place = "" if project is None else f"/projects/{project.id}"
        self.path, self.headers = f"{url}/api{place}/events", headers
        self.begun = threading.Event()
        self.seen: list[str] = []
        self.start()
        assert self.begun.wait(20)

    def run(self) -> None:
        with httpx.stream("GET", self.path, headers=self.headers, timeout=60) as response:
            for line in response.iter_lines():
                self.seen.append(line)
                self.begun.set()

    def ended(self) -> bool:
        self.join(20)
        return not self.is_alive()


@pytest.fixture
def project(world: World) -> Project:
    return world.project(state=ProjectState.RUNNING)


@pytest.fixture
def admin(world: World, url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{url}/api", headers=world.caller().headers) as client:
        yield client


def _revoke_token(admin: httpx.Client, caller: Caller, _: Project) -> httpx.Response:
    found = admin.get(f"/admin/tokens?user_id={caller.user.id}").json()["items"]
    return admin.delete(f"/tokens/{found[0]['id']}")


def _deactivate(admin: httpx.Client, caller: Caller, _: Project) -> httpx.Response:
    return admin.patch(f"/users/{caller.user.id}", json={"active": False})


def _take_out(admin: httpx.Client, caller: Caller, project: Project) -> httpx.Response:
    return admin.delete(f"/projects/{project.id}/members/{caller.user.id}")


def _must_change(admin: httpx.Client, caller: Caller, _: Project) -> httpx.Response:
    return admin.post(f"/users/{caller.user.id}/reset-password", json={})


@pytest.mark.parametrize("end", [_revoke_token, _deactivate, _take_out, _must_change])
def test_an_open_stream_ends_with_the_right_to_it(
    url: str, world: World, admin: httpx.Client, project: Project,
    end: Callable[[httpx.Client, Caller, Project], httpx.Response],
) -> None:  # fmt: skip
    caller = world.caller(Role.ANNOTATOR, project)
    other = world.caller(Role.ANNOTATOR, project)
    watcher, stays = (Watcher(url, project, one.headers) for one in (caller, other))
    assert end(admin, caller, project).is_success
    assert watcher.ended()
    # Everybody else's go on.
    admin.post(f"/projects/{project.id}/pause").raise_for_status()
    assert stays.is_alive()
    _deactivate(admin, other, project)
    assert stays.ended()
    assert any("paused" in line for line in stays.seen)
    assert not any("paused" in line for line in watcher.seen)


def _less_in_the_project(admin: httpx.Client, caller: Caller, project: Project) -> httpx.Response:
    path = f"/projects/{project.id}/members/{caller.user.id}"
    return admin.put(path, json={"role": "annotator"})


def _no_admin(admin: httpx.Client, caller: Caller, _: Project) -> httpx.Response:
    return admin.patch(f"/users/{caller.user.id}", json={"role": "annotator"})


@pytest.mark.parametrize(
    ("role", "lower", "of_list"),
    [
        (Role.ENGINEER, _less_in_the_project, False),
        (Role.ADMIN, _no_admin, False),
        (Role.ADMIN, _no_admin, True),
    ],
)
def test_an_open_stream_keeps_no_rights_of_a_role_that_was_taken(
    url: str, world: World, admin: httpx.Client, project: Project, of_list: bool, role: Role,
    lower: Callable[[httpx.Client, Caller, Project], httpx.Response],
) -> None:  # fmt: skip
    caller = world.caller(role, project, as_=ProjectRole.REVIEWER)
    watched = None if of_list else project
    watcher = Watcher(url, watched, caller.headers)
    assert lower(admin, caller, project).is_success
    assert watcher.ended()
    # It begins anew with the rights that are left.
    again = Watcher(url, watched, caller.headers)
    assert again.is_alive()
    _deactivate(admin, caller, project)
    assert again.ended()


def _with_password(world: World, *projects: Project) -> Caller:
    caller = world.caller(Role.ENGINEER, *projects)
    caller.user.password_hash = hashed(_PASSWORD)
    world.session.commit()
    return caller


def test_a_stream_of_a_session_ends_with_it(url: str, world: World, project: Project) -> None:
    caller = _with_password(world, project)
    with httpx.Client(base_url=f"{url}/api") as browser:
        login = {"email": caller.user.email, "password": _PASSWORD}
        browser.post("/auth/login", json=login).raise_for_status()
        cookie = f"karat_session={browser.cookies['karat_session']}"
        watcher = Watcher(url, project, {"Cookie": cookie})
        browser.post("/auth/logout").raise_for_status()
    assert watcher.ended()


def test_who_comes_back_comes_back_with_nothing(http: TestClient, world: World) -> None:
    caller = _with_password(world)
    admin = world.caller().headers
    path = f"/api/users/{caller.user.id}"
    login = {"email": caller.user.email, "password": _PASSWORD}
    assert http.post("/api/auth/login", json=login).status_code == 200
    cookies = dict(http.cookies)
    for active in (False, True):
        answer = http.patch(path, json={"active": active}, headers=admin)
        assert answer.status_code == 200
    http.cookies.clear()
    assert http.get("/api/auth/me", headers=caller.headers).status_code == 401
    http.cookies.update(cookies)
    assert http.get("/api/auth/me").status_code == 401
    http.cookies.clear()
    assert http.post("/api/auth/login", json=login).status_code == 200
    # Saying once more that somebody is active takes nothing from them.
    assert http.patch(path, json={"active": True}, headers=admin).status_code == 200
    assert http.get("/api/auth/me").status_code == 200


def test_a_token_that_an_inactive_user_kept_is_not_revived(http: TestClient, world: World) -> None:
    """Installations have users who were deactivated when their tokens were left as they were."""
    caller = world.caller()
    caller.user.active = False
    world.session.commit()
    path = f"/api/users/{caller.user.id}"
    admin = world.caller().headers
    assert http.patch(path, json={"active": True}, headers=admin).status_code == 200
    assert http.get("/api/auth/me", headers=caller.headers).status_code == 401


@pytest.mark.parametrize("scope", list(Scope))
def test_only_who_may_write_makes_links_that_outlive_a_token(
    http: TestClient, world: World, scope: Scope
) -> None:
    project = world.project(images=1)
    example = http.get(
        f"/api/projects/{project.id}/examples", headers=world.caller().headers
    ).json()["items"][0]["id"]
    headers = world.token(world.caller().user, scope)[1]
    answer: Any = http.get(f"/api/examples/{example}/link?seconds=604800", headers=headers)
    if scope in {Scope.READ, Scope.LABEL}:
        assert (answer.status_code, answer.json()["code"]) == (403, "scope_required")
    else:
        assert http.get(answer.json()["url"]).status_code == 200
