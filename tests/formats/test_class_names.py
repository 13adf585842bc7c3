"""A name of a class is the class, however folders, tables and other tools have to write it."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import select

from core.states import Split
from core.tables import ProjectClass
from core.tasks.boxes import BOXES
from tests.formats.test_certainty import coco, finished, labels, pool_of, told
from tests.formats.test_foreign import chosen, task
from tests.workers.import_files import Pool, png, zipped
from tests.world import World
from workers.imports.items import Item, Refused
from workers.imports.reading import LabelReader

CLASS = "insect or spider"


NAMED = {
    "folder": {"insect_or_spider/a.png": png(0)},
    "csv": {"a.png": png(0), "metadata.csv": b"file_name,label\na.png,Insect-Or-Spider\n"},
    "json": {
        "a.png": png(0),
        "metadata.jsonl": json.dumps({"file_name": "a.png", "label": "INSECT or_spider"}).encode(),
    },
    "coco": {
        "a.png": png(0),
        "x.json": coco({1: "a.png"}, [(1, 4)], [{"id": 4, "name": "insect_or_spider"}]),
    },
    "label studio": {
        "a.png": png(0),
        "x.json": json.dumps([task("a.png", chosen("insect_or_spider"))]).encode(),
    },
}
MARKED = {"a.png": png(0), "metadata.csv": b"file_name,insect_or_spider,dog\na.png,1,0\n"}


@pytest.mark.parametrize("files", NAMED.values(), ids=NAMED)
def test_an_evaluation_image_has_the_class_that_is_meant(
    world: World, files: dict[str, bytes]
) -> None:
    pool = pool_of(world, "dog", CLASS)
    job = pool.add(zipped(files.items()), split=Split.EVALUATION)
    assert finished(job)["added"] == 1, told(pool, job)
    (image,) = pool.examples()
    assert image.label_class_id == class_id(pool)
    assert finished(job)["notes"][-1].endswith(f"is read as the class {CLASS!r}.")


@pytest.mark.parametrize(
    "files", [*(files for kind, files in NAMED.items() if kind != "folder"), MARKED]
)
def test_an_annotation_has_the_class_that_is_meant(world: World, files: dict[str, bytes]) -> None:
    pool = pool_of(world, "dog", CLASS)
    columns = ["insect_or_spider", "dog"] if files is MARKED else ["label"]
    job = pool.add(zipped(files.items()), annotations=columns)
    assert list(labels(pool).values()) == [[CLASS]], told(pool, job)


def test_a_name_that_may_be_either_of_two_is_neither(world: World) -> None:
    pool = pool_of(world, "ice cream", "ice-cream")
    rows = b"file_name,label\na.png,ice-cream\nb.png,Ice_Cream\n"
    files = {"a.png": png(0), "b.png": png(1), "metadata.csv": rows}
    job = pool.add(zipped(files.items()), annotations=["label"])
    assert labels(pool) == {"a.png": ["ice-cream"], "b.png": []}
    assert told(pool, job)["b.png"].endswith("(it may be any of 'ice cream', 'ice-cream')")


def class_id(pool: Pool) -> int | None:
    wanted = ProjectClass.project_id == pool.project_id, ProjectClass.name == CLASS
    return pool.session.scalar(select(ProjectClass.id).where(*wanted))


def test_boxes_in_a_cell_say_which_class_a_name_was_read_as() -> None:
    reader = LabelReader({"dog": 1, CLASS: 2}, {}, task=BOXES)
    cell = [{"class": "insect_or_spider", "x": 1, "y": 2, "w": 3, "h": 4}]
    item = Item(
        name="a.png",
        read=lambda: Refused("empty file"),
        annotations=(("label", json.dumps(cell)), ("label", "[]")),
    )
    assert not reader.read(item).unread
    assert reader.notes == [f"'insect_or_spider' is read as the class {CLASS!r}."]
    either = LabelReader({"ice cream": 1, "ice-cream": 2}, {}, task=BOXES)
    cell[0]["class"] = "Ice_Cream"
    item = replace(item, annotations=(("label", json.dumps(cell)),))
    (said,) = either.read(item).unread
    assert "it may be any of 'ice cream', 'ice-cream'" in said
