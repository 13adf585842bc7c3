"""Boxes leave as every format has them, read by others than us, and come back the same."""

import io
import json
import random
import uuid
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from fastapi.testclient import TestClient
from PIL import Image, ImageOps
from pycocotools.coco import COCO
from sqlalchemy import select

from core.lifecycle import mark_answered
from core.states import Source, Split, Verdict
from core.tables import Annotation, Example
from core.tasks.box_attributes import Attributes
from core.tasks.boxes import Box, BoxesLabel
from core.tasks.registry import label_of, stored
from core.verdicts.consensus import Vote, answered, votes
from tests.workers.box_files import BoxPool, image
from tests.workers.import_files import zipped
from tests.world import Caller, World
from workers.imports.formats.lines import MOST_LINE
from workers.jobs import context

Sides = tuple[str, float, float, float, float]
Read = dict[str, list[Sides]]
"""Class and left, top, width and height of boxes, by the number that begins the image's name."""

KINDS = {
    "coco": "a.zip", "yolo": "a.zip", "voc": "a.zip", "cvat": "a.zip", "label_studio": "a.zip",
    "parquet": "a.parquet",
}  # fmt: skip


@dataclass
class Boxed:
    """A project of boxes, and how it is asked for its exports."""

    http: TestClient
    world: World
    admin: Caller
    pool: BoxPool

    def another(self) -> BoxPool:
        return BoxPool(self.world.session, self.world.storage, self.world)

    def export(self, kind: str, pool: BoxPool | None = None, **query: Any) -> bytes:
        response = self.http.get(
            f"/api/projects/{(pool or self.pool).project_id}/export",
            params={"format": kind, **query},
            headers=self.admin.headers,
        )
        assert response.status_code == 200, response.text
        return response.content

    def say(
        self,
        name: str,
        who: str,
        verdict: Verdict,
        *boxes: Box,
        seconds: float = 2.0,
        note: str | None = None,
    ) -> None:
        session = self.world.session
        (example,) = [one for one in self.pool.examples() if one.name == name]
        is_label = verdict is Verdict.LABEL
        session.add(
            Annotation(
                project_id=self.pool.project_id,
                example_id=example.id,
                source=Source.IMPORT,
                source_name=who,
                client_key=uuid.uuid4(),
                verdict=verdict,
                label=stored(BoxesLabel(type="boxes", boxes=boxes)) if is_label else None,
                seconds=seconds,
                note=note,
                cost=1.0,
                counted=True,
            )
        )
        session.flush()
        rows = session.execute(votes().where(Annotation.example_id == example.id))
        session.execute(mark_answered(), answered({example.id: [Vote.of(row) for row in rows]}))
        session.commit()

    def said(self, pool: BoxPool) -> dict[str, set[tuple[Any, ...]]]:
        """(who, verdict, seconds, boxes) of every vote, by content of the image."""
        rows = self.world.session.execute(
            select(Example.content_hash, Annotation)
            .join(Annotation, Annotation.example_id == Example.id)
            .where(Example.project_id == pool.project_id)
        )
        found: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
        for digest, row in rows:
            label = label_of(row.label)
            boxes = None if not isinstance(label, BoxesLabel) else self.shown(pool, label)
            said = (row.source_name, row.verdict.value, row.seconds, boxes)
            found[digest.hex()].add(said)
        return found

    def notes(self, pool: BoxPool) -> set[str]:
        """What is written beside votes."""
        found = select(Annotation.note).where(Annotation.project_id == pool.project_id)
        return {note for note in self.world.session.scalars(found) if note is not None}

    def shown(self, pool: BoxPool, label: BoxesLabel) -> tuple[Any, ...]:
        flags = ("occluded", "truncated", "difficult", "crowd")
        return tuple(
            (
                pool.names[box.class_id],
                *(round(side, 6) for side in (box.x, box.y, box.w, box.h)),
                *(name for name in flags if getattr(box, name)),
                *box.attributes.items(),
            )
            for box in label.boxes
        )


@pytest.fixture
def boxed(http: TestClient, world: World) -> Iterator[Boxed]:
    """Images with boxes, without any, and with every verdict that is none."""
    pool = BoxPool(world.session, world.storage, world)
    yield Boxed(http, world, world.caller(), pool)
    context.sessions().kw["bind"].dispose()


