"""Single sign-on against a provider that speaks the protocol, and against one that lies."""

import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from joserfc import jwt
from pydantic import SecretStr, ValidationError
from sqlalchemy import select, update

from api.bootstrap import reset
from api.callers.principal import COOKIE
from api.oidc.flow import COOKIE as FLOW
from api.oidc.flow import own_page
from api.oidc.people import groups_of
from core.settings import Settings
from core.settings.sign_in import read_roles
from core.states import ProjectRole, Role
from core.tables import ApiToken, Audit, Identity, LoginSession, Member, User
from tests.processes import blocks, eventually
from tests.provider import CLIENT, SECRET, Claims, Provider, person, provider_running
from tests.world import World

Serve = Callable[..., TestClient]
ROLES = "karat-admins=admin, karat-engineers=engineer, karat=annotator"


@pytest.fixture(scope="module")
def only_provider() -> Iterator[Provider]:
    with provider_running() as found:
        yield found


@pytest.fixture
def provider(only_provider: Provider) -> Provider:
    """It knows Ann, and tells the truth."""
    only_provider.reset()
    only_provider.people["ann"] = person("ann", "karat-engineers")
    return only_provider


@pytest.fixture
def served(
    installation: Settings, provider: Provider, application: Callable[[Settings], FastAPI]
) -> Iterator[Callable[..., TestClient]]:
    """The installation with single sign-on beside passwords; asked again, with other settings.

    What differs is looked up by each request or as it begins: all of them are one application.
    """
    app = application(installation)
    stack = ExitStack()
    told = {
        "oidc_issuer": provider.url,
        "oidc_client_id": CLIENT,
        "oidc_client_secret": SecretStr(SECRET),
        "oidc_roles": ROLES,
        "oidc_default_role": "none",
    }

    def serve(**changes: Any) -> TestClient:
        stack.close()
        app.state.settings = installation.model_copy(update={**told, **changes})
        return stack.enter_context(TestClient(app, base_url="http://karat.test"))

    yield serve
    stack.close()


@pytest.fixture
def http(served: Serve) -> TestClient:
    return served()


def chosen(http: TestClient, name: str = "ann", next_: str = "/words") -> str:
    """Begin at Karat and choose a person at the provider; where the browser is sent back to."""
    began = http.get("/api/auth/oidc/start", params={"next": next_}, follow_redirects=False)
    assert began.status_code == 303, began.text
    back = httpx.get(began.headers["location"], params=_with(began, person=name))
    return back.headers["location"].removeprefix("http://karat.test")


def _with(began: Any, **more: str) -> dict[str, str]:
    return {**dict(parse_qsl(urlsplit(began.headers["location"]).query)), **more}


def come(http: TestClient, name: str = "ann", next_: str = "/words") -> Any:
    """Sign in, the whole way; the last answer of Karat."""
    return http.get(chosen(http, name, next_), follow_redirects=False)


def refusal(response: Any) -> str | None:
    """Why somebody was sent back to the page for signing in."""
    assert response.status_code == 303, response.text
    return dict(parse_qsl(urlsplit(response.headers["location"]).query)).get("refused")


def user(world: World, name: str = "ann") -> User | None:
    world.session.expire_all()
    return world.session.scalar(select(User).where(User.email == f"{name}@example.org"))


def entries(world: World, verb: str) -> list[dict[str, Any]]:
    found = world.session.scalars(select(Audit.detail).where(Audit.verb == verb).order_by(Audit.id))
    return [dict(one) for one in found]


def test_who_comes_for_the_first_time_gets_an_account_with_the_role_of_their_groups(
    http: TestClient, world: World, provider: Provider
) -> None:
    response = come(http)
    assert (response.status_code, response.headers["location"]) == (303, "/words")
    cookies = response.headers.get_list("set-cookie")
    session = next(one.lower() for one in cookies if one.startswith(f"{COOKIE}="))
    assert "; httponly" in session
    assert "; samesite=lax" in session
    me = http.get("/api/auth/me").json()
    assert (me["email"], me["name"], me["role"]) == ("ann@example.org", "Ann", "engineer")
    assert (me["method"], me["has_password"]) == ("oidc", False)
    assert entries(world, "create")[-1]["by"] == "oidc"
    # Who comes again is the same, whatever their address is by now.
    provider.people["ann"]["email"] = "ann.married@example.org"
    http.cookies.clear()
    come(http)
    assert http.get("/api/auth/me").json()["id"] == me["id"]
    # There is no password that would open it.
    login = {"email": "ann@example.org", "password": ""}
    assert http.post("/api/auth/login", json=login).json()["code"] == "bad_credentials"


