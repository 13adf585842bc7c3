"""The truth of an evaluation image: one, or it is named and counts in no evaluation."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.states import Split
from core.tasks.registry import class_of
from tests.formats.test_certainty import coco, finished, labels, pool_of, told
from tests.formats.test_numbers import truths
from tests.workers.import_files import png, reasons, zipped
from tests.world import World
from workers.imports.formats.metadata import Row
from workers.imports.formats.said import Described, describe
from workers.imports.items import Item, Refused
from workers.imports.placing import place
from workers.imports.reading import LabelReader

CLASSES = {"cat": 11, "dog": 12}
WORDS = (None, "cat", "dog")


@given(
    st.sampled_from((*WORDS, "images")),
    st.lists(st.sampled_from(WORDS), max_size=3),
    st.lists(st.sampled_from(WORDS), max_size=2),
    st.sampled_from(((), ("label",))),
)
def test_folder_rows_and_documents_agree_or_there_is_no_truth(
    folder: str | None,
    rows: Sequence[str | None],
    documents: Sequence[str | None],
    columns: Sequence[str],
) -> None:
    said = [Row({} if label is None else {"label": label}) for label in rows]
    said += [
        Row({"class": label, "votes": [] if label is None else [{"class": label}]})
        for label in documents
    ]
    found = describe(said, Described(label=folder), columns)
    assert isinstance(found, Described)
    item = Item(
        name="",
        read=lambda: Refused(""),
        label=found.label,
        label_column=found.label_column,
        rivals=found.rivals,
        annotations=found.annotations,
        said=found.said,
        unread=found.unread,
    )
    placed = place(item, Split.EVALUATION, LabelReader(CLASSES, {}))
    claims = {one for one in (*rows, *documents) if one is not None}
    # Where a document says nothing of the class, its folder does not either.
    if folder in CLASSES and (claims or not documents):
        claims.add(folder)
    if len(claims) == 1:
        assert not isinstance(placed, Refused)
        assert class_of(placed.label) == CLASSES[claims.pop()]
    else:
        assert isinstance(placed, Refused)
        assert ("contradict each other (cat and dog)" in placed.reason) == (len(claims) == 2)


@pytest.mark.parametrize("kind", ["csv", "coco"])
def test_a_folder_and_what_describes_it_contradict_each_other(world: World, kind: str) -> None:
    pool = pool_of(world)
    images = {"test/cat/1.png": png(0), "train/2.png": png(1), "test/dog/3.png": png(2)}
    table = b"file_name,label\ntest/cat/1.png,dog\ntest/dog/3.png,dog\n"
    document = coco({1: "test/cat/1.png", 2: "test/dog/3.png"}, [(1, 2), (2, 2)])
    more = {"metadata.csv": table} if kind == "csv" else {"d.json": document}
    job = pool.add(zipped({**images, **more}.items()))
    why = reasons(finished(job))
    assert list(why) == ["test/cat/1.png"]
    assert "contradict each other (cat and dog); import it again" in why["test/cat/1.png"]
    assert truths(pool) == [None, "dog"]
    pool.add(zipped([("test/cat/1.png", images["test/cat/1.png"])]), split=Split.EVALUATION)
    assert truths(pool) == [None, "dog", "cat"]


def test_what_later_imports_say_of_a_truth_is_the_same_in_any_order(world: World) -> None:
    for copies in itertools.product(("cat", "dog"), repeat=2):
        pool = pool_of(world)
        pool.add(zipped([("evaluation/cat/1.png", png(0))]))
        files = [(f"evaluation/{name}/{n}.png", png(0)) for n, name in enumerate(copies)]
        job = pool.add(zipped(files))
        is_same = set(copies) == {"cat"}
        assert truths(pool) == (["cat"] if is_same else [None]), copies
        said = [why for why in told(pool, job).values() if "another class" in why]
        assert bool(said) != is_same
        assert all("import it again with the one that is right" in why for why in said)
        pool.add(zipped(files[-1:]))
        assert truths(pool) == [copies[-1]]


def test_two_labels_of_an_image_of_the_pool_are_not_said_to_be_lost(world: World) -> None:
    pool = pool_of(world)
    files = {"a.png": png(0), "v1.json": coco({1: "a.png"}, [(1, 1)])}
    files["v2.json"] = coco({1: "a.png"}, [(1, 2)])
    job = pool.add(zipped(files.items()))
    assert labels(pool) == {"a.png": ["cat", "dog"]}
    assert "all are kept" in told(pool, job)["a.png"]
    assert "not taken" not in told(pool, job)["a.png"]
