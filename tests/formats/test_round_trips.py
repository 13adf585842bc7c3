"""What leaves a project comes back the same: by image, by annotator, nothing mixed."""

import io
import json
import zipfile
from typing import Any

import pytest

from api.exports.records import Images
from api.exports.service import Format, as_images
from core.states import Split
from tests.formats.conftest import CLASSES, NOTE, Both, amounts, notes, said
from tests.workers.import_files import reasons

WITH_IMAGES = {
    "label_studio": "pool.zip",
    "coco": "pool.zip",
    "yolo": "pool.zip",
    "parquet": "pool.parquet",
}


@pytest.mark.parametrize("kind", WITH_IMAGES)
def test_a_project_moves_with_its_images(both: Both, kind: str) -> None:
    result = both.take(both.export(kind, unlabeled=True), WITH_IMAGES[kind])
    assert result["refused"] == 0, reasons(result)
    assert said(both.world, both.target) == said(both.world, both.source)
    assert amounts(both.world, both.target) == amounts(both.world, both.source)
    has_room = kind in ("label_studio", "parquet")
    assert notes(both.world, both.target) == ({NOTE} if has_room else set())
    # A second time says nothing new, and a copy of the copy is the same again.
    assert both.take(both.export(kind), WITH_IMAGES[kind])["annotations"] == 0


def test_labels_of_a_model_come_back_as_nobodys(both: Both) -> None:
    # More than wait for somebody, of whom a model may be wrong.
    both.world.add_images(both.source, 20)
    labeled = both.certify()
    people = both.said_by_people()
    files = [
        *((kind, name, {"unlabeled": True}) for kind, name in WITH_IMAGES.items()),
        ("imagefolder", "pool.zip", {}),
        *((kind, f"labels.{kind}", {}) for kind in ("csv", "jsonl")),
        *((kind, "project.json", {"images": False}) for kind in ("label_studio", "coco")),
    ]
    for kind, filename, how in files:
        both.target = both.world.project(classes=CLASSES)
        if not filename.startswith("pool"):
            both.copy_images()
        result = both.take(both.export(kind, **how), filename)
        assert result["refused"] == 0, reasons(result)
        found = said(both.world, both.target)
        assert found == {key: people[key] for key in found}, kind
        assert labeled <= found.keys(), kind
        examples = both.examples(both.target)
        assert [examples[key].meta.get("label") for key in labeled] == [None] * len(labeled), kind


@pytest.mark.parametrize("kind", WITH_IMAGES)
def test_names_and_extras_stay(both: Both, kind: str) -> None:
    for one in both.examples(both.source).values():
        one.meta = {**one.meta, **{f"extra {n}": "ü" * 900 for n in range(100)}}
    both.world.session.commit()
    result = both.take(both.export(kind), WITH_IMAGES[kind])
    assert result["refused"] == 0, reasons(result)
    source, target = (both.examples(one) for one in (both.source, both.target))
    assert {key: one.name for key, one in target.items()} == {
        key: source[key].name for key in target
    }
    assert {key: one.meta for key, one in target.items()} == {
        key: source[key].meta for key in target
    }


def test_without_unlabeled_only_what_somebody_judged_leaves(both: Both) -> None:
    result = both.take(both.export("parquet"), "pool.parquet")
    judged = {key for key, votes in said(both.world, both.source).items() if votes}
    pool = {key for key, one in both.examples(both.target).items() if one.split is Split.POOL}
    assert pool == judged
    assert result["by_split"] == {"pool": len(judged), "evaluation": 3, "auxiliary_ood": 2}


def test_an_image_folder_has_the_labeled_ones(both: Both) -> None:
    both.take(both.export("imagefolder"), "pool.zip")
    wanted = {
        key: value for key, value in amounts(both.world, both.source).items()
        if value[:2] == ("pool", "labeled")
    }  # fmt: skip
    assert amounts(both.world, both.target) == wanted
    votes = said(both.world, both.source)
    assert said(both.world, both.target) == {key: votes[key] for key in wanted}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_tables_label_images_that_are_there(both: Both, kind: str) -> None:
    both.copy_images()
    result = both.take(both.export(kind), f"labels.{kind}")
    assert result["refused"] == 0, reasons(result)
    assert said(both.world, both.target) == said(both.world, both.source)
    assert notes(both.world, both.target) == {NOTE}
    # The vote that was corrected stays behind.
    assert result["empty"] == 1


@pytest.mark.parametrize("kind", ["label_studio", "coco"])
def test_a_document_alone_labels_images_that_are_there(both: Both, kind: str) -> None:
    both.copy_images()
    result = both.take(both.export(kind, images=False), "project.json")
    assert result["refused"] == 0, reasons(result)
    assert said(both.world, both.target) == said(both.world, both.source)


def test_who_when_and_how_long_move_too(both: Both) -> None:
    both.take(both.export("label_studio"), "pool.zip")
    source, target = (both.votes(one) for one in (both.source, both.target))
    assert target == {key: source[key] for key in target}
    assert {seconds for _, seconds in target.values()} == {1.5}


def test_a_review_that_overruled_stays_the_last_word(both: Both) -> None:
    image = both.review("cat")
    before = amounts(both.world, both.source)[image]
    assert before == ("pool", "labeled", "cat")
    both.take(both.export("parquet"), "pool.parquet")
    assert amounts(both.world, both.target)[image] == before


