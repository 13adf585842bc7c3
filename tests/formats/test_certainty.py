"""What a file says is read by its meaning where that is certain; else it is refused by name."""

import csv
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from core.states import Split
from core.tables import Annotation, Example, Job, ProjectClass
from tests.formats.test_foreign import chosen, task
from tests.workers.import_files import Pool, parquet_of, png, reasons, zipped
from tests.world import World
from workers.labels.snapshot import take as snapshot

CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
IMAGES = {"a.png": png(0), "b.png": png(1)}


def coco(
    images: Mapping[Any, str],
    labels: Sequence[tuple[Any, Any]],
    categories: Sequence[Mapping[str, Any]] = CATEGORIES,
    **more: Any,
) -> bytes:
    document = {
        "images": [{"id": id_, "file_name": name} for id_, name in images.items()],
        "annotations": [
            {"id": number, "image_id": image, "category_id": category, **more}
            for number, (image, category) in enumerate(labels)
        ],
        "categories": categories,
    }
    return json.dumps(document).encode()


def pool_of(world: World, *classes: str) -> Pool:
    return Pool(world.session, world.storage, world.project(classes=classes or ("cat", "dog")))


def finished(job: Job) -> dict[str, Any]:
    assert job.result is not None, job.error
    return job.result


def told(pool: Pool, job: Job) -> dict[str, str]:
    """What the report says of each line of it."""
    return {name: why for name, _, why in list(csv.reader(pool.report(job).splitlines()))[1:]}


def labels(pool: Pool) -> dict[str, list[str]]:
    """What every vote says of each image, sorted."""
    pool.session.expire_all()
    names = dict(
        pool.session.execute(
            select(ProjectClass.id, ProjectClass.name).where(
                ProjectClass.project_id == pool.project_id
            )
        ).all()
    )
    found: dict[str, list[str]] = {one.name: [] for one in pool.examples()}
    superseded = select(Annotation.supersedes_id).where(Annotation.supersedes_id.is_not(None))
    rows = pool.session.execute(
        select(Example.name, Annotation.verdict, Annotation.class_id)
        .join(Example, Example.id == Annotation.example_id)
        .where(Example.project_id == pool.project_id, Annotation.id.not_in(superseded))
    )
    for image, verdict, class_id in rows:
        found[image].append(names.get(class_id or 0, verdict.value))
    return {image: sorted(said) for image, said in found.items()}


def zipped_with(document: bytes, name: str = "annotations.json", **more: bytes) -> bytes:
    return zipped({**IMAGES, name: document, **more}.items())


def test_a_category_that_the_document_lacks_is_none(world: World) -> None:
    pool = pool_of(world)
    document = coco({1: "a.png", 2: "b.png"}, [(1, 1), (2, 2)], CATEGORIES[1:])
    job = pool.add(zipped_with(document))
    assert finished(job)["added"] == 2
    assert labels(pool) == {"a.png": [], "b.png": ["dog"]}
    assert "category 1 is not among the categories" in told(pool, job)["a.png"]


def test_an_id_is_a_number_however_it_is_written(world: World) -> None:
    pool = pool_of(world)
    pool.add(zipped_with(coco({1: "a.png", "2": "b.png"}, [(1.0, "1"), (2, 2.0)])))
    assert labels(pool) == {"a.png": ["cat"], "b.png": ["dog"]}


def test_ids_may_be_larger_than_a_machine_counts(world: World) -> None:
    pool = pool_of(world)
    # Hashes of 64 bits; as floats both would be one.
    pool.add(zipped_with(coco({2**63: "a.png", 2**63 + 1: "b.png"}, [(2**63, 1), (2**63 + 1, 2)])))
    assert labels(pool) == {"a.png": ["cat"], "b.png": ["dog"]}


