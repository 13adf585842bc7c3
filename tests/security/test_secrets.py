"""Secrets stay out of the logs of every process."""

import secrets
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from api.callers.credentials import hash_password
from core.states import Role
from core.tables import Job, User
from tests import processes
from tests.world import World, png

CANARY = f"canary-{secrets.token_hex(8)}"


def drive(url: str, project_id: int) -> list[str]:
    """Log in, make a token, import, and fail in every way; returns what must not be written."""
    origin = {"Origin": url}
    with httpx.Client(base_url=url, headers=origin, timeout=60) as browser:
        login = {"email": "ada@example.org", "password": CANARY}
        assert browser.post("/api/auth/login", json=login).status_code == 200
        browser.post("/api/auth/login", json={**login, "password": f"{CANARY}-wrong"})
        # Typed into the wrong field, and what the database refuses with its parameters.
        browser.post("/api/auth/login", json={"email": CANARY, "password": "x"})
        browser.post("/api/auth/login", json={"email": f"\0{CANARY}", "password": CANARY})
        made = browser.post("/api/tokens", json={"name": "script", "scope": "write"}).json()
        user = {"email": "eve@example.org", "name": f"\0{CANARY}", "password": CANARY}
        assert browser.post("/api/users", json=user).status_code == 422
        guidelines = {"guidelines": f"\0{CANARY}"}
        refused = browser.patch(f"/api/projects/{project_id}", json=guidelines)
        assert refused.status_code == 400
        cookie = browser.cookies["karat_session"]
    bearer = {"Authorization": f"Bearer {made['secret']}"}
    path = f"{url}/api/projects/{project_id}/imports?filename=a.png"
    assert httpx.post(path, content=png(1), headers=bearer, timeout=60).status_code == 202
    httpx.get(f"{url}/api/auth/me", headers={"Authorization": f"Bearer {CANARY}"}, timeout=60)
    return [CANARY, cookie, made["secret"]]


def test_no_log_holds_a_password_a_session_or_a_token(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = hash_password(CANARY)
    world.session.add(
        User(email="ada@example.org", name="Ada", role=Role.ADMIN, password_hash=hashed,
             active=True)
    )  # fmt: skip
    project = world.project()
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    logs = [tmp_path / f"{name}.log" for name in ("api", "worker", "scheduler")]
    with (
        processes.api(logs[0]) as (_, url),
        processes.worker("cpu", logs[1]),
        processes.scheduler(logs[2]),
    ):
        secret = drive(url, project.id)

        def done() -> bool:
            world.session.expire_all()
            return world.session.scalars(select(Job.state)).one() == "succeeded"

        processes.eventually(done, "the import ends")
        # The import may end before the scheduler has said its first word.
        processes.eventually(lambda: all(log.stat().st_size for log in logs), "all write logs")
    texts = [log.read_text() for log in logs]
    for one in (*secret, "argon2", hashed):
        assert not [log.name for log, text in zip(logs, texts, strict=True) if one in text], one
