"""Drawn garments, of which two people say what they are and are partly wrong."""

import csv
import io
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

SHAPES: Final = {
    "shirt": ((4, 6), (12, 10), (11, 28), (21, 28), (20, 10), (28, 6), (19, 4), (13, 4)),
    "trousers": ((10, 4), (22, 4), (25, 28), (19, 28), (16, 12), (13, 28), (7, 28)),
    "dress": ((13, 3), (19, 3), (20, 12), (27, 28), (5, 28), (12, 12)),
}


def garments(folder: Path, count: int) -> tuple[Path, Path]:
    """Drawn garments in a folder by what they are, and what two people called them."""
    random = np.random.default_rng(0)
    names = tuple(SHAPES)
    table = folder / "labels.csv"
    with table.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "ada", "ben"))
        for index in range(count):
            truth = index % len(names)
            path = folder / "pool" / names[truth] / f"{index:04}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_garment(names[truth], random))
            said = [
                names[(truth + int(random.random() < wrong)) % len(names)] for wrong in (0.2, 0.1)
            ]
            writer.writerow((f"{names[truth]}/{path.name}", *said))
    return folder / "pool", table


def _garment(name: str, random: np.random.Generator) -> bytes:
    """One drawing of 32 px as PNG, in another colour and place each time."""
    ground = tuple(int(one) for one in random.integers(205, 250, 3))
    colour = tuple(int(one) for one in random.integers(30, 170, 3))
    image = Image.new("RGB", (32, 32), ground)
    shift = random.integers(-2, 3, 2)
    outline = [(x + int(shift[0]), y + int(shift[1])) for x, y in SHAPES[name]]
    ImageDraw.Draw(image).polygon(outline, fill=colour)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()
