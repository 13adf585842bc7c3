"""Who somebody was can be taken out, and what they did stays."""

import json
from uuid import uuid4

from fastapi.testclient import TestClient
from sqlalchemy import func, select, text

from api.users.erasure import KEPT, REMOVED
from api.users.held import TABLES
from core.security.audit_chain import BROKEN
from core.states import Role, Source, Verdict
from core.tables import Annotation, Example, User
from core.tables.base import Base
from tests.workers.loop import Loop
from tests.world import World


def test_every_table_that_names_people_says_what_becomes_of_its_rows() -> None:
    named = {
        table.name
        for table in Base.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table.name == "users"
    }
    assert named <= KEPT | REMOVED, "say in api/users/erasure.py what an erasure does with it"
    assert named <= TABLES, "give it out in api/users/held.py"


def imported(loop: Loop, author: str) -> Annotation:
    """What a file said of an image, with the annotator that it named."""
    return Annotation(
        project_id=loop.project.id,
        example_id=loop.session.scalars(select(func.min(Example.id))).one(),
        source=Source.IMPORT, source_name=author, verdict=Verdict.OOD,
        client_key=uuid4(), seconds=0, cost=0, counted=True, note="as my aunt Mary says",
    )  # fmt: skip


def test_a_person_is_erased_and_their_answers_stay(http: TestClient, world: World) -> None:
    loop, admin = Loop(world), world.caller()
    user, headers = loop.annotator, {**world.token(loop.annotator)[1], "User-Agent": "Lynx/2.9"}
    name, email = user.name, user.email
    loop.answer(0, 4)
    made = http.post("/api/tokens", json={"name": f"phone of {name}"}, headers=headers)
    assert made.status_code == 201
    mosaic = {**admin.headers, "User-Agent": "Mosaic/1"}
    path = f"/api/users/{user.id}"
    assert http.patch(path, json={"name": f"{name} II"}, headers=mosaic).status_code == 200
    loop.project.created_by = user.id
    first = select(func.min(Annotation.id)).where(Annotation.annotator_id == user.id)
    answer = world.session.get_one(Annotation, world.session.scalars(first).one())
    answer.note = "ask Mary"
    world.session.add(imported(loop, f"{email.title()} "))
    world.session.commit()
    held = http.get(f"/api/users/{user.id}/export", headers=admin.headers)
    kinds = [json.loads(one)["kind"] for one in held.text.splitlines()]
    assert (kinds.count("answer"), kinds.count("imported_answer")) == (4, 1)
    assert {"user", "token", "audit", "made_project"} <= set(kinds)
    assert email in held.text
    assert held.text.count("Mary") == 2
    assert "Lynx" in held.text
    # Who did something to them is somebody else, whose browser is no business of theirs.
    assert "Mosaic" not in held.text
    named = http.get("/api/admin/audit", params={"object_type": "token"}, headers=admin.headers)
    assert named.json()["items"][0]["object_name"] == f"phone of {name}"
    gone = http.post(f"/api/users/{user.id}/erase", headers=admin.headers).json()
    assert (gone["name"], gone["active"]) == (f"#{user.id}", False)
    assert http.get("/api/auth/me", headers=headers).status_code == 401
    world.session.expire_all()
    answers = select(Annotation.annotator_id).where(Annotation.annotator_id == user.id)
    assert len(world.session.scalars(answers).all()) == 4
    held = http.get(f"/api/users/{user.id}/export", headers=admin.headers)
    exported = http.get(f"/api/projects/{loop.project.id}/export", headers=admin.headers)
    log = http.get("/api/admin/audit.jsonl", headers=admin.headers)
    for said in (held.text, exported.text, log.text):
        assert email not in said.lower()
        assert name not in said
        assert "Lynx" not in said
        assert "Mary" not in said
    # Nobody has touched the log: only who it was has gone out of it.
    assert world.session.scalars(text(BROKEN)).all() == []
    # Again is harmless, and nothing brings them back.
    assert http.post(f"/api/users/{user.id}/erase", headers=admin.headers).status_code == 200
    back = http.patch(f"/api/users/{user.id}", json={"active": True}, headers=admin.headers)
    assert (back.status_code, back.json()["code"]) == (409, "user_erased")


def test_admins_are_not_erased(http: TestClient, world: World) -> None:
    admin, other = world.caller(), world.caller()
    for user, code in ((admin.user, "own_account"), (other.user, "is_admin")):
        refused = http.post(f"/api/users/{user.id}/erase", headers=admin.headers)
        assert (refused.status_code, refused.json()["code"]) == (409, code)
    assert world.session.scalars(select(User.erased_at)).all() == [None, None]
    world.caller(Role.ANNOTATOR)