def test_an_image_id_of_two_files_labels_neither(world: World) -> None:
    pool = pool_of(world)
    document = json.loads(coco({1: "a.png"}, [(1, 1)]))
    document["images"].append({"id": 1, "file_name": "b.png"})
    job = pool.add(zipped_with(json.dumps(document).encode()))
    assert labels(pool) == {"a.png": [], "b.png": []}
    assert all("image id 1 stands for several files" in why for why in told(pool, job).values())


def test_a_category_of_two_names_labels_nothing(world: World) -> None:
    pool = pool_of(world)
    twice = [{"id": 1, "name": "cat"}, {"id": 1, "name": "dog"}]
    job = pool.add(zipped_with(coco({1: "a.png"}, [(1, 1)], twice)))
    assert labels(pool)["a.png"] == []
    assert "category 1 has several names (cat, dog)" in told(pool, job)["a.png"]


def test_entries_that_cannot_be_used_cost_themselves_only(world: World) -> None:
    pool = pool_of(world)
    document = json.loads(coco({1: "a.png", 2: "b.png"}, [(1, 1), (7, 1), (2, None)]))
    document["images"] += [{"id": 3}, {"file_name": "c.png"}, 5]
    document["annotations"].append({"id": 9})
    job = pool.add(zipped_with(json.dumps(document).encode()))
    assert labels(pool) == {"a.png": ["cat"], "b.png": []}
    assert reasons(finished(job)) == {
        "annotations.json, entry 2 of images": "has no file_name",
        "annotations.json, entry 3 of images": "has no id",
        "annotations.json, entry 4 of images": "is not an object",
        "annotations.json, entry 3 of annotations": "has no image_id",
        "annotations.json": "annotations without a category_id, as those of captions and panoptic "
        "ones are, are left aside: 1",
        "annotations.json, image_id 7": "is annotated, but not among images",
    }


@pytest.mark.parametrize("count", [3, 600])
def test_what_documents_say_of_an_image_is_taken_together(world: World, count: int) -> None:
    pool = pool_of(world)
    names = {number: f"{number:04}.png" for number in range(count)}
    files = {name: png(number) for number, name in names.items()}
    files["annotations/v1.json"] = coco(names, [(0, 1), (1, 1)])
    files["annotations/v2.json"] = coco(names, [(1, 2), (2, 2)])
    job = pool.add(zipped(files.items()))
    found = labels(pool)
    assert [found[names[number]] for number in range(3)] == [["cat"], ["cat", "dog"], ["dog"]]
    assert finished(job)["refused"] == 0
    assert finished(job)["contradicting"] == 1


def test_captions_and_keypoints_beside_instances_are_left_aside(world: World) -> None:
    pool = pool_of(world, "cat", "person")
    people = [{"id": 1, "name": "person", "keypoints": ["nose"]}]
    captions = {
        "images": [{"id": 1, "file_name": "a.png"}],
        "annotations": [{"id": 7, "image_id": 1, "caption": "a cat"}],
    }
    files = {
        **IMAGES,
        "annotations/instances_val.json": coco({1: "a.png"}, [(1, 1)]),
        "annotations/captions_val.json": json.dumps(captions).encode(),
        "annotations/person_keypoints_val.json": coco(
            {1: "a.png"}, [(1, 1)], people, keypoints=[1, 2, 2]
        ),
    }
    result = finished(pool.add(zipped(files.items())))
    assert labels(pool) == {"a.png": ["cat"], "b.png": []}
    why = reasons(result)
    assert "without a category_id" in why["annotations/captions_val.json"]
    assert "keypoints" in why["annotations/person_keypoints_val.json"]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (b'{"images": [{"id": 1, "file_name": "a.png"}], "annotations": [{"id', "ends early"),
        (b'{"images": [{"id": 1, "file_name": "a.png"}, oops]}', "near byte 46"),
        (b"\xff\xfe{}", "cannot be read as JSON"),
        (b'{"shapes": []}', "neither Label Studio's JSON"),
        (b"", "ends early"),
    ],
)
def test_a_document_that_cannot_be_read_is_named_and_the_rest_goes_in(
    world: World, document: bytes, says: str
) -> None:
    pool = pool_of(world)
    files = {**IMAGES, "broken.json": document, "good.json": coco({1: "b.png"}, [(1, 2)])}
    result = finished(pool.add(zipped(files.items())))
    assert says in reasons(result)["broken.json"]
    assert labels(pool) == {"a.png": [], "b.png": ["dog"]}