def filled(boxed: Boxed) -> None:
    files: dict[str, bytes | str] = {f"{number}.jpg": image(number) for number in range(7)}
    # The second lies on its side as stored: everybody sees 48 × 64.
    files["1.jpg"] = image(1, orientation=6)
    boxed.pool.send(files)
    boxed.pool.send({"7.jpg": image(7)}, split=Split.AUXILIARY_OOD)
    yolo: dict[str, bytes | str] = {
        "val/images/8.jpg": image(8),
        "val/labels/8.txt": "0 0.5 0.5 0.25 0.5\n",
    }
    boxed.pool.send({**yolo, "data.yaml": "names: [dog]"})
    cat, dog = boxed.pool.names
    ada, ben = "ada@example.org", "ben@example.org"
    said = Attributes(age=3, colour="red", parked=True)
    sides = {"x": 1 / 3, "y": 2.5, "w": 20.125, "h": 30.1}
    first = Box(class_id=cat, **sides, occluded=True, truncated=True, attributes=said)
    second = Box(class_id=dog, x=10, y=12, w=3, h=4, difficult=True, crowd=True)
    third = Box(class_id=dog, x=20.7, y=40.3, w=27.3, h=20)
    boxed.say("0.jpg", ada, Verdict.LABEL, first, second)
    boxed.say("0.jpg", ben, Verdict.LABEL, first, second, seconds=3.5)
    boxed.say("1.jpg", ada, Verdict.LABEL, third, note="cut off?")
    boxed.say("2.jpg", ada, Verdict.LABEL, note="empty")
    boxed.say("3.jpg", ada, Verdict.OOD)
    boxed.say("4.jpg", ada, Verdict.UNSURE)
    boxed.say("5.jpg", ada, Verdict.SKIP, note="broken")


TRUE: Read = {
    "0": [("cat", 1 / 3, 2.5, 20.125, 30.1), ("dog", 10, 12, 3, 4)],
    "1": [("dog", 20.7, 40.3, 27.3, 20)],
    "2": [],
    "8": [("dog", 24, 12, 16, 24)],
}


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def key(path: str) -> str:
    """The number that ``val/images/7.jpg`` has."""
    return path.rpartition("/")[2].partition(".")[0]


def by_coco(content: bytes, tmp: Path) -> Read:
    """As pycocotools reads it."""
    path = tmp / "coco.json"
    path.write_bytes(opened(content)["annotations.json"])
    found = COCO(str(path))
    return {
        key(one["file_name"]): [
            (found.cats[note["category_id"]]["name"], *note["bbox"])
            for note in found.loadAnns(found.getAnnIds([one["id"]], iscrowd=None))
        ]
        for one in found.imgs.values()
    }


def by_yolo(content: bytes, tmp: Path) -> Read:
    """As Ultralytics says: the last images of a path is labels, and sizes are of the upright."""
    del tmp
    files = opened(content)
    described = yaml.safe_load(files["data.yaml"])
    # Another folder than that of the YAML may be meant by one.
    assert "path" not in described
    assert any(path.startswith(f"{described['train']}/") for path in files)
    names = described["names"]
    found: Read = {}
    for path, one in files.items():
        if not path.startswith("images/"):
            continue
        picture = ImageOps.exif_transpose(Image.open(io.BytesIO(one)))
        wide, high = picture.size
        boxes: list[Sides] = []
        for line in files[path.replace("images", "labels").replace(".jpg", ".txt")].splitlines():
            number, *rest = line.split()
            x, y, w, h = map(float, rest)
            assert min(x, y, w, h) >= 0
            assert max(x, y, w, h) <= 1
            boxes.append(
                (names[int(number)], (x - w / 2) * wide, (y - h / 2) * high, w * wide, h * high)
            )
        found[key(path)] = boxes
    return found


def by_voc(content: bytes, tmp: Path) -> Read:
    """As the development kit says: pixels from 1, the last within the box."""
    del tmp
    files = opened(content)
    found: Read = {}
    lists = [files[f"ImageSets/Main/{one}.txt"].decode().split() for one in ("train", "val")]
    for stem in [*lists[0], *lists[1]]:
        root = ElementTree.fromstring(files[f"Annotations/{stem}.xml"])
        assert f"JPEGImages/{root.findtext('filename')}" in files
        boxes: list[Sides] = []
        for one in root.iter("object"):
            left, top, right, bottom = (
                float(one.findtext(f"bndbox/{side}") or "")
                for side in ("xmin", "ymin", "xmax", "ymax")
            )
            sides = left - 1, top - 1, right - left + 1, bottom - top + 1
            boxes.append((one.findtext("name") or "", *sides))
        found[key(stem)] = boxes
    return found


