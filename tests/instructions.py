"""Pools of instruction data, and people who rank their rows."""

import uuid
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select

from core.states import ExampleState, Medium, ProjectState, Split
from core.tables import Example, ExampleText, Project, Round
from core.tasks.instruction_rows import InstructionRow, canonical, rendered, stored_row
from models.catalog import DEFAULT_MODEL
from tests.world import Caller, World
from workers.instructions.asking import publish_rankings


def row(number: int, **fields: Any) -> InstructionRow:
    """A row of its own."""
    given = {"instruction": f"Add {number} and 1.", "responses": (f"It is {number + 1}.",)}
    return InstructionRow(**{**given, **fields})


def instructions(world: World, rows: Sequence[InstructionRow], **settings: Any) -> Project:
    """A project with these rows, in the database alone."""
    model = {"name": DEFAULT_MODEL["text"], "params": {}}
    project = world._project((), ProjectState.DRAFT, {"model": model, **settings}, Medium.TEXT)
    project.task = "instructions"
    for index, one in enumerate(rows):
        content = canonical(one)
        example = Example(
            project_id=project.id,
            pool_index=index,
            content_hash=sha256(content).digest(),
            media_type="text/plain",
            bytes=len(content),
            width=None,
            height=None,
            split=Split.POOL,
            state=ExampleState.UNLABELED,
            name=f"rows.jsonl, line {index + 1}",
            meta={},
        )
        world.session.add(example)
        world.session.flush()
        text = ExampleText(example_id=example.id, content=rendered(one), fields=stored_row(one))
        world.session.add(text)
    world.session.commit()
    return project


def examples(world: World, project: Project) -> list[Example]:
    """Of a pool, in its order, as they are now."""
    world.session.expire_all()
    statement = select(Example).where(Example.project_id == project.id)
    return list(world.session.scalars(statement.order_by(Example.pool_index)))


def ask(world: World, project: Project, groups: Sequence[Sequence[int]], **options: Any) -> Round:
    """Open a round about rows at these pool indices."""
    ids = [one.id for one in examples(world, project)]
    given = {"strategy": "fp_instruction", "seed": 0, **options}
    round_ = publish_rankings(
        world.session, project, [[ids[at] for at in group] for group in groups], **given
    )
    world.session.commit()
    return round_


class Person:
    """Somebody who ranks, over HTTP."""

    def __init__(self, http: TestClient, caller: Caller, project: Project) -> None:
        self.http, self.caller = http, caller
        self.path = f"/api/projects/{project.id}/labeling"
        self.client = str(uuid.uuid4())

    def lease(self, n: int = 16) -> list[dict[str, Any]]:
        """What there is to rank."""
        body = {"n": n, "client": self.client}
        found = self.http.post(f"{self.path}/lease", json=body, headers=self.caller.headers)
        assert found.status_code == 200, found.text
        items: list[dict[str, Any]] = found.json()["items"]
        return items

    def rank(
        self, query_id: int, order: Sequence[Sequence[int]], wrong: Sequence[int] = (), **more: Any
    ) -> dict[str, Any]:
        """Say which rows are best."""
        label = {"type": "instructions", "order": order, "wrong": wrong}
        return self.say(query_id, "label", label=label, **more)

    def say(self, query_id: int, verdict: str, **more: Any) -> dict[str, Any]:
        """Send one answer."""
        answer = {
            "key": str(uuid.uuid4()), "query_id": query_id, "verdict": verdict, "seconds": 1, **more
        }  # fmt: skip
        found = self.http.post(
            f"{self.path}/answers", json={"answers": [answer]}, headers=self.caller.headers
        )
        assert found.status_code == 200, found.text
        result: dict[str, Any] = found.json()["results"][0]
        return result
