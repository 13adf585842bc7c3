"""The audit log is a chain: it is copied line by line, and what is changed in it is noticed."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from core.security.audit_chain import BROKEN
from core.states import ProjectState, Role
from karat.commands.audit_log import broken, last_of
from tests.world import Caller, World


@pytest.fixture
def admin(world: World) -> Caller:
    return world.caller()


@pytest.fixture
def logged(http: TestClient, world: World, admin: Caller) -> World:
    """Six entries, by two people who call at once."""
    project = world.project(state=ProjectState.RUNNING)
    other = world.caller(Role.ENGINEER, project)
    path = f"/api/projects/{project.id}"

    def act(caller: Caller, budgets: list[int]) -> None:
        headers = {**caller.headers, "User-Agent": "Mozilla/5.0 Firefox/140.0"}
        for budget in budgets:
            change = {"settings": {"budget": budget}}
            assert http.patch(path, json=change, headers=headers).status_code == 200

    both = [threading.Thread(target=act, args=one) for one in ((admin, [7, 8, 9]), (other, [5, 6]))]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert http.delete(path, headers=admin.headers).status_code == 409
    assert http.post(f"{path}/pause", headers=admin.headers).status_code == 200
    return world


def lines(http: TestClient, admin: Caller, after: int = 0) -> list[dict[str, Any]]:
    answer = http.get(f"/api/admin/audit.jsonl?after={after}", headers=admin.headers)
    assert answer.status_code == 200
    return [json.loads(one) for one in answer.text.splitlines()]


def found(world: World) -> list[str]:
    world.session.rollback()
    return list(world.session.scalars(text(BROKEN)))


def test_a_copy_has_every_entry_once_and_proves_it(
    http: TestClient, logged: World, admin: Caller
) -> None:
    copy = lines(http, admin)
    assert [one["number"] for one in copy] == list(range(1, len(copy) + 1))
    assert [one["verb"] for one in copy].count("update") == 5
    assert {one["agent"] for one in copy if one["verb"] == "update"} == {
        "Mozilla/5.0 Firefox/140.0"
    }
    assert [wrong for _, wrong in broken(iter(copy), 0)] == [""] * len(copy)
    # The copy was written down itself, after what it holds.
    later = lines(http, admin, copy[-1]["number"])
    assert (later[0]["verb"], later[0]["object_type"]) == ("export", "audit")
    assert [wrong for _, wrong in broken(iter([*copy, *later]), 0) if wrong] == []
    assert [bool(wrong) for _, wrong in broken(iter([copy[0], copy[2]]), 0)] == [False, True]
    copy[1]["sealed"] = copy[1]["sealed"].replace("update", "create")
    assert [bool(wrong) for _, wrong in broken(iter(copy[:2]), 0)] == [False, True]
    assert found(logged) == []


def test_a_copy_goes_on_where_it_ended_and_tells_what_was_rewritten_before(
    http: TestClient, logged: World, admin: Caller, tmp_path: Path
) -> None:
    copy = lines(http, admin)
    file = tmp_path / "audit.jsonl"
    assert last_of(file) == (0, None)
    file.write_text("".join(f"{json.dumps(one)}\n" for one in copy))
    number, digest = last_of(file)
    assert number == copy[-1]["number"]
    later = lines(http, admin, number)
    assert [wrong for _, wrong in broken(iter(later), number, digest)] == [""] * len(later)
    forged = [{**later[0], "sealed": "forged"}]
    assert [bool(wrong) for _, wrong in broken(iter(forged), number, digest)] == [True]
    # By whoever owns the tables: what was there is gone, and its end, too.
    logged.session.execute(text("DELETE FROM audit_chain WHERE number > 2"))
    logged.session.commit()
    refused = http.get(f"/api/admin/audit.jsonl?after={number}", headers=admin.headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "audit_cut")
    file.write_text(file.read_text()[:-5])
    with pytest.raises(ValueError, match="no whole entry"):
        last_of(file)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit SET actor_id = NULL WHERE id = :id", "is not what was written"),
        ("UPDATE audit SET detail = '{}' WHERE id = :id", "is not what was written"),
        ("UPDATE audit SET address = '10.0.0.1' WHERE id = :id", "another address"),
        (
            "WITH salts AS (UPDATE audit_chain SET salt = NULL WHERE audit_id = :id) "
            "UPDATE audit SET address = NULL, agent = NULL WHERE id = :id",
            "lacks where it came from",
        ),
        ("DELETE FROM audit WHERE id = :id", "was taken out"),
        ("DELETE FROM audit_chain WHERE audit_id = :id", "are gone"),
    ],
)
def test_what_is_changed_behind_its_back_is_noticed(
    logged: World, statement: str, said: str
) -> None:
    entry = logged.session.scalar(text("SELECT audit_id FROM audit_chain WHERE number = 3"))
    logged.session.execute(text(statement), {"id": entry})
    problems = list(logged.session.scalars(text(BROKEN)))
    assert any(said in one for one in problems)
    assert not any(f"entry {other} " in one for one in problems for other in (1, 2))