def by_cvat(content: bytes, tmp: Path) -> Read:
    """As CVAT's documentation of images 1.1 says."""
    del tmp
    root = ElementTree.fromstring(opened(content)["annotations.xml"])
    assert root.findtext("version") == "1.1"
    found: Read = {}
    for one in root.iter("image"):
        boxes: list[Sides] = []
        for box in one.iter("box"):
            left, top, right, bottom = (float(box.attrib[s]) for s in ("xtl", "ytl", "xbr", "ybr"))
            boxes.append((box.attrib["label"], left, top, right - left, bottom - top))
        found[key(one.attrib["name"])] = boxes
    return found


def by_label_studio(content: bytes, tmp: Path) -> Read:
    """As Label Studio says: percent, of the first annotation that somebody submitted."""
    del tmp
    found: Read = {}
    for one in json.loads(opened(content)["label-studio.json"]):
        results = [
            note["result"]
            for note in one["annotations"]
            if not note["was_cancelled"]
            and not any(each["from_name"] == "verdict" for each in note["result"])
        ]
        if not results:
            continue
        found[key(one["data"]["image"])] = [
            (
                each["value"]["rectanglelabels"][0],
                each["value"]["x"] * each["original_width"] / 100,
                each["value"]["y"] * each["original_height"] / 100,
                each["value"]["width"] * each["original_width"] / 100,
                each["value"]["height"] * each["original_height"] / 100,
            )
            for each in results[0]
            if each["from_name"] == "boxes"
        ]
    return found


def by_parquet(content: bytes, tmp: Path) -> Read:
    """As Hugging Face's datasets reads it: null where nobody has drawn."""
    import datasets

    path = tmp / "boxes.parquet"
    path.write_bytes(content)
    read = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp / "cache"))
    rows = read.cast_column("image", datasets.Image(decode=False))
    names = rows.features["objects"]["category"].feature.names
    found: Read = {}
    for row in rows:
        objects = row["objects"]
        if objects is None or objects["bbox"] is None:
            continue
        found[key(row["image"]["path"])] = [
            (names[number], *box)
            for box, number in zip(objects["bbox"], objects["category"], strict=True)
        ]
    return found


READERS: dict[str, Callable[[bytes, Path], Read]] = {
    "coco": by_coco, "yolo": by_yolo, "voc": by_voc, "cvat": by_cvat,
    "label_studio": by_label_studio, "parquet": by_parquet,
}  # fmt: skip


def near(found: Read, wanted: Read) -> None:
    assert found.keys() == wanted.keys()
    for name, boxes in wanted.items():
        assert [one[0] for one in found[name]] == [one[0] for one in boxes], name
        for one, other in zip(found[name], boxes, strict=True):
            assert one[1:] == pytest.approx(other[1:], abs=1e-9), name


def test_others_read_the_boxes_and_only_those_that_somebody_drew(
    boxed: Boxed, tmp_path: Path
) -> None:
    """OOD, unsure, skipped and unlabeled images are never among those with no object."""
    filled(boxed)
    for kind, read in READERS.items():
        near(read(boxed.export(kind, unlabeled=True), tmp_path), TRUE)
    files = opened(boxed.export("yolo", unlabeled=True))
    aside = {path.partition("/")[0]: key(path) for path in files if path.count("/") == 1}
    assert aside == {
        "ood": "3", "unsure": "4", "skip": "5", "unlabeled": "6", "auxiliary_ood": "7",
    }  # fmt: skip
    document = json.loads(opened(boxed.export("coco", unlabeled=True))["annotations.json"])
    assert {key(one["file_name"]) for one in document["ood"]} == {"3", "7"}
    assert {key(one["file_name"]) for one in document["undecided"]} == {"4", "5", "6"}
    flagged, crowd, *_ = document["annotations"]
    flags = {"occluded": True, "truncated": True}
    assert flagged["attributes"] == {**flags, "age": 3, "colour": "red", "parked": True}
    assert (crowd["iscrowd"], crowd["area"]) == (1, 12)


