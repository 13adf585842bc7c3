"""Who said something, however long their name is: nothing fails, and no two people are one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from core import settings
from core.files.storage import Storage
from core.tables import Annotation
from tests.instructions import instructions
from tests.workers.box_files import BoxPool, image, packed, rectangle, task
from tests.workers.import_files import Pool, jsonl, png, zipped
from tests.workers.test_exported_rankings import line_of, vote
from tests.workers.test_import_instructions import done
from tests.world import World
from workers.imports.items import MAX_NAME, printable
from workers.imports.stated import author_name
from workers.jobs import context

WITHIN, BEYOND = MAX_NAME, 3 * MAX_NAME


def people(length: int) -> tuple[str, str, str]:
    """Three who are called alike but for a letter, at the beginning, in the middle, at the end."""
    name = "ü" * (length // 2 - 1) + "m" + "@example.org".rjust(length - length // 2, "x")
    return name, f"a{name[1:]}", f"{name[:-1]}z"


@pytest.fixture
def rows(world: World, session: Session, installation: settings.Settings) -> Iterator[Pool]:
    """An empty pool of instruction data."""
    yield Pool(session, Storage(Path(installation.data_dir)), instructions(world, []))
    context.sessions().kw["bind"].dispose()


def authors(pool: Pool) -> list[str]:
    pool.session.expire_all()
    mine = select(Annotation.source_name).where(Annotation.project_id == pool.project_id)
    return [name or "" for name in pool.session.scalars(mine)]


def check(pool: Pool, content: bytes, filename: str, said: tuple[str, ...], **how: Any) -> None:
    """Each is taken once, however often the file is sent, and called by a name that they have."""
    assert done(pool.add(content, filename, **how))["annotations"] == len(said)
    found = authors(pool)
    assert len({*found}) == len(said)
    assert max(map(len, found)) <= MAX_NAME
    if len(said[0]) <= MAX_NAME:
        assert {*found} == {*said}
    assert done(pool.add(content, filename, **how))["annotations"] == 0


def choices(said: tuple[str, ...]) -> list[dict[str, Any]]:
    result = [{"type": "choices", "from_name": "x", "value": {"choices": ["cat"]}}]
    return [{"completed_by": {"email": name}, "result": result} for name in said]


@pytest.mark.parametrize("length", [WITHIN, BEYOND])
@pytest.mark.parametrize("filename", ["metadata.jsonl", "table.csv", "tasks.json"])
def test_of_classes(pool: Pool, length: int, filename: str) -> None:
    said = people(length)
    if filename == "table.csv":
        pool.zip({"1.png": png(1)})
        lines = ["file_name,annotator,verdict,class", *(f"1.png,{one},class,cat" for one in said)]
        check(pool, "\n".join(lines).encode(), filename, said)
        return
    votes = [{"annotator": one, "verdict": "class", "class": "cat"} for one in said]
    stated = {"file_name": "1.png", "verdict": "class", "class": "cat", "votes": votes}
    tasks = [{"data": {"image": "1.png"}, "annotations": choices(said)}]
    content = jsonl(stated) if filename.endswith("l") else json.dumps(tasks).encode()
    check(pool, zipped([("1.png", png(1)), (filename, content)]), "pool.zip", said)


@pytest.mark.parametrize("length", [WITHIN, BEYOND])
def test_of_boxes(boxes: BoxPool, length: int) -> None:
    said = people(length)
    (drawn,) = json.loads(task([rectangle(10, 10, 20, 20)]))
    (one,) = drawn["annotations"]
    drawn["annotations"] = [{**one, "completed_by": {"email": name}} for name in said]
    content = packed({"a.jpg": image(1), "tasks.json": json.dumps([drawn])})
    check(boxes, content, "pool.zip", said)


def argilla(said: tuple[str, ...]) -> Any:
    answers = [{"value": ["b", "a"], "user_id": name} for name in said]
    return {"fields": {"prompt": "q", "a": "A", "b": "B"}, "responses": {"order": answers}}


def label_studio(said: tuple[str, ...]) -> Any:
    result = [{"type": "pairwise", "value": {"selected": "right"}}]
    return {
        "data": {"prompt": "q", "answer1": "A", "answer2": "B"},
        "annotations": [{"completed_by": {"email": name}, "result": result} for name in said],
    }


def exported(said: tuple[str, ...]) -> Any:
    return line_of([vote(1, 2, 3, annotator=name) for name in said])


@pytest.mark.parametrize("length", [WITHIN, BEYOND])
@pytest.mark.parametrize("written", [argilla, label_studio, exported])
def test_of_rankings(rows: Pool, length: int, written: Any) -> None:
    said = people(length)
    check(rows, jsonl(written(said)), "rows.jsonl", said)


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=2), min_size=2, max_size=2))
def test_a_name_is_told_from_any_other(ends: list[str]) -> None:
    first, second = (f"{end[:1]}{'x' * BEYOND}{end[1:]}" for end in ends)
    called = author_name(first)
    assert len(called) == MAX_NAME
    assert author_name(called) == called
    assert (called == author_name(second)) == (printable(first) == printable(second))
