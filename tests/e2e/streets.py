"""Drawn streets whose cars, bicycles and signs are known, and a project that learns them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from tests.processes import eventually

CLASSES: Final = ("car", "bicycle", "sign")
WIDTH, HEIGHT = 640, 640
# What is drawn lies below so much sky: of a picture that is not square models see the middle alone.
_ABOVE: Final = 160
_SKY: Final = (176, 202, 222)
# Side of what the detector sees, in pixels.
_SEEN: Final = 256
# Every twelfth is a garden, in which nothing is to be found.
_GARDENS: Final = 12

Sides = tuple[float, float, float, float]


@dataclass(frozen=True)
class Street:
    """A picture, and what is where in it: the name of the class, and left, top, width, height."""

    image: Image.Image
    things: list[tuple[str, Sides]]

    def label(self, class_ids: dict[str, int]) -> dict[str, Any]:
        """What an annotator draws who sees everything."""
        boxes = [
            {"class_id": class_ids[name], "x": x, "y": y, "w": w, "h": h}
            for name, (x, y, w, h) in self.things
        ]
        return {"type": "boxes", "boxes": boxes}


def street(number: int) -> Street:
    """A picture; the same number is the same one."""
    random = np.random.default_rng(number)
    image = Image.new("RGB", (WIDTH, HEIGHT - _ABOVE), _SKY)
    draw = ImageDraw.Draw(image)
    if number % _GARDENS == _GARDENS - 1:
        draw.rectangle((0, 180, WIDTH, HEIGHT), fill=(120, 158, 92))
        for _ in range(14):
            x, y = float(random.uniform(0, WIDTH)), float(random.uniform(190, HEIGHT))
            draw.ellipse((x - 26, y - 18, x + 26, y + 18), fill=_colour(random, 70, 180))
        return _below_sky(image, [])
    for start in range(-20, WIDTH, 110):
        top = float(random.uniform(40, 120))
        draw.rectangle((start, top, start + 106, 250), fill=_colour(random, 140, 215))
        for x in range(start + 14, start + 90, 30):
            for y in range(int(top) + 16, 220, 40):
                draw.rectangle((x, y, x + 14, y + 20), fill=(92, 104, 118))
    draw.rectangle((0, 250, WIDTH, 300), fill=(190, 186, 178))
    draw.rectangle((0, 300, WIDTH, HEIGHT), fill=(98, 100, 104))
    for x in range(-40, WIDTH, 120):
        draw.rectangle((x, 388, x + 60, 393), fill=(225, 225, 220))
    things: list[tuple[str, Sides]] = []
    # Each has a lane of its own, so that none hides another.
    lanes = random.permutation(4)[: int(random.integers(2, 5))]
    for lane in sorted(int(one) for one in lanes):
        kind = CLASSES[int(random.integers(len(CLASSES)))]
        left = 20 + 155 * lane + float(random.uniform(0, 20))
        things.append((kind, _DRAWN[kind](draw, left, random)))
    return _below_sky(image, things)


def _below_sky(scene: Image.Image, things: list[tuple[str, Sides]]) -> Street:
    image = Image.new("RGB", (WIDTH, HEIGHT), _SKY)
    image.paste(scene, (0, _ABOVE))
    return Street(image, [(name, (x, y + _ABOVE, w, h)) for name, (x, y, w, h) in things])


def _car(draw: ImageDraw.ImageDraw, left: float, random: np.random.Generator) -> Sides:
    width = float(random.uniform(105, 130))
    top = float(random.uniform(310, 380))
    height = width * 0.45
    colour = _colour(random, 50, 210)
    roof = ((0.2, 0.45), (0.32, 0.0), (0.7, 0.0), (0.84, 0.45))
    draw.polygon([(left + x * width, top + y * height) for x, y in roof], fill=colour)
    glass = ((0.27, 0.42), (0.35, 0.08), (0.67, 0.08), (0.77, 0.42))
    draw.polygon([(left + x * width, top + y * height) for x, y in glass], fill=(205, 222, 232))
    body = (left, top + 0.42 * height, left + width, top + 0.82 * height)
    draw.rounded_rectangle(body, 8, fill=colour)
    for x in (0.22, 0.78):
        _wheel(draw, left + x * width, top + 0.8 * height, 0.2 * height, fill=(30, 30, 34))
    return left, top, width, height


def _bicycle(draw: ImageDraw.ImageDraw, left: float, random: np.random.Generator) -> Sides:
    width = float(random.uniform(84, 100))
    top = float(random.uniform(300, 370))
    height, radius = width * 0.66, width * 0.22
    colour = _colour(random, 20, 150)
    hubs = [(left + radius, top + height - radius), (left + width - radius, top + height - radius)]
    for x, y in hubs:
        _wheel(draw, x, y, radius)
    seat, bar = (left + 0.36 * width, top + 0.1 * height), (left + 0.7 * width, top)
    pedal = (left + 0.47 * width, hubs[0][1])
    for start, end in ((hubs[0], seat), (seat, pedal), (pedal, hubs[0]), (pedal, bar)):
        draw.line((*start, *end), fill=colour, width=4)
    draw.line((*seat, left + 0.68 * width, top + 0.12 * height), fill=colour, width=4)
    draw.line((*bar, *hubs[1]), fill=colour, width=4)
    draw.line((seat[0] - 8, seat[1], seat[0] + 8, seat[1]), fill=(30, 30, 34), width=5)
    return left, top, width, height


def _sign(draw: ImageDraw.ImageDraw, left: float, random: np.random.Generator) -> Sides:
    width = float(random.uniform(44, 56))
    top = float(random.uniform(130, 170))
    height = width * 2.6
    middle = left + width / 2
    draw.rectangle((middle - 3, top + width / 2, middle + 3, top + height), fill=(120, 122, 126))
    draw.ellipse((left, top, left + width, top + width), fill=(196, 40, 44))
    inner = (left + 7, top + 7, left + width - 7, top + width - 7)
    draw.ellipse(inner, fill=(244, 244, 240))
    return left, top, width, height


def _wheel(
    draw: ImageDraw.ImageDraw,
    x: float,
    y: float,
    radius: float,
    fill: tuple[int, int, int] | None = None,
) -> None:
    around = (x - radius, y - radius, x + radius, y + radius)
    draw.ellipse(around, fill=fill, outline=(30, 30, 34), width=4)


def _colour(random: np.random.Generator, low: int, high: int) -> tuple[int, int, int]:
    red, green, blue = (int(one) for one in random.integers(low, high, 3))
    return red, green, blue


_DRAWN: Final[dict[str, Callable[[ImageDraw.ImageDraw, float, np.random.Generator], Sides]]] = {
    "car": _car,
    "bicycle": _bicycle,
    "sign": _sign,
}


def street_project(
    karat: Client, name: str, folder: Path, *, images: int, steps: int
) -> ProjectClient:
    """A project whose first round is answered, and whose second proposes what it has learned."""
    project = karat.create_project(
        name,
        list(CLASSES),
        task="boxes",
        guidelines="Every car, bicycle and sign, however small. A wheel alone is no bicycle.",
        settings={
            "input_size": _SEEN,
            "budget": images // 2,
            "zero_wait": False,
            "model": {"name": "fcos", "params": {"steps": steps, "batch_size": 4}},
        },
    )
    evaluation = range(1000, 1000 + images // 3)
    karat.wait(project.import_images(_saved(folder / "pool", range(images)))["id"])
    boxed = _saved(folder / "evaluation", evaluation)
    _write_coco(boxed / "annotations.json", evaluation)
    karat.wait(project.import_images(boxed, split="evaluation")["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    _answer(project)
    eventually(
        lambda: len(project.rounds()) > 1 and project.rounds()[1]["state"] == "open",
        "the second round opens",
        seconds=300,
    )
    return project


def _saved(folder: Path, numbers: range) -> Path:
    folder.mkdir(parents=True)
    for number in numbers:
        street(number).image.save(folder / f"{number:04}.png")
    return folder


def _write_coco(path: Path, numbers: range) -> None:
    """Where everything is in these pictures, as COCO says it."""
    images, annotations = [], []
    for number in numbers:
        images.append(
            {"id": number, "file_name": f"{number:04}.png", "width": WIDTH, "height": HEIGHT}
        )
        annotations += [
            {
                **{"id": 100 * number + place, "image_id": number, "iscrowd": 0},
                **{"category_id": CLASSES.index(name), "bbox": [x, y, w, h], "area": w * h},
            }
            for place, (name, (x, y, w, h)) in enumerate(street(number).things)
        ]
    categories = [{"id": index, "name": name} for index, name in enumerate(CLASSES)]
    document = {"images": images, "annotations": annotations, "categories": categories}
    path.write_text(json.dumps(document))


def _answer(project: ProjectClient) -> None:
    """Draw what is in the images of the first round; gardens are the wrong kind of image."""
    ids = {one["name"]: one["id"] for one in project.get()["classes"]}
    answers: list[Answer] = []
    for query in project.lease(int(project.rounds()[0]["budget"]))["items"]:
        shown = street(int(Path(query["name"]).stem))
        said: Answer = {"query_id": query["query_id"], "seconds": 9.0, "verdict": "ood"}
        if shown.things:
            said |= {"verdict": "label", "label": shown.label(ids)}
        answers.append(said)
    project.answer(answers)