def test_a_project_of_boxes_moves_with_everything_that_was_said(boxed: Boxed) -> None:
    filled(boxed)
    said = boxed.said(boxed.pool)
    for kind, filename in KINDS.items():
        target = boxed.another()
        content = boxed.export(kind, unlabeled=True)
        result = target.result(target.add(content, filename))
        assert result["refused"] == 0, result["refused_examples"]
        assert result["by_split"] == {"pool": 7, "evaluation": 1, "auxiliary_ood": 1}, kind
        assert boxed.said(target) == said, kind
        has_room = kind in ("label_studio", "parquet")
        assert boxed.notes(target) == (boxed.notes(boxed.pool) if has_room else set()), kind
        ((name, *sides),) = target.sides()["val/images/8.jpg"]
        assert name == "dog"
        assert sides == pytest.approx((24, 12, 16, 24)), kind
        again = target.result(target.add(boxed.export(kind, target), filename))
        assert again["annotations"] == 0, kind


# Numbers as programs write them: digits that are not needed, exponents, six places.
def texts(kind: str, generator: random.Random) -> list[str]:
    """A box inside 64 × 48 in a format's own numbers."""
    x, y = generator.uniform(0.2, 30), generator.uniform(0.2, 20)
    w, h = generator.uniform(1, 30), generator.uniform(1, 25)
    values = {
        "coco": (x, y, w, h),
        "voc": (x + 1, y + 1, x + w, y + h),
        "cvat": (x, y, x + w, y + h),
        "yolo": ((x + w / 2) / 64, (y + h / 2) / 48, w / 64, h / 48),
        "label_studio": (x / 0.64, y / 0.48, w / 0.64, h / 0.48),
    }[kind]
    ways = ["{:.6f}", "{:.2f}", "{!r}", "{:.17g}"]
    if kind not in ("coco", "label_studio"):
        ways += ["{:.4e}", "{:09.4f}"]
    return [generator.choice(ways).format(one) for one in values]


def drawn(kind: str, numbers: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, bytes | str]:
    """The files of a format, written by hand."""
    files: dict[str, bytes | str] = {
        f"{'JPEGImages' if kind == 'voc' else 'images'}/{name}.jpg": image(seed)
        for seed, name in enumerate(numbers)
    }
    if kind == "yolo":
        files["data.yaml"] = "names: {0: cat, 1: dog}"
        for name, boxes in numbers.items():
            files[f"labels/{name}.txt"] = "".join(f"1 {' '.join(one)}\n" for one in boxes)
    elif kind == "voc":
        for name, boxes in numbers.items():
            sides = ("xmin", "ymin", "xmax", "ymax")
            objects = "".join(
                "<object><name>dog</name><bndbox>"
                + "".join(f"<{s}>{v}</{s}>" for s, v in zip(sides, one, strict=True))
                + "</bndbox></object>"
                for one in boxes
            )
            files[f"Annotations/{name}.xml"] = (
                f"<annotation><filename>{name}.jpg</filename><size><width>64</width>"
                f"<height>48</height></size>{objects}</annotation>"
            )
    elif kind == "cvat":
        sides = ("xtl", "ytl", "xbr", "ybr")
        files["annotations.xml"] = "<annotations>" + "".join(
            f'<image name="images/{name}.jpg" width="64" height="48">'
            + "".join(
                '<box label="dog" '
                + " ".join(f'{s}="{v}"' for s, v in zip(sides, one, strict=True))
                + "/>"
                for one in boxes
            )
            + "</image>"
            for name, boxes in numbers.items()
        ) + "</annotations>"  # fmt: skip
    elif kind == "coco":
        images = [{"id": n, "file_name": f"images/{n}.jpg"} for n in range(len(numbers))]
        notes = ", ".join(
            f'{{"image_id": {name}, "category_id": 3, "bbox": [{", ".join(one)}]}}'
            for name, boxes in numbers.items()
            for one in boxes
        )
        files["a.json"] = (
            f'{{"images": {json.dumps(images)}, "annotations": [{notes}], '
            '"categories": [{"id": 3, "name": "dog"}]}'
        )
    return files


def raw(kind: str, content: bytes) -> dict[str, list[list[str]]]:
    """The numbers of an export, letter by letter."""
    files = opened(content)
    found: dict[str, list[list[str]]] = defaultdict(list)
    if kind == "yolo":
        for path, one in files.items():
            if path.startswith("labels/"):
                found[key(path)] = [line.split()[1:] for line in one.decode().splitlines()]
    elif kind == "voc":
        for path, one in files.items():
            if path.startswith("Annotations/"):
                root = ElementTree.fromstring(one)
                found[key(path)] = [
                    [side.text or "" for side in box] for box in root.iter("bndbox")
                ]
    elif kind == "cvat":
        root = ElementTree.fromstring(files["annotations.xml"])
        for element in root.iter("image"):
            found[key(element.attrib["name"])] = [
                [box.attrib[side] for side in ("xtl", "ytl", "xbr", "ybr")]
                for box in element.iter("box")
            ]
    else:
        document = json.loads(files["annotations.json"], parse_float=str, parse_int=str)
        names = {one["id"]: key(one["file_name"]) for one in document["images"]}
        for one in document["annotations"]:
            found[names[one["image_id"]]].append(one["bbox"])
    return dict(found)