def test_numbers_that_json_has_no_word_for_are_read_as_none(world: World) -> None:
    pool = pool_of(world)
    document = coco({1: "a.png"}, [(1, 1)], score=float("nan"), area=float("-inf"))
    assert b"NaN" in document
    pool.add(zipped_with(document))
    tasks = [task("b.png", chosen("dog", lead_time=float("inf")))]
    pool.add(json.dumps(tasks).encode(), "tasks.json")
    assert labels(pool) == {"a.png": ["cat"], "b.png": ["dog"]}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("my photo (1).png", "/data/upload/3/1a2b3c4d-my_photo_1.png"),
        ("x/my photo.png", "http://host/data/upload/3/1a2b3c4d-my_photo.png"),
        ("1a2b3c4d-kept.png", "/data/upload/3/1a2b3c4d-kept.png"),
        ("a+b.png", "/data/local-files/?d=set/a+b.png"),
        ("set/a&b.png", "/data/local-files/?d=set/a&b.png"),
        ("a#b.png", "/data/local-files/?d=set/a#b.png"),
        ("50%.png", "/data/local-files/?d=set/50%25.png"),
        ("60%.png", "/data/local-files/?d=set/60%.png"),
        ("sub/a.png", "/data/local-files/?d=set%5Csub%5Ca.png"),
        ("x/a.png", "https://host/tasks/1/presign/?fileuri=czM6Ly9idWNrZXQveC9hLnBuZw=="),
        ("x/a.png", "s3://bucket/x/a.png"),
        ("a.png", "https://host/x/a.png?X-Amz-Signature=1&x=b.png"),
    ],
)
def test_addresses_of_label_studio_are_paths(world: World, name: str, address: str) -> None:
    pool = pool_of(world)
    tasks = json.dumps([task(address, chosen("cat"))]).encode()
    pool.add(zipped([(name, png(0)), ("other.png", png(1)), ("export.json", tasks)]))
    assert labels(pool) == {name: ["cat"], "other.png": []}
    pool.add(json.dumps([task(address, chosen("dog"))]).encode(), "export.json")
    assert labels(pool)[name] == ["dog"]


def test_coco_of_label_studio_knows_files_by_the_name_they_had(world: World) -> None:
    for contributor, expected in (("Label Studio", ["cat"]), ("somebody", [])):
        document = json.loads(coco({1: "images/1a2b3c4d-my_photo.png"}, [(1, 1)]))
        document["info"] = {"contributor": contributor}
        pool = pool_of(world)
        files = [("set/my photo.png", png(0)), ("x.json", json.dumps(document).encode())]
        pool.add(zipped(files))
        assert labels(pool) == {"set/my photo.png": expected}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("cafebabe-a.png", "/data/local-files/?d=deadbeef-a.png"),
        ("a.png", "/data/local-files/?d=deadbeef-a.png"),
        ("camB/1.png", "/data/local-files/?d=camA/1.png"),
        ("camB/1.png", "s3://bucket/camA/1.png"),
    ],
)
def test_an_address_of_another_image_is_not_this_one(world: World, name: str, address: str) -> None:
    pool = pool_of(world)
    tasks = json.dumps([task(address, chosen("cat"))]).encode()
    result = finished(pool.add(zipped([(name, png(0)), ("export.json", tasks)])))
    assert labels(pool) == {name: []}
    assert result["refused"] == 1


