"""Files as other tools write them: what they say is taken, or refused by name and reason."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.states import ProjectState, Split
from core.tables import Job, Project, Query
from tests.formats.conftest import Both, amounts, said
from tests.workers.import_files import Pool, png, reasons, zipped
from tests.world import World
from workers.imports.formats.boxes.coco import CocoBoxes
from workers.imports.formats.coco import CocoIndex
from workers.imports.formats.label_studio import image_names
from workers.imports.formats.metadata import SCORED, UNREAD
from workers.imports.items import Refused


@pytest.fixture
def project(world: World) -> Project:
    return world.project()


@pytest.fixture
def pool(world: World, project: Project) -> Pool:
    return Pool(world.session, world.storage, project)


AGAIN = "; import it again with the one that is right"


def take(pool: Pool, content: bytes, filename: str = "pool.zip") -> dict[str, Any]:
    job = pool.add(content, filename)
    assert job.result is not None, job.error
    return job.result


def report_of(pool: Pool, job: Job) -> Iterator[tuple[str, str]]:
    """(name, reason) of each line of the report."""
    for name, _, reason in list(csv.reader(pool.report(job).splitlines()))[1:]:
        yield name, reason


def votes(world: World, project: Project, pool: Pool) -> dict[str, Any]:
    """(who, verdict, class) of each image, by name."""
    by_content = said(world, project)
    return {one.name: by_content[one.content_hash.hex()] for one in pool.examples()}


def task(image: str, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"image": image, **more}, "annotations": list(annotations)}


def chosen(*choices: str, by: Any = 7, **more: Any) -> dict[str, Any]:
    result = {"from_name": "kind", "to_name": "img", "type": "choices"}
    return {
        "completed_by": by,
        "result": [{**result, "value": {"choices": list(choices)}}],
        "was_cancelled": False,
        "lead_time": 3.5,
        "created_at": "2026-03-01T10:00:00.123Z",
        **more,
    }


def test_an_export_of_label_studio(world: World, project: Project, pool: Pool) -> None:
    ada = {"id": 3, "email": "ada@example.org"}
    boxes = {"type": "rectanglelabels", "value": {"rectanglelabels": ["cat"]}}
    tasks = [
        task("/data/upload/2/0a1b2c3d-a.png", chosen("cat", by=ada), chosen("OOD")),
        task("/data/upload/2/0a1b2c3d-b.png", {**chosen(by=ada), "was_cancelled": True}),
        task("s3://bucket/media/c%20d.png", chosen("dog")),
        task("https://evil.example/e.png?x=1", chosen("Unsure"), source="camera 1"),
        task("/data/local-files/?d=media/f.png"),
        task("g.png", chosen("cat", "dog")),
        task("h.png", {"completed_by": 1, "result": [boxes]}),
        task("i.png", chosen("horse")),
        task("missing.png", chosen("cat")),
    ]
    names = ["a.png", "b.png", "c d.png", "e.png", "f.png", "g.png", "h.png", "i.png", "other.png"]
    images = [(f"media/{name}", png(seed)) for seed, name in enumerate(names)]
    job = pool.add(zipped([("export.json", json.dumps(tasks).encode()), *images]))
    result = job.result
    assert result is not None, job.error

    assert votes(world, project, pool) == {
        "media/a.png": {("ada@example.org", "label", "cat"), ("Label Studio user 7", "ood", None)},
        "media/b.png": {("ada@example.org", "skip", None)},
        "media/c d.png": {("Label Studio user 7", "label", "dog")},
        "media/e.png": {("Label Studio user 7", "unsure", None)},
        "media/f.png": set(),
        "media/g.png": set(),
        "media/h.png": set(),
        "media/i.png": set(),
        "media/other.png": set(),
    }
    # A label that cannot be read costs no image.
    assert result["added"] == len(names)
    told = dict(report_of(pool, job))
    assert "several choices (cat, dog)" in told["media/g.png"]
    assert "rectanglelabels" in told["media/h.png"]
    assert "'horse', which is not a class" in told["media/i.png"]
    untaken = [note for note in result["noted"] if note.startswith("a label is not taken: ")]
    assert len(untaken) == 3
    assert reasons(result).keys() == {"missing.png"}
    assert reasons(result)["missing.png"].startswith("no image of this import or of the project")
    assert pool.examples()[3].meta == {"source": "camera 1"}


@pytest.mark.parametrize("scheme", ["s3", "gs", "azure-blob"])
def test_the_name_of_an_object_is_all_that_follows_its_bucket(scheme: str) -> None:
    named = image_names({"image": f"{scheme}://bucket/media/a b+c#d%20e?.png"})
    assert not isinstance(named, Refused)
    assert [one.path for one in named] == ["/media/a b+c#d e?.png", "/media/a b+c#d%20e?.png"]
    (by_web,) = image_names({"image": "https://example.org/media/a.png?x=1#b"})  # type: ignore[misc]
    assert by_web.path == "/media/a.png"


@pytest.mark.parametrize("of_task", [True, False], ids=["in the task", "for all"])
def test_tasks_may_be_the_truth_of_evaluation_images(
    world: World, project: Project, pool: Pool, of_task: bool
) -> None:
    def verdict(word: str) -> dict[str, Any]:
        """As our own exports write what is no class."""
        one = chosen(word, by=3)
        one["result"][0]["from_name"] = "verdict"
        return one

    cancelled = {**chosen(by=1), "was_cancelled": True}
    said = {
        "a.png": [chosen("cat"), chosen("cat")],
        "b.png": [chosen("cat", by=1)],
        "c.png": [chosen("cat"), chosen("dog", by=1)],
        "d.png": [cancelled, chosen("cat"), verdict("unsure"), chosen("Unsure", by=2)],
        "e.png": [chosen("cat"), cancelled, chosen("cat", "dog"), chosen("dog", by=2)],
        "f.png": [chosen("cat"), verdict("ood")],
        "g.png": [cancelled],
    }
    more = {"split": "test"} if of_task else {}
    tasks = [task(name, *annotations, **more) for name, annotations in said.items()]
    images = [(name, png(seed)) for seed, name in enumerate(said)]
    archive = zipped([("tasks.json", json.dumps(tasks).encode()), *images])
    job = pool.add(archive, split=Split.POOL if of_task else Split.EVALUATION)
    assert job.result is not None, job.error
    assert [one.name for one in pool.examples()] == ["a.png", "b.png", "d.png"]
    assert set(amounts(world, project).values()) == {("evaluation", "unlabeled", "cat")}
    # Annotators who disagree are no truth.
    assert reasons(job.result) == {
        "c.png": f"its labels contradict each other (cat and dog){AGAIN}",
        "e.png": f"its labels contradict each other (cat and dog){AGAIN}",
        "f.png": f"its labels contradict each other (cat and ood){AGAIN}",
        "g.png": "an evaluation image needs a label",
    }


def test_names_that_two_files_could_mean_label_neither(
    world: World, project: Project, pool: Pool
) -> None:
    tasks = [task("/data/upload/1/a.png", chosen("cat")), task("x/b.png", chosen("dog"))]
    images = [("p/a.png", png(0)), ("q/a.png", png(1)), ("x/b.png", png(2)), ("y/b.png", png(3))]
    result = take(pool, zipped([("tasks.json", json.dumps(tasks).encode()), *images]))
    assert votes(world, project, pool) == {
        "p/a.png": set(),
        "q/a.png": set(),
        "x/b.png": {("Label Studio user 7", "label", "dog")},
        "y/b.png": set(),
    }
    assert result["refused"] == 1


def test_tasks_find_images_that_are_there(world: World) -> None:
    project = world.project(images=3)
    pool = Pool(world.session, world.storage, project)
    tasks = [
        task("/data/upload/1/0a1b2c3d-0.png", chosen("cat")),
        task("/data/local-files/?d=raw/1.png", chosen("dog")),
    ]
    assert take(pool, json.dumps(tasks).encode(), "tasks.json")["labeled"] == 2
    assert [one.state.value for one in pool.examples()] == ["labeled", "labeled", "unlabeled"]


def test_another_image_of_the_same_name_is_not_meant(both: Both) -> None:
    sent = json.loads(both.export("coco", images=False))
    # Two came under one name.
    names = dict.fromkeys(one["file_name"] for one in [*sent["images"], *sent["undecided"]])
    both.take(zipped((name, png(seed)) for seed, name in enumerate(names, 700)), "pool.zip")
    result = both.take(json.dumps(sent).encode(), "project.json")
    assert result["labeled"] == 0
    assert not any(said(both.world, both.target).values())


def coco(images: list[dict[str, Any]], annotations: list[tuple[int, int]]) -> bytes:
    document = {
        "info": {"year": 2026},
        "annotations": [
            {"id": n, "image_id": image, "category_id": category, "bbox": [1, 1, 2, 2]}
            for n, (image, category) in enumerate(annotations)
        ],
        "categories": [{"id": 5, "name": "cat"}, {"id": 9, "name": "dog"}],
        "images": images,
    }
    return json.dumps(document).encode()


def test_what_coco_scores_is_a_prediction_and_no_label(tmp_path: Path) -> None:
    scores = (None, 0.3, 0)
    elements: list[tuple[str, Any]] = [("categories", {"id": 5, "name": "cat"})]
    for n, score in enumerate(scores):
        elements.append(("images", {"id": n, "file_name": f"{n}.png"}))
        elements.append(("annotations", {"image_id": n, "category_id": 5, "score": score}))
    with closing(CocoIndex(tmp_path / "index.sqlite", "d.json")) as index:
        index.add(iter(elements))
        found = [fields for _, fields in index.rows()]
    assert [one["class"] for one in found] == ["cat", None, None]
    assert [one.get(UNREAD) for one in found] == [None, *[[f"an annotation {SCORED}"]] * 2]


@pytest.mark.parametrize(
    ("ids", "names"),
    [((90, 2, "10"), ["cat", "ant", "dog"]), (("b", 2, "a"), ["dog", "cat", "ant"])],
)
def test_categories_stand_by_their_numbers(
    tmp_path: Path, ids: tuple[int | str, ...], names: list[str]
) -> None:
    listed = zip(ids, ("dog", "cat", "ant"), strict=True)
    with closing(CocoIndex(tmp_path / "index.sqlite", "d.json")) as index:
        index.add(("categories", {"id": id_, "name": name}) for id_, name in listed)
        assert index.class_names == names


def test_boxes_of_coco_of_which_none_has_a_category_are_told_once(tmp_path: Path) -> None:
    images = [("images", {"id": n, "file_name": f"{n}.png"}) for n in range(3)]
    boxes = [("annotations", {"image_id": n, "bbox": [1, 1, 2, 2]}) for n in range(3)]
    with closing(CocoBoxes(tmp_path / "index.sqlite", "d.json")) as index:
        index.add(iter([*images, *boxes]))
        assert [fields.get(UNREAD) for _, fields in index.rows()] == [None] * 3
        (problem,) = index.problems()
    assert (problem.name, problem.reason[-13:]) == ("d.json", "left aside: 3")


def test_coco_with_a_document_in_each_split(world: World, project: Project, pool: Pool) -> None:
    named = [{"id": n, "file_name": f"{n}.png"} for n in range(4)]
    files = [
        ("train/_annotations.coco.json", coco(named[:3], [(0, 5), (0, 5), (1, 5), (1, 9)])),
        ("valid/_annotations.coco.json", coco(named[3:], [(3, 9)])),
        *((f"train/{n}.png", png(n)) for n in range(3)),
        ("valid/3.png", png(3)),
    ]
    job = pool.add(zipped(files))
    assert "several categories (cat, dog)" in dict(report_of(pool, job))["train/1.png"]
    # Without annotations nothing is said: only our own exports know what is OOD.
    assert votes(world, project, pool) == {
        "train/0.png": {("COCO", "label", "cat")},
        "train/1.png": set(),
        "train/2.png": set(),
        "valid/3.png": set(),
    }
    assert sorted(amounts(world, project).values(), key=str) == [
        ("evaluation", "unlabeled", "dog"),
        ("pool", "labeled", "cat"),
        ("pool", "unlabeled", None),
        ("pool", "unlabeled", None),
    ]


def test_yolo_folders_and_those_beside_them(world: World, project: Project, pool: Pool) -> None:
    names = ("train/cat/0.png", "val/dog/1.png", "test/cat/2.png", "ood/3.png", "unsure/4.png")
    archive = zipped((name, png(seed)) for seed, name in enumerate(names))
    job = pool.add(archive, annotations=["label"])
    assert job.result is not None, job.error
    assert sorted(amounts(world, project).values(), key=str) == [
        ("evaluation", "unlabeled", "cat"),
        ("evaluation", "unlabeled", "dog"),
        ("pool", "labeled", "cat"),
        ("pool", "ood", None),
        ("pool", "unsure", None),
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[" * 100_000, "nested"),
        (b'[{"data": {"image": "a.png"}}, ' + b"[" * 100_000, "nested"),
        (b'[{"data": {"image": "a.png"}}, {"data": "' + b"x" * (20 << 20), "16 MiB"),
        (b'[{"data": {"image": "a.png"}}, [' + b"[]," * 100_000 + b"[]]]", "100,000 lists"),
        (b'[{"data": {"image": "a.png"}}, {"data"', "premature EOF"),
        (b'[{"image": "a.png", "choice": "cat"}]', "JSON-MIN"),
        (b'{"images": [{"id": 1, "file_name": "a.png"}], "annotations": [{}', "premature EOF"),
        (b'{"images": [{"id": 1, "file_name": "a.png"}], "annotations": [yes]}', "near byte 63"),
        (b"\xff\xfe", "cannot be read as JSON near byte"),
        (b'{"shapes": []}', "neither Label Studio's"),
    ],
)
def test_a_document_that_cannot_be_read_fails_as_a_whole(
    pool: Pool, content: bytes, says: str
) -> None:
    job = pool.add(content, "tasks.json")
    assert job.error is not None
    assert (job.error["code"], says in job.error["detail"]) == ("invalid_archive", True), job.error
    assert pool.examples() == []


def test_a_document_that_is_no_ones_is_one_file_refused(pool: Pool) -> None:
    result = take(pool, zipped([("a.png", png(0)), ("a.json", b'{"shapes": []}')]))
    assert (result["added"], list(reasons(result))) == (1, ["a.json"])


@pytest.mark.parametrize(
    ("vote", "why"),
    [
        ({"verdict": "maybe"}, "must be class, ood, unsure or skip"),
        ({"verdict": "class"}, "no class is named"),
        ({"verdict": "label"}, "no class is named"),
        ({"verdict": "class", "class": "unsure"}, "not a class of the project"),
        ({"votes": [5, {"class": "cat"}]}, "a vote must be an object"),
    ],
)
def test_what_is_stated_wrongly_is_refused_by_name(
    world: World, project: Project, pool: Pool, vote: dict[str, Any], why: str
) -> None:
    rows = [{"file_name": "a.png", **vote}, {"file_name": "b.png", "verdict": "ood"}]
    metadata = "\n".join(map(json.dumps, rows)).encode()
    job = pool.add(zipped([("metadata.jsonl", metadata), ("a.png", png(0)), ("b.png", png(1))]))
    assert why in dict(report_of(pool, job))["a.png"]
    assert votes(world, project, pool) == {"a.png": set(), "b.png": {("import", "ood", None)}}


def test_numbers_of_another_installation_are_not_taken_for_ours(world: World) -> None:
    project = world.project(images=2)
    pool = Pool(world.session, world.storage, project)
    first, second = pool.examples()
    row = {"example_id": first.id, "sha256": second.content_hash.hex(), "verdict": "ood"}
    take(pool, json.dumps(row).encode(), "labels.jsonl")
    assert [one.state.value for one in pool.examples()] == ["unlabeled", "ood"]


def test_json_lines_of_labels_are_read_like_a_csv(world: World) -> None:
    project = world.project(images=3)
    pool = Pool(world.session, world.storage, project)
    rows = [{"file": "0.png", "worse": 0}, {"file": "1.png", "worse": None}, {"file": "2.png"}]
    content = b"\n\n".join(json.dumps(row).encode() for row in rows)
    job = pool.add(content, "labels.jsonl", annotations=["worse"])
    assert job.result is not None, job.error
    assert (job.result["labeled"], job.result["empty"]) == (1, 2)
    job = pool.add(b'{"file": "1.png", "worse": 0}\n[]\n', "labels.jsonl", annotations=["worse"])
    assert job.result is not None, job.error
    assert reasons(job.result) == {"labels.jsonl, line 2": "is not an object"}
    assert job.result["labeled"] == 1


def test_a_skip_leaves_the_image_in_its_queue(world: World) -> None:
    project = world.project(images=2, state=ProjectState.RUNNING)
    pool = Pool(world.session, world.storage, project)
    world.open_round(project, 1)
    result = take(pool, b"file,verdict,annotator\n0.png,skip,ada\n1.png,skip,ada\n", "labels.csv")
    assert result["annotations"] == 2
    assert [one.state.value for one in pool.examples()] == ["queried", "unlabeled"]
    assert not world.session.query(Query).one().done


def test_parquet_declares_what_hugging_face_reads(both: Both) -> None:
    file = parquet.ParquetFile(io.BytesIO(both.export("parquet")))
    declared = json.loads(file.schema_arrow.metadata[b"huggingface"])["info"]["features"]
    assert declared.keys() == set(file.schema_arrow.names)
    assert declared["image"] == {"_type": "Image"}
    assert declared["label"]["_type"] == "ClassLabel"
    assert file.schema_arrow.field("image").type == pa.struct(
        [("bytes", pa.binary()), ("path", pa.string())]
    )
    assert file.schema_arrow.field("label").type == pa.int64()
    table = file.read()
    names = [one.name for one in both.world.classes(both.source)]
    assert declared["label"]["names"] == names
    for row in table.select(["label", "verdict", "split"]).to_pylist():
        assert (row["label"] is None) == (
            row["verdict"] in ("ood", "unsure", "skip") or row["split"] == "auxiliary_ood"
        )
