"""Projects of boxes, and boxes drawn with the pointer."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from PIL import Image, ImageDraw
from playwright.sync_api import FloatRect, Page

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack
from tests.processes import eventually, libpq_url

SIZE = (640, 480)


def street(folder: Path, images: int, *, size: tuple[int, int] = SIZE) -> Path:
    """A folder of pictures with coloured rectangles in them."""
    folder.mkdir(parents=True)
    for seed in range(images):
        generator = np.random.default_rng(seed)
        picture = Image.new("RGB", size, (96 + seed % 40, 120, 140))
        draw = ImageDraw.Draw(picture)
        for _ in range(6):
            x, y = (int(generator.integers(0, side - 120)) for side in size)
            w, h = generator.integers(40, 120, 2).tolist()
            colour = tuple(generator.integers(40, 230, 3).tolist())
            draw.rectangle((x, y, x + w, y + h), fill=colour)
        picture.save(folder / f"{seed}.png")
    return folder


def box_project(karat: Client, name: str, pictures: Path, **settings: Any) -> ProjectClient:
    """A project of boxes whose first round asks about all of its pictures."""
    images = len(list(pictures.iterdir()))
    body = {
        "name": name,
        "task": "boxes",
        "classes": [{"name": "car"}, {"name": "bicycle"}, {"name": "sign"}],
        "settings": {"budget": images, "strategy": {"name": "random"}, **settings},
    }
    made = karat._transport.request("POST", "/projects", body=body)
    project = ProjectClient(karat._transport, made["id"])
    karat.wait(project.import_images(pictures)["id"])
    project.start()
    # The round opens before its job ends, which goes on to put other images into the queue.
    eventually(
        lambda: all(one["state"] == "succeeded" for one in project.jobs()),
        "the first round is made",
    )
    assert project.rounds()[0]["state"] == "open"
    return project


def stored(stack: Stack, project_id: int) -> list[tuple[int, str, Any, int | None]]:
    """Every annotation, oldest first: query, verdict, label, and what it supersedes."""
    statement = """
        SELECT query_id, verdict, label, supersedes_id FROM annotations
        WHERE project_id = %s ORDER BY id
    """
    found: list[tuple[int, str, Any, int | None]] = _rows(stack, statement, [project_id])
    return found


def propose(stack: Stack, project_id: int, proposals: list[dict[str, Any]]) -> None:
    """Have every query of a project propose boxes."""
    statement = """
        UPDATE queries SET proposals = %s FROM rounds
        WHERE rounds.id = queries.round_id AND rounds.project_id = %s RETURNING queries.id
    """
    _rows(stack, statement, [json.dumps(proposals), project_id])


def _rows(stack: Stack, statement: str, values: list[Any]) -> Any:
    url = libpq_url(stack.environment["DATABASE_URL"])
    with psycopg.connect(url) as connection:
        return connection.execute(statement, values).fetchall()


class Pointer:
    """Drags on the image, in its own pixels."""

    def __init__(self, page: Page) -> None:
        """Of the image on the label page."""
        self.page = page

    def place(self) -> FloatRect:
        """Where the image is on the page."""
        found = self.page.locator("img[data-query-id]").bounding_box()
        assert found is not None
        return found

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """From one point of the image to another."""
        place = self.place()
        mouse = self.page.mouse
        scale = place["width"] / SIZE[0]
        points = [(place["x"] + x * scale, place["y"] + y * scale) for x, y in (start, end)]
        mouse.move(*points[0])
        mouse.down()
        mouse.move(*points[1], steps=4)
        mouse.up()


class Finger(Pointer):
    """Drags and taps of one finger, on a page of a phone."""

    def __init__(self, page: Page) -> None:
        """Of the image on the label page."""
        super().__init__(page)
        self.devtools = page.context.new_cdp_session(page)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """From one point of the image to another."""
        (x, y), (right, bottom) = (self._at(point) for point in (start, end))
        self._touch("touchStart", x, y)
        for step in range(1, 5):
            self._touch("touchMove", x + (right - x) * step / 4, y + (bottom - y) * step / 4)
        self._touch("touchEnd")

    def pinch(self, middle: tuple[float, float], factor: float) -> None:
        """Two fingers beside a point of the image, drawn apart."""
        x, y = self._at(middle)
        for kind, apart in (("touchStart", 1.0), ("touchMove", factor), ("touchMove", factor)):
            self._touches(kind, [(x - 25 * apart, y), (x + 25 * apart, y)])
        self._touches("touchEnd", [])

    def tap(self, point: tuple[float, float]) -> None:
        """On a point of the image."""
        self._touch("touchStart", *self._at(point))
        self._touch("touchEnd")

    def _at(self, point: tuple[float, float]) -> tuple[float, float]:
        place = self.place()
        scale = place["width"] / SIZE[0]
        return place["x"] + point[0] * scale, place["y"] + point[1] * scale

    def _touch(self, kind: str, *at: float) -> None:
        self._touches(kind, [(at[0], at[1])] if at else [])

    def _touches(self, kind: str, places: list[tuple[float, float]]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
