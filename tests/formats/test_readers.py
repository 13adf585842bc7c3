"""Exports as other tools read them: each class has the same number in every split."""

import csv
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient
from torchvision.datasets import ImageFolder

from core.files.folder_names import from_folder
from core.states import ProjectState
from core.tables import Project
from tests.formats.conftest import amounts
from tests.workers.import_files import Pool, encoded, picture, png, zipped
from tests.world import World
from workers.jobs import context

# In an order that is not that of their folders.
CLASSES = ("zebra", "bee", "CON", "a/b: 50%", "-cow", "고양이", "aux.txt", "Zebra", "nothing")
UNSEEN, UNLABELED = {"bee", "nothing"}, {"Zebra", "nothing"}
# What Ultralytics takes for images (data/utils.py, IMG_FORMATS), of what Karat takes.
IMAGES = {"bmp", "jpeg", "jpg", "png", "tif", "tiff", "webp"}


@dataclass
class Case:
    """A project, some of whose classes lack images in one split or both."""

    http: TestClient
    world: World
    project: Project
    headers: dict[str, str]

    def get(self, kind: str, **query: Any) -> bytes:
        response = self.http.get(
            f"/api/projects/{self.project.id}/export",
            params={"format": kind, **query},
            headers=self.headers,
        )
        assert response.status_code == 200, response.text
        return response.content

    def unpacked(self, kind: str, folder: Path) -> Path:
        folder = folder / "export"
        with zipfile.ZipFile(io.BytesIO(self.get(kind))) as archive:
            archive.extractall(folder)
        return folder

    def truth(self) -> dict[str, str | None]:
        """The class of each image, by content."""
        return {key: label for key, (_, _, label) in amounts(self.world, self.project).items()}


def images(label: str, split: str, number: int) -> Iterator[tuple[str, str, str, bytes]]:
    for seed in range(number, number + 2):
        yield f"{seed}.png", label, split, png(seed)


@pytest.fixture
def case(http: TestClient, world: World) -> Iterator[Case]:
    project = world.project(classes=CLASSES, state=ProjectState.RUNNING)
    brought = [
        one
        for at, name in enumerate(CLASSES)
        for split, lacking in (("pool", UNLABELED), ("evaluation", UNSEEN))
        if name not in lacking
        for one in images(name, split, 4 * at + 2 * (split == "pool"))
    ]
    # Two files may have an extra of one name, a number in one of them.
    lines = (
        json.dumps({"file_name": name, "label": label, "split": split, "year": (7, "7")[at % 2]})
        for at, (name, label, split, _) in enumerate(brought)
    )
    files = [("metadata.jsonl", "\n".join(lines).encode())]
    files += [(name, content) for name, _, _, content in brought]
    job = Pool(world.session, world.storage, project).add(zipped(files), annotations=["label"])
    assert job.result is not None
    assert job.result["refused"] == 0
    yield Case(http, world, project, world.caller().headers)
    if context.sessions.cache_info().currsize:
        context.sessions().kw["bind"].dispose()


def sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def as_ultralytics(root: Path) -> dict[str, list[tuple[str, int]]]:
    """Samples of each split as Ultralytics reads them (data/utils.py, ``check_cls_dataset``).

    The classes are the folders of ``train``; a split numbers its own folders, empty ones too, and
    has to come to the same.
    """
    names = sorted(one.name for one in (root / "train").iterdir() if one.is_dir())
    found = {}
    for split in ("train", "val"):
        folders = sorted(one.name for one in os.scandir(root / split) if one.is_dir())
        assert folders == names
        found[split] = [
            (str(path), folders.index(path.parent.name))
            for path in sorted((root / split).rglob("*.*"))
            if path.suffix[1:].lower() in IMAGES
        ]
    return found