def without_ours(content: bytes) -> bytes:
    """An export as another program would keep it: without what only we read."""
    files = opened(content)
    files.pop("metadata.jsonl", None)
    if "annotations.json" in files:
        document = json.loads(files["annotations.json"])
        ours = ("votes", "verdict", "label", "sha256", "split", "name", "meta", "round")
        for one in document["images"]:
            for name in ours:
                one.pop(name, None)
        files["annotations.json"] = json.dumps(document).encode()
    return zipped(files.items())


@pytest.mark.parametrize("kind", ["yolo", "csv"])
def test_thousands_of_boxes_on_an_image_come_back(boxed: Boxed, kind: str) -> None:
    boxed.pool.send({"0.jpg": image(0)})
    cat, _ = boxed.pool.names
    flags = dict.fromkeys(("occluded", "truncated", "difficult", "crowd"), True)
    boxes = [
        Box(class_id=cat, x=n % 60 / 0.97, y=n // 60 / 2.7, w=1 / 3, h=1 / 7, **flags)
        for n in range(6000)
    ]
    boxed.say("0.jpg", "ada@example.org", Verdict.LABEL, *boxes)
    content, target = boxed.export(kind), boxed.another()
    lines = opened(content)["metadata.jsonl"] if kind == "yolo" else content
    assert max(map(len, lines.splitlines())) > MOST_LINE
    if kind != "yolo":
        target.send({"0.jpg": image(0)})
    target.result(target.add(content, f"a.{'zip' if kind == 'yolo' else kind}"))
    assert boxed.said(target) == boxed.said(boxed.pool)


@pytest.mark.parametrize("kind", ["coco", "yolo", "voc", "cvat"])
def test_what_came_in_goes_out_in_the_same_letters(boxed: Boxed, kind: str) -> None:
    generator = random.Random(f"{kind} 34")
    numbers = {
        str(name): [texts(kind, generator) for _ in range(generator.randint(1, 12))]
        for name in range(10)
    }
    result = boxed.pool.send(drawn(kind, numbers))
    assert (result["added"], result["annotations"], result["refused"]) == (10, 10, 0)
    content = boxed.export(kind)
    if kind == "coco":
        # JSON's numbers are floats: the same ones, in the shortest letters.
        numbers = {k: [[repr(float(x)) for x in one] for one in v] for k, v in numbers.items()}
    assert raw(kind, content) == numbers
    # By way of our own metadata, and without it.
    for sent in (content, without_ours(content)):
        target = boxed.another()
        result = target.result(target.add(sent, "a.zip"))
        assert result["annotations"] == 10, result["refused_examples"]
        again = raw(kind, boxed.export(kind, target))
        assert {name: again[name] for name in numbers} == numbers


def test_a_format_that_has_no_place_for_boxes_is_refused(boxed: Boxed, world: World) -> None:
    def refused(project_id: int) -> set[str]:
        found = boxed.http.get(
            f"/api/projects/{project_id}/export/formats", headers=boxed.admin.headers
        ).json()["items"]
        return {one["name"] for one in found if one["refused"] is not None}

    ranked = {"alpaca", "messages", "rankings"}
    assert refused(boxed.pool.project_id) == {"imagefolder", "doccano", *ranked}
    assert refused(world.project().id) == {"voc", "cvat", "doccano", *ranked}
    response = boxed.http.get(
        f"/api/projects/{boxed.pool.project_id}/export",
        params={"format": "imagefolder"},
        headers=boxed.admin.headers,
    )
    assert response.status_code == 400
    assert "a place for classes only" in response.json()["detail"]


def test_classes_that_no_image_shows_are_counted_by_boxes(boxed: Boxed) -> None:
    filled(boxed)
    found = boxed.http.get(
        f"/api/projects/{boxed.pool.project_id}/export/classes", headers=boxed.admin.headers
    ).json()["items"]
    counts = {one["name"]: (one["labeled"], one["evaluation"]) for one in found}
    assert counts == {"cat": (1, 0), "dog": (2, 1)}