def test_one_annotation_that_cannot_be_read_costs_no_other(world: World) -> None:
    pool = pool_of(world)
    tasks = [
        task("a.png", chosen("cat", "dog"), chosen("cat", by=2)),
        5,
        task("b.png", chosen("x")),
    ]
    job = pool.add(zipped_with(json.dumps(tasks).encode()))
    assert labels(pool) == {"a.png": ["cat"], "b.png": []}
    why = told(pool, job)
    assert "several choices (cat, dog)" in why["a.png"]
    assert why["annotations.json, entry 1"] == "is no task of Label Studio"
    assert "'x', which is not a class" in why["b.png"]


def test_no_number_of_a_document_counts_classes(world: World) -> None:
    pool = pool_of(world)
    pool.add(zipped_with(json.dumps([task("a.png", chosen("1"))]).encode()))
    pool.add(coco({1: "b.png"}, [(1, 1)], [{"id": 1, "name": "0"}]), "coco.json")
    assert labels(pool) == {"a.png": [], "b.png": []}


def label(pool: Pool, table: str, *columns: str) -> Job:
    return pool.add(table.encode(), "labels.csv", annotations=columns or ("label",))


def test_columns_of_classes_that_are_0_or_1_are_read_together(world: World) -> None:
    pool = pool_of(world, "cat", "dog", "cow")
    pool.zip({f"{name}.png": png(seed) for seed, name in enumerate("abcde")})
    job = label(
        pool,
        "filename, cat, dog, cow\n"
        "a.png,1,0,0\nb.png,0,1.0,0\nc.png,0,0,0\nd.png,1,1,0\ne.png,,,1\n",
        "cat",
        "dog",
        "cow",
    )
    assert labels(pool) == {
        "a.png": ["cat"], "b.png": ["dog"], "c.png": [], "d.png": [], "e.png": ["cow"],
    }  # fmt: skip
    assert reasons(finished(job)) == {"d.png": "several columns of classes are 1: cat, dog"}
    # Another 1 is a correction, and no second vote.
    label(pool, "filename,cat,dog,cow\na.png,0,0,1\n", "cat", "dog", "cow")
    assert labels(pool)["a.png"] == ["cow"]


def test_a_column_named_like_a_class_that_holds_other_numbers_is_refused(world: World) -> None:
    pool = pool_of(world)
    pool.zip(IMAGES)
    job = label(pool, "file,cat\na.png,1\nb.png,0.7\n", "cat")
    assert labels(pool) == {"a.png": [], "b.png": []}
    assert "named like a class" in reasons(finished(job))["a.png"]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (("1", "2", "3"), ((), (), ())),
        (("1.0", "1.0", "3.0"), ((), (), ())),
        (("0", "1", "2"), (("cat",), ("dog",), ("cow",))),
        (("0", "1", "3"), ((), (), ())),
        (("1", "1", "2"), ((), (), ())),
        (("0", "-1", "nan"), (("cat",), (), ())),
    ],
)
def test_numbers_count_from_0_or_not_at_all(
    world: World, numbers: tuple[str, ...], expected: tuple[tuple[str, ...], ...]
) -> None:
    pool = pool_of(world, "cat", "dog", "cow")
    pool.zip({f"{number}.png": png(number) for number in range(3)})
    label(pool, "file,label\n" + "".join(f"{n}.png,{text}\n" for n, text in enumerate(numbers)))
    assert tuple(tuple(said) for said in labels(pool).values()) == expected
    # The truth of evaluation images is read alike.
    other = pool_of(world, "cat", "dog", "cow")
    rows = [{"image": png(n), "label": float(text)} for n, text in enumerate(numbers)]
    result = finished(other.add(parquet_of(rows), "truth.parquet", Split.EVALUATION))
    assert result["added"] == sum(map(len, expected))


def test_numbers_without_a_label_and_views_of_bytes(world: World) -> None:
    pool = pool_of(world, "dog", "cat")
    images = pa.array([png(n) for n in range(4)], pa.binary_view())
    content = parquet_of({"image": images, "label": [0, -1, 1, None]}, label=["dog", "cat"])
    result = finished(pool.add(content, "x.parquet", annotations=["label"]))
    assert (result["added"], result["refused"]) == (4, 0)
    assert list(labels(pool).values()) == [["dog"], [], ["cat"], []]


