"""A project with labels, made by the Python client."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from karat import Client
from karat.client.project import ProjectClient
from tests.answering import answer_by_name
from tests.processes import eventually

CLASSES = ("light", "dark")


def labeled_project(karat: Client, name: str, folder: Path, **settings: Any) -> ProjectClient:
    """A running project of 60 images, of which 59 have a verdict in its first round."""
    settings = {"input_size": 16, "budget": 60, "audit_share": 0, **settings}
    project = karat.create_project(name, list(CLASSES), settings=settings)
    karat.wait(project.import_images(images(folder / "pool", 60))["id"])
    project.start()
    label(project)
    return project


def images(path: Path, count: int) -> Path:
    """Light and dark images, and stripes, which are neither."""
    path.mkdir()
    for seed in range(count):
        generator = np.random.default_rng(seed)
        kind = ("light", "dark", "stripes")[seed % 3]
        pixels = generator.integers(150, 256, (16, 16, 3), dtype=np.uint8)
        if kind == "dark":
            pixels -= 150
        if kind == "stripes":
            pixels[::2] = 0
        Image.fromarray(pixels).save(path / f"{kind}-{seed}.png")
    return path


def label(project: ProjectClient) -> None:
    """Answer the whole first queue but for one image, so that no round begins meanwhile."""
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    assert answer_by_name(project, 59) == 59
