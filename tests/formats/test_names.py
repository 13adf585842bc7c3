"""Files leave as they came, so that labels go back by name; only twins are told apart."""

import io
import json
import zipfile
from xml.etree import ElementTree

import pytest
from sqlalchemy import update

from core.files.folder_names import to_path
from core.states import Split, Verdict
from core.tables import Example
from core.tasks.boxes import Box
from tests.formats.conftest import Both, amounts
from tests.formats.test_boxes import Boxed, boxed
from tests.workers.box_files import image
from tests.workers.import_files import zipped

__all__ = ["boxed"]

FOLDERS = ("camA/1.jpg", "camA/2.jpg", "camB/1.jpg", "my photo 1.jpg", "사진/1.jpg")
BOX = {"x": 2.0, "y": 3.0, "w": 20.0, "h": 10.0}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("camA/1.jpg", "camA/1.jpg"),
        ("photo [1] it's.JPG", "photo [1] it's.JPG"),
        ("/etc/passwd.png", "etc/passwd.png"),
        ("C:\\a\\..\\b.png", "C_/a/b.png"),
        ("../../x/./y.png", "x/y.png"),
        ("..", "_.png"),
        ("a./b /NUL/con.png", "a/b/_NUL/_con.png"),
        ("__MACOSX/.hidden.png", "___MACOSX/hidden.png"),
        ('what?*<>|".png', "what______.png"),
        ("가" * 100 + ".png", "가" * 66 + ".png"),
    ],
)
def test_a_name_is_kept_as_far_as_every_system_takes_it(name: str, path: str) -> None:
    dot = name.rfind(".")
    ending = name[dot:] if name[dot:].lower() in {".jpg", ".png"} else ".png"
    assert to_path(name, ending) == path


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pictures(content: bytes) -> dict[str, bytes]:
    return {name: one for name, one in opened(content).items() if name.endswith(".jpg")}


def drawn(boxed: Boxed) -> dict[str, bytes]:
    files: dict[str, bytes | str] = {name: image(seed) for seed, name in enumerate(FOLDERS)}
    boxed.pool.send(files)
    cat, _ = boxed.pool.names
    for name in FOLDERS:
        boxed.say(name, "ada@example.org", Verdict.LABEL, Box(class_id=cat, **BOX))
    return {name: one for name, one in files.items() if isinstance(one, bytes)}


@pytest.mark.parametrize(
    ("kind", "folder"),
    [("coco", "images"), ("cvat", "images"), ("yolo", "images/train"), ("voc", "JPEGImages"),
     ("label_studio", "images")],
)  # fmt: skip
def test_folders_that_images_came_with_are_kept(boxed: Boxed, kind: str, folder: str) -> None:
    came = drawn(boxed)
    content = boxed.export(kind)
    assert pictures(content) == {f"{folder}/{name}": one for name, one in came.items()}
    assert "RENAMED.txt" not in opened(content)
    # What came in such an archive lies in the next as it did.
    target = boxed.another()
    target.result(target.add(content, "a.zip"))
    with_labels = {k: v for k, v in opened(boxed.export(kind, target)).items() if "json" not in k}
    assert with_labels.keys() == {k for k in opened(content) if "json" not in k}


@pytest.mark.parametrize("kind", ["coco", "cvat", "yolo", "voc"])
def test_labels_alone_go_back_by_name(boxed: Boxed, kind: str) -> None:
    """To a pool of the same files that knows no digests: those of the images differ."""
    drawn(boxed)
    files = opened(boxed.export(kind))
    beside = {
        name: one
        for name, one in files.items()
        if not name.endswith(".jpg") and name != "metadata.jsonl"
    }
    if kind == "coco":
        document = json.loads(beside["annotations.json"])
        images = [{k: one[k] for k in ("id", "file_name")} for one in document["images"]]
        beside = {"annotations.json": json.dumps({**document, "images": images}).encode()}
    target = boxed.another()
    target.send({name: image(seed + 40) for seed, name in enumerate(FOLDERS)})
    result = target.result(target.add(zipped(beside.items()), "labels.zip"))
    assert result["refused"] == 0, result["refused_examples"]
    sides = target.sides()
    assert sides.keys() == {*FOLDERS}
    for ((name, *values),) in sides.values():
        assert name == "cat"
        assert values == pytest.approx([*BOX.values()])


def test_cvat_calls_images_as_its_task_does(boxed: Boxed) -> None:
    drawn(boxed)
    root = ElementTree.fromstring(opened(boxed.export("cvat"))["annotations.xml"])
    assert {one.attrib["name"] for one in root.iter("image")} == {*FOLDERS}


def test_lists_name_images_of_folders(boxed: Boxed) -> None:
    """Without our metadata the split of an image is what the lists of Pascal VOC say."""
    boxed.pool.send({name: image(seed) for seed, name in enumerate(FOLDERS)})
    cat, _ = boxed.pool.names
    for name in FOLDERS:
        boxed.say(name, "ada@example.org", Verdict.LABEL, Box(class_id=cat, **BOX))
    session = boxed.world.session
    session.execute(
        update(Example)
        .where(Example.project_id == boxed.pool.project_id, Example.name.like("%1.jpg"))
        .values(split="evaluation")
    )
    session.commit()
    files = opened(boxed.export("voc"))
    assert files["ImageSets/Main/val.txt"].decode().split("\n")[:-1] == [
        "camA/1", "camB/1", "my photo 1", "사진/1",
    ]  # fmt: skip
    del files["metadata.jsonl"]
    target = boxed.another()
    result = target.result(target.add(zipped(files.items()), "voc.zip"))
    assert result["by_split"] == {"pool": 1, "evaluation": 4, "auxiliary_ood": 0}