def test_a_label_that_cannot_be_read_costs_no_image(world: World) -> None:
    pool = pool_of(world)
    rows = [{"image": png(n), "label": label} for n, label in enumerate(("cat", "ca t", "horse"))]
    job = pool.add(parquet_of(rows), "x.parquet", annotations=["label"])
    result = finished(job)
    assert (result["added"], result["refused"]) == (3, 0)
    why = "neither a class of the project, nor the number of one (0 to 1), ood, unsure or skip"
    assert result["noted"] == {
        f"a label is not taken: label says {name!r}: {why}": 1 for name in ("ca t", "horse")
    }
    assert "label says 'ca t'" in told(pool, job)["x.parquet#1"]


@pytest.mark.parametrize("as_note", [True, False])
@pytest.mark.parametrize("split", [Split.POOL, Split.EVALUATION])
def test_rows_of_metadata_that_contradict_each_other(
    world: World, split: Split, as_note: bool
) -> None:
    pool = pool_of(world)
    table = b"file_name,label\na.png,cat\na.png,dog\nb.png,dog\n"
    files = {**IMAGES, "metadata.csv": table}
    job = pool.add(zipped(files.items()), split=split, annotations=() if as_note else ("label",))
    result = finished(job)
    if split is Split.EVALUATION:
        why = reasons(result)["a.png"]
        assert why.startswith("its labels contradict each other (cat and dog); import it again")
        assert result["added"] == 1
        return
    assert result["added"] == 2
    said = {"a.png": ["cat", "dog"], "b.png": ["dog"]}
    assert labels(pool) == ({"a.png": [], "b.png": []} if as_note else said)
    assert "contradict each other (cat" in told(pool, job)["a.png"]
    why = "a label is not taken: its labels contradict each other (cat and dog)"
    assert [note.startswith(why) for note in result["noted"]] == ([True] if as_note else [])


def test_a_list_of_one_label_is_that_label(world: World) -> None:
    pool = pool_of(world)
    said: list[list[str] | None] = [["cat"], [], None, ["cat", "dog"]]
    rows = [{"image": png(n), "label": one} for n, one in enumerate(said)]
    job = pool.add(parquet_of(rows), "x.parquet", annotations=["label"])
    assert finished(job)["added"] == 4
    assert list(labels(pool).values()) == [["cat"], [], [], []]
    metadata = b'{"file_name": "a.png", "label": ["dog"]}\n{"file_name": "b.png", "label": []}'
    other = pool_of(world)
    other.add(zipped_with(metadata, "metadata.jsonl"), annotations=["label"])
    assert labels(other) == {"a.png": ["dog"], "b.png": []}


def test_bytes_with_two_labels_have_both(world: World) -> None:
    pool = pool_of(world)
    job = pool.add(zipped([("cat/1.png", png(0)), ("dog/2.png", png(0))]), annotations=["label"])
    result = finished(job)
    assert labels(pool) == {"cat/1.png": ["cat", "dog"]}
    assert (result["added"], result["labeled"], result["contradicting"]) == (1, 1, 1)
    assert "contradict each other" in told(pool, job)["dog/2.png"]
    (example,) = pool.examples()
    assert example.disputed
    # The next import knows better, and corrects both.
    label(pool, "file,label\ncat/1.png,dog\n")
    assert labels(pool) == {"cat/1.png": ["dog", "skip"]} or labels(pool) == {"cat/1.png": ["dog"]}
    (example,) = pool.examples()
    assert not example.disputed


