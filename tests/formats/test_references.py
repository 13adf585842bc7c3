"""What calls an image by several columns that mean different ones labels neither of them."""

import csv
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from core.states import Split
from core.tables import Job
from tests.formats.test_certainty import coco, finished, labels, pool_of, told
from tests.workers.import_files import Pool, jsonl, parquet_of, png, reasons, zipped
from tests.world import World

NOWHERE = {"sha256": "0" * 64, "example_id": 10**12, "name": "no.png", "file": "/no/1.png"}
COLUMNS = [
    ("sha256", "example_id", "name"),
    ("name", "example_id"),
    ("example_id", "sha256"),
    ("name", "sha256"),
    ("file", "name", "example_id"),
]


def written(rows: Sequence[Mapping[str, Any]], suffix: str) -> bytes:
    if suffix == "jsonl":
        return jsonl(*rows)
    if suffix == "parquet":
        return parquet_of(rows)
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def lines(pool: Pool, job: Job) -> list[list[str]]:
    """Name, outcome and reason of each row of a table, in its order."""
    return list(csv.reader(pool.report(job).splitlines()))[1:]


def said_of(pool: Pool) -> dict[str, dict[str, Any]]:
    """What each column says of each image, and of none."""
    found = {
        one.name: {
            "sha256": one.content_hash.hex(),
            "example_id": one.id,
            "name": one.name,
            "file": one.name,
        }
        for one in pool.examples()
    }
    return {**found, "nowhere": NOWHERE}


def meant(row: Mapping[str, str], order: Sequence[str], *, strict: bool) -> str | None:
    """The image of a row; ``None`` if it is refused."""
    first, *others = [column for column in order if column in row]
    image = row[first]
    if image == "nowhere" or (strict and any(row[one] not in (image, "nowhere") for one in others)):
        return None
    return image


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("columns", COLUMNS)
def test_columns_that_mean_different_images_label_neither(
    world: World, columns: tuple[str, ...], suffix: str
) -> None:
    pool = pool_of(world)
    pool.zip({f"{number}.png": png(number) for number in range(2)})
    values = said_of(pool)
    cases = [
        dict(zip(columns, images, strict=True))
        for images in itertools.product(values, repeat=len(columns))
    ]
    order = ["sha256", "example_id", "file", "name"]
    rows = [{one: values[image][one] for one, image in case.items()} for case in cases]
    table = written([{**row, "label": "cat"} for row in rows], suffix)
    job = pool.add(table, f"t.{suffix}", annotations=["label"])
    for case, (_, outcome, why) in zip(cases, lines(pool, job), strict=True):
        image = meant(case, order, strict=True)
        assert (outcome != "refused") == (image is not None), case
        if image is None and meant(case, order, strict=False) is not None:
            assert "mean different images; say which holds with key_column=" in why
    key = columns[-1]
    chosen = pool.add(table, f"t.{suffix}", annotations=["label"], columns={"key": key})
    for case, (_, outcome, _) in zip(cases, lines(pool, chosen), strict=True):
        assert (outcome != "refused") == (case[key] != "nowhere"), case


@pytest.mark.parametrize("key", ["name", "sha256"])
def test_of_several_columns_the_image_of_the_first_is_labeled(world: World, key: str) -> None:
    pool = pool_of(world)
    pool.zip({f"{number}.png": png(number) for number in range(2)})
    values = said_of(pool)
    row = {key: values["1.png"][key], "example_id": values["1.png"]["example_id"], "label": "dog"}
    pool.add(written([row], "csv"), "t.csv", annotations=["label"])
    assert labels(pool) == {"0.png": [], "1.png": ["dog"]}


def test_a_table_of_verdicts_knows_images_by_bytes_and_names_as_it_may_be_another_installations(
    world: World,
) -> None:
    for columns in (("sha256", "name", "example_id"), ("name", "example_id")):
        for images in itertools.permutations(("0.png", "1.png", "2.png"), len(columns)):
            pool = pool_of(world)
            pool.zip({f"{number}.png": png(number) for number in range(3)})
            values = said_of(pool)
            row = {one: values[image][one] for one, image in zip(columns, images, strict=True)}
            table = written([{**row, "verdict": "class", "class": "dog"}], "csv")
            assert finished(pool.add(table, "votes.csv"))["refused"] == 0
            assert [name for name, said in labels(pool).items() if said] == [images[0]]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "coco", "parquet"])
@pytest.mark.parametrize("split", [Split.POOL, Split.EVALUATION])
def test_what_is_said_of_other_bytes_is_not_said_of_these(
    world: World, kind: str, split: Split
) -> None:
    pool = pool_of(world)
    images = {f"{number}.png": png(number) for number in range(2)}
    pool.zip({"there.png": png(7)})
    digest = pool.examples()[0].content_hash.hex()
    rows = [{"file_name": name, "label": "cat", "sha256": digest} for name in images]
    rows[1].pop("sha256")
    if kind == "coco":
        document = json.loads(coco({1: "0.png", 2: "1.png"}, [(1, 1), (2, 1)]))
        document["images"][0]["sha256"] = digest
        content = zipped({**images, "d.json": json.dumps(document).encode()}.items())
        job = pool.add(content, split=split)
    elif kind == "parquet":
        table = [{"image": images[row["file_name"]], **row} for row in rows]
        job = pool.add(written(table, kind), "x.parquet", split, annotations=["label"])
    else:
        rows[1]["sha256"] = ""
        content = zipped({**images, f"metadata.{kind}": written(rows, kind)}.items())
        job = pool.add(content, split=split, annotations=["label"])
    if split is Split.POOL:
        assert labels(pool) == {"there.png": [], "0.png": [], "1.png": ["cat"]}
        assert "of other bytes" in told(pool, job)["0.png"]
    else:
        assert "of other bytes" in reasons(finished(job))["0.png"]
        assert [one.name for one in pool.examples()] == ["there.png", "1.png"]
