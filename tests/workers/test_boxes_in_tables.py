"""Boxes as JSON in a column of a table, for images that come with it or are there."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.orm import Session

from core import settings
from core.states import Split
from core.storage import Storage
from tests.workers.box_files import BoxPool, image
from tests.world import World
from workers import context


@pytest.fixture
def pool(world: World, session: Session, installation: settings.Settings) -> Iterator[BoxPool]:
    yield BoxPool(session, Storage(Path(installation.data_dir)), world)
    context.sessions().kw["bind"].dispose()


def box(*sides: float, name: str = "cat", **more: Any) -> dict[str, Any]:
    return {"class": name, **dict(zip("xywh", sides, strict=True)), **more}


# 64 × 48 pixels as stored; of the last, which lies on its side, 48 × 64 upright.
WITHIN, BESIDE, UPRIGHT = box(10, 20, 20, 24), box(64, 20, 5, 5), box(5, 50, 10, 10)
ROWS: Mapping[str, Any] = {
    "a.jpg": [WITHIN],
    "b.jpg": [WITHIN, BESIDE],
    "c.jpg": [UPRIGHT],
    "d.jpg": [box(1, 1, 2, 2, name="bird")],
    "e.jpg": [WITHIN, box(1, 1, 2, -2)],
    "f.jpg": [],
}
WHY = {
    "b.jpg": "label: Box 2 lies entirely outside the image of 64 × 48 pixels; leave it out.",
    "d.jpg": "label has a box 1 of 'bird', which is not a class of the project; add it, and import "
    "again",
    "e.jpg": "label has a box 2 that is none: it needs class, x, y, w and h",
}


def table(rows: Mapping[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("file_name", "label"))
    writer.writerows((name, json.dumps(boxes)) for name, boxes in rows.items())
    return text.getvalue()


def pictures() -> dict[str, bytes | str]:
    return {
        name: image(seed, 6 if name == "c.jpg" else 1) for seed, name in enumerate(sorted(ROWS))
    }


def require_those_that_fit(pool: BoxPool) -> None:
    assert {name: len(boxes) for name, boxes in pool.sides().items()} == {
        "a.jpg": 1, "c.jpg": 1, "f.jpg": 0,
    }  # fmt: skip
    why = pool.why()
    for name, reason in WHY.items():
        assert reason in why[name]


def test_images_that_come_along(pool: BoxPool) -> None:
    result = pool.send({**pictures(), "metadata.csv": table(ROWS)}, annotations=["label"])
    assert (result["added"], result["refused"]) == (6, 0), result["refused_examples"]
    require_those_that_fit(pool)


def test_images_that_are_there(pool: BoxPool) -> None:
    pool.send(pictures())
    job = pool.add(table(ROWS).encode(), "labels.csv", annotations=["label"])
    assert pool.result(job)["labeled"] == 3
    require_those_that_fit(pool)


def test_the_truth_of_evaluation_images(pool: BoxPool) -> None:
    files = {**pictures(), "metadata.csv": table(ROWS)}
    result = pool.send(files, split=Split.EVALUATION)
    assert (result["added"], result["refused"]) == (3, 3)
    why = {one["name"]: one["reason"] for one in result["refused_examples"]}
    for name, reason in WHY.items():
        assert reason.removeprefix("label").lstrip(": ") in why[name]