def test_an_evaluation_image_with_two_labels_counts_once_one_is_chosen(world: World) -> None:
    pool = pool_of(world)
    content = [("evaluation/cat/1.png", png(0)), ("evaluation/dog/1.png", png(0))]
    content.append(("evaluation/dog/2.png", png(1)))
    job = pool.add(zipped(content))
    assert "counts in no evaluation" in told(pool, job)["evaluation/dog/1.png"]
    assert [one.label_class_id is None for one in pool.examples()] == [True, False]
    assert len(snapshot(pool.session, pool.project_id, None).evaluation) == 1
    again = pool.add(zipped(content[1:]))
    assert "this one settles it" in told(pool, again)["evaluation/dog/1.png"]
    assert len({one.label_class_id for one in pool.examples()}) == 1
    late = pool.add(zipped(content[:1]))
    why = told(pool, late)["evaluation/cat/1.png"]
    assert "an earlier import says another class, so it counts in no evaluation" in why
    assert len(snapshot(pool.session, pool.project_id, None).evaluation) == 1
    pool.add(zipped(content[:1]))
    assert len(snapshot(pool.session, pool.project_id, None).evaluation) == 2


def test_names_agree_however_their_letters_are_composed(world: World) -> None:
    pool = pool_of(world, "cafe\u0301", "dog")
    pool.zip({"Fu\u0308r/1.png": png(0), "F\u00fcr/2.png": png(1), "x/3.png": png(2)})
    label(pool, "file,label\nF\u00fcr/1.png,caf\u00e9\nFu\u0308r/2.png,cafe\u0301\n")
    assert [len(said) for said in labels(pool).values()] == [1, 1, 0]
    # What is kept is what was given.
    assert [one.name for one in pool.examples()][:2] == ["Fu\u0308r/1.png", "F\u00fcr/2.png"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_tables_of_spreadsheets_are_read(world: World, delimiter: str, encoding: str) -> None:
    pool = pool_of(world)
    pool.zip({"ü, 1; x.png": png(0), "b.png": png(1)})
    rows = [("file", "label"), ('"ü, 1; x.png"', "cat"), ("b.png", "dog")]
    table = "".join(f"{delimiter.join(row)}\r\n" for row in rows)
    job = pool.add(table.encode(encoding), "labels.csv", annotations=["label"])
    assert finished(job)["labeled"] == 2
    other = pool_of(world)
    metadata = table.replace("file", "file_name", 1).encode(encoding)
    files = {"ü, 1; x.png": png(0), "b.png": png(1), "metadata.csv": metadata}
    assert finished(other.add(zipped(files.items()), annotations=["label"]))["annotations"] == 2


def test_the_line_that_excel_adds_is_no_header(world: World) -> None:
    pool = pool_of(world)
    pool.zip(IMAGES)
    assert finished(label(pool, "sep=;\r\nfile;label\r\na.png;cat\r\n"))["labeled"] == 1


def test_a_row_with_too_many_cells_is_refused_by_its_line(world: World) -> None:
    pool = pool_of(world)
    pool.zip({"a, b.png": png(0), "a": png(1)})
    result = finished(label(pool, "file,label\na, b.png,cat\na,dog\n"))
    assert labels(pool) == {"a, b.png": [], "a": ["dog"]}
    assert reasons(result) == {
        "labels.csv, line 2": "it has 3 cells, the header 2; quote text with ',' in it"
    }


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["cat", "dog", "ood", "unsure", ""])),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS, before=st.one_of(st.just([(0, "")]), ROWS), data=st.data())
def test_neither_order_nor_size_of_batches_changes_what_is_said(
    world: World, rows: list[tuple[int, str]], before: list[tuple[int, str]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(rows))
    size = data.draw(st.sampled_from([1, 2, 3, 1000]))
    found = []
    for said, most in ((rows, 512), (shuffled, size)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("workers.imports.batch._MOST_ITEMS", most)
            pool = Pool(world.session, world.storage, world.project(images=4))
            for table in (before, said):
                lines = (f"{number}.png,{text}\n" for number, text in table)
                job = label(pool, "file,label\n" + "".join(lines))
            votes = {
                name: [one for one in said_of if one != "skip"]
                for name, said_of in labels(pool).items()
            }
            first = pool.session.scalars(
                select(func.min(ProjectClass.id)).where(ProjectClass.project_id == pool.project_id)
            ).one()
            amounts = [
                (one.state, one.disputed, one.label_class_id and one.label_class_id - first)
                for one in pool.examples()
            ]
            found.append((votes, amounts, finished(job)))
    assert found[0][:2] == found[1][:2]
    # How many rows it takes to correct what an earlier import said depends on which came first.
    if not any(text for _, text in before):
        assert found[0] == found[1]


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_labels_that_come_with_their_images_are_theirs_in_any_order(
    world: World, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr("workers.imports.batch._MOST_ITEMS", size)
    files = [
        ("a.png", png(0)),
        ("sub/b.png", png(1)),
        ("c.png", png(0)),
        ("1.json", coco({1: "a.png", 2: "sub/b.png"}, [(1, 1), (2, 2)])),
        (
            "2.json",
            json.dumps([task("b.png", chosen("cat")), task("a.png", chosen("dog"))]).encode(),
        ),
        ("metadata.csv", b"file_name,label\nc.png,cat\na.png,cat\n"),
    ]
    for order in (files, files[::-1], files[3:] + files[:3]):
        pool = pool_of(world)
        pool.add(zipped(order), annotations=["label"])
        said = [found for _, found in sorted(labels(pool).items())]
        assert sorted(said) == [["cat", "cat", "dog"], ["cat", "dog"]]


@given(data=st.data(), size=st.sampled_from([1, 2, 3, 1000]))
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_an_image_of_several_splits_is_in_one_in_any_order(
    world: World, monkeypatch: pytest.MonkeyPatch, data: st.DataObject, size: int
) -> None:
    """Which may be learned from is not measured with, whatever the archive names first."""
    monkeypatch.setattr("workers.imports.batch._MOST_ITEMS", size)
    pool = pool_of(world)
    splits = {
        0: {"pool", "evaluation"},
        1: {"evaluation", "auxiliary_ood"},
        2: {"pool", "auxiliary_ood", "evaluation"},
        3: {"evaluation"},
        4: {"pool", "auxiliary_ood"},
    }
    right = {0: "pool", 1: "auxiliary_ood", 2: "pool", 3: "evaluation", 4: "pool"}
    files = [(f"{split}/cat/{n}.png", png(n)) for n, names in splits.items() for split in names]
    files += [("evaluation/dog/0.png", png(0)), ("evaluation/cat/0b.png", png(0))]
    job = pool.add(zipped(data.draw(st.permutations(files))))
    result = finished(job)
    found = {int(one.name[-5]): one for one in pool.examples() if one.name[-5] != "b"}
    assert {number: one.split for number, one in found.items()} == right
    for number, one in found.items():
        assert one.name == f"{right[number]}/cat/{number}.png"
        assert (one.label_class_id is None) == (right[number] != "evaluation")
        assert one.meta == ({} if right[number] == "evaluation" else {"label": "cat"})
    assert result["by_split"] == {"pool": 3, "evaluation": 1, "auxiliary_ood": 1}
    assert (result["added"], result["duplicates"], result["refused"]) == (5, 7, 0)
    # What an earlier import has brought stays where it is.
    pool.add(zipped([("pool/cat/3.png", png(3)), ("evaluation/cat/4.png", png(4))]))
    assert {int(one.name[-5]): one.split for one in pool.examples()} == right


def test_labels_of_an_image_that_is_for_evaluation_too_are_votes(world: World) -> None:
    rows = [("evaluation", "dog"), ("pool", "cat"), ("evaluation", "cat")]
    for order in (rows, rows[::-1]):
        pool = pool_of(world)
        content = parquet_of(
            {
                "image": [png(0)] * len(order),
                "split": [split for split, _ in order],
                "label": [label for _, label in order],
            }
        )
        job = pool.add(content, "pool.parquet", annotations=["label"])
        assert finished(job)["by_split"] == {"pool": 1, "evaluation": 0, "auxiliary_ood": 0}
        (labeled,) = labels(pool).values()
        assert labeled == ["cat"]
