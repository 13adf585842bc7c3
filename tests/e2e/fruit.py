"""Drawn fruit, most of which a model labels with a guarantee after a round and some checks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw

from karat import Client
from karat.client.project import ProjectClient
from tests.answering import answer_by_name
from tests.processes import eventually

SIDE: Final = 32
# Limes are of no class.
COLOURS: Final = {"tomato": (205, 50, 40), "plum": (75, 55, 150), "lime": (70, 165, 60)}
CLASSES: Final = ("tomato", "plum")
BUDGET: Final = 30


def fruit_project(karat: Client, name: str, folder: Path, count: int) -> ProjectClient:
    """A project in its second round: of the first, all is answered, and every answer is right."""
    settings: dict[str, Any] = {
        "input_size": 16, "budget": BUDGET, "zero_wait": False, "audit_share": 0.2,
        "model": {"name": "patch_kmeans", "params": {"flip": False}},
    }  # fmt: skip
    project = karat.create_project(name, list(CLASSES), settings=settings)
    karat.wait(project.import_images(fruit(folder, count))["id"])
    project.start()
    eventually(lambda: answer_by_name(project, BUDGET) > 0, "the first round opens")
    eventually(
        lambda: (
            project.rounds()[0]["state"] == "closed" and project.rounds()[-1]["state"] == "open"
        ),
        "the second round opens",
    )
    return project


def fruit(path: Path, count: int) -> Path:
    """Pictures of one fruit each; what it is stands before the hyphen of the name."""
    path.mkdir(parents=True)
    random = np.random.default_rng(0)
    for index in range(count):
        kind = list(COLOURS)[index % len(COLOURS)]
        _drawn(kind, random).save(path / f"{kind}-{index:04}.png")
    return path


def _drawn(kind: str, random: np.random.Generator) -> Image.Image:
    """One fruit on a table, in another place, size and light each time."""
    light = int(random.integers(-25, 26))
    image = Image.new("RGB", (SIDE, SIDE), (226 + light // 4, 220 + light // 4, 208 + light // 4))
    draw = ImageDraw.Draw(image)
    x, y = (float(one) for one in random.uniform(14, 18, 2))
    wide = float(random.uniform(9, 12))
    high = wide * {"tomato": 0.9, "plum": 1.15, "lime": 0.85}[kind]
    colour = tuple(max(0, min(255, one + light)) for one in COLOURS[kind])
    draw.ellipse((x - wide, y - high + 4, x + wide, y + high + 3), fill=(196, 188, 174))
    draw.ellipse((x - wide, y - high, x + wide, y + high), fill=colour)
    shine = tuple(min(255, one + 70) for one in colour)
    draw.ellipse((x - wide / 2, y - high / 2, x - wide / 6, y - high / 6), fill=shine)
    draw.line((x, y - high - 2, x + 1, y - high + 3), fill=(80, 100, 40), width=2)
    return image


def certificate(karat: Client, project: ProjectClient) -> int:
    """Begin one that such a model can keep; people are asked for checks."""
    begun = project.certificates.begin(target=0.1, confidence=0.9)
    assert begun["job_id"] is not None
    karat.wait(begun["job_id"])
    return begun["id"]


def check(project: ProjectClient, certificate_id: int) -> None:
    """Answer all checks of a certificate, and nothing else, until no more are asked."""

    def standing() -> tuple[str, int]:
        known = project.certificates.get(certificate_id)
        return known["state"], known["asked"]

    done = 0
    while (known := standing())[0] == "asking":
        # Checks are asked first; who went on would answer what else the round asks about.
        while done < known[1]:
            done += answer_by_name(project, known[1] - done)
        eventually(partial(_differs, standing, known), "what was answered is taken")


def _differs(standing: Callable[[], tuple[str, int]], known: tuple[str, int]) -> bool:
    return standing() != known


def finish(project: ProjectClient) -> None:
    """Close the round that is open, as the last of the project."""
    latest = project.rounds()[-1]["number"]
    project.update(settings={"max_rounds": latest + 1})
    project.close_round(latest)
    eventually(lambda: project.get()["state"] == "finished", "the project is finished")
