"""Pools of boxes, and files of other tools that draw on their images."""

import csv
import json
from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image
from sqlalchemy import select
from sqlalchemy.orm import Session

from core.files.storage import Storage
from core.tables import Annotation, Job
from core.tasks.boxes import Box, BoxesLabel
from core.tasks.registry import label_of
from tests.workers.import_files import Pool, encoded, picture, zipped
from tests.world import World

WIDTH, HEIGHT = 64, 48
Sides = tuple[float, float, float, float]


def image(seed: int, orientation: int = 1, kind: str = "JPEG") -> bytes:
    """64 × 48 pixels as stored."""
    found = picture(seed, WIDTH, HEIGHT)
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(found, kind, exif=exif)


def packed(files: Mapping[str, bytes | str]) -> bytes:
    """A zip of them."""
    return zipped((k, v if isinstance(v, bytes) else v.encode()) for k, v in files.items())


class BoxPool(Pool):
    """A pool of boxes with the classes cat and dog."""

    def __init__(self, session: Session, storage: Storage, world: World) -> None:
        project = world.project(classes=("cat", "dog"))
        project.task = "boxes"
        session.commit()
        super().__init__(session, storage, project)
        self.names = {one.id: one.name for one in world.classes(project)}

    def send(self, files: Mapping[str, bytes | str], **more: Any) -> dict[str, Any]:
        """Import a zip; returns the job's result."""
        return self.result(self.add(packed(files), "pool.zip", **more))

    def result(self, job: Job) -> dict[str, Any]:
        assert job.result is not None, job.error
        return job.result

    def labels(self) -> dict[str, BoxesLabel]:
        """What holds of each image that has boxes, or is known to have none, by its name."""
        found = {}
        for one in self.examples():
            label = label_of(one.label)
            if isinstance(label, BoxesLabel):
                found[one.name] = label
        return found

    def sides(self) -> dict[str, list[tuple[str, float, float, float, float]]]:
        """Class and sides of the boxes of each."""
        return {
            name: [(self.names[box.class_id], box.x, box.y, box.w, box.h) for box in label.boxes]
            for name, label in self.labels().items()
        }

    def one(self) -> Box:
        """The only box of the only image that has one."""
        ((box,),) = (label.boxes for label in self.labels().values())
        return box

    def why(self) -> dict[str, str]:
        """What the last report says of each item of which it says anything."""
        jobs = select(Job).where(Job.project_id == self.project_id).order_by(Job.id.desc())
        job = self.session.scalars(jobs.limit(1)).one()
        rows = csv.DictReader(self.report(job).splitlines())
        return {row["name"]: row["reason"] for row in rows}

    def votes(self) -> Sequence[Annotation]:
        mine = select(Annotation).where(Annotation.project_id == self.project_id)
        return self.session.scalars(mine.order_by(Annotation.id)).all()


def coco(
    annotations: Sequence[Mapping[str, Any]],
    images: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> str:
    """A COCO document; its image 1 is ``a.jpg``, and its categories 7 and 9 are dog and cat."""
    return json.dumps(
        {
            "images": images or [{"id": 1, "file_name": "a.jpg", "width": 64, "height": 48}],
            "categories": [{"id": 7, "name": "dog"}, {"id": 9, "name": "cat"}],
            "annotations": [
                {"id": number, "image_id": 1, "category_id": 9, "iscrowd": 0, **one}
                for number, one in enumerate(annotations, 1)
            ],
            **more,
        }
    )


def voc(objects: str, size: Sides | tuple[float, float] = (64, 48), filename: str = "a.jpg") -> str:
    return (
        f"<annotation><folder>x</folder><filename>{filename}</filename><size><width>{size[0]}"
        f"</width><height>{size[1]}</height><depth>3</depth></size>{objects}</annotation>"
    )


def voc_object(
    xmin: Any, ymin: Any, xmax: Any, ymax: Any, name: str = "cat", more: str = ""
) -> str:
    return (
        f"<object><name>{name}</name><bndbox><xmin>{xmin}</xmin><ymin>{ymin}</ymin>"
        f"<xmax>{xmax}</xmax><ymax>{ymax}</ymax></bndbox>{more}</object>"
    )


def cvat(shapes: str, size: tuple[int, int] = (64, 48), name: str = "a.jpg") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><annotations><version>1.1</version><meta/>'
        f'<image id="0" name="{name}" width="{size[0]}" height="{size[1]}">{shapes}</image>'
        "</annotations>"
    )


def task(
    results: Sequence[Mapping[str, Any]], size: tuple[int, int] = (64, 48), **more: Any
) -> str:
    """A Label Studio document of one task with one annotation."""
    found = [
        {
            "id": f"r{number}",
            "type": "rectanglelabels",
            "from_name": "label",
            "to_name": "image",
            "original_width": size[0],
            "original_height": size[1],
            **one,
        }
        for number, one in enumerate(results)
    ]
    annotation = {"completed_by": 3, "result": found, "was_cancelled": False, **more}
    return json.dumps([{"id": 1, "data": {"image": "a.jpg"}, "annotations": [annotation]}])


def rectangle(
    x: Any, y: Any, width: Any, height: Any, label: str = "cat", **more: Any
) -> dict[str, Any]:
    sides = {"x": x, "y": y, "width": width, "height": height, "rotation": 0}
    return {"value": {**sides, **more, "rectanglelabels": [label]}}


def labelme(
    shapes: Sequence[Mapping[str, Any]],
    path: str = "a.jpg",
    size: tuple[int, int] = (64, 48),
    data: str | None = None,
    **more: Any,
) -> str:
    """A file of LabelMe, with its members in the order in which it writes them."""
    found: dict[str, Any] = {
        "version": "5.5.0",
        "flags": {},
        "shapes": shapes,
        "imagePath": path,
        "imageData": data,
        "imageHeight": size[1],
        "imageWidth": size[0],
    }
    return json.dumps(found | more, indent=2)


def shape(
    kind: str | None, *points: Sequence[Any], label: str = "cat", **more: Any
) -> dict[str, Any]:
    """A shape of LabelMe, by its points."""
    return {
        "label": label, "points": points, "group_id": None, "description": "", "shape_type": kind,
        "flags": {}, "mask": None, **more,
    }  # fmt: skip
