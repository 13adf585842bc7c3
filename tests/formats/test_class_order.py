"""Classes come back in the order that an export gives them, in every format that lists them."""

from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient

from api.exports.service import Format, refusal
from core.tables import Project
from core.tasks.boxes import BOXES
from tests.workers.box_files import image, packed
from tests.workers.import_files import Pool, parquet_of, png
from tests.world import World
from workers.imports.formats.boxes import cvat
from workers.imports.formats.parquet.source import ParquetSource

# In no order of words; nothing is labeled with the last.
CLASSES: Final = ("zebra", "ant", "moth")
LISTED: Final[dict[str, dict[str, str]]] = {
    "images": {"coco": "a.zip", "label_studio": "a.zip", "parquet": "a.parquet"},
    "boxes": {
        "coco": "a.zip", "yolo": "a.zip", "cvat": "a.zip", "label_studio": "a.zip",
        "parquet": "a.parquet",
    },
    "texts": {"label_studio": "a.zip", "parquet": "a.parquet"},
}  # fmt: skip
# Folders, tables, lines and a file for each image.
UNLISTED: Final = {
    "images": {"csv", "jsonl", "imagefolder", "yolo"},
    "boxes": {"csv", "jsonl", "voc"},
    "texts": {"csv", "jsonl", "doccano"},
}


def project_of(world: World, kind: str, *, is_filled: bool) -> Project:
    classes = CLASSES if is_filled else ()
    if kind == "texts":
        return world.texts(["Where is it?", "Here."] if is_filled else [], classes=classes)
    project = world.project(images=2 * (is_filled and kind == "images"), classes=classes)
    if kind == "boxes":
        project.task = BOXES.name
        world.session.commit()
    if is_filled and kind == "boxes":
        labels = {"labels/a.txt": "1 0.5 0.5 0.25 0.5\n", "data.yaml": f"names: {[*CLASSES]}\n"}
        Pool(world.session, world.storage, project).add(
            packed({"images/a.jpg": image(1), **labels})
        )
    return project


@pytest.mark.parametrize("kind", LISTED)
def test_a_plan_has_the_classes_in_the_order_of_the_export(
    http: TestClient, world: World, kind: str
) -> None:
    source, target = (project_of(world, kind, is_filled=one) for one in (True, False))
    served = {one for one in Format if refusal(one, source.medium, source.task) is None}
    assert served == LISTED[kind].keys() | UNLISTED[kind]
    headers = world.caller().headers

    def listed(filename: str, **query: Any) -> list[str]:
        url = f"/api/projects/{source.id}/export"
        found = http.get(url, params={**query, "unlabeled": True}, headers=headers)
        assert found.status_code == 200, found.text
        pool = Pool(world.session, world.storage, target)
        job = pool.add(found.content, filename, dry_run=True)
        assert job.result is not None, job.error
        names: list[str] = job.result["class_names"]
        return names

    for format_, filename in LISTED[kind].items():
        assert listed(filename, format=format_) == [*CLASSES], format_
    if kind != "texts":
        assert listed("project.json", format="coco", images=False) == [*CLASSES]


def test_what_a_column_declares_that_was_asked_for_goes_before_what_is_guessed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.parquet"
    rows = {"image": [png(1)], "label": [0], "coarse": [0]}
    path.write_bytes(parquet_of(rows, label=["beaver", "dolphin"], coarse=["aquatic", "fish"]))
    with closing(ParquetSource(path, path.name, {}, ["coarse"], names_only=True)) as source:
        assert source.class_names == ("aquatic", "fish")


def test_points_of_a_skeleton_are_no_classes_of_cvat() -> None:
    labels = (
        "<label><name>person</name></label>"
        "<label><name>nose</name><type>points</type><parent>person</parent></label>"
    )
    document = f"<annotations><meta><task><labels>{labels}</labels></task></meta></annotations>"
    listed: list[str] = []
    read = cvat.rows(BytesIO(document.encode()), "a.xml", lambda *_: None, listed.extend)
    assert (list(read), listed) == ([], ["person"])