def test_the_provider_is_asked_as_the_protocol_says(http: TestClient, provider: Provider) -> None:
    began = http.get("/api/auth/oidc/start", follow_redirects=False)
    asked = _with(began)
    assert asked["redirect_uri"] == "http://karat.test/api/auth/oidc/callback"
    assert (asked["scope"], asked["code_challenge_method"]) == ("openid profile email", "S256")
    flow = began.cookies[FLOW]
    kept = json.loads(base64.urlsafe_b64decode(flow.rpartition(".")[0]))
    digest = hashlib.sha256(kept["verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    again = _with(http.get("/api/auth/oidc/start", follow_redirects=False))
    assert not {asked[name] for name in ("state", "nonce", "code_challenge")} & set(again.values())
    described = provider.fetched.count("/.well-known/openid-configuration")
    assert described <= 1


def test_groups_that_vanish_take_the_role_and_what_it_opened(
    http: TestClient, world: World, provider: Provider
) -> None:
    world.caller()
    come(http)
    ann = user(world)
    assert ann is not None
    world.token(ann)
    for groups, role in ((["karat-admins", "karat"], Role.ADMIN), (["karat"], Role.ANNOTATOR)):
        provider.people["ann"]["groups"] = groups
        come(http)
        assert getattr(user(world), "role", None) is role
    changes = [one.get("changes") for one in entries(world, "update")]
    assert changes == [{"role": ["engineer", "admin"]}, {"role": ["admin", "annotator"]}]
    # In no group that has a role nobody gets in, and nothing that they had does.
    provider.people["ann"]["groups"] = ["lunch"]
    assert refusal(come(http)) == "sso_no_role"
    assert http.get("/api/auth/me").status_code == 401
    assert world.session.scalars(select(LoginSession.id)).all() == []
    assert None not in world.session.scalars(
        select(ApiToken.revoked_at).where(ApiToken.user_id == ann.id)
    )
    provider.people["ann"]["groups"] = ["karat"]
    assert refusal(come(http)) is None


def test_a_slip_of_the_provider_takes_nobodys_projects_for_good(
    http: TestClient, world: World, provider: Provider
) -> None:
    come(http)
    ann = user(world)
    assert ann is not None
    roles = (ProjectRole.MANAGER, ProjectRole.REVIEWER, ProjectRole.ANNOTATOR)
    projects = [world.project() for _ in roles]
    world.session.add_all(
        Member(project_id=project.id, user_id=ann.id, role=role)
        for project, role in zip(projects, roles, strict=True)
    )
    world.session.commit()

    def now() -> list[ProjectRole]:
        world.session.expire_all()
        return list(world.session.scalars(select(Member.role).order_by(Member.project_id)))

    # More groups than fit into a token are not none.
    groups = provider.people["ann"].pop("groups")
    provider.people["ann"]["_claim_names"] = {"groups": "src1"}
    assert refusal(come(http)) == "sso_unavailable"
    assert (ann.role, now()) == (Role.ENGINEER, [*roles])
    del provider.people["ann"]["_claim_names"]
    provider.people["ann"]["groups"] = ["karat"]
    come(http)
    assert now() == [ProjectRole.ANNOTATOR] * 3
    provider.people["ann"]["groups"] = groups
    come(http)
    assert now() == [*roles]
    ids = [project.id for project in projects[:2]]
    lost, again = entries(world, "update")
    assert (lost["projects_no_longer_managed"], again["projects_managed_again"]) == (ids, ids)


def test_the_last_admin_stays_one_whatever_groups_say(
    http: TestClient, world: World, provider: Provider
) -> None:
    provider.people["ann"]["groups"] = ["karat-admins"]
    come(http)
    provider.people["ann"]["groups"] = []
    assert refusal(come(http)) is None
    assert http.get("/api/auth/me").json()["role"] == "admin"
    assert len(entries(world, "keep_role")) == 1


def test_an_admin_who_loses_their_group_waits_for_whoever_edits_admins(
    http: TestClient, world: World, provider: Provider
) -> None:
    admin = world.caller().user
    provider.people["ann"]["groups"] = ["karat-admins"]
    come(http)
    provider.people["ann"]["groups"] = []
    # As on the page of users: all admins, in the order of their ids.
    world.session.get(User, admin.id, with_for_update=True, populate_existing=True)
    with ThreadPoolExecutor(1) as threads:
        coming = threads.submit(come, http)
        eventually(lambda: blocks(world.session), "the sign-in waits")
        world.session.scalars(select(User).where(User.role == Role.ADMIN).with_for_update())
        world.session.commit()
        assert refusal(coming.result()) == "sso_no_role"


def test_an_account_with_the_same_address_is_linked_if_the_provider_has_verified_it(
    served: Serve, world: World, provider: Provider
) -> None:
    http = served()
    bea = User(email="bea@example.org", name="Bea", role=Role.ANNOTATOR, password_hash="none",
               active=True)  # fmt: skip
    world.session.add(bea)
    world.session.commit()
    provider.people["bea"] = person("bea", "karat", email_verified=False)
    assert refusal(come(http, "bea")) == "sso_email_unverified"
    assert world.session.scalars(select(Identity.user_id)).all() == []
    # Some providers verify and do not say so; an operator can believe them.
    believing = served(oidc_unverified_emails=True)
    assert refusal(come(believing, "bea")) is None
    assert world.session.scalars(select(Identity.user_id)).all() == [bea.id]
    # Another person there with the same address gets no account that is somebody's.
    provider.people["mallory"] = person("bea", "karat-admins", sub="somebody else")
    assert refusal(come(believing, "mallory")) == "sso_email_taken"
    bea.active = False
    world.session.commit()
    assert refusal(come(believing, "bea")) == "sso_inactive"


def test_without_an_address_nobody_gets_an_account(
    http: TestClient, world: World, provider: Provider
) -> None:
    # In lower case it is the address of somebody who may be an admin.
    kelvin = "mi\N{KELVIN SIGN}e@example.org"
    for email in (None, "no address", 7, "a b@c.d", "a@b.c\0", kelvin):
        provider.people["ann"]["email"] = email
        assert refusal(come(http)) == "sso_no_email"
    assert world.session.scalars(select(User.email)).all() == []


def test_roles_stay_with_admins_where_no_groups_are_named(
    world: World, provider: Provider, served: Serve
) -> None:
    http = served(oidc_roles=None, oidc_default_role="annotator")
    come(http)
    ann = user(world)
    assert ann is not None
    assert ann.role is Role.ANNOTATOR
    ann.role = Role.ENGINEER
    world.session.commit()
    come(http)
    assert getattr(user(world), "role", None) is Role.ENGINEER
    # Known people only.
    provider.people["bea"] = person("bea")
    closed = served(oidc_roles=None, oidc_default_role="none")
    assert refusal(come(closed, "bea")) == "sso_no_role"
    assert refusal(come(closed)) is None


def test_keys_that_change_are_fetched_again_and_old_ones_forgotten(
    http: TestClient, provider: Provider
) -> None:
    assert refusal(come(http)) is None
    assert refusal(come(http)) is None
    assert provider.fetched.count("/jwks") == 1
    old_key, old_header = provider.key, provider.header
    provider.rotate()
    assert refusal(come(http)) is None
    assert provider.fetched.count("/jwks") == 2
    provider.sign = lambda claims: jwt.encode(old_header, claims, old_key)
    assert refusal(come(http)) == "sso_token"


def test_what_the_token_lacks_is_asked_of_userinfo_of_the_same_person(
    http: TestClient, provider: Provider
) -> None:
    provider.in_token = False
    assert refusal(come(http)) is None
    assert http.get("/api/auth/me").json()["role"] == "engineer"
    provider.userinfo = {"sub": "id-of-bea"}
    assert refusal(come(http)) == "sso_token"
    # That one of them has verified an address says nothing of another.
    provider.people["bea"], provider.userinfo = person("bea", "karat"), {}
    provider.alter = lambda claims: {**claims, "email": "boss@example.org"}
    assert refusal(come(http, "bea")) == "sso_email_unverified"


def test_a_forged_token_lets_nobody_in_and_is_written_down_without_what_it_said(
    http: TestClient, world: World, provider: Provider
) -> None:
    provider.alter = lambda claims: {**claims, "aud": "another"}
    assert refusal(come(http)) == "sso_token"
    assert http.get("/api/auth/me").status_code == 401
    assert user(world) is None
    (noted,) = entries(world, "log_in_failed")
    assert noted["reason"] == "The ID token is not for this sign-in: aud."


def test_only_the_browser_that_began_can_come_back(http: TestClient) -> None:
    mine = chosen(http)
    flow = str(http.cookies[FLOW])
    # Somebody is sent the address with another's code.
    http.cookies.clear()
    assert refusal(http.get(mine, follow_redirects=False)) == "sso_interrupted"
    began = chosen(http)
    assert refusal(http.get(mine, follow_redirects=False)) == "sso_interrupted"
    # A cookie of one's own making, an old one, and an answer that names another provider.
    for cookie in (f"{flow[:-1]}{'0' if flow[-1] != '0' else '1'}", "x", ".", "e30.aa"):
        http.cookies.clear()
        http.cookies.set(FLOW, cookie, path="/api/auth/oidc", domain="karat.test")
        assert refusal(http.get(mine, follow_redirects=False)) == "sso_interrupted"
    http.cookies.clear()
    began = chosen(http).replace("iss=", "iss=https%3A%2F%2Fevil.example&was=")
    assert refusal(http.get(began, follow_redirects=False)) == "sso_token"
    # An answer is looked at once, and a code is good once.
    again = chosen(http)
    kept = str(http.cookies[FLOW])
    assert refusal(http.get(again, follow_redirects=False)) is None
    http.cookies.set(FLOW, kept, path="/api/auth/oidc", domain="karat.test")
    assert refusal(http.get(again, follow_redirects=False)) == "sso_interrupted"
    assert refusal(come(http, "nobody")) == "sso_declined"


def test_answers_that_are_made_up_do_not_go_on_to_the_provider(
    served: Serve, world: World, provider: Provider
) -> None:
    http = served(login_attempts_per_address=2)
    for _ in range(2):
        assert refusal(come(http)) is None
        began = httpx.URL(chosen(http)).copy_merge_params({"code": "made-up"})
        assert refusal(http.get(str(began), follow_redirects=False)) == "sso_declined"
    asked = provider.fetched.count("/token")
    assert refusal(come(http)) == "sso_too_many"
    assert provider.fetched.count("/token") == asked
    # They hide nobody who guesses at passwords, and keep nobody from signing in with one.
    assert {one["by"] for one in entries(world, "log_in_failed")} == {"oidc"}
    login = {"email": "x@example.org", "password": "guessed"}
    assert http.post("/api/auth/login", json=login).json()["code"] == "bad_credentials"


def test_a_provider_that_is_away_or_another_one_is_told_from_a_refusal(
    provider: Provider, served: Serve
) -> None:
    provider.described = {"issuer": f"{provider.url}/"}
    answer = served().get("/api/auth/oidc/start?next=/words", follow_redirects=False)
    assert refusal(answer) == "sso_unavailable"
    assert "next=%2Fwords" in answer.headers["location"]
    provider.described = {"token_endpoint": "http://elsewhere.example/token"}
    answer = served().get("/api/auth/oidc/start", follow_redirects=False)
    assert refusal(answer) == "sso_unavailable"
    off = served(oidc_issuer=None)
    assert refusal(off.get("/api/auth/oidc/start", follow_redirects=False)) == "sso_off"
    assert off.get("/api/auth/methods").json() == {"passwords": True, "single_sign_on": None}
    away = served(oidc_issuer="http://127.0.0.1:9")
    assert refusal(away.get("/api/auth/oidc/start", follow_redirects=False)) == "sso_unavailable"


def test_signing_out_ends_it_at_the_provider_as_well(http: TestClient, provider: Provider) -> None:
    come(http)
    # Nobody who goes waits for what may be new at the provider.
    http.app.state.provider._until = 0.0  # type: ignore[attr-defined]
    described = provider.fetched.count("/.well-known/openid-configuration")
    url = http.post("/api/auth/logout").json()["end_session_url"]
    assert provider.fetched.count("/.well-known/openid-configuration") == described
    assert http.get("/api/auth/me").status_code == 401
    asked = dict(parse_qsl(urlsplit(url).query))
    assert url.startswith(f"{provider.url}/logout?")
    assert asked["post_logout_redirect_uri"] == "http://karat.test/login"
    hint = jwt.decode(asked["id_token_hint"], provider.key)
    assert hint.claims["sub"] == "id-of-ann"
    assert http.post("/api/auth/logout").json() == {"end_session_url": None}


def logout(provider: Provider, **changes: Any) -> dict[str, str]:
    """What the provider posts when somebody has signed out there; None leaves a claim out."""
    said = {
        "iss": provider.url,
        "aud": CLIENT,
        "iat": int(time.time()),
        "jti": "once",
        "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        "sub": "id-of-ann",
        **changes,
    }
    claims = {name: value for name, value in said.items() if value is not None}
    return {"logout_token": provider.signed(claims)}


def test_what_the_provider_ends_ends_here_and_a_forged_end_does_not(
    http: TestClient, world: World, provider: Provider
) -> None:
    path, jar = "/api/auth/oidc/backchannel-logout", {}
    provider.people["bob"] = person("bob", "karat-engineers")
    for name, of in (("here", "ann"), ("there", "ann"), ("bob", "bob")):
        provider.people[of]["sid"] = f"session-{name}"
        http.cookies.clear()
        come(http, of)
        jar[name] = {"Cookie": f"{COOKIE}={http.cookies[COOKIE]}"}
    http.cookies.clear()

    def inside() -> set[str]:
        me = {name: http.get("/api/auth/me", headers=jar[name]).status_code for name in jar}
        return {name for name, status in me.items() if status == 200}

    event = "http://schemas.openid.net/event/backchannel-logout"
    now = int(time.time())
    wrong: dict[str, Any]
    for wrong in (
        {"iss": "https://evil.example"}, {"aud": "another"}, {"aud": None}, {"iat": None},
        {"iat": now - 900}, {"iat": now + 90}, {"iat": True}, {"exp": now - 90}, {"jti": None},
        {"jti": ""}, {"events": None}, {"events": {"another": {}}}, {"events": {event: "yes"}},
        {"nonce": "n"}, {"sub": None}, {"sub": 7}, {"sid": ""},
    ):  # fmt: skip
        refused = http.post(path, data=logout(provider, **wrong))
        assert (refused.status_code, refused.json()["code"]) == (400, "sso_token"), wrong
    for sent in ({}, {"logout_token": "abc"}):
        assert http.post(path, data=sent).status_code == 400
    assert inside() == {"here", "there", "bob"}
    ended = http.post(path, data=logout(provider, sid="session-there", aud=[CLIENT]))
    assert (ended.status_code, ended.headers["cache-control"]) == (200, "no-store")
    assert inside() == {"here", "bob"}
    # Brought again later, it ends nothing that began since; of somebody unknown, nothing either.
    assert http.post(path, data=logout(provider, iat=now - 300)).status_code == 200
    assert http.post(path, data=logout(provider, sub="nobody")).status_code == 200
    assert inside() == {"here", "bob"}
    assert http.post(path, data=logout(provider)).status_code == 200
    assert inside() == {"bob"}
    assert [one["sessions"] for one in entries(world, "sign_out")] == [1, 1]


def test_a_session_without_a_name_ends_with_any_of_its_person_and_of_nobody_else(
    http: TestClient, provider: Provider
) -> None:
    path, jar = "/api/auth/oidc/backchannel-logout", {}
    provider.people["bob"] = person("bob", "karat-engineers")
    for name in ("ann", "bob"):
        http.cookies.clear()
        come(http, name)
        jar[name] = {"Cookie": f"{COOKIE}={http.cookies[COOKIE]}"}
    http.cookies.clear()

    def inside() -> set[str]:
        me = {name: http.get("/api/auth/me", headers=jar[name]).status_code for name in jar}
        return {name for name, status in me.items() if status == 200}

    # Nor does a name that is too long to be kept mean all that have none.
    for sid in ("session", "s" * 300):
        assert http.post(path, data=logout(provider, sub=None, sid=sid)).status_code == 200
    assert inside() == {"ann", "bob"}
    assert http.post(path, data=logout(provider, sid="session")).status_code == 200
    assert inside() == {"bob"}


def test_tokens_of_who_signs_in_no_more_open_nothing_until_they_do(
    http: TestClient, world: World
) -> None:
    come(http)
    made = http.post("/api/tokens", json={"name": "server"}).json()
    assert http.get("/api/tokens").json()["sso_days"] == 30
    http.cookies.clear()
    bearer = {"Authorization": f"Bearer {made['secret']}"}

    def status() -> tuple[int, bool]:
        listed = http.get("/api/admin/tokens", headers=admin.headers).json()["items"]
        ((valid, owner),) = (
            (one["valid"], one["user"]["id"]) for one in listed if one["id"] == made["id"]
        )
        people = http.get("/api/users/activity", headers=admin.headers).json()["items"]
        assert [one["tokens"] for one in people if one["id"] == owner] == [int(valid)]
        return http.get("/api/auth/me", headers=bearer).status_code, valid

    admin = world.caller()
    assert status() == (200, True)
    long_ago = datetime.now(UTC) - timedelta(days=31)
    world.session.execute(update(Identity).values(signed_in_at=long_ago))
    world.session.commit()
    assert status() == (401, False)
    come(http)
    http.cookies.clear()
    assert status() == (200, True)


def test_passwords_can_be_off_and_an_admin_gets_in_from_the_server(
    world: World, served: Serve
) -> None:
    password = "four words that fit"
    boss = world.person("Boss", password, Role.ADMIN)
    http = served(oidc_only=True, oidc_name="Acme")
    said = {"passwords": False, "single_sign_on": {"name": "Acme"}}
    assert http.get("/api/auth/methods").json() == said
    login = {"email": boss.email, "password": password}
    refused = http.post("/api/auth/login", json=login)
    assert (refused.status_code, refused.json()["code"]) == (403, "passwords_off")
    unknown = http.post("/api/auth/login", json={**login, "email": "x@y.z"})
    assert unknown.json()["code"] == "passwords_off"
    fresh = reset(boss.email, None)
    assert http.post("/api/auth/login", json=fresh).status_code == 200
    # For an hour.
    world.session.refresh(boss)
    assert boss.password_until is not None
    assert world.session.scalars(select(LoginSession.expires_at)).one() == boss.password_until
    boss.password_until -= boss.password_until - boss.created_at
    world.session.commit()
    assert http.post("/api/auth/login", json=fresh).json()["code"] == "passwords_off"


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/projects/1?a=b", "/projects/1?a=b"),
        (None, "/"),
        ("", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/api/auth/oidc/start", "/"),
        ("/" + "a" * 2000, "/"),
    ],
)
def test_one_comes_back_to_a_page_of_ours(address: str | None, page: str) -> None:
    assert own_page(address) == page


@pytest.mark.parametrize(
    ("claims", "path", "groups"),
    [
        ({"groups": ["a", "b", 7, None]}, "groups", ["a", "b"]),
        ({"groups": "a"}, "groups", ["a"]),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"https://acme.org/groups": ["a"]}, "https://acme.org/groups", ["a"]),
        ({"realm_access": ["a"]}, "realm_access.roles", []),
        ({"groups": {"a": True}}, "groups", []),
        ({}, "groups", []),
    ],
)
def test_groups_are_read_wherever_a_provider_says_them(
    claims: Claims, path: str, groups: list[str]
) -> None:
    assert groups_of(claims, path) == groups


def test_settings_that_make_no_sense_are_refused_as_a_process_starts() -> None:
    wrong: list[dict[str, Any]] = [
        {"oidc_only": True},
        {"oidc_issuer": "https://id.example.org"},
        {"oidc_issuer": "http://id.example.org", "oidc_client_id": "a"},
        {"oidc_issuer": "https://a.org", "oidc_client_id": "a", "oidc_roles": "x=boss"},
        {"oidc_issuer": "https://a.org", "oidc_client_id": "a", "oidc_roles": "=admin"},
        {"oidc_issuer": "https://a.org", "oidc_client_id": "a", "oidc_scopes": "email"},
    ]
    for one in wrong:
        with pytest.raises(ValidationError, match="KARAT_OIDC_"):
            Settings(**one)
    unset: dict[str, Any] = dict.fromkeys(
        ("oidc_issuer", "oidc_client_id", "oidc_roles", "oidc_name"), ""
    )
    assert Settings(**unset).provider is None
    assert read_roles("a=admin, b c=annotator") == {"a": Role.ADMIN, "b c": Role.ANNOTATOR}
    assert read_roles('{"CN=x,OU=y": "engineer"}') == {"CN=x,OU=y": Role.ENGINEER}
