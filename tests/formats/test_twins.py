"""Names that differ in how their letters are composed: the exact one is meant, if it is there."""

import itertools
import json
import unicodedata

import pytest

from tests.formats.test_certainty import coco, finished, labels, pool_of
from tests.formats.test_foreign import chosen, task
from tests.formats.test_references import written
from tests.workers.import_files import Pool, png, reasons, zipped
from tests.world import World

NFC, NFD = "sub/caf\u00e9.png", "sub/cafe\u0301.png"
KINDS = ("csv", "jsonl", "coco", "label studio")


def document(kind: str, names: tuple[str, ...], said: tuple[str, ...]) -> tuple[str, bytes]:
    if kind == "coco":
        pairs = [(n, 1 if label == "cat" else 2) for n, label in enumerate(said)]
        return "d.json", coco(dict(enumerate(names)), pairs)
    if kind == "label studio":
        tasks = [task(name, chosen(label)) for name, label in zip(names, said, strict=True)]
        return "d.json", json.dumps(tasks).encode()
    rows = [{"file_name": name, "label": label} for name, label in zip(names, said, strict=True)]
    return f"metadata.{kind}", written(rows, kind)


def imported(world: World, kind: str, files: tuple[str, ...], names: tuple[str, ...]) -> Pool:
    pool = pool_of(world)
    images = {name: png(number) for number, name in enumerate(files)}
    name, content = document(kind, names, ("cat", "dog")[: len(names)])
    job = pool.add(zipped({**images, name: content}.items()), annotations=["label"])
    assert finished(job)["added"] == len(files)
    return pool


@pytest.mark.parametrize("kind", KINDS)
def test_of_twins_the_exact_name_wins(world: World, kind: str) -> None:
    for files in itertools.permutations((NFC, NFD)):
        pool = imported(world, kind, files, (NFC, NFD))
        found = labels(pool)
        assert ("cat" in found[NFC], "cat" in found[NFD]) == (True, False)
        assert ("dog" in found[NFC], "dog" in found[NFD]) == (False, True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("file", "name"), [(NFC, NFD), (NFD, NFC), (NFC, NFC)])
def test_without_a_twin_letters_may_be_composed_otherwise(
    world: World, kind: str, file: str, name: str
) -> None:
    assert "cat" in labels(imported(world, kind, (file,), (name,)))[file]


def test_a_name_that_is_neither_of_two_twins_means_none(world: World) -> None:
    pool = pool_of(world)
    # Two marks on one letter, of which either may be the one that is written apart.
    one = "\u1ed9.png"
    twins = [unicodedata.normalize("NFD", one), "\u00f4\u0323.png"]
    files = {name: png(number) for number, name in enumerate(twins)}
    files["metadata.csv"] = f"file_name,label\n{one},cat\n".encode()
    job = pool.add(zipped(files.items()), annotations=["label"])
    assert labels(pool) == {name: [] for name in twins}
    assert reasons(finished(job))[one] == "2 files are called so, in other letters"


@pytest.mark.parametrize(
    "written_as", ["sub/1.png", "./sub/1.png", ".\\sub\\1.png", "sub\\1.png", ".//sub/1.png"]
)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_tables_name_images_as_programs_write_paths(
    world: World, written_as: str, suffix: str
) -> None:
    pool = pool_of(world)
    pool.zip({"sub/1.png": png(0), "2.png": png(1)})
    rows = [{"file": written_as, "label": "dog"}]
    pool.add(written(rows, suffix), f"t.{suffix}", annotations=["label"])
    assert labels(pool) == {"sub/1.png": ["dog"], "2.png": []}


def test_twins_of_the_pool_are_told_apart_by_a_table(world: World) -> None:
    pool = pool_of(world)
    pool.zip({NFC: png(0), NFD: png(1)})
    rows = [{"file": NFC, "label": "cat"}, {"file": NFD, "label": "dog"}]
    pool.add(written(rows, "csv"), "t.csv", annotations=["label"])
    assert labels(pool) == {NFC: ["cat"], NFD: ["dog"]}