def test_torchvision_numbers_a_class_the_same_in_train_and_val(case: Case, tmp_path: Path) -> None:
    root = case.unpacked("yolo", tmp_path)
    train, val = (ImageFolder(root / split, allow_empty=True) for split in ("train", "val"))
    assert train.class_to_idx == val.class_to_idx
    assert {from_folder(name) for name in train.classes} == {*CLASSES}
    truth = case.truth()
    for dataset in (train, val):
        for path, number in dataset.samples:
            assert from_folder(dataset.classes[number]) == truth[sha256(path)]
    assert len(train.samples) + len(val.samples) == len(truth)
    # What does not know of empty folders refuses, and does not number anew.
    with pytest.raises(FileNotFoundError, match="bee, nothing"):
        ImageFolder(root / "val")


def test_ultralytics_numbers_a_class_the_same_in_train_and_val(case: Case, tmp_path: Path) -> None:
    root = case.unpacked("yolo", tmp_path)
    named = yaml.safe_load((root / "data.yaml").read_text())
    assert named["nc"] == len(CLASSES)
    assert "path" not in named
    truth = case.truth()
    read = as_ultralytics(root)
    assert sum(map(len, read.values())) == len(truth)
    for split, samples in read.items():
        assert (root / named[split]).is_dir()
        for path, number in samples:
            assert named["names"][number] == truth[sha256(path)]


def test_an_archive_says_which_classes_lack_images(case: Case, tmp_path: Path) -> None:
    told = (case.unpacked("yolo", tmp_path) / "CLASSES.txt").read_text()
    assert 'No evaluation image shows: "bee", "nothing"\n' in told
    assert 'No labeled image shows: "Zebra", "nothing"\n' in told
    table = told.partition("number\tfolder\tclass\n")[2].splitlines()
    rows = [line.split("\t") for line in table]
    assert [int(number) for number, *_ in rows] == list(range(len(CLASSES)))
    assert {json.loads(name): from_folder(folder) for _, folder, name in rows} == {
        name: name for name in CLASSES
    }


def test_a_lost_image_shows_no_class(case: Case) -> None:
    of = amounts(case.world, case.project)
    for key in [
        key for key, (split, _, label) in of.items() if (split, label) == ("evaluation", "CON")
    ]:
        case.world.storage.image(bytes.fromhex(key)).unlink()
    with zipfile.ZipFile(io.BytesIO(case.get("yolo"))) as archive:
        told = archive.read("CLASSES.txt").decode()
        assert len(archive.read("MISSING.txt").decode().splitlines()) == 2
    assert 'No evaluation image shows: "bee", "CON", "nothing"\n' in told


def test_torchvision_reads_folders_by_class_as_they_are(case: Case, tmp_path: Path) -> None:
    root = case.unpacked("imagefolder", tmp_path)
    read, truth = ImageFolder(root), case.truth()
    assert {from_folder(name) for name in read.classes} == {*CLASSES} - UNLABELED
    assert all(from_folder(read.classes[n]) == truth[sha256(path)] for path, n in read.samples)
    told = (root / "CLASSES.txt").read_text()
    assert 'No labeled image shows: "Zebra", "nothing"\n' in told
    for number, name in enumerate(read.classes):
        assert f"\n{number}\t{name}\t" in told


def test_images_that_readers_of_folders_pass_by_are_counted(case: Case, tmp_path: Path) -> None:
    files = [("evaluation/bee/1.gif", encoded(picture(500), "GIF"))]
    job = Pool(case.world.session, case.world.storage, case.project).add(zipped(files))
    assert job.result is not None
    assert job.result["added"] == 1
    told = (case.unpacked("yolo", tmp_path) / "CLASSES.txt").read_text()
    assert "Images that are GIFs, which such readers pass by: 1\n" in told


@pytest.mark.parametrize("kind", ["yolo", "imagefolder"])
def test_the_folders_alone_give_every_name_back(case: Case, kind: str) -> None:
    """Without what Karat says of the images beside them."""
    with zipfile.ZipFile(io.BytesIO(case.get(kind))) as archive:
        names = [name for name in archive.namelist() if not name.endswith((".jsonl", "/"))]
        files = [(name, archive.read(name)) for name in names]
    target = case.world.project(classes=CLASSES, state=ProjectState.RUNNING)
    pool = Pool(case.world.session, case.world.storage, target)
    job = pool.add(zipped(files), annotations=["label"])
    assert job.result is not None
    assert job.result["refused"] == 0
    before = amounts(case.world, case.project)
    assert amounts(case.world, target) == {
        key: one for key, one in before.items() if kind == "yolo" or one[0] == "pool"
    }


