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
from core.files.storage import Storage
from core.states import Split
from core.tasks.box_conventions import CVAT, VOC, written
from tests.workers.box_files import BoxPool, image, voc, voc_object
from tests.world import World
from workers.jobs import context


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
    "b.jpg": "Box 2 lies entirely outside the image of 64 × 48 pixels; leave it out.",
    "d.jpg": "cannot be read: box 1 is of 'bird', which is not a class of the project; add it, and "
    "import again",
    "e.jpg": "cannot be read: box 2 is none: it needs class, x, y, w and h",
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
        assert reason in why[name]


def test_lists_of_pascal_voc_say_what_judges(pool: BoxPool) -> None:
    files: dict[str, bytes | str] = {}
    for seed, name in enumerate("abcd"):
        files[f"VOC/JPEGImages/{name}.jpg"] = image(seed)
        drawn = voc(voc_object(11, 21, 30, 44), filename=f"{name}.jpg")
        files[f"VOC/Annotations/{name}.xml"] = drawn
    lists = {"train": "a\nc\n", "val": "b\nc\n", "trainval": "a\nb\nc\n", "cat_val": "a  1\nb -1\n"}
    for name, text in lists.items():
        files[f"VOC/ImageSets/Main/{name}.txt"] = text
    result = pool.send(files)
    assert (result["added"], result["refused"]) == (4, 0), result["refused_examples"]
    # What is trained on judges nothing, and what no list names is as the import says.
    assert {one.name[-5]: one.split for one in pool.examples()} == {
        "a": Split.POOL, "b": Split.EVALUATION, "c": Split.POOL, "d": Split.POOL,
    }  # fmt: skip


def test_arithmetic_leaves_no_crumbs(pool: BoxPool) -> None:
    # 0.1 × 64 and 0.7 × 48, which floats miss by a hair.
    pool.send(
        {"images/a.jpg": image(1), "labels/a.txt": "0 0.35 0.35 0.1 0.7\n", "classes.txt": "cat\n"}
    )
    (box_,) = (label.boxes[0] for label in pool.labels().values())
    assert (box_.x, box_.y, box_.w, box_.h) == (19.2, 0, 6.4, 33.6)
    size = (64.0, 48.0)
    moved = box_.model_copy(update={"given": None, "x": 0.1, "w": 0.2})
    assert written(moved, CVAT, size) == ["0.1", "0", "0.3", "33.6"]
    # A side of less than a pixel still has a first and a last.
    assert written(moved, VOC, size) == ["1.1", "1", "1.1", "33.6"]