def test_texts_beside_images_are_told_apart_by_more_than_an_ending(boxed: Boxed) -> None:
    boxed.pool.send({"a/1.jpg": image(1), "a/1.jpeg": image(2), "b/1.jpg": image(3)})
    cat, _ = boxed.pool.names
    for name in ("a/1.jpg", "a/1.jpeg", "b/1.jpg"):
        boxed.say(name, "ada@example.org", Verdict.LABEL, Box(class_id=cat, **BOX))
    assert {one for one in opened(boxed.export("coco")) if one.startswith("images/")} == {
        "images/a/1.jpg", "images/a/1.jpeg", "images/b/1.jpg",
    }  # fmt: skip
    files = opened(boxed.export("yolo"))
    assert {one for one in files if one.startswith("labels/")} == {
        "labels/train/a/1.txt", "labels/train/a/1_0000001.txt", "labels/train/b/1.txt",
    }  # fmt: skip
    said = files["RENAMED.txt"].decode()
    assert said == 'images/train/a/1_0000001.jpeg\t"a/1.jpeg"\n'


def test_what_came_as_yolo_leaves_in_its_folders(boxed: Boxed) -> None:
    boxed.pool.send(
        {
            "data/train/images/1.jpg": image(1),
            "data/train/labels/1.txt": "0 0.5 0.5 0.5 0.5\n",
            "data/valid/images/1.jpg": image(2),
            "data/valid/labels/1.txt": "0 0.5 0.5 0.5 0.5\n",
            "data/data.yaml": "names: [cat]",
        }
    )
    files = opened(boxed.export("yolo"))
    assert {"images/train/1.jpg", "images/val/1.jpg", "labels/train/1.txt"} < files.keys()


def test_what_is_in_no_folder_of_a_split_is_told_apart_across_splits(boxed: Boxed) -> None:
    boxed.pool.send({name: image(seed) for seed, name in enumerate(("1.jpg", "2.jpg", "3.jpg"))})
    cat, _ = boxed.pool.names
    boxed.say("3.jpg", "ada@example.org", Verdict.LABEL, Box(class_id=cat, **BOX))
    session = boxed.world.session
    mine = update(Example).where(Example.project_id == boxed.pool.project_id)
    session.execute(mine.where(Example.name == "2.jpg").values(name="1.jpg", split="evaluation"))
    session.execute(mine.where(Example.name == "3.jpg").values(name="1.jpg"))
    session.commit()
    assert {*pictures(boxed.export("yolo", unlabeled=True))} == {
        "unlabeled/1.jpg", "unlabeled/1_0000001.jpg", "images/train/1_0000002.jpg",
    }  # fmt: skip


def test_images_that_lost_their_class_are_told_apart_across_splits(both: Both) -> None:
    session = both.world.session
    pool = [key for key, value in amounts(both.world, both.source).items()
            if value[:2] == ("pool", "unlabeled")]  # fmt: skip
    first, other = [both.examples(both.source)[key] for key in pool][:2]
    first.name = other.name = "1.png"
    other.split = Split.EVALUATION
    session.commit()
    files = opened(both.export("yolo", unlabeled=True))
    found = [one for one in files if one.startswith("unlabeled/1")]
    later = max(first.pool_index, other.pool_index)
    assert sorted(found) == ["unlabeled/1.png", f"unlabeled/1_{later:07d}.png"]


def rename(both: Both, *names: str) -> None:
    for example, name in zip(
        sorted(both.examples(both.source).values(), key=lambda one: one.pool_index), names,
        strict=False,
    ):  # fmt: skip
        example.name = name
    both.world.session.commit()


def test_twins_keep_their_numbers_whatever_leaves(both: Both) -> None:
    rename(both, "a/1.png", "twin.png", "TWIN.png", "twin_0000002.png", "twin.png")
    every = {one.split("/", 1)[1] for one in opened(both.export("coco", unlabeled=True))
             if one.startswith("images/")}  # fmt: skip
    assert {"a/1.png", "twin.png", "twin_0000002.png", "twin_0000004.png"} < every
    # The number of the third is the name of another.
    assert "TWIN_0000002_0000002.png" in every
    some = {one.split("/", 1)[1] for one in opened(both.export("coco")) if "images/" in one}
    assert some < every


def test_folders_of_classes_leave_no_other_folder(both: Both) -> None:
    rename(both, "cat/1.png", "dog/1.png", "2.png", "x/2.png", "x/only.png", "고양이/1.png")
    # Of those that were called 1.png the one keeps it that goes where it came from; of the two that
    # were called 2.png the one that came without a folder.
    assert {one for one in opened(both.export("imagefolder")) if one.endswith(".png")} == {
        "cat/1.png", "=1+1/1_0000001.png", "a%2Fb, %22c%22/2.png", "skip/2_0000003.png",
        "고양이/only.png", "cat/b.png",
    }  # fmt: skip
    again = both.take(both.export("imagefolder"), "pool.zip")
    assert again["refused"] == 0