def test_pycocotools_reads_every_class(case: Case, tmp_path: Path) -> None:
    from pycocotools.coco import COCO

    root = case.unpacked("coco", tmp_path)
    with redirect_stdout(io.StringIO()):
        read = COCO(root / "annotations.json")
    # Numbers go by the order of the classes, and are there without images.
    numbers = {one["name"]: one["id"] for one in read.loadCats(read.getCatIds())}
    assert numbers == {name: at for at, name in enumerate(CLASSES, 1)}
    found = {}
    for name, number in numbers.items():
        for image in read.loadImgs(read.getImgIds(catIds=[number])):
            found[sha256(root / image["file_name"])] = name
    assert found == case.truth()
    for note in read.loadAnns(read.getAnnIds()):
        image = read.imgs[note["image_id"]]
        assert note["bbox"] == [0, 0, image["width"], image["height"]]
        assert note["area"] == image["width"] * image["height"]


def test_datasets_reads_parquet_with_the_classes_in_their_order(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    (tmp_path / "pool.parquet").write_bytes(case.get("parquet"))
    read = datasets.load_dataset(
        "parquet", data_files=str(tmp_path / "pool.parquet"), cache_dir=str(tmp_path / "cache")
    )["train"]
    assert read.features["label"].names == list(CLASSES)
    assert isinstance(read.features["image"], datasets.Image)
    truth = case.truth()
    assert {row["sha256"]: CLASSES[row["label"]] for row in read} == truth
    assert read[0]["image"].size == (12, 10)


def test_datasets_reads_folders(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    def load(kind: str) -> Any:
        root = case.unpacked(kind, tmp_path / kind)
        cache = str(tmp_path / "cache")
        return datasets.load_dataset("imagefolder", data_dir=str(root), cache_dir=cache)

    pool = {
        key: label
        for key, (split, _, label) in amounts(case.world, case.project).items()
        if split == "pool"
    }
    assert {row["sha256"]: row["label"] for row in load("imagefolder")["train"]} == pool
    # It takes folders for labels where the metadata is not beside the split.
    found = {}
    for split in load("yolo").values():
        names = split.features["label"].names
        for row in split.cast_column("image", datasets.Image(decode=False)):
            found[sha256(row["image"]["path"])] = from_folder(names[row["label"]])
    assert found == case.truth()


def test_the_api_tells_numbers_folders_and_images_of_classes(case: Case, tmp_path: Path) -> None:
    response = case.http.get(
        f"/api/projects/{case.project.id}/export/classes", headers=case.headers
    )
    told = response.json()["items"]
    assert [(one["number"], one["name"]) for one in told] == list(enumerate(CLASSES))
    assert {one["name"] for one in told if not one["evaluation"]} == UNSEEN
    assert {one["name"] for one in told if not one["labeled"]} == UNLABELED
    root = case.unpacked("yolo", tmp_path)
    for one in told:
        assert len(os.listdir(root / "train" / one["folder"])) == one["labeled"]
        assert len(os.listdir(root / "val" / one["folder"])) == one["evaluation"]


def test_excel_knows_a_csv_as_utf_8(case: Case) -> None:
    plain, marked = case.get("csv"), case.get("csv", bom=True)
    assert marked == b"\xef\xbb\xbf" + plain
    assert plain.startswith(b"annotation_id,")
    rows = list(csv.DictReader(io.StringIO(marked.decode("utf-8-sig"), newline="")))
    assert {row["class"].removeprefix("'") for row in rows} == {*CLASSES} - UNLABELED
    # An import reads it as it reads the other.
    target = case.world.project(classes=CLASSES, state=ProjectState.RUNNING)
    pool = Pool(case.world.session, case.world.storage, target)
    pool.add(case.get("parquet"), "pool.parquet")
    job = pool.add(marked, "labels.csv")
    assert job.result is not None
    assert (job.result["refused"], job.result["unchanged"]) == (0, len(rows))
    assert case.get("jsonl", bom=True) == case.get("jsonl")