def test_a_lost_file_does_not_end_the_export(both: Both) -> None:
    (lost, _), *_ = both.examples(both.source).items()
    both.world.storage.image(bytes.fromhex(lost)).unlink()
    for kind in WITH_IMAGES:
        content = both.export(kind)
        if kind != "parquet":
            assert len(opened(content)["MISSING.txt"].decode().splitlines()) == 1
    result = both.take(content, "pool.parquet")
    assert list(reasons(result).values()) == ["the row holds no image bytes"]


@pytest.mark.parametrize("kind", ["imagefolder", *WITH_IMAGES])
def test_classes_may_be_renamed_and_added_while_an_export_leaves(both: Both, kind: str) -> None:
    app: Any = both.http.app
    newer, *others = both.world.classes(both.source)
    known = {one.id: one.name for one in others}
    votes = [{one for one in some if one[2] != newer.name}
             for some in said(both.world, both.source).values()]  # fmt: skip
    # The export has begun, and has read none of its images yet.
    which = Images(app.state.sessions, both.source.id, known)
    others[-1].name = "renamed"
    both.world.session.commit()

    async def export() -> bytes:
        found = await as_images(which, app.state.originals, Format(kind))
        return b"".join([piece async for piece in found.body if isinstance(piece, bytes)])

    assert both.http.portal is not None
    result = both.take(both.http.portal.call(export), WITH_IMAGES.get(kind, "pool.zip"))
    assert result["refused"] == 0, reasons(result)
    found = [some for some in said(both.world, both.target).values() if some]
    assert all(some in votes for some in found)
    assert {one[2] for some in found for one in some} - {None} == {*known.values()}


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_label_studio_sees_tasks_as_it_writes_them(both: Both) -> None:
    files = opened(both.export("label_studio"))
    tasks: list[dict[str, Any]] = json.loads(files["label-studio.json"])
    folder = f"/data/local-files/?d=karat-project-{both.source.id}-label-studio/images/"
    assert all(task["data"]["image"].startswith(folder) for task in tasks)
    annotations = [one for task in tasks for one in task["annotations"]]
    skipped = [one for one in annotations if one["was_cancelled"]]
    assert [one["result"] for one in skipped] == [[]] * len(skipped) != []
    choices = {
        (one["result"][0]["from_name"], one["result"][0]["value"]["choices"][0])
        for one in annotations
        if one["result"]
    }
    # The class "skip" and the verdict are told apart.
    assert choices == {
        *(("class", name) for name in ("cat", "=1+1", 'a/b, "c"', "skip", "고양이")),
        ("verdict", "OOD"), ("verdict", "unsure"),
    }  # fmt: skip
    config = files["labeling-config.xml"].decode()
    assert 'value="a/b, &quot;c&quot;"' in config or "value='a/b, \"c\"'" in config


def test_coco_alone_calls_images_what_they_were_called(both: Both) -> None:
    found = json.loads(both.export("coco", images=False, unlabeled=True))
    names = {one.name for one in both.examples(both.source).values()}
    assert {one["file_name"] for one in found["images"]} <= names
    zipped = json.loads(opened(both.export("coco", unlabeled=True))["annotations.json"])
    assert not {one["file_name"] for one in zipped["images"]} & names


def test_coco_has_ood_without_annotations_and_the_undecided_apart(both: Both) -> None:
    found = json.loads(opened(both.export("coco", unlabeled=True))["annotations.json"])
    assert [one["id"] for one in found["categories"]] == [1, 2, 3, 4, 5]
    labeled = {one["image_id"] for one in found["annotations"]}
    assert {one["verdict"] or one["split"] for one in found["images"]} == {
        "class", "ood", "evaluation", "auxiliary_ood",
    }  # fmt: skip
    for one in found["images"]:
        assert (one["id"] in labeled) == (one["label"] is not None)
    assert {one["verdict"] for one in found["undecided"]} == {"skip", "unsure", None}


def test_yolo_keeps_ood_out_of_train_and_val(both: Both) -> None:
    files = opened(both.export("yolo", unlabeled=True))
    tops = {name.split("/")[0] for name in files}
    assert tops == {
        "train", "val", "ood", "unsure", "skip", "unlabeled", "auxiliary_ood", "metadata.jsonl",
        "CLASSES.txt", "data.yaml", "RENAMED.txt",
    }  # fmt: skip
    classes = {"cat", "=1+1", "a%2Fb, %22c%22", "skip", "고양이"}
    for split in ("train", "val"):
        folders = {name.split("/")[1] for name in files if name.startswith(f"{split}/")}
        assert folders == classes


def test_every_archive_can_be_unpacked_anywhere(both: Both) -> None:
    for kind in ("imagefolder", "yolo", "coco", "label_studio"):
        names = list(opened(both.export(kind, unlabeled=True)))
        assert len({name.casefold() for name in names}) == len(names)
        for name in names:
            # Names of files are as they came, where every system takes them.
            assert not set(name) & set('\\:*?"<>|')
            assert not set(name.rpartition("/")[0]) & set("$`'![]")
            assert not {"", ".", ".."} & set(name.removesuffix("/").split("/"))
            assert len(name.rpartition("/")[2].encode()) < 255
